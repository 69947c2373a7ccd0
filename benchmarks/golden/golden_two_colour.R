# Golden values of limma's two-colour normalisation, for tests/genes/test_two_colour.py.
#
#   python -m benchmarks golden_two_colour tests/fixtures/two_colour
#
# Makes three seeded arrays of 240 spots as GenePix and Agilent files, and writes what limma makes
# of them: background, loess within arrays, and both normalisations between arrays.

suppressMessages(library(limma))

folder <- commandArgs(trailingOnly = TRUE)[1]
if (is.na(folder)) stop("give the folder to write to")

set.seed(5)
spots <- 240
ids <- sprintf("probe%03d", seq_len(spots))
level <- rexp(spots, 1 / 500)
for (array in 1:3) {
  bend <- 0.25 * sin(log(level + 1) / 2 + array)
  ratio <- rnorm(spots, 0, 0.3) + bend + (seq_len(spots) <= 12) * 2 * (-1)^array
  back <- round(cbind(runif(spots, 60, 90), runif(spots, 40, 70)))
  front <- round(cbind(level * 2^(ratio / 2), level * 2^(-ratio / 2)) + back + rnorm(2 * spots, 0, 25))
  front[7, 1] <- back[7, 1] - 5
  table <- data.frame(
    Block = 1, Column = seq_len(spots), Row = 1, Name = ids, ID = ids,
    check.names = FALSE, `F635 Mean` = front[, 1], `B635 Median` = back[, 1],
    `F532 Mean` = front[, 2], `B532 Median` = back[, 2], Flags = 0
  )
  gpr <- file(file.path(folder, sprintf("GSM%d.gpr", array)), "w")
  writeLines(c("ATF\t1.0", "2\t10", "\"Type=GenePix Results 3\"", "\"Wavelengths=635\t532\""), gpr)
  write.table(table, gpr, sep = "\t", row.names = FALSE, quote = 4:5)
  close(gpr)
}

files <- file.path(folder, sprintf("GSM%d.gpr", 1:3))
arrays <- read.maimages(files, source = "genepix", verbose = FALSE)
record <- function(name, values) {
  write.table(format(values, digits = 15), file.path(folder, paste0(name, ".csv")),
    sep = ",", row.names = FALSE, col.names = paste0("a", 1:3), quote = FALSE)
}
corrected <- backgroundCorrect(arrays, "normexp", normexp.method = "mle", offset = 50, verbose = FALSE)
record("normexp_red", corrected$R)
subtracted <- backgroundCorrect(arrays, "subtract", verbose = FALSE)
for (what in c("normexp", "subtract")) {
  within <- normalizeWithinArrays(if (what == "normexp") corrected else subtracted, method = "loess")
  record(paste0(what, "_M"), within$M)
  record(paste0(what, "_A"), within$A)
  record(paste0(what, "_Aquantile"), normalizeBetweenArrays(within, "Aquantile")$A)
  record(paste0(what, "_scale"), normalizeBetweenArrays(within, "scale")$M)
}
