"""From an analysis result to what the report tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from genotex.analysis import AnalysisResult
from genotex.formats import LinkedTable
from genotex.reports.findings import GENE_KEYS, Findings, Interaction, TraitKind
from genotex.reports.steps import (
    MixedModel,
    Pairs,
    PredictedCondition,
    Selection,
    Surrogates,
)
from genotex.reports.unmeasured import unmeasured_note
from genotex.reports.words import counted, listed

__all__ = ["findings_from_result"]

_QUALITY = {
    "auroc": "AUROC",
    "auroc_without_genes": "AUROC of the covariates alone",
    "r_squared": "R\N{SUPERSCRIPT TWO}",
    "r_squared_without_genes": "R\N{SUPERSCRIPT TWO} of the covariates alone",
    "f1": "F1",
    "brier": "Brier score",
    "nmse": "normalised squared error",
}
_PERCENT = frozenset({"accuracy", "precision", "recall", "f1"})


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
    procedure = str(method.get("procedure", "sound"))
    selects = procedure == "benchmark"
    binary = not _continuous(contrast, table)
    tested = _tested(contrast, table)
    surrogates = Surrogates.from_record(method.get("hidden", {}))
    return Findings(
        trait=result.trait,
        condition=result.condition,
        procedure=procedure,
        trait_kind=_kind(contrast, binary=binary),
        cohort=result.cohort,
        cohort_reason=result.cohort_reason,
        others=result.other_cohorts,
        cut=float(options.get("q_cut", 0.05)),
        genes=_genes(result),
        tested=tested,
        # Results of before have the columns alone.
        covariates=tuple(method.get("adjusted_for", method.get("covariates", ()))),
        minimal_change=float(options.get("min_effect", 0.0)),
        warnings=result.warnings,
        notes=() if selects else tuple(_notes(method, result.cv_performance, surrogates)),
        model="" if selects else _model(method),
        versions=method.get("versions", {}),
        left_out=_left_out(method.get("filter", {})),
        interaction=_interaction(method.get("interaction")),
        surrogates=surrogates,
        mixed=MixedModel.from_record(
            method.get("mixed", {}), ranks=method.get("ranked_by") == "Mixed p"
        ),
        pairs=Pairs.from_record(method.get("pair", {}), binary=binary),
        predicted=PredictedCondition.from_record(method.get("two_step", {}), tested=selects),
        selection=Selection.from_record(method, result.cv_performance) if selects else None,
        panel=method.get("panel", {}),
        counts=method.get("counts", {}),
        counts_summary=result.counts_summary,
        quality=method.get("quality", {}),
        levels=method.get("levels", {}),
        levels_summary=result.levels_summary,
        covariates_summary=result.covariates_summary,
    )


def _genes(result: AnalysisResult) -> pl.DataFrame:
    pairs = [name for name in result.genes.columns if name not in GENE_KEYS]
    return result.genes.select(
        *(pl.col(name).alias(key) for name, key in GENE_KEYS.items()), *pairs
    )


def _kind(contrast: Mapping[str, Any], *, binary: bool) -> TraitKind:
    if contrast.get("kind") == "factor":
        return "factor"
    return "binary" if binary else "continuous"


def _interaction(record: Mapping[str, Any] | None) -> Interaction | None:
    return Interaction(int(record["tested"]), int(record["significant"])) if record else None


def _continuous(contrast: Mapping[str, Any], table: LinkedTable) -> bool:
    kind = contrast.get("kind")
    if kind in ("binary", "continuous", "factor"):
        return bool(kind != "binary")
    known = table.trait_values[np.isfinite(table.trait_values)]
    return len(np.unique(known)) > 2


def _tested(contrast: Mapping[str, Any], table: LinkedTable) -> tuple[str, ...]:
    groups = contrast.get("samples", {})
    named = {s for group, members in groups.items() if group != "left_out" for s in members}
    known = np.isfinite(table.trait_values)
    pairs = zip(table.samples, known, strict=True)
    return tuple(s for s, told in pairs if (s in named if named else told))


def _model(method: Mapping[str, Any]) -> str:
    """Return the regression in the words of a methods section."""
    prior = method.get("prior", {})
    told = "infinite" if prior.get("df_infinite") else _number(prior.get("df"))
    degrees = f"; {told} prior degrees of freedom" if told else ""
    trend = ", with a trend in mean expression" if prior.get("trend") else ""
    robust = "; robust to hypervariable genes, Phipson et al. 2016" if prior.get("robust") else ""
    least = _number(method.get("options", {}).get("min_effect") or None)
    statistic, what = "t", "trait's coefficient was"
    if method.get("levels", {}).get("treatment") == "factor":
        statistic, what = "F", "differences among the trait's levels were"
    against = f" against effects of at most {least} (McCarthy and Smyth 2009)" if least else ""
    return (
        f"{_regressed(method.get('counts', {}))}{_weighted(method.get('weights', {}))} and the "
        f"{what} tested{against} with limma's empirical-Bayes moderated {statistic} "
        f"statistic (Smyth 2004{trend}{degrees}{robust})"
    )


def _weighted(weights: Mapping[str, Any]) -> str:
    """Return how samples were weighted; empty where all counted the same."""
    if weights.get("used") == "sample":
        return ", each sample weighted by its precision over all genes (Ritchie et al. 2006),"
    if weights.get("used") != "group":
        return ""
    spread = listed(
        [f"{group} {value:.2f}" for group, value in weights.get("deviation", {}).items()]
    )
    return (
        f", samples weighted by the spread of their group (relative standard deviations: {spread}; "
        "Ritchie et al. 2006),"
    )


def _regressed(counts: Mapping[str, Any]) -> str:
    if not counts:
        return "Each gene's log2 expression was regressed on the trait by ordinary least squares"
    squares = (
        "weighted least squares with voom's precision weights (Law et al. 2014)"
        if counts.get("weights") == "voom"
        else "ordinary least squares"
    )
    return (
        "Each gene's log2 counts per million, with library sizes normalised by the trimmed mean of "
        "M values (Robinson and Oshlack 2010), were regressed on the trait by " + squares
    )


def _left_out(filtered: Mapping[str, Any]) -> tuple[str, ...]:
    counts = [
        f"{counted(int(filtered[key]), 'gene')} {why}"
        for key, why in (
            ("low", "low in nearly all samples"),
            ("constant", "constant"),
            ("too few values", "with too few values"),
            ("regressor", "from which the condition was predicted"),
        )
        if filtered.get(key)
    ]
    return tuple(counts)


def _notes(
    method: Mapping[str, Any],
    performance: Mapping[str, Any],
    surrogates: Surrogates | None,
) -> list[str]:
    filtered, panel = method.get("filter", {}), method.get("panel", {})
    notes = []
    if filtered.get("rule"):
        notes.append(f"Filter before the tests: {filtered['rule']}.")
    if batches := method.get("batch", {}).get("not_adjusted"):
        named = listed(
            [f"\N{LEFT DOUBLE QUOTATION MARK}{b}\N{RIGHT DOUBLE QUOTATION MARK}" for b in batches]
        )
        notes.append(f"Not adjusted for, though the samples differ in it: {named}.")
    if told := unmeasured_note(surrogates):
        notes.append(told)
    if method.get("pi0") is not None:
        notes.append(f"Estimated share of genes without any difference (pi0): {method['pi0']:.2f}.")
    prediction = performance.get("prediction") or {}
    scores = [
        _score(name, float(value))
        for name, value in prediction.items()
        if isinstance(value, int | float)
    ]
    if scores:
        source = panel.get("quality") or "cross-validation"
        notes.append(f"Prediction by the sparse panel ({source}): {listed(scores)}.")
    notes += [str(note) for note in panel.get("notes", ())]
    return notes


def _score(name: str, value: float) -> str:
    label = _QUALITY.get(name, name.replace("_", " "))
    return f"{label} {value:.0f} %" if name in _PERCENT else f"{label} {value:.2f}"


def _number(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, int | float) else ""
