"""Genes tested under any design: a formula and contrasts, on an expression table in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from genotex.analysis.designs.request import DesignRequest, sample_facts_of, typed_columns
from genotex.analysis.gene_sets.effects import TraitEffects, stored_options, trait_effects
from genotex.analysis.pipeline import analyze_cohort
from genotex.analysis.problem_data import CohortData
from genotex.analysis.results.columns import (
    SHORT,
    columns_at,
    complete_genes,
    select_columns,
    undeclared_columns,
)
from genotex.analysis.results.method_record import FormulaText, formula_of_method
from genotex.analysis.results.result import AnalysisResult
from genotex.analysis.sound import carry_out
from genotex.arrays import Floats
from genotex.features import table_features
from genotex.formats import LinkedTable, Measures
from genotex.layout import trait_folder_name
from genotex.options import AnalysisOptions, ValueKind
from genotex.problems import Problem


@dataclass(frozen=True, eq=False)
class DesignData:
    """What a design is fitted to."""

    name: str  # Of the cohort
    genes: tuple[str, ...]  # Symbols of the p genes, names of the n samples
    samples: tuple[str, ...]
    expression: Floats  # (n, p): log2 values, of counts log2 counts per million; NaN is missing
    # n rows, the annotation of the samples; texts are factors, texts that are all numbers are
    # numbers
    table: pl.DataFrame
    # How counts became expression, as in `Evidence.counts`; the tests then use voom's weights
    counts: Mapping[str, Any] = field(default_factory=dict)
    kind: ValueKind = ""  # What the values are, where their variance depends on their level
    # What control probes tell of each sample, as in `Evidence.measures`
    measures: Measures = field(default_factory=dict)

    def linked(self, trait: str) -> LinkedTable:
        """Return it as a linked table; the values of the trait are those of the design, not its."""
        return LinkedTable(
            trait,
            self.samples,
            np.zeros(len(self.samples)),
            _standard_covariates(self.table),
            self.genes,
            self.expression,
        )


@dataclass(frozen=True, eq=False)
class DesignResult:
    """The genes of one contrast."""

    # Tested genes by p-value, with the columns of the short table; of several coefficients also
    # ``F`` and each coefficient with its p- and q-value
    genes: pl.DataFrame
    result: AnalysisResult  # The whole analysis, as `genotex solve` gives it
    data: DesignData  # What was analysed
    # Sample -> level of the factor that was compared, or value of the tested column
    groups: Mapping[str, str | float]
    request: DesignRequest  # The design as it was asked for

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader should know before trusting the list."""
        return self.result.warnings

    @property
    def method(self) -> Mapping[str, Any]:
        """How it came about, plain JSON values."""
        return self.result.method


def contrast_name(contrast: str) -> str:
    """Return a contrast as a name for files, such as ``group_case_vs_control``."""
    words = {" - ": " vs ", " | ": " in ", " = ": " ", ":": " ", "/": " per "}
    for sign, word in words.items():
        contrast = contrast.replace(sign, word)
    return trait_folder_name(contrast)


def _standard_covariates(table: pl.DataFrame) -> dict[str, Floats]:
    """Return ``Age`` and ``Gender`` (female 0, male 1) of a sample table that names them so."""
    found = {}
    typed = typed_columns(table)
    by_name = {name.lower(): name for name in reversed(typed.columns)}
    for feature in table_features():
        names = (by_name[n] for n in (feature.name, *feature.other_names) if n in by_name)
        if (name := next(names, None)) is None:
            continue
        if feature.scale == "number":
            if typed[name].dtype.is_numeric():
                found[feature.column] = typed[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
            continue
        codes = [feature.read_cell(str(value)) for value in typed[name].to_list()]
        values = np.array([np.nan if code is None else code for code in codes], dtype=np.float64)
        if np.isfinite(values).any():
            found[feature.column] = values
    return found


def fit_request(
    data: DesignData, request: DesignRequest, name: str, options: AnalysisOptions | None = None
) -> DesignResult:
    """Test every gene for a contrast of a design; `name` is what the result is about.

    Options that choose covariates, pairs and levels have no effect.

    Raises
    ------
    UsageError
        If the design or the contrast names what is not there; the message says what there is.
    AnalysisError
        If the design is not estimable, values are missing, or groups are too small.

    References
    ----------
    Smyth 2004, Stat. Appl. Genet. Mol. Biol. 3:3; block: Smyth, Michaud and Scott 2005,
    Bioinformatics 21:2067; counts: Law and others 2014, Genome Biol. 15:R29.
    """
    cohort, problem = _cohort(data, request, name), Problem(name, None)
    result = analyze_cohort(cohort, problem, options or AnalysisOptions())
    result = replace(result, cohort=data.name, cohort_reason="the table that was given")
    return DesignResult(result_table(result), result, data, _groups(result, request), request)


def _cohort(data: DesignData, request: DesignRequest, name: str) -> CohortData:
    facts = sample_facts_of(request)
    return CohortData(
        data.linked(name),
        {},
        facts,
        counts=data.counts,
        design=request,
        kind=data.kind,
        measures=data.measures,
    )


def design_effects(found: DesignResult) -> TraitEffects:
    """Return the effects of the regression behind a result, for tests of gene sets.

    Raises
    ------
    AnalysisError
        If several coefficients were tested together, or nearly all genes have missing values.
    """
    result = found.result
    cohort = _cohort(found.data, found.request, result.trait)
    steps = carry_out(cohort, Problem(result.trait, None), stored_options(result))
    return trait_effects(steps)


def result_table(result: AnalysisResult) -> pl.DataFrame:
    """Return the tested genes of a result with the columns of the short table, by p-value."""
    of_groups = str(result.method.get("standardised_effect", "")).startswith("Hedges")
    kind = "binary" if of_groups else "continuous"
    genes = complete_genes(result.genes.filter(pl.col("Status") == "tested"), kind)
    return select_columns(genes, columns_at(SHORT, kind, genes, undeclared_columns(genes)))


def formula_of(result: AnalysisResult) -> FormulaText | None:
    """Return the formula and contrast of a result; None where no formula says the same."""
    return formula_of_method(result.method)


def _groups(result: AnalysisResult, request: DesignRequest) -> dict[str, str | float]:
    """Return the level or value that was compared, for the samples that took part."""
    formula = result.method["formula"]
    if not formula["variables"]:
        return {}
    rows = {sample: i for i, sample in enumerate(request.samples)}
    values = request.table[formula["variables"][0]].to_list()
    return {sample: values[rows[sample]] for sample in formula["samples"]}
