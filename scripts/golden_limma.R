# Golden values of the moderated t-test from R limma, for tests/analysis/test_against_limma.py.
#
#   Rscript scripts/golden_limma.R tests/fixtures/limma
#
# Makes the small inputs (seeded), fits them with limma and lm, and writes both as CSV. Numbers are
# written with 17 significant digits, so that they are read back as they were.

suppressMessages(library(limma))

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

writeLines(
  c(R.version.string, paste("limma", packageVersion("limma")), "made by scripts/golden_limma.R"),
  file.path(folder, "VERSIONS.txt")
)
