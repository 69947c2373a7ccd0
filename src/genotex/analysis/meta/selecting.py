"""Which of a problem's analysed cohorts can be combined, and why not the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from genotex.analysis.result import AnalysisResult

__all__ = ["Selection", "kind_of", "select_cohorts"]

_KINDS = {"binary": "two groups", "continuous": "a measured level"}


@dataclass(frozen=True, eq=False)
class Selection:
    """The cohorts to combine.

    Attributes
    ----------
    kind : str
        ``binary`` or ``continuous``.
    results : mapping of str to AnalysisResult
        Cohort to its result, the largest first.
    left_out : mapping of str to str
        The others and why not.
    """

    kind: str
    results: Mapping[str, AnalysisResult]
    left_out: Mapping[str, str]


def select_cohorts(results: Mapping[str, AnalysisResult]) -> Selection:
    """Keep cohorts of one kind of trait that share no sample.

    A difference between groups and a correlation with a level are not the same quantity, so only
    cohorts of the kind with more samples are combined. Of two cohorts that share samples, which
    would count the same people twice, the smaller is left out.

    Parameters
    ----------
    results : mapping of str to AnalysisResult
        Cohort to its result.
    """
    left_out: dict[str, str] = {}
    by_size = dict(sorted(results.items(), key=lambda item: -item[1].samples))
    kind = _main_kind(by_size)
    kept: dict[str, AnalysisResult] = {}
    for name, result in by_size.items():
        reason = _why_not_kind(result, kind) or _why_not_apart(result, kept)
        if reason:
            left_out[name] = reason
        else:
            kept[name] = result
    return Selection(kind, kept, left_out)


def kind_of(result: AnalysisResult) -> str:
    """Return whether a result compares groups (``binary``) or levels (``continuous``)."""
    return str(result.method["contrast"]["kind"])


def _main_kind(results: Mapping[str, AnalysisResult]) -> str:
    samples = dict.fromkeys(_KINDS, 0)
    for result in results.values():
        samples[kind_of(result)] += result.samples
    return max(samples, key=lambda kind: samples[kind])


def _why_not_kind(result: AnalysisResult, kind: str) -> str:
    own = kind_of(result)
    if own == kind:
        return ""
    return (
        f"its trait is {_KINDS[own]}, that of the cohorts with more samples {_KINDS[kind]}; the "
        "two kinds of effect cannot be combined"
    )


def _samples(result: AnalysisResult) -> set[str]:
    groups = result.method["contrast"]["samples"]
    return {s for name, members in groups.items() if name != "left_out" for s in members}


def _why_not_apart(result: AnalysisResult, kept: Mapping[str, AnalysisResult]) -> str:
    own = _samples(result)
    for name, other in kept.items():
        shared = len(own & _samples(other))
        if shared:
            return (
                f"it shares {shared} of its {len(own)} samples with {name}; the same people would "
                "count twice"
            )
    return ""
