"""The procedure ``sound``: a moderated t-test of every gene, with a sparse panel beside it."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
import scipy
import sklearn
from numpy.typing import NDArray
from scipy.special import gammaln
from threadpoolctl import threadpool_limits

import genotex
from genotex.analysis.checks import check_contrast, check_p_values, check_scale
from genotex.analysis.contrast import Contrast, choose_contrast
from genotex.analysis.design import Design, build_design
from genotex.analysis.gene_filter import GeneFilter, filter_genes
from genotex.analysis.linear import LinearFit, fit_last_column
from genotex.analysis.moderated import ModeratedFit, moderate
from genotex.analysis.multiple_testing import benjamini_hochberg, excess_near_one, null_share
from genotex.analysis.options import AnalysisOptions
from genotex.analysis.panel import Panel, fit_panel
from genotex.analysis.result import GENE_COLUMNS, AnalysisResult
from genotex.errors import AnalysisError
from genotex.formats.cohort_record import Role
from genotex.formats.linked import LinkedTable
from genotex.problems import Problem

__all__ = ["analyze_sound"]

Floats = NDArray[np.float64]
Columns = dict[str, Floats]


def analyze_sound(
    table: LinkedTable, roles: Mapping[str, Role], problem: Problem, options: AnalysisOptions
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

    Raises
    ------
    AnalysisError
        If the cohort cannot answer the problem.
    """
    _check_table(table)
    with threadpool_limits(limits=1):
        contrast = choose_contrast(table, roles, options.controls)
        design = build_design(table, contrast, options.covariates, problem.condition)
        expression = np.asarray(table.expression, dtype=np.float64)[contrast.rows]
        kept = filter_genes(expression, contrast, design.matrix.shape[1], options.filter_low)
        tested, status = _estimable(expression, design, kept)
        if not tested.any():
            counts = ", ".join(f"{name} {n}" for name, n in kept.record.items() if name != "rule")
            msg = f"no gene of {table.trait} can be tested ({counts})"
            raise AnalysisError(msg)
        values = expression[:, tested]
        columns, fit = _test(values, contrast, design, options)
        columns |= _test_interaction(values, design, options)
        panel = _fit_panel(values, contrast, design, options)
        columns["Panel Coefficient"] = _panel_column(panel, values.shape[1])
    p, q = columns["p"], columns["q"]
    significant = (q < options.q_cut) & (np.abs(columns["Coefficient"]) >= options.min_effect)
    genes = _gene_table(table.genes, tested, status, columns, significant)
    warnings = (
        *contrast.warnings,
        *design.warnings,
        *_filled(design),
        *check_contrast(table, contrast),
        *check_scale(expression),
        *check_p_values(p, int(significant.sum())),
    )
    method = {
        **_method(contrast, design, options),
        "filter": {**kept.record, "tested": int(tested.sum())},
        "prior": _prior_record(fit, options),
        "pi0": null_share(p),
        "excess_near_one": excess_near_one(p),
        "significant": int(significant.sum()),
        "panel": {
            **panel.record,
            "notes": list(panel.notes),
            "quality": panel.quality.get("source"),
        },
    }
    quality = {k: v for k, v in panel.quality.items() if k == "prediction"}
    return AnalysisResult(problem.trait, problem.condition, genes, quality, method, warnings)


def _check_table(table: LinkedTable) -> None:
    shape = (len(table.samples), len(table.genes))
    if table.expression.shape != shape:
        msg = f"{table.trait}: expression is {table.expression.shape}, its names say {shape}"
        raise AnalysisError(msg)
    if len(table.genes) == 0:
        msg = f"{table.trait}: the table has no genes"
        raise AnalysisError(msg)
    if np.isinf(table.expression).any():
        msg = f"{table.trait}: expression holds infinite values; take logarithms of positive values"
        raise AnalysisError(msg)


def _estimable(
    expression: Floats, design: Design, kept: GeneFilter
) -> tuple[NDArray[np.bool_], NDArray[np.str_]]:
    """Leave out genes whose missing values make the design singular on the rest."""
    status, tested = kept.status.copy(), kept.tested
    partial = np.flatnonzero(tested & np.isnan(expression).any(axis=0))
    if len(partial):
        fit = fit_last_column(design.matrix, expression[:, partial])
        lost = partial[~np.isfinite(fit.coefficient)]
        status[lost] = "too few values"
        tested[lost] = False
        kept.record["too few values"] += len(lost)
    return tested, status


def _test(
    values: Floats, contrast: Contrast, design: Design, options: AnalysisOptions
) -> tuple[Columns, ModeratedFit]:
    present = ~np.isnan(values)
    counts = present.sum(axis=0)
    mean = np.where(present, values, 0.0).sum(axis=0) / counts
    raw = fit_last_column(design.matrix, values)
    fit = moderate(raw, mean if options.trend else None)
    effect = _hedges_g(raw) if contrast.binary else _partial_correlation(raw)
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
        "Samples": counts.astype(np.float64),
    }
    return columns, fit


def _hedges_g(fit: LinearFit) -> Floats:
    """Return the adjusted difference in residual deviations, corrected as Hedges (1981) does."""
    correction = np.exp(gammaln(fit.df / 2) - gammaln((fit.df - 1) / 2)) / np.sqrt(fit.df / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        g = correction * fit.coefficient / np.sqrt(fit.variance)
    return np.where(np.isfinite(g), g, np.nan)


def _partial_correlation(fit: LinearFit) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        squared = (fit.coefficient / fit.unscaled) ** 2 / fit.variance
        size = np.sqrt(squared / (squared + fit.df))
    # No residual at all: the correlation is perfect.
    return np.sign(fit.coefficient) * np.where(np.isfinite(size), size, 1.0)


def _test_interaction(values: Floats, design: Design, options: AnalysisOptions) -> Columns:
    """Test trait x condition, in a regression of its own, so that `b` keeps its meaning."""
    if design.interaction is None:
        return {}
    wide = np.column_stack([design.matrix, design.interaction])
    raw = fit_last_column(wide, values)
    # Genes with missing values may have too few samples for the wider design.
    fine = np.isfinite(raw.coefficient) & (raw.df >= 1)
    part = LinearFit(raw.coefficient[fine], raw.unscaled[fine], raw.variance[fine], raw.df[fine])
    if not fine.any():
        return {}
    mean = np.nanmean(values[:, fine], axis=0) if options.trend else None
    fit = moderate(part, mean)
    found = {
        "Coefficient": fit.coefficient,
        "Standard Error": fit.standard_error,
        "t": fit.t,
        "p": fit.p,
        "q": benjamini_hochberg(fit.p),
    }
    columns = {}
    for name, column in found.items():
        full = np.full(len(fine), np.nan)
        full[fine] = column
        columns[f"Interaction {name}"] = full
    return columns


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


def _gene_table(
    names: tuple[str, ...],
    tested: NDArray[np.bool_],
    status: NDArray[np.str_],
    columns: Columns,
    significant: NDArray[np.bool_],
) -> pl.DataFrame:
    rows = np.flatnonzero(tested)
    order = np.lexsort((-np.abs(columns["t"]), columns["p"]))
    rest = np.flatnonzero(~tested)
    place = np.concatenate([rows[order], rest])
    data: dict[str, pl.Series] = {}
    for name, kind in GENE_COLUMNS.items():
        if name == "Variable":
            content: Any = [names[i] for i in place]
        elif name == "Status":
            content = status[place].tolist()
        elif name == "Significant":
            content = np.concatenate([significant[order], np.zeros(len(rest), dtype=bool)])
        else:
            known = columns.get(name, np.full(len(rows), np.nan))[order]
            full = np.concatenate([known, np.full(len(rest), np.nan)])
            data[name] = pl.Series(name, full).fill_nan(None).cast(kind)
            continue
        data[name] = pl.Series(name, content, dtype=kind)
    return pl.DataFrame(data)


def _filled(design: Design) -> list[str]:
    how = {"Age": "their mean", "Gender": "the more frequent one"}
    return [
        f"{name} was missing in {count} samples and filled with {how.get(name, 'the mean')}."
        for name, count in design.filled.items()
        if name in design.names
    ]


def _prior_record(fit: ModeratedFit, options: AnalysisOptions) -> dict[str, Any]:
    infinite = bool(np.isinf(fit.prior.df))
    return {
        "df": None if infinite else fit.prior.df,
        "df_infinite": infinite,
        "variance": float(np.median(fit.prior.variance)),
        "trend": options.trend,
    }


def _method(contrast: Contrast, design: Design, options: AnalysisOptions) -> dict[str, Any]:
    return {
        "procedure": options.procedure,
        "model": "moderated t-test (limma's method, Smyth 2004) of every gene",
        "options": options.as_json(),
        "versions": {
            "genotex": genotex.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "scikit-learn": sklearn.__version__,
            "polars": pl.__version__,
        },
        "design": list(design.names),
        "residual_df": design.matrix.shape[0] - design.matrix.shape[1],
        "covariates": list(design.adjusted),
        "filled": dict(design.filled),
        "contrast": dict(contrast.summary),
        "coefficient": "log2 fold change, case against control"
        if contrast.binary
        else "change of log2 expression per standard deviation of the trait",
        "standardised_effect": "Hedges' g" if contrast.binary else "partial correlation",
    }
