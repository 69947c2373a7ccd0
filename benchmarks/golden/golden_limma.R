# Golden values of the moderated t-test from R limma, for tests/analysis/test_against_limma.py.
#
#   python -m benchmarks golden_limma tests/fixtures/limma
#
# Makes the small inputs (seeded), fits them with limma and lm, and writes both as CSV. Numbers are
# written with 17 significant digits, so that they are read back as they were.

suppressMessages({
  library(limma)
  library(nlme)
})

folder <- commandArgs(trailingOnly = TRUE)[1]
if (is.na(folder)) stop("give the folder to write to")

exact <- function(x) ifelse(is.na(x), "", formatC(x, digits = 17, format = "g"))

write_table <- function(x, name) {
  x[] <- lapply(x, function(column) if (is.numeric(column)) exact(column) else column)
  write.csv(x, file.path(folder, name), row.names = FALSE, quote = FALSE)
}

make_cohort <- function(name, genes, samples, continuous = FALSE, missing = 0, seed) {
  set.seed(seed)
  trait <- if (continuous) round(rnorm(samples), 3) else rep(0:1, length.out = samples)
  if (continuous) trait <- as.numeric(scale(trait))
  age <- round(rnorm(samples, 55, 12))
  gender <- sample(rep(0:1, length.out = samples))
  level <- runif(genes, 3, 13)
  spread <- sqrt(0.09 * 6 / rchisq(genes, 6)) * (1.6 - level / 16)
  expression <- matrix(rnorm(genes * samples), genes) * spread + level
  changed <- seq_len(ceiling(genes / 8))
  expression[changed, ] <- expression[changed, ] + outer(rep(0.8, length(changed)), trait)
  expression <- expression + outer(rnorm(genes, 0, 0.01), age - 55)
  expression <- round(expression, 4)
  if (missing > 0) expression[sample(length(expression), missing)] <- NA
  rownames(expression) <- sprintf("GENE%03d", seq_len(genes))
  colnames(expression) <- sprintf("S%02d", seq_len(samples))
  clinical <- data.frame(sample = colnames(expression), trait = trait, age = age, gender = gender)
  write_table(clinical, paste0(name, "_clinical.csv"))
  write_table(data.frame(gene = rownames(expression), expression), paste0(name, "_expression.csv"))
  list(expression = expression, clinical = clinical)
}

fit_cohort <- function(name, cohort, trend = FALSE, interaction = FALSE, suffix = "") {
  design <- with(cohort$clinical, cbind(intercept = 1, age, gender, trait))
  if (interaction) {
    product <- with(cohort$clinical, (age - mean(age)) * (trait - mean(trait)))
    design <- cbind(design, product)
  }
  tested <- colnames(design)[ncol(design)]
  fit <- eBayes(lmFit(cohort$expression, design), trend = trend)
  top <- topTable(fit, coef = tested, number = Inf, sort.by = "none", confint = TRUE)
  plain <- fit$coefficients[, tested] / fit$stdev.unscaled[, tested] / fit$sigma
  write_table(
    data.frame(
      gene = rownames(cohort$expression), coefficient = top$logFC, lower = top$CI.L,
      upper = top$CI.R, mean = top$AveExpr, t = top$t, p = top$P.Value, q = top$adj.P.Val,
      se = sqrt(fit$s2.post) * fit$stdev.unscaled[, tested], df = fit$df.total,
      sigma2 = fit$sigma^2, residual_df = fit$df.residual, prior_variance = rep_len(fit$s2.prior, nrow(top)),
      prior_df = fit$df.prior, ordinary_t = plain
    ),
    paste0(name, suffix, "_limma.csv")
  )
}

cohort <- make_cohort("binary", genes = 40, samples = 12, seed = 1)
fit_cohort("binary", cohort)
fit_cohort("binary", cohort, trend = TRUE, suffix = "_trend")
fit_cohort("binary", cohort, interaction = TRUE, suffix = "_interaction")
cohort <- make_cohort("missing", genes = 40, samples = 14, missing = 50, seed = 2)
fit_cohort("missing", cohort)
fit_cohort("missing", cohort, trend = TRUE, suffix = "_trend")
cohort <- make_cohort("continuous", genes = 24, samples = 15, continuous = TRUE, seed = 3)
fit_cohort("continuous", cohort)
fit_cohort("continuous", cohort, trend = TRUE, suffix = "_trend")

# Variances that scatter less than by chance: infinite prior degrees of freedom.
set.seed(4)
variance <- 1 + seq(-0.05, 0.05, length.out = 20)
squeezed <- squeezeVar(variance, df = 6)
write_table(
  data.frame(
    variance = variance, prior_variance = squeezed$var.prior, posterior = squeezed$var.post,
    prior_df = ifelse(is.finite(squeezed$df.prior), squeezed$df.prior, -1)
  ),
  "calm_variances_limma.csv"
)

# Ordinary least squares of single genes, by lm on the samples that have the gene.
input <- cohort
by_gene <- lapply(rownames(input$expression)[1:6], function(gene) {
  model <- summary(lm(input$expression[gene, ] ~ age + gender + trait, data = input$clinical))
  data.frame(
    gene = gene, coefficient = model$coefficients["trait", 1], se = model$coefficients["trait", 2],
    t = model$coefficients["trait", 3], p = model$coefficients["trait", 4], df = model$df[2]
  )
})
write_table(do.call(rbind, by_gene), "continuous_lm.csv")

p <- c(0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216, 0.222, 0.251, 0.269,
       0.275, 0.34, 0.341, 0.384, 0.569, 0.594, 0.696, 0.762, 0.94, 0.942, 0.975, 0.986, 0.001)
write_table(data.frame(p = p, q = p.adjust(p, "BH")), "benjamini_hochberg_r.csv")

value <- c(1e-8, 1e-7, 1e-6, 1e-3, 0.01, 0.1, 0.5, 1, 2, 10, 100, 1e5, 1e8)
write_table(data.frame(value = value, inverse = trigammaInverse(value)), "trigamma_inverse_limma.csv")

# What eBayes and treat can do besides: a robust prior, and a test against a minimal effect.
moderated <- function(fit) {
  data.frame(
    gene = rownames(fit$coefficients), t = fit$t[, "trait"], p = fit$p.value[, "trait"],
    df = fit$df.total, prior_variance = rep_len(fit$s2.prior, nrow(fit$t)),
    prior_df = ifelse(is.finite(fit$df.prior), fit$df.prior, -1)
  )
}
design_of <- function(cohort) with(cohort$clinical, cbind(intercept = 1, age, gender, trait))
vary <- function(cohort, name, genes) {
  spread <- cohort$expression[genes, , drop = FALSE]
  cohort$expression[genes, ] <- round(rowMeans(spread) + 6 * (spread - rowMeans(spread)), 4)
  write_table(
    data.frame(gene = rownames(cohort$expression), cohort$expression),
    paste0(name, "_expression.csv")
  )
  cohort
}
binary <- make_cohort("binary", genes = 40, samples = 12, seed = 1)
hypervariable <- make_cohort("hypervariable", genes = 120, samples = 12, seed = 5)
hypervariable <- vary(hypervariable, "hypervariable", c(7, 50, 101, 119))
calm <- make_cohort("calm", genes = 60, samples = 10, seed = 6)
calm$expression <- round(calm$expression + 0.6 * rnorm(600), 4)
calm <- vary(calm, "calm", 30)
gaps <- make_cohort("gaps", genes = 80, samples = 14, missing = 90, seed = 7)
gaps$expression[c(9, 33), ] <- round(5 * gaps$expression[c(9, 33), ] - 20, 4)
write_table(data.frame(gene = rownames(gaps$expression), gaps$expression), "gaps_expression.csv")
robust_cases <- list(binary = binary, hypervariable = hypervariable, calm = calm, gaps = gaps)
for (name in names(robust_cases)) {
  fit <- lmFit(robust_cases[[name]]$expression, design_of(robust_cases[[name]]))
  for (trend in c(FALSE, TRUE)) {
    suffix <- if (trend) "_trend" else ""
    found <- eBayes(fit, robust = TRUE, trend = trend)
    write_table(moderated(found), paste0(name, suffix, "_robust_limma.csv"))
  }
  write_table(moderated(treat(fit, lfc = 0.4)), paste0(name, "_treat_limma.csv"))
}

# Weights of samples: by group and by sample, on plain values and with weights of observations.
set.seed(8)
observed <- matrix(round(exp(rnorm(length(hypervariable$expression), 0, 0.5)), 4),
                   nrow(hypervariable$expression))
uneven <- hypervariable
loud <- c(1, 0.6, 1.7, 1, 1, 2.2, 1, 1, 0.7, 1.3, 1, 1.8)
uneven$expression <- round(
  rowMeans(uneven$expression) + t(t(uneven$expression - rowMeans(uneven$expression)) * loud), 4
)
write_table(data.frame(gene = rownames(uneven$expression), uneven$expression), "uneven_expression.csv")
write_table(data.frame(sample = colnames(uneven$expression), t(observed)), "uneven_observed.csv")
group <- uneven$clinical$trait
three <- rep(c("a", "b", "c"), length.out = 12)
sample_weights <- data.frame(
  sample = colnames(uneven$expression), three = three,
  by_group = arrayWeights(uneven$expression, design_of(uneven), var.group = group, tol = 1e-14),
  by_three = arrayWeights(uneven$expression, design_of(uneven), var.group = three, tol = 1e-14),
  by_sample = arrayWeights(uneven$expression, design_of(uneven), tol = 1e-14),
  observed_by_group = arrayWeights(
    uneven$expression, design_of(uneven), weights = observed, var.group = group,
    method = "reml", tol = 1e-14
  ),
  observed_by_sample = arrayWeights(
    uneven$expression, design_of(uneven), weights = observed, method = "reml", tol = 1e-14
  )
)
write_table(sample_weights, "uneven_weights_limma.csv")

# Samples of the same person: consensus correlation and generalised least squares.
repeated <- make_cohort("repeated", genes = 60, samples = 15, seed = 9)
person <- c("p1", "p1", "p2", "p2", "p3", "p3", "p4", "p5", "p6", "p6", "p7", "p7", "p7", "p8", "p9")
own <- matrix(rnorm(60 * 9, 0, 0.4), 60)
repeated$expression <- round(repeated$expression + own[, as.integer(factor(person))], 4)
write_table(data.frame(gene = rownames(repeated$expression), repeated$expression), "repeated_expression.csv")
holes <- repeated$expression
holes[sample(length(holes), 60)] <- NA
write_table(data.frame(gene = rownames(holes), holes), "repeated_holes_expression.csv")
weighing <- matrix(round(exp(rnorm(length(holes), 0, 0.4)), 4), 60)
write_table(data.frame(sample = colnames(holes), t(weighing)), "repeated_observed.csv")
# limma's duplicateCorrelation ends its iterations early, and in a local maximum for some genes; so
# each gene's correlation is that of nlme's gls, the best of four starts, and the consensus is
# limma's trimmed mean of them.
correlation_of <- function(y, x, person) {
  known <- is.finite(y)
  data <- data.frame(y = y[known], person = person[known], x[known, ])
  limits <- glsControl(tolerance = 1e-12, msTol = 1e-12, maxIter = 500, msMaxIter = 500)
  fits <- lapply(c(-0.3, 0.1, 0.5, 0.9), function(start) {
    form <- corCompSymm(start, form = ~ 1 | person)
    tryCatch(
      gls(y ~ 0 + intercept + age + gender + trait, data, correlation = form, method = "REML", control = limits),
      error = function(e) NULL
    )
  })
  fits <- Filter(Negate(is.null), fits)
  best <- fits[[which.max(sapply(fits, logLik))]]
  coef(best$modelStruct$corStruct, unconstrained = FALSE)
}
consensus_of <- function(correlations) {
  lowest <- 1 / (1 - max(table(person))) + 0.01
  tanh(mean(atanh(pmin(pmax(correlations, lowest), 0.99)), trim = 0.15))
}
blocked <- function(expression, name, weights = NULL) {
  root <- if (is.null(weights)) 1 + 0 * expression else sqrt(weights)
  correlations <- sapply(seq_len(nrow(expression)), function(g) {
    correlation_of(root[g, ] * expression[g, ], root[g, ] * design_of(repeated), person)
  })
  consensus <- consensus_of(correlations)
  fit <- lmFit(expression, design_of(repeated), block = person, weights = weights,
               correlation = consensus)
  answer <- moderated(eBayes(fit))
  answer$correlation <- correlations
  answer$consensus <- consensus
  answer$coefficient <- fit$coefficients[, "trait"]
  answer$unscaled <- fit$stdev.unscaled[, "trait"]
  write_table(answer, name)
}
write_table(data.frame(sample = colnames(holes), person = person), "repeated_person.csv")
blocked(repeated$expression, "repeated_limma.csv")
blocked(holes, "repeated_holes_limma.csv")
blocked(repeated$expression, "repeated_observed_limma.csv", weighing)

# Traits with several levels: F tests of a factor and of departures from a line, pairs of levels.
# Where values are missing or weighted, limma's F takes one correlation of the coefficients for all
# genes; so there the F of each gene is that of lm's anova, with limma's posterior variance.
levels_of <- function(name, samples, missing = 0, seed) {
  set.seed(seed)
  genes <- 50
  grade <- rep(c(0, 1, 2, 4), length.out = samples)
  age <- round(rnorm(samples, 55, 12))
  spread <- sqrt(0.09 * 6 / rchisq(genes, 6))
  expression <- matrix(rnorm(genes * samples), genes) * spread + runif(genes, 3, 13)
  expression[1:8, ] <- expression[1:8, ] + outer(rep(0.3, 8), grade)
  expression[6:14, ] <- expression[6:14, ] + outer(rep(0.8, 9), grade == 1)
  expression <- round(expression, 4)
  if (missing > 0) expression[sample(length(expression), missing)] <- NA
  rownames(expression) <- sprintf("GENE%03d", seq_len(genes))
  colnames(expression) <- sprintf("S%02d", seq_len(samples))
  clinical <- data.frame(sample = colnames(expression), age = age, grade = grade)
  write_table(clinical, paste0(name, "_clinical.csv"))
  write_table(data.frame(gene = rownames(expression), expression), paste0(name, "_expression.csv"))
  list(expression = expression, clinical = clinical)
}
ratio_of <- function(expression, wide, narrow, weights, s2.post) {
  sapply(seq_len(nrow(expression)), function(g) {
    y <- expression[g, ]
    w <- if (is.null(weights)) rep(1, length(y)) else weights[g, ]
    left <- function(x) deviance(lm(y ~ 0 + x, weights = w))
    (left(narrow) - left(wide)) / (ncol(wide) - ncol(narrow)) / s2.post[g]
  })
}
test_levels <- function(name, cohort, weights = NULL, suffix = "", trend = FALSE, robust = FALSE) {
  grade <- cohort$clinical$grade
  group <- model.matrix(~ factor(grade))[, -1]
  colnames(group) <- c("g1", "g2", "g4")
  narrow <- cbind(intercept = 1, age = cohort$clinical$age)
  fit <- lmFit(cohort$expression, cbind(narrow, group), weights = weights)
  pairs <- makeContrasts(g1, g2, g4, g2 - g1, g4 - g1, g4 - g2, levels = colnames(fit$coefficients))
  found <- eBayes(contrasts.fit(fit, pairs), trend = trend, robust = robust)
  line <- cbind(narrow, line = grade)
  exact <- anyNA(cohort$expression) || !is.null(weights)
  of_trait <- if (exact) {
    ratio_of(cohort$expression, cbind(narrow, group), narrow, weights, found$s2.post)
  } else {
    topTableF(eBayes(contrasts.fit(fit, pairs[, 1:3]), trend = trend, robust = robust),
              number = Inf, sort.by = "none")$F
  }
  wide <- cbind(line, group[, c("g1", "g2")])
  bent <- eBayes(lmFit(cohort$expression, wide, weights = weights), trend = trend, robust = robust)
  departure <- if (exact) {
    ratio_of(cohort$expression, wide, line, weights, bent$s2.post)
  } else {
    bent[, c("g1", "g2")]$F
  }
  colnames(found$coefficients) <- c("1 vs 0", "2 vs 0", "4 vs 0", "2 vs 1", "4 vs 1", "4 vs 2")
  values <- data.frame(
    gene = rownames(cohort$expression), f = of_trait,
    p = pf(of_trait, 3, found$df.total, lower.tail = FALSE),
    departure = departure, departure_p = pf(departure, 2, bent$df.total, lower.tail = FALSE)
  )
  for (i in 1:6) {
    name_of <- gsub(" ", "_", colnames(found$coefficients)[i])
    # contrasts.fit takes one correlation for all genes, too; coefficients of pairs are exact.
    values[[name_of]] <- found$coefficients[, i]
    if (!exact || i <= 3) values[[paste0(name_of, "_p")]] <- found$p.value[, i]
  }
  write_table(values, paste0(name, suffix, "_levels_limma.csv"))
}
graded <- levels_of("graded", samples = 16, seed = 11)
test_levels("graded", graded)
test_levels("graded", graded, suffix = "_trend", trend = TRUE)
test_levels("graded", graded, suffix = "_robust", robust = TRUE)
uncertain <- matrix(round(exp(rnorm(50 * 16, 0, 0.5)), 4), 50)
write_table(data.frame(sample = graded$clinical$sample, t(uncertain)), "graded_observed.csv")
test_levels("graded", graded, weights = uncertain, suffix = "_observed")
test_levels("graded_gaps", levels_of("graded_gaps", samples = 20, missing = 70, seed = 12))

writeLines(
  c(R.version.string, paste("limma", packageVersion("limma")),
    paste("nlme", packageVersion("nlme")), "made by benchmarks/golden/golden_limma.R"),
  file.path(folder, "VERSIONS.txt")
)
