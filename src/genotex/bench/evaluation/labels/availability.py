"""Dataset filtering against labels: gene expression, and a row that tells the trait.

Needs no raw data: labels say it, and a prediction says it in ``cohort_info.json``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from genotex.bench.evaluation.gene_metrics import overlap
from genotex.bench.evaluation.labels.label import LabelledCase
from genotex.bench.evaluation.predictions import read_or_why
from genotex.bench.evaluation.scores import FilteringScore, Missing
from genotex.formats import read_cohort_info
from genotex.layout import OutputFolder

__all__ = [
    "Availability",
    "PredictedFlags",
    "filtering_figures",
    "filtering_scores",
    "judge_availability",
    "read_flags",
]

PredictedFlags = Mapping[str, Mapping[str, bool] | None]
"""Trait -> cohort -> ``is_available``; None for a trait without a readable record."""


@dataclass(frozen=True)
class Availability:
    """Whether a cohort is available for a trait, by its label and by the prediction.

    Attributes
    ----------
    trait, cohort : str
    label : bool
    predicted : bool or None
        A cohort without a record counts as not available; None where the trait has no readable
        ``cohort_info.json``.
    """

    trait: str
    cohort: str
    label: bool
    predicted: bool | None


def read_flags(
    output: OutputFolder, traits: Iterable[str]
) -> tuple[PredictedFlags, tuple[Missing, ...]]:
    """Read which cohorts a prediction takes as available.

    Returns
    -------
    flags : mapping
        See `PredictedFlags`.
    missing : tuple of Missing
        Traits without a readable ``cohort_info.json``, and why.
    """
    flags: dict[str, Mapping[str, bool] | None] = {}
    missing = []
    for trait in traits:
        records = read_or_why(output.cohort_info(trait), read_cohort_info)
        if isinstance(records, str):
            missing.append(Missing("filtering", trait, records))
            flags[trait] = None
        else:
            flags[trait] = {cohort: info.is_available for cohort, info in records.items()}
    return flags, tuple(missing)


def judge_availability(
    cases: Iterable[LabelledCase], labels: str, flags: PredictedFlags
) -> dict[str, Availability]:
    """Put what a set of labels says beside what is predicted.

    Returns
    -------
    dict of str to Availability
        By id, for every case that has such a label.
    """
    found = {}
    for case in cases:
        label = case.labels.get(labels)
        if label is None:
            continue
        said = flags.get(case.trait)
        predicted = None if said is None else said.get(case.cohort, False)
        found[case.id] = Availability(case.trait, case.cohort, label.is_available, predicted)
    return found


def filtering_scores(judged: Iterable[Availability]) -> tuple[FilteringScore, ...]:
    """Return the score of dataset filtering of each trait, in order of appearance.

    The arithmetic is that of ``genotex evaluate``: precision, recall and F1 are 100 where neither
    side takes a cohort as available; a trait without a record scores 0.
    """
    by_trait: dict[str, list[Availability]] = {}
    for one in judged:
        by_trait.setdefault(one.trait, []).append(one)
    return tuple(_of_trait(trait, found) for trait, found in by_trait.items())


def filtering_figures(judged: Sequence[Availability]) -> dict[str, float]:
    """Return precision, recall, F1 and accuracy in percent, averaged over traits."""
    scores = filtering_scores(judged)
    names = ("precision", "recall", "f1", "accuracy")
    return {
        f"filtering_{name}": sum(getattr(score, name) for score in scores) / len(scores)
        for name in names
    }


def _of_trait(trait: str, judged: Sequence[Availability]) -> FilteringScore:
    known = [one for one in judged if one.predicted is not None]
    if not known:
        # Without a record nothing was filtered, whatever the labels say.
        return FilteringScore(trait, 0.0, 0.0, 0.0, 0.0)
    taken = overlap(
        [one.cohort for one in known if one.predicted], [one.cohort for one in known if one.label]
    )
    alike = sum(one.label == one.predicted for one in known)
    return FilteringScore(trait, taken.precision, taken.recall, taken.f1, 100 * alike / len(known))
