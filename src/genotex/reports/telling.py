"""From an analysis result to what the report tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from genotex.analysis import AnalysisResult
from genotex.formats import LinkedTable
from genotex.reports.findings import Findings
from genotex.reports.words import counted, listed

__all__ = ["findings_from_result"]

_COLUMNS = {
    "Variable": "symbol",
    "Coefficient": "estimate",
    "Standard Error": "se",
    "CI Lower": "lower",
    "CI Upper": "upper",
    "t": "t",
    "p": "p",
    "q": "q",
    "Mean Expression": "mean",
    "Standardised Effect": "effect",
    "Samples": "samples",
    "Interaction Coefficient": "interaction",
    "Interaction p": "interaction_p",
    "Interaction q": "interaction_q",
    "Panel Coefficient": "panel",
    "Selection Frequency": "selection",
    "Status": "status",
    "Significant": "significant",
}
_QUALITY = {
    "auroc": "AUROC",
    "r_squared": "R2",
    "r2": "R2",
    "accuracy": "accuracy",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "brier": "Brier score",
    "nmse": "NMSE",
}


def findings_from_result(result: AnalysisResult, table: LinkedTable) -> Findings:
    """Return the analysis in the report's terms.

    Parameters
    ----------
    result : AnalysisResult
        What the analysis found.
    table : LinkedTable
        The linked table of the cohort that was analysed.
    """
    method = result.method
    options = method.get("options", {})
    contrast = method.get("contrast", {})
    present = [name for name in _COLUMNS if name in result.genes.columns]
    return Findings(
        trait=result.trait,
        condition=result.condition,
        procedure=str(method.get("procedure", "sound")),
        trait_kind="continuous" if _continuous(contrast, table) else "binary",
        cohort=result.cohort,
        cohort_reason=result.cohort_reason,
        others=result.other_cohorts,
        cut=float(options.get("q_cut", 0.05)),
        genes=result.genes.select(pl.col(name).alias(_COLUMNS[name]) for name in present),
        tested=_tested(contrast, table),
        covariates=tuple(method.get("covariates", ())),
        minimal_change=float(options.get("min_effect", 0.0)),
        warnings=result.warnings,
        notes=tuple(_notes(method, result.cv_performance)),
        model=_model(method),
        versions=method.get("versions", {}),
        left_out=_left_out(method.get("filter", {})),
    )


def _continuous(contrast: Mapping[str, Any], table: LinkedTable) -> bool:
    kind = contrast.get("kind")
    if kind in ("binary", "continuous"):
        return bool(kind == "continuous")
    known = table.trait_values[np.isfinite(table.trait_values)]
    return len(np.unique(known)) > 2


def _tested(contrast: Mapping[str, Any], table: LinkedTable) -> tuple[str, ...]:
    groups = contrast.get("samples", {})
    named = {s for group, members in groups.items() if group != "left_out" for s in members}
    known = np.isfinite(table.trait_values)
    pairs = zip(table.samples, known, strict=True)
    return tuple(s for s, told in pairs if (s in named if named else told))


def _model(method: Mapping[str, Any]) -> str:
    """Return the regression in the words of a methods section; empty for other models."""
    if method.get("procedure") != "sound" or "prior" not in method:
        return ""
    prior = method["prior"]
    told = "infinite" if prior.get("df_infinite") else _number(prior.get("df"))
    degrees = f"; {told} prior degrees of freedom" if told else ""
    trend = ", with a trend in mean expression" if prior.get("trend") else ""
    return (
        "Each gene's log2 expression was regressed on the trait by ordinary least squares and the "
        "trait's coefficient was tested with limma's empirical-Bayes moderated t statistic "
        f"(Smyth 2004{trend}{degrees})"
    )


def _left_out(filtered: Mapping[str, Any]) -> tuple[str, ...]:
    counts = [
        f"{counted(int(filtered[key]), 'gene')} {why}"
        for key, why in (
            ("low", "low in nearly all samples"),
            ("constant", "constant"),
            ("too few values", "with too few values"),
        )
        if filtered.get(key)
    ]
    return tuple(counts)


def _notes(method: Mapping[str, Any], performance: Mapping[str, Any]) -> list[str]:
    filtered, panel = method.get("filter", {}), method.get("panel", {})
    notes = []
    if filtered.get("rule"):
        notes.append(f"Filter before the tests: {filtered['rule']}.")
    if method.get("pi0") is not None:
        notes.append(f"Estimated share of genes without any difference (pi0): {method['pi0']:.2f}.")
    prediction = performance.get("prediction") or {}
    scores = [
        f"{_QUALITY.get(name, name)} {value:.2f}"
        for name, value in prediction.items()
        if isinstance(value, int | float)
    ]
    if scores:
        source = panel.get("quality") or "cross-validation"
        notes.append(f"Prediction by the sparse panel ({source}): {listed(scores)}.")
    notes += [str(note) for note in panel.get("notes", ())]
    return notes


def _number(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, int | float) else ""
