# Golden values of filter, TMM, voom, the weighted moderated t-test and logarithms of normalised
# values with zeros from R edgeR and limma, for tests/cohorts/test_against_edger.py,
# tests/analysis/test_against_voom.py and tests/genes/test_scale.py.
#
#   python -m benchmarks golden_rna_seq tests/fixtures/rna_seq
#
# Makes small seeded counts, runs edgeR and limma on them, and writes both as CSV. Numbers are
# written with 17 significant digits, so that they are read back as they were.

suppressMessages(library(edgeR))

folder <- commandArgs(trailingOnly = TRUE)[1]
if (is.na(folder)) stop("give the folder to write to")

exact <- function(x) ifelse(is.na(x), "", formatC(x, digits = 17, format = "g"))

write_table <- function(x, name) {
  x[] <- lapply(x, function(column) if (is.double(column)) exact(column) else column)
  write.csv(x, file.path(folder, name), row.names = FALSE, quote = FALSE)
}

by_gene <- function(values, genes) data.frame(gene = genes, values, check.names = FALSE)

make_counts <- function(genes, samples) {
  level <- exp(rnorm(genes, 4, 2))
  size <- exp(rnorm(samples, 0, 0.5))
  mean <- outer(level, size)
  case <- rep(0:1, length.out = samples)
  up <- seq_len(ceiling(genes / 10))
  mean[up, case == 1] <- mean[up, case == 1] * 3
  # One library is mostly one gene, which TMM is for.
  mean[genes, 3] <- sum(mean[, 3])
  dispersion <- 0.1 + 2 / level
  counts <- matrix(rnbinom(genes * samples, mu = mean, size = 1 / dispersion), genes)
  # A few genes with the very limits of the filter.
  counts[genes - 1, ] <- 0
  counts[genes - 2, ] <- 1
  dimnames(counts) <- list(sprintf("GENE%03d", seq_len(genes)), sprintf("S%02d", seq_len(samples)))
  list(counts = counts, case = case)
}

test_last_column <- function(normal, design, name) {
  weighted <- voom(normal, design)
  fit <- eBayes(lmFit(weighted, design))
  last <- ncol(design)
  top <- topTable(fit, coef = last, number = Inf, sort.by = "none", confint = TRUE)
  write_table(by_gene(weighted$weights, rownames(weighted$E)), paste0(name, "_weights.csv"))
  write_table(
    data.frame(
      gene = rownames(weighted$E), coefficient = top$logFC, lower = top$CI.L, upper = top$CI.R,
      t = top$t, p = top$P.Value, q = top$adj.P.Val, sigma2 = fit$sigma^2,
      unscaled = fit$stdev.unscaled[, last], df = fit$df.total, prior_variance = fit$s2.prior,
      prior_df = fit$df.prior
    ),
    paste0(name, "_limma.csv")
  )
  weighted
}

run <- function(name, genes, samples, seed) {
  set.seed(seed)
  made <- make_counts(genes, samples)
  counts <- made$counts
  clinical <- data.frame(
    sample = colnames(counts), case = made$case, level = as.numeric(scale(rnorm(samples))),
    age = round(rnorm(samples, 55, 12)), gender = sample(rep(0:1, length.out = samples))
  )
  group <- factor(clinical$case)
  by_group <- filterByExpr(counts, group = group)
  by_level <- filterByExpr(counts, design = model.matrix(~level, clinical))
  normal <- calcNormFactors(DGEList(counts, group = group)[by_group, , keep.lib.sizes = FALSE])
  write_table(by_gene(counts, rownames(counts)), paste0(name, "_counts.csv"))
  write_table(clinical, paste0(name, "_clinical.csv"))
  write_table(
    data.frame(gene = rownames(counts), by_group = by_group + 0L, by_level = by_level + 0L),
    paste0(name, "_filter.csv")
  )
  write_table(
    data.frame(
      sample = colnames(counts), size = normal$samples$lib.size,
      factor = normal$samples$norm.factors
    ),
    paste0(name, "_factors.csv")
  )
  design <- with(clinical, cbind(intercept = 1, age, gender, case))
  weighted <- test_last_column(normal, design, paste0(name, "_case"))
  write_table(by_gene(weighted$E, rownames(weighted$E)), paste0(name, "_log_cpm.csv"))
  # By its defaults limma stops iterating a little before the maximum of the likelihood.
  quality <- function(...) {
    voomWithQualityWeights(normal, design, method = "reml", maxiter = 500, tol = 1e-14, ...)
  }
  by_group <- quality(var.group = group)
  by_sample <- quality()
  write_table(
    data.frame(
      sample = colnames(counts), by_group = by_group$targets$sample.weights,
      by_sample = by_sample$targets$sample.weights
    ),
    paste0(name, "_quality_weights.csv")
  )
  fit <- eBayes(lmFit(by_group, design))
  write_table(
    data.frame(gene = rownames(fit), t = fit$t[, "case"], p = fit$p.value[, "case"]),
    paste0(name, "_quality_limma.csv")
  )
  test_last_column(normal, with(clinical, cbind(intercept = 1, gender, level)), paste0(name, "_level"))
  # Without the filter: genes without any read, which voom leaves out of its curve.
  whole <- calcNormFactors(DGEList(counts, group = group))
  test_last_column(whole, cbind(intercept = 1, case = clinical$case), paste0(name, "_whole"))
  write_table(
    data.frame(sample = colnames(counts), size = whole$samples$lib.size, factor = whole$samples$norm.factors),
    paste0(name, "_whole_factors.csv")
  )
}

run("small", genes = 240, samples = 9, seed = 11)
run("large", genes = 160, samples = 26, seed = 12)

# Normalised values, as submitters give them, of counts with many zeros; and edgeR's log counts.
run_zeros <- function(genes, samples, seed) {
  set.seed(seed)
  mean <- outer(exp(rnorm(genes, 2, 2.5)), exp(rnorm(samples, 0, 0.4)))
  counts <- matrix(rnbinom(genes * samples, mu = mean, size = 5), genes)
  dimnames(counts) <- list(sprintf("GENE%03d", seq_len(genes)), sprintf("S%02d", seq_len(samples)))
  bases <- round(exp(rnorm(genes, 7.5, 0.8)))
  raw <- DGEList(counts)
  normal <- calcNormFactors(raw)
  fpkm <- rpkm(raw, gene.length = bases)
  tables <- list(
    cpm = cpm(raw), tmm = cpm(normal), fpkm = fpkm, tpm = t(t(fpkm) / colSums(fpkm)) * 1e6,
    log_cpm = cpm(raw, log = TRUE, prior.count = 2),
    log_tmm = cpm(normal, log = TRUE, prior.count = 2)
  )
  for (name in names(tables)) {
    write_table(by_gene(tables[[name]], rownames(counts)), paste0("zeros_", name, ".csv"))
  }
  write_table(by_gene(counts, rownames(counts)), "zeros_counts.csv")
}

run_zeros(genes = 200, samples = 10, seed = 14)

# Curves of lowess alone: ties, few points, clusters.
set.seed(13)
for (points in c(4, 30, 400)) {
  x <- sort(round(rexp(points), if (points == 30) 1 else 6))
  y <- sin(x) + rnorm(points, 0, 0.3)
  fit <- lowess(x, y, f = 0.5)
  write_table(data.frame(x = x, y = y, fitted = fit$y), sprintf("lowess_%d.csv", points))
}

writeLines(
  c(
    R.version.string, paste("edgeR", packageVersion("edgeR")),
    paste("limma", packageVersion("limma")), "made by benchmarks/golden/golden_rna_seq.R"
  ),
  file.path(folder, "VERSIONS.txt")
)
