"""Which cohorts of a problem are combined: those of one kind, and each person once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import numpy as np

from genotex.analysis.results.result import AnalysisResult
from genotex.analysis.samples.same_people import PeopleTable, SharedPeople, find_shared_people
from genotex.formats import LinkedTable
from genotex.words import counted

Sort = TypeVar("Sort", str, bool)
PeopleOf = Callable[[str], PeopleTable | None]
"""Returns the expression of a cohort, in which people are looked for; None where it is unknown."""
FEW = 0.1
"""Share of the smaller cohort below which people in common are stated, and the cohort kept."""

_KINDS = {
    "binary": "two groups",
    "continuous": "a measured level",
    "factor": "a factor of several levels",
}


@dataclass(frozen=True, eq=False)
class Combinable:
    """The cohorts to combine."""

    kind: str  # ``binary`` or ``continuous``
    results: Mapping[str, AnalysisResult]  # Cohort to its result, the largest first
    left_out: Mapping[str, str]  # The others and why not
    warnings: tuple[str, ...] = ()  # People who are in two of the cohorts


def select_cohorts(
    results: Mapping[str, AnalysisResult], people: PeopleOf | None = None
) -> Combinable:
    """Keep cohorts whose effects are the same quantity and that share no sample.

    With `people` those of the same people under other ids are found by expression.
    """
    # A difference between groups and a correlation with a level are not the same quantity, nor are
    # effects in standard deviations within pairs and between people. So of each two kinds only the
    # cohorts of the one with more samples are combined. Of two cohorts that share samples, which
    # would count the same people twice, the smaller is left out; so is one that shares more than
    # a few people.
    if not results:
        return Combinable("binary", {}, {})
    by_size = dict(sorted(results.items(), key=lambda item: -item[1].samples))
    # A factor has several effects, and none of them to combine.
    single = {name: result for name, result in by_size.items() if kind_of(result) != "factor"}
    kind = _with_more_samples(single or by_size, kind_of)
    kept, left_out = _split(by_size, lambda result, _: _why_not_kind(result, kind))
    paired = _with_more_samples(kept, lambda result: bool(pairing_of(result)))
    kept, unlike = _split(kept, lambda result, _: _why_not_paired(result, paired))
    kept, twice = _split(kept, _why_not_apart)
    left_out |= {**unlike, **twice}
    if people is None:
        return Combinable(kind, kept, left_out)
    strangers, again, warnings = _once_each(kept, people)
    return Combinable(kind, strangers, {**left_out, **again}, warnings)


def kind_of(result: AnalysisResult) -> str:
    """Return whether a result compares groups (``binary``) or levels (``continuous``)."""
    return str(result.method["contrast"]["kind"])


def pairing_of(result: AnalysisResult) -> str:
    """Return the characteristic whose pairs were compared within themselves, or nothing."""
    pair = result.method.get("pair", {})
    return str(pair["key"]) if pair.get("design") == "paired" else ""


Results = dict[str, AnalysisResult]


def _with_more_samples(results: Results, sort: Callable[[AnalysisResult], Sort]) -> Sort:
    """Return the sort with most samples; the sort of the largest cohort among equals."""
    samples: dict[Sort, int] = {}
    for result in results.values():
        samples[sort(result)] = samples.get(sort(result), 0) + result.samples
    return max(samples, key=lambda each: samples[each])


def _split(
    results: Results, why_not: Callable[[AnalysisResult, Results], str]
) -> tuple[Results, dict[str, str]]:
    """Return the cohorts to keep, and the others with the reason."""
    kept: Results = {}
    left_out: dict[str, str] = {}
    for name, result in results.items():
        reason = why_not(result, kept)
        if reason:
            left_out[name] = reason
        else:
            kept[name] = result
    return kept, left_out


def _why_not_kind(result: AnalysisResult, kind: str) -> str:
    own = kind_of(result)
    if own == kind:
        return ""
    return (
        f"its trait is {_KINDS[own]}, that of the cohorts with more samples {_KINDS[kind]}; the "
        "two kinds of effect cannot be combined"
    )


def _why_not_paired(result: AnalysisResult, paired: bool) -> str:
    if bool(pairing_of(result)) is paired:
        return ""
    own, theirs = ("between samples", "within pairs")[:: 1 if paired else -1]
    return (
        f"it is compared {own}, the cohorts with more samples {theirs}; their standardised effects "
        "are on different scales (leave the pairing away to combine all)"
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


def people_table(result: AnalysisResult, table: LinkedTable) -> PeopleTable:
    """Return the samples of a cohort that were compared, with their groups."""
    groups = result.method["contrast"]["samples"]
    of = {s: name for name, members in groups.items() if name != "left_out" for s in members}
    rows = [i for i, sample in enumerate(table.samples) if sample in of]
    samples = [table.samples[i] for i in rows]
    values = np.asarray(table.expression[rows], dtype=np.float64)
    return PeopleTable(samples, table.genes, values, [of[sample] for sample in samples])


def _once_each(
    results: Results, people: PeopleOf
) -> tuple[Results, dict[str, str], tuple[str, ...]]:
    """Return cohorts of different people, the others with the reason, and what is shared still."""
    table = cache(people)

    def shared_people(one: str, other: str) -> SharedPeople | None:
        first, second = table(one), table(other)
        return None if first is None or second is None else find_shared_people(first, second)

    kept: Results = {}
    left_out: dict[str, str] = {}
    warnings: list[str] = []
    for name, result in results.items():
        found = {other: shared_people(other, name) for other in kept}
        shared = {other: both for other, both in found.items() if both is not None and both.pairs}
        most = max(shared, key=lambda other: len(shared[other].pairs), default="")
        count = len(shared[most].pairs) if most else 0
        if count > max(1, FEW * result.samples):
            left_out[name] = (
                f"{count} of its {result.samples} samples are of people who are in {most} too, by "
                f"their expression ({shared[most].named}); the same people would count twice"
            )
            continue
        kept[name] = result
        warnings += [
            f"{other} and {name} have {counted(len(both.pairs), 'person', 'people')} in common by "
            f"expression, who count twice: {both.named}. To be strict, exclude these samples from "
            "one of them in a sample sheet."
            for other, both in shared.items()
        ]
    return kept, left_out, tuple(warnings)
