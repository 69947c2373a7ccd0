"""The result of an analysis, and its two files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from genotex.errors import AnalysisError, FormatError
from genotex.layout import OutputFolder, atomic_write

__all__ = ["GENE_COLUMNS", "AnalysisResult", "read_result", "write_result"]

GENE_COLUMNS: dict[str, type[pl.DataType]] = {
    "Variable": pl.String,
    "Coefficient": pl.Float64,
    "Absolute Coefficient": pl.Float64,
    "Standard Error": pl.Float64,
    "CI Lower": pl.Float64,
    "CI Upper": pl.Float64,
    "t": pl.Float64,
    "p": pl.Float64,
    "q": pl.Float64,
    "Mean Expression": pl.Float64,
    "Standardised Effect": pl.Float64,
    "Samples": pl.Int64,
    "Panel Coefficient": pl.Float64,
    "Interaction Coefficient": pl.Float64,
    "Interaction Standard Error": pl.Float64,
    "Interaction t": pl.Float64,
    "Interaction p": pl.Float64,
    "Interaction q": pl.Float64,
    "Status": pl.String,
    "Significant": pl.Boolean,
}
"""Columns of the table of all genes; null where a gene was not tested."""

NOT_IN_LIST = ("Status", "Significant")


@dataclass(frozen=True, eq=False)
class AnalysisResult:
    """Everything that is known about the answer to one problem.

    Attributes
    ----------
    trait : str
        Trait folder name.
    condition : str or None
        Condition of the problem.
    genes : polars.DataFrame
        All genes of the cohort with the columns of `GENE_COLUMNS`: tested genes by p-value, then
        the others in table order. ``Coefficient`` is the log2 fold change of a binary trait, the
        change per standard deviation of a continuous one; ``Standardised Effect`` is Hedges' g or
        the partial correlation; ``Panel Coefficient`` is 0 for genes outside the panel.
    cv_performance : mapping
        ``prediction``: quality of the panel on samples it has not seen; empty when not estimated.
    method : mapping
        Procedure, options, versions, design columns, contrast, filter, prior, panel.
    warnings : tuple of str
        What a reader should know before trusting the list.
    cohort : str
        Cohort that was analysed; empty when the table came from elsewhere.
    cohort_reason : str
        Why this one.
    other_cohorts : mapping of str to str
        Every other cohort and why not it.
    """

    trait: str
    condition: str | None
    genes: pl.DataFrame
    cv_performance: Mapping[str, Any]
    method: Mapping[str, Any]
    warnings: tuple[str, ...] = ()
    cohort: str = ""
    cohort_reason: str = ""
    other_cohorts: Mapping[str, str] = field(default_factory=dict)

    @property
    def significant(self) -> pl.DataFrame:
        """The significant genes, by p-value."""
        return self.genes.filter(pl.col("Significant"))


def write_result(output: OutputFolder, result: AnalysisResult) -> Path:
    """Write the significant genes as JSON and all genes as Parquet; each whole or not at all.

    The JSON has the benchmark's fields (GenoTEX README, section 4) and ours beside them.

    Returns
    -------
    Path
        The JSON file.
    """
    listed = result.significant.drop(NOT_IN_LIST)
    content = {
        "significant_genes": {name: listed[name].to_list() for name in listed.columns},
        "cv_performance": dict(result.cv_performance),
        "problem": {"trait": result.trait, "condition": result.condition},
        "cohort": {
            "id": result.cohort,
            "reason": result.cohort_reason,
            "others": dict(result.other_cohorts),
        },
        "method": dict(result.method),
        "warnings": list(result.warnings),
    }
    text = json.dumps(content, indent=4, ensure_ascii=False, allow_nan=False)
    # The table first: where the JSON stands, the table it belongs to stands too.
    with atomic_write(output.all_genes(result.trait, result.condition)) as part:
        result.genes.write_parquet(part)
    path = output.significant_genes(result.trait, result.condition)
    with atomic_write(path) as part:
        part.write_text(text + "\n", encoding="utf-8")
    return path


def read_result(output: OutputFolder, trait: str, condition: str | None) -> AnalysisResult:
    """Read what `write_result` wrote.

    Raises
    ------
    AnalysisError
        If the problem has not been analysed.
    FormatError
        If one of the two files is not what it should be.
    """
    path = output.significant_genes(trait, condition)
    if not path.is_file():
        msg = f"{trait}, condition {condition}: no result at {path}; run analyze first"
        raise AnalysisError(msg)
    try:
        content = json.loads(path.read_bytes())
    except ValueError as error:
        msg = f"is not JSON: {error}"
        raise FormatError(msg, path=path, hint="run analyze again") from error
    genes = _read_genes(output.all_genes(trait, condition))
    try:
        problem, cohort = content["problem"], content["cohort"]
        return AnalysisResult(
            trait=problem["trait"],
            condition=problem["condition"],
            genes=genes,
            cv_performance=content["cv_performance"],
            method=content["method"],
            warnings=tuple(content["warnings"]),
            cohort=cohort["id"],
            cohort_reason=cohort["reason"],
            other_cohorts=cohort["others"],
        )
    except (KeyError, TypeError) as error:
        msg = f"was not written by genotex: {error} is missing or of another kind"
        raise FormatError(msg, path=path, hint="run analyze again") from error


def _read_genes(path: Path) -> pl.DataFrame:
    try:
        genes = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        msg = f"the table of all genes cannot be read: {error}"
        raise FormatError(msg, path=path, hint="run analyze again") from error
    missing = [name for name in GENE_COLUMNS if name not in genes.columns]
    if missing:
        msg = f"lacks the columns {', '.join(missing)}"
        raise FormatError(msg, path=path, hint="run analyze again")
    return genes
