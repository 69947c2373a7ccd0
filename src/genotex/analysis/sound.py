"""The procedure ``sound``: a moderated t-test of every gene, with a sparse panel beside it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln
from threadpoolctl import threadpool_limits

from genotex.analysis.batch_columns import BatchColumns, batch_columns
from genotex.analysis.checks import (
    check_covariates,
    check_groups,
    check_p_values,
    check_scale,
)
from genotex.analysis.contrast import Contrast, choose_contrast
from genotex.analysis.design import Design, build_design
from genotex.analysis.gene_filter import GENE_STATUS, GeneFilter, filter_genes
from genotex.analysis.gene_table import arrange_genes
from genotex.analysis.interaction import fit_interaction
from genotex.analysis.linear import LinearFit, fit_last_column
from genotex.analysis.method_record import Steps, record_method
from genotex.analysis.moderated import ModeratedFit, moderate
from genotex.analysis.multiple_testing import benjamini_hochberg
from genotex.analysis.options import AnalysisOptions
from genotex.analysis.panel import Panel, fit_panel
from genotex.analysis.result import AnalysisResult
from genotex.analysis.sample_facts import SampleFacts, check_sample_facts
from genotex.errors import AnalysisError
from genotex.formats.cohort_record import Role
from genotex.formats.linked import LinkedTable
from genotex.problems import Problem

__all__ = ["analyze_sound"]

Floats = NDArray[np.float64]
Columns = dict[str, Floats]

HIGHEST = 1e100
"""Squares of larger numbers, and their sums, leave the range of double precision."""


def analyze_sound(
    table: LinkedTable,
    roles: Mapping[str, Role],
    problem: Problem,
    options: AnalysisOptions,
    sample_facts: SampleFacts,
) -> AnalysisResult:
    """Find the genes that go with the trait of one cohort.

    Each gene's log2 expression is regressed on the covariates, the condition and the trait; the
    trait's coefficient is tested by the empirical-Bayes moderated t (Smyth 2004), q-values are
    those of Benjamini and Hochberg over the genes tested. With a condition, the interaction of
    trait and condition is tested in a second regression. A Lasso panel is fitted on the same genes.

    Parameters
    ----------
    table : LinkedTable
        One cohort; not filled, so that genes are tested on the samples that have them.
    roles : mapping of str to Role
        Sample id to role in the contrast.
    problem : Problem
        Unconditional or one-step.
    options : AnalysisOptions
        What the user chose.
    sample_facts : mapping
        Other characteristics of the samples; a batch among them is adjusted for, all are checked
        against the trait.

    Raises
    ------
    AnalysisError
        If the cohort cannot answer the problem.
    """
    _check_table(table)
    with threadpool_limits(limits=1):
        contrast = choose_contrast(table, roles, options.controls)
        batch = BatchColumns()
        if options.batch:
            covariates = len(table.covariates)
            batch = batch_columns(sample_facts, table.samples, contrast, covariates)
        design = build_design(table, contrast, options.covariates, problem.condition, batch.columns)
        expression = np.asarray(table.expression, dtype=np.float64)[contrast.rows]
        kept = _choose_genes(table.trait, expression, contrast, design, options)
        values = expression[:, kept.tested]
        columns, fit = _test(values, contrast, design, options)
        columns |= fit_interaction(values, design, trend=options.trend)
        panel = _fit_panel(values, contrast, design, options)
        columns["Panel Coefficient"] = _panel_column(panel, values.shape[1])
    genes = arrange_genes(
        table.genes, kept.status, columns, q_cut=options.q_cut, min_effect=options.min_effect
    )
    facts = check_sample_facts(sample_facts, table.samples, contrast, table.trait, batch.key)
    steps = Steps(contrast, design, batch, kept, fit, panel, facts, genes)
    return AnalysisResult(
        trait=problem.trait,
        condition=problem.condition,
        genes=genes,
        cv_performance={k: v for k, v in panel.quality.items() if k == "prediction"},
        method=record_method(steps, options, problem.condition),
        warnings=_warnings(table, expression, steps),
    )


def _warnings(table: LinkedTable, expression: Floats, steps: Steps) -> tuple[str, ...]:
    contrast, design = steps.contrast, steps.design
    return (
        *contrast.warnings,
        *design.warnings,
        *_filled(design),
        *check_groups(contrast),
        *check_covariates(table, contrast, design),
        *steps.batch.warnings,
        *steps.facts.warnings,
        *check_scale(expression),
        *check_p_values(steps.fit.p, int(steps.genes["Significant"].sum())),
    )


def _check_table(table: LinkedTable) -> None:
    shape = (len(table.samples), len(table.genes))
    if table.expression.shape != shape:
        msg = f"{table.trait}: expression is {table.expression.shape}, its names say {shape}"
        raise AnalysisError(msg)
    if len(table.genes) == 0:
        msg = f"{table.trait}: the table has no genes"
        raise AnalysisError(msg)
    for what, values in (
        ("expression", table.expression),
        ("the trait", table.trait_values),
        *table.covariates.items(),
    ):
        # NaN is missing and compares as False.
        if (np.abs(values) > HIGHEST).any():
            kind = "infinite values" if np.isinf(values).any() else f"values above {HIGHEST:g}"
            msg = f"{table.trait}: {what} holds {kind}, which cannot be computed with"
            hint = "; take logarithms of positive values" if what == "expression" else ""
            raise AnalysisError(msg + hint)


def _choose_genes(
    trait: str, expression: Floats, contrast: Contrast, design: Design, options: AnalysisOptions
) -> GeneFilter:
    """Filter, and leave out genes whose missing values make the design singular on the rest."""
    kept = filter_genes(expression, contrast, design.matrix.shape[1], options.filter_low)
    status = kept.status.copy()
    partial = np.flatnonzero(kept.tested & np.isnan(expression).any(axis=0))
    if len(partial):
        fit = fit_last_column(design.matrix, expression[:, partial])
        status[partial[~np.isfinite(fit.coefficient)]] = "too few values"
    record = {**kept.record, **{kind: int((status == kind).sum()) for kind in GENE_STATUS}}
    if not record["tested"]:
        counts = ", ".join(f"{name} {n}" for name, n in record.items() if name != "rule")
        msg = f"no gene of {trait} can be tested ({counts})"
        raise AnalysisError(msg)
    return GeneFilter(status, record)


def _test(
    values: Floats, contrast: Contrast, design: Design, options: AnalysisOptions
) -> tuple[Columns, ModeratedFit]:
    present = ~np.isnan(values)
    counts = present.sum(axis=0)
    mean = np.where(present, values, 0.0).sum(axis=0) / counts
    raw = fit_last_column(design.matrix, values)
    fit = moderate(raw, mean if options.trend else None)
    effect, error = _hedges_g(raw) if contrast.binary else _partial_correlation(raw)
    columns = {
        "Coefficient": fit.coefficient,
        "Absolute Coefficient": np.abs(fit.coefficient),
        "Standard Error": fit.standard_error,
        "CI Lower": fit.lower,
        "CI Upper": fit.upper,
        "t": fit.t,
        "p": fit.p,
        "q": benjamini_hochberg(fit.p),
        "Mean Expression": mean,
        "Standardised Effect": effect,
        "Standardised Error": error,
        "Samples": counts.astype(np.float64),
    }
    return columns, fit


def _hedges_g(fit: LinearFit) -> tuple[Floats, Floats]:
    """Return the adjusted difference in residual deviations, unbiased, and its standard error.

    Hedges (1981): the difference over the residual deviation is a non-central t.
    """
    df = fit.df
    correction = np.exp(gammaln(df / 2) - gammaln((df - 1) / 2)) / np.sqrt(df / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        g = correction * fit.coefficient / np.sqrt(fit.variance)
        error = np.sqrt(correction**2 * df / (df - 2) * (fit.unscaled**2 + g**2) - g**2)
    return np.where(np.isfinite(g), g, np.nan), np.where(df > 2, error, np.nan)


def _partial_correlation(fit: LinearFit) -> tuple[Floats, Floats]:
    """Return the partial correlation and its standard error (by Fisher's z)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        squared = (fit.coefficient / fit.unscaled) ** 2 / fit.variance
        size = np.sqrt(squared / (squared + fit.df))
        # No residual at all: the correlation is perfect.
        r = np.sign(fit.coefficient) * np.where(np.isfinite(size), size, 1.0)
        error = (1 - r**2) / np.sqrt(fit.df - 1)
    return r, np.where(fit.df > 1, error, np.nan)


def _fit_panel(
    values: Floats, contrast: Contrast, design: Design, options: AnalysisOptions
) -> Panel:
    if not options.panel:
        return Panel(notes=("No panel: switched off.",))
    return fit_panel(
        values,
        design.matrix[:, 1:-1],
        contrast.values,
        binary=contrast.binary,
        seed=options.seed,
    )


def _panel_column(panel: Panel, genes: int) -> Floats:
    # Without a panel there is no coefficient, not a coefficient of zero.
    column = np.zeros(genes) if panel.record else np.full(genes, np.nan)
    for gene, coefficient in panel.coefficients.items():
        column[gene] = coefficient
    return column


def _filled(design: Design) -> list[str]:
    how = {"Age": "their mean", "Gender": "the more frequent one"}
    return [
        f"{name} was missing in {count} samples and filled with {how.get(name, 'the mean')}."
        for name, count in design.filled.items()
        if name in design.names
    ]
