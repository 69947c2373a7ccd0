# Golden values of the gene set tests camera and fry from R limma, for
# tests/analysis/test_gene_set_tests.py.
#
#   python -m benchmarks golden_gene_sets tests/fixtures/gene_sets
#
# Makes small seeded cohorts with sets of correlated genes, tests the sets with limma, and writes
# inputs and results as CSV. Numbers are written with 17 significant digits, so that they are read
# back as they were.

suppressMessages(library(limma))

folder <- commandArgs(trailingOnly = TRUE)[1]
if (is.na(folder)) stop("give the folder to write to")

exact <- function(x) ifelse(is.na(x), "", formatC(x, digits = 17, format = "g", width = 1))

write_table <- function(x, name) {
  x[] <- lapply(x, function(column) if (is.double(column)) exact(column) else column)
  write.csv(x, file.path(folder, name), row.names = FALSE, quote = FALSE)
}

by_gene <- function(values) data.frame(gene = rownames(values), values, check.names = FALSE)

genes <- 120
samples <- 14
set.seed(21)
trait <- rep(0:1, length.out = samples)
design <- cbind(intercept = 1, age = round(rnorm(samples, 55, 12)), trait = trait)
names <- sprintf("GENE%03d", seq_len(genes))
columns <- sprintf("S%02d", seq_len(samples))
sets <- list(
  one = 1, three = 2:4, changed = 5:24, correlated = 25:44, opposed = 45:64, half = 61:120,
  scattered = seq(3, 120, by = 9), thirty = 91:120
)
index <- lapply(sets, function(places) names[places])

# Genes of a set share a factor; one set changes with the trait, one has effects of both signs.
factors <- function() {
  shared <- matrix(0, genes, samples)
  for (set in list(5:24, 25:44, 61:120)) {
    shared[set, ] <- shared[set, ] + outer(runif(length(set), 0.2, 0.8), rnorm(samples))
  }
  shared[5:24, ] <- shared[5:24, ] + outer(rep(0.6, 20), trait)
  shared[45:64, ] <- shared[45:64, ] + outer(rep(c(0.9, -0.9), 10), trait)
  shared
}

level <- runif(genes, 3, 13)
spread <- sqrt(0.25 * 6 / rchisq(genes, 6)) * (1.6 - level / 16)
expression <- round(level + spread * (factors() + matrix(rnorm(genes * samples), genes)), 4)
dimnames(expression) <- list(names, columns)
array_weights <- round(runif(samples, 0.3, 2), 3)

counts <- matrix(rnbinom(genes * samples, mu = exp(rnorm(genes, 4, 1) + 0.5 * factors()), size = 5),
                 genes, dimnames = list(names, columns))
counted <- voom(counts, design)

# Variances of independent genes that scatter no more than by chance: infinite prior degrees of
# freedom, where fry is the limit of roast.
residual <- function(y) y - y %*% design %*% solve(crossprod(design), t(design))
calm <- matrix(rnorm(genes * samples), genes, dimnames = list(names, columns))
calm <- calm / sqrt(rowSums(residual(calm)^2)) * sqrt((samples - 3) * runif(genes, 0.8, 1.2))
calm[5:9, ] <- calm[5:9, ] + outer(c(1.3, -1.3, 1.3, -1.3, 1.3), trait)

# Samples of the same person, with a correlation that is given.
person <- rep(1:5, length.out = samples)
level <- factor(rep(c("a", "b", "c"), length.out = samples))

fry_only <- function(case, ..., y = expression, by = design) {
  self <- fry(y, index, by, ..., sort = "none")
  data.frame(
    case = case, set = names(index), genes = self$NGenes, correlation = NA, direction = NA, p = NA,
    q = NA, preset_p = NA, fry_direction = self$Direction, fry_p = self$PValue,
    mixed_p = self$PValue.Mixed
  )
}

test_sets <- function(y, case, array = NULL, trend = FALSE) {
  estimated <- camera(y, index, design, weights = array, inter.gene.cor = NA, trend.var = trend, sort = FALSE)
  preset <- camera(y, index, design, weights = array, inter.gene.cor = 0.01, trend.var = trend, sort = FALSE)
  self <- fry(y, index, design, array.weights = array, trend.var = trend, sort = "none")
  data.frame(
    case = case, set = names(index), genes = estimated$NGenes, correlation = estimated$Correlation,
    direction = estimated$Direction, p = estimated$PValue, q = estimated$FDR,
    preset_p = preset$PValue, fry_direction = self$Direction, fry_p = self$PValue,
    mixed_p = self$PValue.Mixed
  )
}

write_table(by_gene(expression), "expression.csv")
write_table(by_gene(calm), "calm_expression.csv")
write_table(by_gene(counted$E), "log_cpm.csv")
write_table(
  data.frame(
    sample = columns, design, weight = array_weights, person = person, library = colSums(counts)
  ),
  "samples.csv"
)
write_table(
  do.call(rbind, lapply(names(index), function(set) data.frame(set = set, gene = index[[set]]))),
  "sets.csv"
)
write_table(
  rbind(
    test_sets(expression, "plain"), test_sets(expression, "trend", trend = TRUE),
    test_sets(expression, "array weights", array = array_weights),
    test_sets(counted, "counts"), test_sets(calm, "calm"),
    fry_only("people", block = person, correlation = 0.3, array.weights = array_weights),
    fry_only("counted people", y = voom(counts, design, block = person, correlation = 0.3),
             block = person, correlation = 0.3),
    fry_only("robust", robust = TRUE),
    fry_only("contrast", by = model.matrix(~level), contrast = c(0, -1, 1)),
    fry_only("means", by = model.matrix(~ 0 + level), contrast = c(-0.5, -0.5, 1))
  ),
  "limma.csv"
)

# Mixed p-values by sampled rotations: limma 3.54's fry approximates them by two moments, and for
# sets with fewer genes than effects (trait and residuals) they are near 1 whatever the data.
set.seed(22)
few <- list(three = 2:4, five = 5:9, eight = 5:12, ten = 30:39, twenty = 5:24, sixty = 5:64)
sampled <- mroast(calm, few, design, set.statistic = "msq", nrot = 199999, sort = "none")
write_table(
  data.frame(
    set = names(few), first = vapply(few, min, 0), last = vapply(few, max, 0),
    mixed_p = sampled$PValue.Mixed
  ),
  "calm_roast.csv"
)

value <- c(-40, -6.5, -2, -0.3, 0, 1e-4, 1, 3, 12, 150)
degrees <- c(3, 8.7, 25, 400, 1e6)
grid <- expand.grid(t = value, df = degrees)
write_table(
  data.frame(grid, z = zscoreT(grid$t, grid$df, approx = TRUE, method = "hill")), "z_scores.csv"
)

writeLines(
  c(R.version.string, paste("limma", packageVersion("limma")), "made by benchmarks/golden/golden_gene_sets.R"),
  file.path(folder, "VERSIONS.txt")
)
