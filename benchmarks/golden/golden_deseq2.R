# Golden values of the negative binomial regression of R DESeq2, for
# tests/analysis/test_negative_binomial.py.
#
#   python -m benchmarks golden_deseq2 tests/fixtures/deseq2
#
# Makes small seeded counts of two groups and an age, one of them an outlying count, tests the group
# with and without the age, and against changes of at most 0.5, and writes both as CSV.

suppressMessages(library(DESeq2))

folder <- commandArgs(trailingOnly = TRUE)[1]
if (is.na(folder)) stop("give the folder to write to")

set.seed(11)
genes <- 150
samples <- data.frame(group = rep(c("a", "b"), each = 6), age = round(runif(12, 30, 70)))
rownames(samples) <- sprintf("S%02d", seq_len(12))
level <- exp(rnorm(genes, 5, 1.5))
change <- c(rep(c(1.5, -1.5), 15), rep(0, genes - 30))
mean <- outer(level, exp(rnorm(12, 0, 0.3))) * 2^outer(change, samples$group == "b")
counts <- matrix(rnbinom(genes * 12, mu = mean, size = 1 / (0.05 + 1 / level)), genes)
counts[100, 3] <- 60 * max(counts[100, ])
dimnames(counts) <- list(sprintf("GENE%03d", seq_len(genes)), rownames(samples))

tested <- function(design, ...) {
  data <- DESeq(DESeqDataSetFromMatrix(counts, samples, design), quiet = TRUE)
  as.data.frame(results(data, contrast = c("group", "b", "a"), independentFiltering = FALSE, ...))
}

found <- list(
  plain = tested(~group),
  age = tested(~ scale(age) + group),
  beyond = tested(~group, lfcThreshold = 0.5, altHypothesis = "greaterAbs")
)
columns <- c("log2FoldChange", "lfcSE", "stat", "pvalue")
wide <- do.call(cbind, lapply(names(found), function(name) {
  setNames(found[[name]][columns], paste(name, columns, sep = "."))
}))
exact <- function(x) ifelse(is.na(x), "", trimws(formatC(x, digits = 12, format = "g")))
wide[] <- lapply(wide, exact)
write.csv(data.frame(gene = rownames(counts), counts), file.path(folder, "counts.csv"),
          row.names = FALSE, quote = FALSE)
write.csv(data.frame(sample = rownames(samples), samples), file.path(folder, "samples.csv"),
          row.names = FALSE, quote = FALSE)
write.csv(data.frame(gene = rownames(counts), wide), file.path(folder, "deseq2.csv"),
          row.names = FALSE, quote = FALSE)
