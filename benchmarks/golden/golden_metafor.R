# Golden values of the meta-analysis from R metafor, for tests/analysis/meta/test_against_metafor.py.
#
#   python -m benchmarks golden_metafor tests/fixtures/metafor
#
# The BCG vaccine trials (Colditz 1994, dat.bcg of metadat) and small made-up cohorts (seeded, some
# genes missing in some cohorts), combined gene by gene. Numbers have 17 significant digits.

suppressMessages(library(metafor))

folder <- commandArgs(trailingOnly = TRUE)[1]
if (is.na(folder)) stop("give the folder to write to")

exact <- function(x) ifelse(is.na(x), "", formatC(x, digits = 17, format = "g"))

write_table <- function(x, name) {
  x[] <- lapply(x, function(column) if (is.numeric(column)) exact(column) else column)
  write.csv(x, file.path(folder, name), row.names = FALSE, quote = FALSE)
}

random_effects <- function(effect, error) {
  control <- list(tol = 1e-15, maxiter = 10000, tau2.max = 1e4)
  rma(yi = effect, sei = error, method = "PM", test = "adhoc", control = control)
}

# Random effects with a normal reference from three cohorts on, else the fixed effect.
ranked <- function(effect, error) {
  few <- length(effect) < 3
  found <- if (few) rma(yi = effect, sei = error, method = "FE") else random_effects(effect, error)
  c(found$beta[1], 2 * pnorm(-abs(found$beta[1] / found$se)))
}

combine <- function(gene, effect, error) {
  keep <- !is.na(effect)
  effect <- effect[keep]
  error <- error[keep]
  fixed <- rma(yi = effect, sei = error, method = "FE")
  random <- random_effects(effect, error)
  without <- vapply(seq_along(effect), function(i) ranked(effect[-i], error[-i]), c(1, 1))
  data.frame(
    gene = gene, cohorts = length(effect), effect = fixed$beta[1], error = fixed$se,
    lower = fixed$ci.lb, upper = fixed$ci.ub, z = fixed$zval, p = fixed$pval, Q = fixed$QE,
    Q_p = fixed$QEp, I2 = fixed$I2, tau2 = random$tau2, random = random$beta[1],
    random_error = random$se, random_lower = random$ci.lb, random_upper = random$ci.ub,
    random_p = random$pval, ranking_p = ranked(effect, error)[2], largest_p = max(without[2, ]),
    flips = as.numeric(any(sign(without[1, ]) != sign(ranked(effect, error)[1])))
  )
}

bcg <- escalc(measure = "RR", ai = tpos, bi = tneg, ci = cpos, di = cneg, data = dat.bcg)
bcg <- data.frame(effect = as.numeric(bcg$yi), error = sqrt(bcg$vi))
write_table(bcg, "bcg_effects.csv")
write_table(combine("BCG", bcg$effect, bcg$error), "bcg_metafor.csv")

set.seed(20)
cohorts <- 5
genes <- 40
error <- matrix(runif(cohorts * genes, 0.15, 0.6), genes)
spread <- rep(c(0, 0.3, 0.8, 3), length.out = genes)
mean <- rep(c(0, 0, 0.5, -1.2, 0.05), length.out = genes)
effect <- mean + spread * matrix(rnorm(cohorts * genes), genes) + error * rnorm(cohorts * genes)
effect[cbind(1:12, rep(1:5, length.out = 12))] <- NA
effect[cbind(5:8, rep(2:5, length.out = 4))] <- NA
effect[1, 1:2] <- NA
effect[2, 2:4] <- NA
error[is.na(effect)] <- NA
name <- sprintf("GENE%02d", seq_len(genes))
colnames(effect) <- sprintf("effect%d", seq_len(cohorts))
colnames(error) <- sprintf("error%d", seq_len(cohorts))
write_table(data.frame(gene = name, effect, error), "genes_effects.csv")
combined <- lapply(seq_len(genes), function(i) combine(name[i], effect[i, ], error[i, ]))
write_table(do.call(rbind, combined), "genes_metafor.csv")

# Stouffer's weighted method is a sum of normal quantiles; R's qnorm and pnorm are the source.
p <- matrix(runif(cohorts * 10)^2, 10)
side <- matrix(sample(c(-1, 1), cohorts * 10, TRUE), 10)
weight <- sqrt(c(12, 23, 40, 66, 120))
z <- (side * qnorm(p / 2, lower.tail = FALSE)) %*% weight / sqrt(sum(weight^2))
colnames(p) <- sprintf("p%d", seq_len(cohorts))
colnames(side) <- sprintf("side%d", seq_len(cohorts))
write_table(data.frame(p, side, z = z[, 1], combined = 2 * pnorm(-abs(z[, 1]))), "stouffer_r.csv")

writeLines(
  c(R.version.string, paste("metafor", packageVersion("metafor")), "made by benchmarks/golden/golden_metafor.R"),
  file.path(folder, "VERSIONS.txt")
)
