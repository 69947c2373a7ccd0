# Golden values of general linear designs from R limma (statmod, splines, edgeR), for the tests of
# genotex.analysis.designs.fitting.
#
#   python -m benchmarks golden_designs tests/fixtures/designs
#
# Writes VERSIONS.txt, linear.json (60 genes x 30 samples, log2) and counts.json (60 genes x 24
# samples, counts of reads). Both have the layout
#
#   genes        names, p
#   samples      names, n
#   table        sample annotation: column -> n values. group (A, B, C; A is the reference), sex
#                (female, male), batch (b1, b2, b3), age (whole years), donor (d01, ...; linear.json)
#   expression   p rows of n log2 values (linear.json); expression_missing is the same with some
#                null. counts: p rows of n counts (counts.json)
#   cases        name -> one test of one design:
#     formula      as written in R, with columns of table
#     test         the coefficient, contrast or set of coefficients tested, in words
#     options      what differs from limma's defaults: trend, missing, weights, block, ...; {} if
#                  nothing does
#     columns      names of the columns of R's model matrix, k
#     design       R's model matrix, n rows of k values
#     contrast     q rows of k weights of the coefficients; q = 1: t-test, q > 1: F test of all rows
#     values       column of topTable(sort.by = "none") -> p values. t-tests: logFC, CI.L, CI.R,
#                  AveExpr, t, P.Value, adj.P.Val; F tests: AveExpr, F, P.Value, adj.P.Val
#     estimates    q rows of p values: contrast %*% coefficients
#     df           total degrees of freedom of the moderated tests, p
#     prior_df, prior_variance   of eBayes; prior_variance has p values where trend = TRUE
#     weights      of the samples, n (only with options$weights)
#     correlation  consensus correlation in donors (only with options$block)
#     norm_factors TMM factors, n (counts.json)
#
# Exact values, where limma's own shortcuts are not: limma's contrasts.fit and F test take one
# correlation of the coefficients for all genes, which holds only where all genes have the same
# weights and no missing values. So contrasts of counts (voom's weights) and of missing values are
# coefficients of the design with another reference level, and F tests of counts are by lm of each
# gene with limma's posterior variance. duplicateCorrelation ends its iterations early: cases named
# donor_* use its correlation, cases named donor_exact_* the one it converges to (by nlme's gls; the
# genes' correlations are averaged as duplicateCorrelation does).

suppressMessages({
  library(edgeR)
  library(jsonlite)
  library(limma)
  library(nlme)
  library(splines)
  library(statmod)
})

folder <- commandArgs(trailingOnly = TRUE)[1]
if (is.na(folder)) stop("give the folder to write to")
dir.create(folder, showWarnings = FALSE, recursive = TRUE)

GENES <- sprintf("GENE%02d", 1:60)

# ---- Inputs ------------------------------------------------------------------------------------

make_linear <- function() {
  set.seed(41)
  donor <- c(rep(1:8, each = 2), rep(9:10, each = 3), 11:18)
  of_donor <- function(x) x[donor]
  table <- data.frame(
    sample = sprintf("S%02d", seq_along(donor)),
    group = factor(c("A", "B", "C")[c(1, 2, 2, 3, 1, 3, 1, 1, 2, 3, 3, 3, 2, 1, 1, 2,
                                      3, 1, 2, 1, 2, 3, 2, 1, 3, 1, 2, 3, 2, 1)]),
    sex = factor(c("female", "male")[of_donor(c(1, 2, 2, 1, 1, 2, 1, 2, 1, 2, 2, 1, 1, 2, 1, 1, 2, 1))]),
    batch = factor(paste0("b", sample(rep(1:3, each = 10)))),
    age = of_donor(round(runif(18, 24, 81))),
    donor = factor(sprintf("d%02d", donor))
  )
  spread <- sqrt(0.2 * 5 / rchisq(60, 5))
  values <- matrix(rnorm(60 * 30), 60) * spread + runif(60, 3, 13)
  values <- values + (matrix(rnorm(60 * 18, 0, 0.6), 60) * spread)[, donor]
  values[1:10, ] <- values[1:10, ] + outer(runif(10, 0.5, 1.5), (table$group == "B") + 2 * (table$group == "C"))
  values[8:16, ] <- values[8:16, ] + outer(rep(1, 9), table$group == "B" & table$sex == "female")
  values[14:24, ] <- values[14:24, ] + outer(runif(11, -1, 1), sin((table$age - 24) / 12))
  values[22:30, ] <- values[22:30, ] + outer(runif(9, -0.5, 1), as.integer(table$batch))
  loud <- rep(c(1, 1, 0.6, 2.1, 1, 1.4), length.out = 30)
  values <- round(rowMeans(values) + t(t(values - rowMeans(values)) * loud), 4)
  dimnames(values) <- list(GENES, table$sample)
  missing <- values
  missing[sample(length(missing), 70)] <- NA
  list(table = table, expression = values, missing = missing)
}

make_counts <- function() {
  set.seed(42)
  table <- data.frame(
    sample = sprintf("R%02d", 1:24),
    group = factor(rep(c("A", "B", "C"), length.out = 24)),
    sex = factor(sample(rep(c("female", "male"), 12))),
    batch = factor(paste0("b", sample(rep(1:3, each = 8)))),
    age = round(runif(24, 24, 81))
  )
  level <- exp(rnorm(60, 5, 2))
  mean <- outer(level, exp(rnorm(24, 0, 0.4)))
  mean[1:8, table$group == "B"] <- 3 * mean[1:8, table$group == "B"]
  mean[5:12, table$group == "C"] <- 0.3 * mean[5:12, table$group == "C"]
  mean[20:28, table$batch == "b2"] <- 2 * mean[20:28, table$batch == "b2"]
  dispersion <- (0.1 + 2 / level) * 5 / rchisq(60, 5)
  counts <- matrix(rnbinom(60 * 24, mu = mean, size = 1 / dispersion), 60)
  counts[59, ] <- rbinom(24, 1, 0.3)
  dimnames(counts) <- list(GENES, table$sample)
  list(table = table, counts = counts)
}

# ---- One case ----------------------------------------------------------------------------------

rows_of <- function(x) lapply(seq_len(nrow(x)), function(i) unname(x[i, ]))

# Weights of coefficients, a row for each contrast: list(c(groupB = 1), c(groupC = 1, groupB = -1)).
weights_of <- function(wanted, columns) {
  rows <- t(sapply(wanted, function(one) {
    stopifnot(all(names(one) %in% columns))
    ifelse(columns %in% names(one), one[columns], 0)
  }))
  colnames(rows) <- columns
  rows
}

t_values <- function(fit) {
  topTable(fit, coef = 1, number = Inf, sort.by = "none", confint = TRUE)[
    , c("logFC", "CI.L", "CI.R", "AveExpr", "t", "P.Value", "adj.P.Val")]
}

f_values <- function(fit) {
  topTable(fit, coef = NULL, number = Inf, sort.by = "none")[
    , c("AveExpr", "F", "P.Value", "adj.P.Val")]
}

# A case without its values: what is tested.
case_of <- function(formula, test, design, rows, options) {
  list(
    formula = unbox(formula), test = unbox(test),
    options = if (length(options)) lapply(options, unbox) else setNames(list(), character()),
    columns = colnames(design), design = rows_of(design), contrast = rows_of(rows)
  )
}

with_values <- function(case, values, estimates, fit) {
  c(case, list(
    values = as.list(values), estimates = rows_of(t(estimates)),
    df = rep_len(fit$df.total, nrow(values)), prior_df = unbox(fit$df.prior),
    prior_variance = if (length(fit$s2.prior) == 1) unbox(fit$s2.prior) else unname(fit$s2.prior)
  ))
}

fit_case <- function(data, formula, test, wanted, options = list(), ..., trend = FALSE) {
  design <- model.matrix(as.formula(formula), data$table)
  rows <- weights_of(wanted, colnames(design))
  fit <- lmFit(data$expression, design, ...)
  fit <- eBayes(contrasts.fit(fit, t(rows)), trend = trend)
  values <- if (nrow(rows) == 1) t_values(fit) else f_values(fit)
  with_values(case_of(formula, test, design, rows, options), values, fit$coefficients, fit)
}

# A difference of two levels as a coefficient: exact with missing values and weights of observations.
fit_levels <- function(data, values, formula, level, reference, options) {
  design <- model.matrix(as.formula(formula), data$table)
  wanted <- setNames(c(1, -1), paste0("group", c(level, reference)))
  rows <- weights_of(list(wanted[names(wanted) != "groupA"]), colnames(design))
  other <- transform(data$table, group = relevel(group, reference))
  fit <- eBayes(lmFit(values, model.matrix(as.formula(formula), other)))
  fit <- fit[, paste0("group", level)]
  case <- case_of(formula, paste(level, "-", reference), design, rows, options)
  with_values(case, t_values(fit), fit$coefficients, fit)
}

# ---- Linear designs ----------------------------------------------------------------------------

linear_cases <- function(data) {
  additive <- "~ group + age + sex"
  both <- list(c(groupB = 1), c(groupC = 1))
  b_a <- list(c(groupB = 1))
  c_b <- list(c(groupC = 1, groupB = -1))
  mean_a <- list(c(groupB = 0.5, groupC = 0.5))
  missing <- function(level, reference) {
    fit_levels(data, data$missing, additive, level, reference, list(missing = TRUE))
  }
  interaction <- list(c("groupB:sexmale" = 1), c("groupC:sexmale" = 1))
  of_bs <- lapply(1:4, function(i) setNames(1, paste0("bs(age, df = 4)", i)))
  of_ns <- lapply(1:3, function(i) setNames(1, paste0("ns(age, df = 3)", i)))
  crossed <- "~ group * sex"
  natural <- "~ ns(age, df = 3) + group"
  list(
    additive_b_a = fit_case(data, additive, "B - A", b_a),
    additive_c_b = fit_case(data, additive, "C - B", c_b),
    additive_mean_a = fit_case(data, additive, "(B + C)/2 - A", mean_a),
    additive_age = fit_case(data, additive, "age", list(c(age = 1))),
    interaction = fit_case(data, crossed, "group:sex", interaction),
    crossed_b_a_female = fit_case(data, crossed, "B - A within female", b_a),
    crossed_b_a_male = fit_case(
      data, crossed, "B - A within male", list(c(groupB = 1, "groupB:sexmale" = 1))
    ),
    spline_b = fit_case(data, "~ bs(age, df = 4)", "bs(age, df = 4)", of_bs),
    spline_natural = fit_case(data, natural, "ns(age, df = 3)", of_ns),
    spline_natural_b_a = fit_case(data, natural, "B - A", b_a),
    spline_natural_c_b = fit_case(data, natural, "C - B", c_b),
    group_f = fit_case(data, "~ group", "group", both),
    adjusted_group_f = fit_case(data, "~ group + age + sex + batch", "group", both),
    no_intercept_b_a = fit_case(data, "~ 0 + group", "B - A", list(c(groupB = 1, groupA = -1))),
    no_intercept_mean_a = fit_case(
      data, "~ 0 + group", "(B + C)/2 - A", list(c(groupA = -1, groupB = 0.5, groupC = 0.5))
    ),
    trend_b_a = fit_case(data, additive, "B - A", b_a, list(trend = TRUE), trend = TRUE),
    trend_group_f = fit_case(data, additive, "group", both, list(trend = TRUE), trend = TRUE),
    missing_b_a = missing("B", "A"),
    missing_c_b = missing("C", "B")
  )
}

# Levels A, B, C in this order, with scores 1, 2, 3: orthogonal polynomials of the scores.
polynomial_cases <- function(data) {
  contrasts(data$table$group) <- contr.poly(3, scores = 1:3)
  formula <- "~ group + age + sex"
  scores <- list(polynomial = "group", scores = "1, 2, 3")
  list(
    polynomial_linear = fit_case(data, formula, "group.L", list(c(group.L = 1)), scores),
    polynomial_quadratic = fit_case(data, formula, "group.Q", list(c(group.Q = 1)), scores),
    polynomial_f = fit_case(
      data, formula, "group", list(c(group.L = 1), c(group.Q = 1)), scores
    )
  )
}

weighted_cases <- function(data) {
  formula <- "~ group + age + sex"
  design <- model.matrix(as.formula(formula), data$table)
  one <- function(weights, options, test, wanted) {
    case <- fit_case(data, formula, test, wanted, options, weights = weights)
    c(case, list(weights = unname(weights)))
  }
  by_sample <- arrayWeights(data$expression, design, method = "reml", tol = 1e-14)
  by_group <- arrayWeights(
    data$expression, design, var.group = data$table$group, method = "reml", tol = 1e-14
  )
  each <- list(weights = "of each sample")
  group <- list(weights = "of each group")
  c_b <- list(c(groupC = 1, groupB = -1))
  list(
    weights_b_a = one(by_sample, each, "B - A", list(c(groupB = 1))),
    weights_c_b = one(by_sample, each, "C - B", c_b),
    weights_group_f = one(by_sample, each, "group", list(c(groupB = 1), c(groupC = 1))),
    weights_by_group_c_b = one(by_group, group, "C - B", c_b)
  )
}

exact_correlation <- function(data, design) {
  limits <- glsControl(tolerance = 1e-12, msTol = 1e-12, maxIter = 500, msMaxIter = 500)
  colnames(design) <- paste0("x", seq_len(ncol(design)))
  formula <- reformulate(colnames(design), "y", intercept = FALSE)
  found <- apply(data$expression, 1, function(y) {
    frame <- data.frame(y = y, donor = data$table$donor, design)
    fits <- lapply(c(-0.3, 0.1, 0.5, 0.9), function(start) {
      form <- corCompSymm(start, form = ~ 1 | donor)
      tryCatch(gls(formula, frame, correlation = form, method = "REML", control = limits),
               error = function(e) NULL)
    })
    fits <- Filter(Negate(is.null), fits)
    best <- fits[[which.max(sapply(fits, logLik))]]
    coef(best$modelStruct$corStruct, unconstrained = FALSE)
  })
  lowest <- 1 / (1 - max(table(data$table$donor))) + 0.01
  tanh(mean(atanh(pmin(pmax(found, lowest), 0.99)), trim = 0.15))
}

donor_cases <- function(data) {
  formula <- "~ group + age"
  design <- model.matrix(as.formula(formula), data$table)
  one <- function(correlation, test, wanted) {
    case <- fit_case(data, formula, test, wanted, list(block = "donor"),
                     block = data$table$donor, correlation = correlation)
    c(case, list(correlation = unbox(correlation)))
  }
  limma <- duplicateCorrelation(data$expression, design, block = data$table$donor)
  limma <- limma$consensus.correlation
  exact <- exact_correlation(data, design)
  b_a <- list(c(groupB = 1))
  c_b <- list(c(groupC = 1, groupB = -1))
  both <- list(c(groupB = 1), c(groupC = 1))
  list(
    donor_b_a = one(limma, "B - A", b_a), donor_c_b = one(limma, "C - B", c_b),
    donor_group_f = one(limma, "group", both),
    donor_exact_b_a = one(exact, "B - A", b_a), donor_exact_c_b = one(exact, "C - B", c_b),
    donor_exact_group_f = one(exact, "group", both)
  )
}

# ---- Counts ------------------------------------------------------------------------------------

# F of both group coefficients by lm of each gene; the residual variances are moderated by limma.
counts_f <- function(data, weighted, formula, options) {
  design <- model.matrix(as.formula(formula), data$table)
  rows <- weights_of(list(c(groupB = 1), c(groupC = 1)), colnames(design))
  fit <- eBayes(lmFit(weighted, design))
  narrow <- design[, !colnames(design) %in% c("groupB", "groupC")]
  ratio <- sapply(seq_len(nrow(weighted$E)), function(g) {
    left <- function(x) deviance(lm(weighted$E[g, ] ~ 0 + x, weights = weighted$weights[g, ]))
    (left(narrow) - left(design)) / 2 / fit$s2.post[g]
  })
  p <- pf(ratio, 2, fit$df.total, lower.tail = FALSE)
  values <- data.frame(
    AveExpr = fit$Amean, F = ratio, P.Value = p, adj.P.Val = p.adjust(p, "BH"), check.names = FALSE
  )
  estimates <- fit$coefficients %*% t(rows)
  with_values(case_of(formula, "group", design, rows, options), values, estimates, fit)
}

count_cases <- function(data) {
  formula <- "~ group + batch"
  normal <- calcNormFactors(DGEList(data$counts), method = "TMM")
  weighted <- voom(normal, model.matrix(as.formula(formula), data$table))
  voomed <- list(voom = TRUE, normalization = "TMM")
  factors <- list(norm_factors = normal$samples$norm.factors)
  lapply(list(
    voom_b_a = fit_levels(data, weighted, formula, "B", "A", voomed),
    voom_c_a = fit_levels(data, weighted, formula, "C", "A", voomed),
    voom_c_b = fit_levels(data, weighted, formula, "C", "B", voomed),
    voom_group_f = counts_f(data, weighted, formula, voomed)
  ), c, factors)
}

# ---- Files -------------------------------------------------------------------------------------

write_cases <- function(data, values, cases, name) {
  columns <- lapply(data$table[names(data$table) != "sample"],
                    function(x) if (is.factor(x)) as.character(x) else x)
  whole <- c(
    list(made_by = unbox("benchmarks/golden/golden_designs.R"), genes = GENES, samples = data$table$sample,
         table = columns),
    lapply(values, rows_of), list(cases = cases)
  )
  path <- file.path(folder, name)
  writeLines(toJSON(whole, digits = NA, na = "null"), path)
}

linear <- make_linear()
write_cases(
  linear, list(expression = linear$expression, expression_missing = linear$missing),
  c(linear_cases(linear), polynomial_cases(linear), weighted_cases(linear), donor_cases(linear)),
  "linear.json"
)
counted <- make_counts()
write_cases(counted, list(counts = counted$counts), count_cases(counted), "counts.json")

packages <- c("limma", "edgeR", "statmod", "splines", "nlme")
writeLines(
  c(R.version.string, sapply(packages, function(p) paste(p, packageVersion(p))),
    "made by benchmarks/golden/golden_designs.R"),
  file.path(folder, "VERSIONS.txt")
)
