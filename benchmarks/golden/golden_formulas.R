# Writes tests/fixtures/designs/matrices.json: R's model.matrix for the formulas of docs/designs.md
# and of limma's user's guide. python -m benchmarks golden_formulas OUTPUT
library(jsonlite)
library(splines)

set.seed(11)
n <- 36
table <- data.frame(
  group = rep(c("A", "B", "C"), length.out = n),
  sex = rep(rep(c("female", "male"), each = 3), length.out = n),
  age = round(rnorm(n, 50, 9), 1),
  batch = rep(1:3, each = n / 3),
  pair = paste0("p", sprintf("%02d", rep(seq_len(n / 3), each = 3))),
  time = sample(rep(c(0, 6, 24), each = n / 3)),
  x = round(rnorm(n), 3),
  check.names = FALSE
)
table[["disease state"]] <- rep(rep(c("healthy", "ill"), each = 6), length.out = n)
formulas <- c(
  "~ group", "~ group + age", "~ group + factor(batch)", "~ group * sex",
  "~ 0 + group", "~ group - 1", "~ 0 + group + sex", "~ 0 + group:sex", "~ group + pair",
  "~ group + factor(pair)", "~ sex/group", "~ group * age", "~ 0 + group + group:age",
  "~ (group + sex)^2", "~ (group + sex + age)^2", "~ group * sex - group:sex", "~ age",
  "~ group + I(age^2)", "~ group + I(2 * age - 1)", "~ group + log(age)", "~ group + log2(age)",
  "~ `disease state` + sex", "~ `disease state` * sex", "~ group + poly(age, 2)",
  "~ group + bs(age, df = 4)", "~ group + ns(age, df = 3)", "~ group * ns(time, df = 2)",
  "~ group + scale(age)", "~ factor(time)",
  "~ factor(group, levels = c(\"C\", \"A\", \"B\"))"
)
matrices <- lapply(formulas, function(text) {
  found <- model.matrix(as.formula(text), table)
  list(formula = text, names = colnames(found), matrix = unname(as.matrix(as.data.frame(found))))
})
write_json(
  list(made_by = R.version.string, table = as.list(table), cases = matrices),
  commandArgs(TRUE)[1], digits = 15, auto_unbox = TRUE
)
