"""Results that another tool computed, in the form of our own, so that they can be combined."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, ndtri

from genotex.analysis.results.columns import HALF_INTERVAL, arrange_genes
from genotex.analysis.results.method_record import session, versions
from genotex.analysis.results.result import AnalysisResult
from genotex.arrays import Floats
from genotex.errors import UsageError
from genotex.formats import GeneResults
from genotex.layout import trait_folder_name
from genotex.options import AnalysisOptions

_SMALLEST_P = 1e-300
FEWEST = 2
"""Samples of a group."""


def result_of_other_tool(
    found: GeneResults,
    cases: int | None = None,
    controls: int | None = None,
    *,
    q_cut: float = 0.05,
) -> AnalysisResult:
    """Return results of another tool as an `AnalysisResult`.

    The standardised effect, by which cohorts are combined, follows from the statistic and the sizes
    of the groups: g = t (1/n1 + 1/n2)^(1/2), corrected for small samples (Hedges 1981); without
    sizes it is missing. A tool without statistic (edgeR) has the normal deviate of its p-value.
    q-values are those of the tool.

    Raises
    ------
    UsageError
        If a group is given without the other, or is smaller than two.
    """
    options, sizes = AnalysisOptions(q_cut=q_cut), _sizes(cases, controls)
    number = len(found.p)
    genes = arrange_genes(
        list(found.genes),
        np.full(number, "tested"),
        _columns(found, sizes),
        np.full(number, "", dtype="<U9"),
        q_cut=options.q_cut,
        min_effect=0.0,
    )
    return AnalysisResult(
        trait=trait_folder_name(found.name),
        condition=None,
        genes=genes,
        cv_performance={},
        method={
            "procedure": "sound",
            "model": f"as {found.tool} tested every gene",
            "ranked_by": "p",
            "options": {"q_cut": options.q_cut},
            "versions": versions(),
            "session": session(),
            "contrast": _contrast(found, sizes),
            "standardised_effect": "Hedges' g, from the statistic and the sizes of the groups",
            "filter": {"tested": number},
            "significant": int(genes["Significant"].sum()),
        },
        cohort=found.name,
        cohort_reason=f"results of {found.tool}",
    )


def _columns(found: GeneResults, sizes: tuple[int, int] | None) -> dict[str, Floats]:
    """Return the columns of the gene table that follow from what the tool gives."""
    statistic = _statistic(found)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(np.isnan(found.error), np.abs(found.effect / statistic), found.error)
    columns = {
        "Coefficient": found.effect,
        "Absolute Coefficient": np.abs(found.effect),
        "Standard Error": error,
        "CI Lower": found.effect - HALF_INTERVAL * error,
        "CI Upper": found.effect + HALF_INTERVAL * error,
        "t": statistic,
        "p": found.p,
        "q": found.q,
        "Mean Expression": found.mean,
    }
    if sizes is not None:
        columns["Standardised Effect"], columns["Standardised Error"] = _hedges(statistic, *sizes)
        columns["Samples"] = np.full(len(found.p), float(sum(sizes)))
    return {name: np.where(np.isfinite(values), values, np.nan) for name, values in columns.items()}


def _statistic(found: GeneResults) -> Floats:
    """Return t or the normal deviate, with the sign of the effect."""
    deviate = -ndtri(np.maximum(found.p, _SMALLEST_P) / 2)
    size = np.where(np.isnan(found.statistic), deviate, np.abs(found.statistic))
    return np.asarray(np.copysign(size, found.effect))


def _sizes(cases: int | None, controls: int | None) -> tuple[int, int] | None:
    if cases is None and controls is None:
        return None
    if cases is None or controls is None:
        msg = "give the number of cases and that of controls, or neither"
        raise UsageError(msg)
    if min(cases, controls) < FEWEST:
        msg = f"{cases} cases and {controls} controls are too few; a group has {FEWEST} or more"
        raise UsageError(msg)
    return cases, controls


def _hedges(statistic: Floats, cases: int, controls: int) -> tuple[Floats, Floats]:
    """Return Hedges' g and its standard error."""
    df = cases + controls - 2
    correction = float(np.exp(gammaln(df / 2) - gammaln((df - 1) / 2)) / np.sqrt(df / 2))
    unscaled = 1 / cases + 1 / controls
    g = correction * statistic * np.sqrt(unscaled)
    return g, np.sqrt(correction**2 * unscaled + g**2 / (2 * df))


def _contrast(found: GeneResults, sizes: tuple[int, int] | None) -> dict[str, object]:
    """Return the contrast; the samples have no names but those that we give them."""
    if sizes is None:
        return {"kind": "binary", "text": f"results of {found.tool}", "samples": {}}
    groups = dict(zip(("case", "control"), sizes, strict=True))
    return {
        "kind": "binary",
        "text": f"{sizes[0]} cases against {sizes[1]} controls",
        "group_sizes": groups,
        "samples": {
            group: [f"{found.name}: {group} {i + 1}" for i in range(size)]
            for group, size in groups.items()
        },
    }
