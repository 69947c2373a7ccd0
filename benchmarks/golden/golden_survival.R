# Golden values of Cox score tests, Kaplan-Meier curves and log-rank tests from R survival, for the
# tests of genotex.analysis.survival.score_tests.
#
#   python -m benchmarks golden_survival tests/fixtures/survival
#
# Writes VERSIONS.txt and cohort.json:
#
#   genes, samples   names, p and n
#   expression       p rows of n values; expression_missing is the same with some null
#   table            sample annotation: time (distinct), months (time in whole months, many ties),
#                    rounded (months in years, ties up to rounding), event (1 or 0), age,
#                    sex (1 or 0), centre (c1, c2, c3), third (of the first gene's expression)
#   cox              name -> time, covariates, strata, missing (what the model has) and
#     covariates_log_hazard_ratio   of the model without genes (all samples)
#     z, p             score test of each gene, z signed as the derivative of the likelihood
#     log_hazard_ratio, standard_error   by maximum likelihood; null where a gene separates events
#     samples, events  of each gene
#   kaplan_meier     name -> time, samples (from 0), and of survfit: times, survival, lower, upper
#   log_rank         name -> time, group, strata, and of survdiff: chi_square, df, p, observed,
#                    expected (summed over strata)

suppressMessages({
  library(jsonlite)
  library(survival)
})

folder <- commandArgs(trailingOnly = TRUE)[1]
if (is.na(folder)) stop("give the folder to write to")
dir.create(folder, showWarnings = FALSE, recursive = TRUE)

CONTROL <- coxph.control(eps = 1e-13, toler.chol = 1e-15, iter.max = 100)
GENES <- sprintf("GENE%02d", 1:30)
SEPARATING <- "GENE30"

make_cohort <- function() {
  set.seed(51)
  n <- 90
  age <- round(rnorm(n, 60, 9))
  sex <- rep(0:1, length.out = n)
  centre <- sample(rep(c("c1", "c2", "c3"), length.out = n))
  expression <- matrix(round(rnorm(30 * n, 8, rep(runif(30, 0.3, 1.8), n)), 4), 30)
  expression[5, ] <- round(expression[5, ] + 0.03 * (age - 60), 4)
  risk <- 0.6 * (expression[1, ] - 8) - 0.5 * (expression[2, ] - 8) + 0.04 * (age - 60) +
    0.4 * sex + 0.5 * (centre == "c2")
  death <- rexp(n, exp(risk) / 30)
  end <- runif(n, 5, 70)
  event <- as.integer(death <= end)
  time <- round(pmin(death, end), 5) + seq_len(n) * 1e-6
  stopifnot(!anyDuplicated(time))
  # Expressed in a few samples, all censored: no finite estimate.
  expression[30, ] <- 5
  expression[30, which(event == 0)[c(2, 5, 7, 11, 13, 17)]] <- 6.5
  # Expressed in a few samples only, with events.
  expression[29, ] <- 2
  expression[29, which(event == 1)[c(3, 8, 20)]] <- c(4, 5, 7)
  expression[29, which(event == 0)[c(3, 8)]] <- c(4.5, 6)
  # Expressed in one sample, with the fourth event: the one-step estimate is far above the maximum.
  expression[28, ] <- 0
  expression[28, which(event == 1)[order(time[event == 1])[4]]] <- 5
  dimnames(expression) <- list(GENES, sprintf("P%02d", seq_len(n)))
  missing <- expression
  missing[sample(28 * n, 150) %/% 28 * 30 + sample(28, 150, replace = TRUE)] <- NA
  missing[3, ] <- expression[3, ]
  missing[11, ] <- ifelse(is.na(missing[10, ]), NA, expression[11, ])
  months <- ceiling(time)
  table <- data.frame(
    time = time, months = months,
    rounded = months / 12 + rep(c(0, 3e-10, -2e-10), length.out = n),
    event = event, age = age, sex = sex, centre = centre,
    third = c("low", "middle", "high")[cut(
      expression[1, ], quantile(expression[1, ], 0:3 / 3), include.lowest = TRUE, labels = FALSE
    )]
  )
  list(expression = expression, missing = missing, table = table)
}

# ---- Cox models --------------------------------------------------------------------------------

formula_of <- function(time, terms, strata) {
  terms <- c(terms, if (length(strata)) paste0("strata(", strata, ")"))
  as.formula(paste0("Surv(", time, ", event) ~ ", paste(terms, collapse = " + ")))
}

test_gene <- function(table, values, time, covariates, strata, separating) {
  data <- cbind(table, gene = values)[!is.na(values), ]
  start <- if (length(covariates)) {
    unname(coef(coxph(formula_of(time, covariates, strata), data, control = CONTROL)))
  }
  whole <- formula_of(time, c(covariates, "gene"), strata)
  control <- CONTROL
  control$iter.max <- 0
  at_start <- coxph(whole, data, init = c(start, 0), control = control, x = TRUE, model = TRUE)
  residuals <- as.matrix(residuals(at_start, type = "score"))
  direction <- sign(sum(residuals[, ncol(residuals)]))
  fit <- if (!separating) coxph(whole, data, control = CONTROL)
  score <- at_start$score
  data.frame(
    z = direction * sqrt(score), p = pchisq(score, 1, lower.tail = FALSE),
    log_hazard_ratio = if (separating) NA else coef(fit)[["gene"]],
    standard_error = if (separating) NA else sqrt(vcov(fit)["gene", "gene"]),
    samples = nrow(data), events = sum(data$event)
  )
}

test_genes <- function(cohort, time, covariates = character(), strata = character(), missing = FALSE) {
  values <- if (missing) cohort$missing else cohort$expression
  tests <- do.call(rbind, lapply(GENES, function(gene) {
    test_gene(cohort$table, values[gene, ], time, covariates, strata, gene == SEPARATING)
  }))
  alone <- if (length(covariates)) {
    unname(coef(coxph(formula_of(time, covariates, strata), cohort$table, control = CONTROL)))
  } else {
    numeric()
  }
  c(list(time = unbox(time), covariates = covariates, strata = strata, missing = unbox(missing),
         covariates_log_hazard_ratio = alone), as.list(tests))
}

# ---- Curves ------------------------------------------------------------------------------------

curve_of <- function(table, time, rows) {
  data <- table[rows, ]
  fit <- survfit(as.formula(paste0("Surv(", time, ", event) ~ 1")), data)
  list(time = unbox(time), samples = which(rows) - 1, times = fit$time, survival = fit$surv,
       lower = fit$lower, upper = fit$upper)
}

compare <- function(table, time, group, strata = character()) {
  fit <- survdiff(formula_of(time, group, strata), table)
  total <- function(x) if (is.matrix(x)) rowSums(x) else x
  df <- length(fit$n) - 1
  list(time = unbox(time), group = unbox(group), strata = strata,
       groups = unbox(paste(sub(".*=", "", names(fit$n)), collapse = " ")),
       chi_square = unbox(fit$chisq), df = unbox(df),
       p = unbox(pchisq(fit$chisq, df, lower.tail = FALSE)),
       observed = unname(total(fit$obs)), expected = unname(total(fit$exp)))
}

# ---- File --------------------------------------------------------------------------------------

cohort <- make_cohort()
table <- cohort$table
rows_of <- function(x) lapply(seq_len(nrow(x)), function(i) unname(x[i, ]))
whole <- list(
  made_by = unbox("benchmarks/golden/golden_survival.R"), genes = GENES,
  samples = colnames(cohort$expression), table = as.list(table),
  expression = rows_of(cohort$expression), expression_missing = rows_of(cohort$missing),
  cox = list(
    plain = test_genes(cohort, "time"),
    covariates = test_genes(cohort, "time", c("age", "sex")),
    ties = test_genes(cohort, "months"),
    ties_covariates = test_genes(cohort, "months", c("age", "sex")),
    near_ties = test_genes(cohort, "rounded", "age"),
    strata = test_genes(cohort, "months", strata = "centre"),
    strata_covariates = test_genes(cohort, "months", c("age", "sex"), "centre"),
    missing = test_genes(cohort, "time", missing = TRUE),
    missing_ties_strata_covariates = test_genes(
      cohort, "months", c("age", "sex"), "centre", missing = TRUE
    )
  ),
  kaplan_meier = list(
    all = curve_of(table, "time", rep(TRUE, nrow(table))),
    ties = curve_of(table, "months", rep(TRUE, nrow(table))),
    high = curve_of(table, "months", table$third == "high"),
    all_events = curve_of(table, "months", table$event == 1)
  ),
  log_rank = list(
    sex = compare(table, "time", "sex"), sex_ties = compare(table, "months", "sex"),
    third = compare(table, "months", "third"), third_strata = compare(table, "months", "third", "centre")
  )
)
writeLines(toJSON(whole, digits = NA, na = "null"), file.path(folder, "cohort.json"))
writeLines(
  c(R.version.string, paste("survival", packageVersion("survival")),
    "made by benchmarks/golden/golden_survival.R"),
  file.path(folder, "VERSIONS.txt")
)
