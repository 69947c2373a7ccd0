# Golden values of surrogate variables from R sva, for tests/analysis/test_against_sva.py.
#
#   python -m benchmarks golden_sva tests/fixtures/sva
#
# Makes small seeded cohorts, asks sva for the number of surrogate variables and for the variables
# themselves, and writes inputs, answers and the permutations that sva drew. A permutation is one
# line: the letter at place i says which sample's residual (a is the first) stands at sample i; the
# genes of the first round come first. Numbers have 17 significant digits.

suppressMessages(library(sva))

folder <- commandArgs(trailingOnly = TRUE)[1]
if (is.na(folder)) stop("give the folder to write to")
rounds <- 20
letter <- c(letters, LETTERS)

exact <- function(x) formatC(x, digits = 17, format = "g", width = -1)

write_table <- function(x, name) {
  x[] <- lapply(x, function(column) if (is.numeric(column)) exact(column) else column)
  write.csv(x, file.path(folder, name), row.names = FALSE, quote = FALSE)
}

shifts <- function(genes, share, size) rnorm(genes, 0, size) * (runif(genes) < share)

make_cohort <- function(genes, samples, seed, continuous = FALSE, covariates = FALSE,
                        batch = 0, factors = numeric(0), narrow = 0) {
  set.seed(seed)
  trait <- if (continuous) as.numeric(scale(rnorm(samples))) else rep(0:1, each = samples / 2)
  clinical <- data.frame(sample = sprintf("S%02d", seq_len(samples)), intercept = 1)
  if (covariates) {
    clinical$age <- round(rnorm(samples, 55, 12))
    clinical$gender <- sample(rep(0:1, length.out = samples))
  }
  clinical$trait <- trait
  expression <- matrix(rnorm(genes * samples), genes) * sqrt(0.09 * 6 / rchisq(genes, 6)) +
    runif(genes, 4, 13)
  expression <- expression + outer(shifts(genes, 0.1, 0.8), trait)
  if (batch > 0) {
    member <- as.numeric(runif(samples) < ifelse(trait == 1, 0.75, 0.25))
    expression <- expression + outer(shifts(genes, 0.4, batch), member)
  }
  for (size in factors) expression <- expression + outer(shifts(genes, 0.5, size), rnorm(samples))
  if (narrow > 0) {
    some <- seq_len(12)
    expression[some, ] <- expression[some, ] + outer(rep(narrow, 12), rnorm(samples))
  }
  list(expression = round(expression, 3), clinical = clinical)
}

# The same draws as num.sv makes after the same set.seed.
draw_permutations <- function(genes, samples, seed) {
  set.seed(seed)
  place <- matrix(seq_len(samples), genes, samples, byrow = TRUE)
  lapply(seq_len(rounds), function(round) t(apply(place, 1, sample, replace = FALSE)))
}

# p-values of the components from these permutations, by dense singular values.
component_p <- function(expression, design, permutations) {
  free <- function(x) x - t(qr.fitted(qr(design), t(x)))
  left <- min(dim(expression)) - ncol(design)
  share <- function(x) { d <- svd(x, 0, 0)$d[seq_len(left)]^2; d / sum(d) }
  residual <- free(expression)
  null <- sapply(permutations, function(place) {
    share(free(t(sapply(seq_len(nrow(residual)), function(g) residual[g, place[g, ]]))))
  })
  cummax(rowMeans(null >= share(residual)))
}

write_case <- function(name, cohort, seed) {
  expression <- cohort$expression
  design <- as.matrix(cohort$clinical[, -1])
  number <- num.sv(expression, design, method = "be", B = rounds, seed = seed)
  permutations <- draw_permutations(nrow(expression), ncol(expression), seed)
  p <- component_p(expression, design, permutations)
  if (sum(p <= 0.1) != number) stop(name, ": these are not the permutations of num.sv")
  found <- if (number == 0) list(n.sv = 0) else {
    sva(expression, design, n.sv = number, method = "two-step")
  }
  values <- as.data.frame(expression)
  values[] <- lapply(values, sprintf, fmt = "%.3f")
  colnames(values) <- cohort$clinical$sample
  gene <- sprintf("GENE%03d", seq_len(nrow(values)))
  write_table(data.frame(gene = gene, values), paste0(name, "_expression.csv"))
  write_table(cohort$clinical, paste0(name, "_clinical.csv"))
  write_table(data.frame(p = p), paste0(name, "_p_sva.csv"))
  if (found$n.sv > 0) {
    answer <- as.data.frame(found$sv)
    colnames(answer) <- paste0("SV", seq_len(found$n.sv))
    write_table(answer, paste0(name, "_sva.csv"))
  }
  lines <- unlist(lapply(permutations, apply, 1, function(row) paste(letter[row], collapse = "")))
  connection <- gzfile(file.path(folder, paste0(name, "_permutations.txt.gz")), "w", compression = 9)
  writeLines(lines, connection)
  close(connection)
  data.frame(case = name, number = number, used = found$n.sv)
}

cases <- rbind(
  write_case("batch", make_cohort(200, 24, seed = 11, batch = 1.2), seed = 1),
  write_case("nothing", make_cohort(120, 20, seed = 12), seed = 2),
  write_case("continuous", make_cohort(200, 26, seed = 13, continuous = TRUE, factors = c(0.8, 0.5)), seed = 3),
  write_case("covariates", make_cohort(200, 30, seed = 14, covariates = TRUE, factors = 0.8), seed = 4),
  write_case("narrow", make_cohort(200, 24, seed = 15, factors = 0.8, narrow = 2), seed = 5)
)
write_table(cases, "cases_sva.csv")

# sva's default algorithm, iteratively reweighted, for numbers of surrogate variables that are given.
write_reweighted <- function(name, cohort, number) {
  design <- as.matrix(cohort$clinical[, -1])
  null <- design[, -ncol(design), drop = FALSE]
  found <- sva(cohort$expression, design, null, n.sv = number, method = "irw", B = 5)
  values <- as.data.frame(cohort$expression)
  values[] <- lapply(values, sprintf, fmt = "%.3f")
  colnames(values) <- cohort$clinical$sample
  gene <- sprintf("GENE%04d", seq_len(nrow(values)))
  write_table(data.frame(gene = gene, values), paste0(name, "_expression.csv"))
  write_table(cohort$clinical, paste0(name, "_clinical.csv"))
  answer <- as.data.frame(found$sv)
  colnames(answer) <- paste0("SV", seq_len(number))
  write_table(answer, paste0(name, "_irw.csv"))
}
write_reweighted("irw_batch", make_cohort(800, 24, seed = 16, batch = 1.2, factors = 0.5), 2)
write_reweighted(
  "irw_covariates", make_cohort(800, 30, seed = 17, covariates = TRUE, factors = c(0.8, 0.6)), 2
)

writeLines(
  c(R.version.string, paste("sva", packageVersion("sva")), "made by benchmarks/golden/golden_sva.R"),
  file.path(folder, "VERSIONS.txt")
)
