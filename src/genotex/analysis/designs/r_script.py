"""A short R script that repeats the analysis of a design with limma, and the design as a table.

The script is for readers who trust R more than us, or who want to go on from there: it reads the
linked table and the design matrix, and prints how far its numbers are from ours.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from genotex.analysis.designs.fitting import formula_of
from genotex.analysis.results.result import AnalysisResult
from genotex.errors import UsageError
from genotex.formats import LinkedTable, inert
from genotex.io import atomic_write

_EXTRAS = ("weight", "block", "library_size", "offset")
"""Further columns of the design's table, in this order, where the analysis used them."""


@dataclass(frozen=True)
class RFiles:
    """Files of the script, relative to its folder; `missing` is None where no value is missing."""

    linked: str
    design: str = "design.csv"
    genes: str = "genes.csv"
    missing: str | None = None


def design_table(result: AnalysisResult) -> pl.DataFrame:
    """Return the design matrix of a result, a row for each sample with its name.

    After the name come the columns of the design, surrogate variables among them and those that are
    tested last; then weight, block, library size and offset where they were used.

    Raises
    ------
    UsageError
        If the result is not one of a design (`fit_request`, ``genotex de``), nor just computed by
        ``genotex solve``.
    """
    record = _regression(result)
    columns: dict[str, Any] = {"sample": record["samples"]}
    for name, values in record["columns"].items():
        columns[_free(name, columns)] = values
    for name in _EXTRAS:
        if name in record:
            columns[_free(name, columns)] = record[name]
    return pl.DataFrame(columns)


def _regression(result: AnalysisResult) -> Mapping[str, Any]:
    record = result.method.get("regression") or result.regression
    if not record or formula_of(result) is None:
        msg = f"the result of {result.trait} is not one of a design, so there is no design to write"
        raise UsageError(msg)
    mixed = result.method["ranked_by"] != "p"
    if mixed or (int(record["tested"]) > 1 and "formula" not in result.method):
        what = "a mixed model ranks its genes" if mixed else "it tests the levels of a factor"
        msg = f"no R script repeats the analysis of {result.trait}: {what}"
        raise UsageError(msg)
    return dict(record)


def _free(name: str, taken: Mapping[str, Any]) -> str:
    return name if name not in taken else _free(f"{name}_", taken)


def r_script(result: AnalysisResult, files: RFiles) -> str:
    """Return the R script that repeats the analysis of a design with limma; see `design_table`."""
    record = _regression(result)
    genes = result.genes["Variable"].to_list()
    fit = [_fit(result, record), _tests(result, record)]
    if result.method.get("counts", {}).get("test") == "DESeq2":
        fit = [_deseq2(result, record)]
    parts = [
        _head(result, record),
        _reading(record, files, design_table(result).columns, genes),
        *fit,
        _comparison(files),
    ]
    return "\n".join(parts)


def write_r_script(
    folder: Path, result: AnalysisResult, table: LinkedTable, linked: str, *, suffix: str = ""
) -> Path:
    """Write ``analysis.R``, ``design.csv`` and, where values are missing, ``missing.csv``.

    `table` is what was analysed, before missing values were filled; `linked` the filled one as CSV,
    relative to `folder`, where ``genes.csv`` is. `suffix` goes before the ending of each file.
    """
    missing = _missing_values(result, table)
    name = f"missing{suffix}.csv"
    (folder / name).unlink(missing_ok=True)
    if missing.height:
        with atomic_write(folder / name) as part, part.open("wb") as handle:
            missing.write_csv(handle)
    files = RFiles(
        linked, f"design{suffix}.csv", f"genes{suffix}.csv", name if missing.height else None
    )
    with atomic_write(folder / files.design) as part, part.open("wb") as handle:
        design_table(result).write_csv(handle)
    path = folder / f"analysis{suffix}.R"
    with atomic_write(path) as part:
        part.write_text(r_script(result, files), encoding="utf-8")
    return path


def _missing_values(result: AnalysisResult, table: LinkedTable) -> pl.DataFrame:
    """Return ``gene`` and ``sample`` of the missing values among those that were tested."""
    samples = set(_regression(result)["samples"])
    tested = set(result.genes.filter(pl.col("Status") == "tested")["Variable"])
    rows, columns = np.nonzero(np.isnan(table.expression))
    found = [
        (table.genes[j], table.samples[i])
        for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
        if table.samples[i] in samples and table.genes[j] in tested
    ]
    return pl.DataFrame(found, schema=["gene", "sample"], orient="row")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _number(value: float) -> str:
    return repr(float(value))


def _head(result: AnalysisResult, record: Mapping[str, Any]) -> str:
    versions, design = result.method["versions"], formula_of(result)
    package = result.method.get("counts", {}).get("test") or "limma"
    formula, contrast = ("", "") if design is None else (design.design, design.contrast)
    given = f" given {result.condition}" if result.condition else ""
    lines = [
        f"# The analysis of genotex, repeated in R with {package}: Rscript analysis.R",
        "# It prints how far its numbers are from those of the gene table.",
        "#",
        f"# Written by genotex {versions['genotex']} for {result.trait}{given} in {result.cohort}.",
        f"# Design:   {_in_r(formula)}",
        f"# Contrast: {' '.join(contrast.split())}",
    ]
    for name, levels in result.method.get("formula", {}).get("factors", {}).items():
        shown = ", ".join(map(_quoted, levels))
        lines.append(f"#   {name} <- factor({name}, levels = c({shown}))")
    tested = int(record["tested"])
    last = "column of the design is" if tested == 1 else f"{tested} columns of the design are"
    lines += [
        f"# The last {last} what the contrast tests; the others span the rest of",
        "# model.matrix(), as limma's contrastAsCoef() has it.",
        "",
        f"library({package})",
        "",
    ]
    return "\n".join(lines)


def _in_r(formula: str) -> str:
    """Return a formula in R's words."""
    text = re.sub(r"\bC\(", "factor(", " ".join(formula.split()))
    text = re.sub(r"\bcenter\(([^()]*)\)", r"scale(\1, scale = FALSE)", text)
    return re.sub(r"\b(ns|bs)\(([^(),]+),\s*(\d+)\)", r"\1(\2, df = \3)", text)


def _reading(record: Mapping[str, Any], files: RFiles, names: list[str], genes: list[str]) -> str:
    lines = [
        'here <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))',
        "if (length(here)) setwd(dirname(here))",
        "",
        f'genes <- read.csv({_quoted(files.genes)}, check.names = FALSE, na.strings = "")',
        f"samples <- read.csv({_quoted(files.design)}, check.names = FALSE,",
        '                    colClasses = c(sample = "character"))',
        f"linked <- {_quoted(files.linked)}",
        'columns <- scan(linked, "", sep = ",", nlines = 1, quiet = TRUE)',
        'kinds <- c("character", rep("numeric", length(columns) - 1))',
        "linked <- read.csv(linked, check.names = FALSE, row.names = 1, colClasses = kinds,",
        '                   na.strings = c("", "nan", "NaN", "NA"))',
        "",
        f"design <- as.matrix(samples[, 2:{1 + len(record['columns'])}, drop = FALSE])",
        "y <- t(as.matrix(linked[samples$sample, genes$gene]))  # log2 expression, genes x samples",
    ]
    if any(inert(gene) != gene for gene in genes):
        # In a table for spreadsheets, what they take for a formula has an apostrophe before it.
        at = next(i for i, line in enumerate(lines) if line.startswith("samples <-"))
        lines.insert(at, r"""genes$gene <- sub("^'('*[-=+@])", "\\1", genes$gene)""")
    if files.missing is not None:
        lines += [
            f'missing <- read.csv({_quoted(files.missing)}, colClasses = "character", '
            'na.strings = "")',
            "y[cbind(missing$gene, missing$sample)] <- NA  # the linked table has them filled",
        ]
    used, beyond = [name for name in _EXTRAS if name in record], 1 + len(record["columns"])
    extras = dict(zip(used, names[beyond:], strict=True))
    if "offset" in extras:
        lines.append(f"y <- sweep(y, 2, samples[[{_quoted(extras['offset'])}]])")
    lines += [
        f"{name} <- samples[[{_quoted(column)}]]"
        for name, column in extras.items()
        if name != "offset"
    ]
    return "\n".join([*lines, ""])


def _fit(result: AnalysisResult, record: Mapping[str, Any]) -> str:
    counted, weighted, blocked = ("library_size" in record, "weight" in record, "block" in record)
    more = ", block = block, correlation = correlation" if blocked else ""
    lines = []
    if blocked:
        lines += [
            "# As duplicateCorrelation(y, design, block = block) estimates it, iterated to the end",
            f"correlation <- {_number(record['correlation'])}",
        ]
    if weighted:
        used = result.method["weights"].get("used")
        of_group = ", var.group = ...)" if used == "group" else ")"
        lines.append(f"# The weights are those of arrayWeights(y, design{of_group}")
    if counted:
        weights = ", weights = weight" if weighted else ""
        lines += [
            "# voom takes counts; the table holds log2((count + 0.5) / (library size + 1) * 1e6),",
            "# with library sizes normalised by the trimmed mean of M values (edgeR)",
            "counts <- t(t(2^y) * (library_size + 1) / 1e6) - 0.5",
            "counts[abs(counts) < 1e-6] <- 0",
            f"y <- voom(counts, design, lib.size = library_size{weights}{more})",
        ]
        if weighted:
            lines.append("y$weights <- t(t(y$weights) * weight)")
    own_weights = ", weights = weight" if weighted and not counted else ""
    lines.append(f"fit <- lmFit(y, design{own_weights}{more})")
    if int(record["tested"]) > 1:
        lines += [
            f"tested <- tail(seq_len(ncol(design)), {record['tested']})",
            f"without <- lmFit(y, design[, -tested, drop = FALSE]{own_weights}{more})",
        ]
    if float(record["inflation"]) != 1:
        lines += [
            "# The surrogate variables were estimated from the same genes: the variances of",
            "# coefficients are this many times larger than least squares claims",
            f"inflation <- {_number(record['inflation'])}",
            "fit$stdev.unscaled <- fit$stdev.unscaled * sqrt(inflation)",
        ]
    return "\n".join([*lines, ""])


def _deseq2(result: AnalysisResult, record: Mapping[str, Any]) -> str:
    """Return the negative binomial test of the last coefficient."""
    least, inflation = float(result.method["options"]["min_effect"]), float(record["inflation"])
    more = f', lfcThreshold = {_number(least)}, altHypothesis = "greaterAbs"' if least else ""
    lines = [
        "# The table holds log2((count + 0.5) / (library size + 1) * 1e6). genotex has PyDESeq2,",
        "# whose dispersions differ from those of DESeq2 by the end of their iterations",
        "counts <- round(t(t(2^y) * (library_size + 1) / 1e6) - 0.5)",
        "counts[counts < 0] <- 0",
        "colnames(design) <- make.names(colnames(design))",
        "data <- DESeqDataSetFromMatrix(counts, samples[, 1, drop = FALSE], design)",
        "data <- DESeq(data, quiet = TRUE)",
        "last <- as.numeric(seq_len(ncol(design)) == ncol(design))",
        f"top <- results(data, contrast = last, independentFiltering = FALSE{more})",
    ]
    statistic, p = "top$stat", "top$pvalue"
    if inflation != 1:
        lines += [
            "# Surrogate variables were estimated from the same genes",
            f"statistic <- top$stat / sqrt({_number(inflation)})",
        ]
        statistic, p = "statistic", "2 * pnorm(-abs(statistic))"
    found = f"log2_fold_change = top$log2FoldChange, t = {statistic}, p = {p}"
    return "\n".join([*lines, f"found <- data.frame({found})", ""])


def _f_test(inflation: float) -> list[str]:
    """Return the F test of several coefficients, and the test of each."""
    over = " / inflation" if inflation != 1 else ""
    return [
        "fit <- do.call(eBayes, c(list(fit), settings))",
        "",
        "# F of each gene from its own sums of squares; topTable() takes the correlation",
        "# of the coefficients as that of all genes where there are weights or gaps",
        "squares <- without$sigma^2 * without$df.residual - fit$sigma^2 * fit$df.residual",
        f"f <- squares / length(tested) / fit$s2.post{over}",
        "p <- pf(f, length(tested), fit$df.total, lower.tail = FALSE)",
        "b <- fit$coefficients[, tested]",
        'largest <- b[cbind(seq_len(nrow(b)), max.col(abs(b), ties.method = "first"))]',
        "found <- data.frame(log2_fold_change = largest, mean = fit$Amean, F = f, p = p,",
        '                    q = p.adjust(p, "BH"))',
        "each <- fit$p.value[, tested]",
        "for (j in seq_along(tested)) {",
        "  name <- colnames(design)[tested[j]]",
        '  found[[paste(name, "Coefficient")]] <- b[, j]',
        '  found[[paste(name, "p")]] <- each[, j]',
        '  found[[paste(name, "q")]] <- p.adjust(each[, j], "BH")',
        "}",
        "",
    ]


def _tests(result: AnalysisResult, record: Mapping[str, Any]) -> str:
    options, used = result.method["options"], result.method["prior"]
    prior = {name: "TRUE" if used.get(name) else "FALSE" for name in ("trend", "robust")}
    settings = ", ".join(f"{name} = {value}" for name, value in prior.items())
    # Newer versions of limma fit the prior in another way where degrees of freedom differ.
    legacy = 'if ("legacy" %in% names(formals(eBayes))) settings$legacy <- TRUE'
    lines = [f"settings <- list({settings})", legacy]
    if int(record["tested"]) > 1:
        return "\n".join([*lines, *_f_test(float(record["inflation"]))])
    least = float(options.get("min_effect") or 0.0)
    test, table = ("eBayes", "topTable")
    if least:
        lines.append(f"settings$lfc <- {_number(least)}")
        test, table = "treat", "topTreat"
    return "\n".join(
        [
            *lines,
            f"fit <- do.call({test}, c(list(fit), settings))",
            f'top <- {table}(fit, coef = ncol(design), number = Inf, sort.by = "none",'
            " confint = TRUE)",
            "found <- data.frame(log2_fold_change = top$logFC, ci_low = top$CI.L, "
            "ci_high = top$CI.R,",
            "                    mean = top$AveExpr, t = top$t, p = top$P.Value, "
            "q = top$adj.P.Val)",
            "",
        ]
    )


def _comparison(files: RFiles) -> str:
    return "\n".join(
        [
            f"# Largest relative difference to {files.genes}, of each column",
            "difference <- sapply(names(found), function(name) {",
            "  max(abs(found[[name]] - genes[[name]]) / pmax(abs(genes[[name]]), 1e-300))",
            "})",
            "print(signif(difference, 3))",
            'cat("largest difference:", signif(max(difference), 3), "\\n")',
            "",
        ]
    )
