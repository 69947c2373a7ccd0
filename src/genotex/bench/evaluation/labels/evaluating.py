"""A prediction against several sets of labels, and the sets against each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from genotex.bench.evaluation.folder_items import MISSING, read_or_why
from genotex.bench.evaluation.gene_metrics import overlap
from genotex.bench.evaluation.labels.clinical_tables import Step, coding_figures, judge_tables
from genotex.bench.evaluation.labels.label import Answers, LabelledCase, label_sets, labelled_by
from genotex.bench.evaluation.labels.scoring import (
    CaseScore,
    Disagreement,
    LabelSection,
    base_labels,
    case_figures,
    count_disagreements,
    score_cases,
    side_by_side,
)
from genotex.bench.evaluation.scores import FilteringScore, Missing
from genotex.errors import UsageError
from genotex.formats import read_cohort_info
from genotex.layout import InputFolder, OutputFolder

_PredictedFlags = Mapping[str, Mapping[str, bool] | None]
"""Trait -> cohort -> ``is_available``; None for a trait without a readable record."""


@dataclass(frozen=True)
class Availability:
    """Whether a cohort is available for a trait, by its label and by the prediction."""

    trait: str
    cohort: str
    label: bool
    predicted: bool | None


def read_flags(
    output: OutputFolder, traits: Iterable[str]
) -> tuple[_PredictedFlags, tuple[Missing, ...]]:
    """Read which cohorts are available according to a prediction."""
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
    cases: Iterable[LabelledCase], labels: str, flags: _PredictedFlags
) -> dict[str, Availability]:
    """Pair each label of a set with the prediction."""
    found = {}
    for case in cases:
        label = case.labels.get(labels)
        if label is None:
            continue
        known = flags.get(case.trait)
        predicted = None if known is None else known.get(case.cohort, False)
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
        # Without a record nothing was filtered, so there is nothing to agree with.
        return FilteringScore(trait, 0.0, 0.0, 0.0, 0.0)
    taken = overlap(
        [one.cohort for one in known if one.predicted], [one.cohort for one in known if one.label]
    )
    alike = sum(one.label == one.predicted for one in known)
    return FilteringScore(trait, taken.precision, taken.recall, taken.f1, 100 * alike / len(known))


_SHOWN = 3
"""Names shown of a longer list."""


@dataclass(frozen=True)
class LabelEvaluation:
    """Scores against sets of labels."""

    base: str  # the set that the others are compared with
    labels: tuple[str, ...]  # the sets that were scored against
    # `cases` for predictions by case; `filtering` and `clinical` for an output folder
    sections: tuple[LabelSection[Any], ...]
    # other set -> class of difference to the base on the trait -> cases
    disagreements: Mapping[str, Mapping[Disagreement, int]]
    missing: tuple[Missing, ...] = ()  # predictions scored 0
    notes: tuple[str, ...] = ()  # what could not be judged


def compare_labels(
    cases: Sequence[LabelledCase], labels: Sequence[str] | None = None
) -> LabelEvaluation:
    """Show how sets of labels differ, each of the others taken as a prediction against the base.

    Parameters
    ----------
    cases
        The labels.
    labels
        The sets; all by default.

    Raises
    ------
    UsageError
        If there is no such set.
    """
    names = _chosen(cases, labels)
    base = names[0]
    sets = _Sets(cases, names, base)
    return LabelEvaluation(base, names, (sets.cases({}),), sets.disagreements())


def evaluate_answers(
    cases: Sequence[LabelledCase], answers: Answers, labels: Sequence[str] | None = None
) -> LabelEvaluation:
    """Score predictions by case, as ``genotex clinical infer`` writes them.

    Parameters
    ----------
    cases
        The labels.
    answers
        A case without a prediction counts as nothing available.
    labels
        The sets to score against; all by default.

    Raises
    ------
    UsageError
        If there is no such set, or no prediction is for any of the cases.
    """
    names = _chosen(cases, labels)
    base = names[0]
    ids = {case.id for case in cases}
    unknown = [name for name in answers.by_id if name not in ids]
    if answers.by_id and len(unknown) == len(answers.by_id):
        msg = f"none of the {len(unknown)} predictions is for a labelled case: {unknown[0]!r} ..."
        raise UsageError(msg)
    missing = tuple(
        Missing("cases", case.id, MISSING) for case in cases if case.id not in answers.by_id
    )
    notes = [
        *_listed(unknown, "predictions for cases that are not labelled, not judged"),
        *_listed(answers.repeated, "cases predicted in several lines, the last one counts"),
    ]
    sets = _Sets(cases, names, base)
    items = {name: score_cases(sets.by_name[name], answers.by_id) for name in names}
    return LabelEvaluation(
        base, names, (sets.cases(items),), sets.disagreements(), missing, tuple(notes)
    )


def evaluate_folder(
    cases: Sequence[LabelledCase],
    output: OutputFolder,
    labels: Sequence[str] | None = None,
    raw: InputFolder | None = None,
    progress: Step | None = None,
) -> LabelEvaluation:
    """Score an output folder in the benchmark's layout, of any tool.

    Parameters
    ----------
    cases
        The labels; every labelled cohort is scored, whether it was predicted or not.
    output
        The prediction.
    labels
        The sets to score against; all by default.
    raw
        With the raw series, clinical tables are scored too.
    progress
        Called for every cohort that is read.

    Raises
    ------
    UsageError
        If there is no such set, or the folder contains no ``preprocess``.
    """
    names = _chosen(cases, labels)
    base = names[0]
    if not (output.root / "preprocess").is_dir():
        msg = f"{output.root} contains no preprocess/; give a folder in the benchmark's layout"
        raise UsageError(msg)
    sets = _Sets(cases, names, base)
    flags, missing = read_flags(output, dict.fromkeys(case.trait for case in cases))
    items = {name: judge_availability(cases, name, flags) for name in names}
    sections: list[LabelSection[Any]] = [sets.filtering(items)]
    notes = _cohort_notes(cases, flags)
    if raw is not None:
        judged = judge_tables(cases, names, base, sets.rivals, output, raw, progress)
        sections.append(side_by_side("clinical", judged.items, judged.own, coding_figures, base))
        missing = (*missing, *judged.missing)
        notes += judged.notes
    return LabelEvaluation(
        base, names, tuple(sections), sets.disagreements(), missing, tuple(notes)
    )


class _Sets:
    """Sets of labels by name, and how they compare with the base."""

    def __init__(self, cases: Sequence[LabelledCase], names: Sequence[str], base: str) -> None:
        self._cases = cases
        self._base = base
        there = label_sets(cases)
        self.by_name = {name: labelled_by(cases, name) for name in dict.fromkeys((*names, *there))}
        own = self.by_name[base]
        # A set that leaves cases out cannot serve as a prediction for all of them.
        self.rivals = tuple(
            name for name in there if name != base and own.keys() <= self.by_name[name].keys()
        )

    def cases(self, items: Mapping[str, Mapping[str, CaseScore]]) -> LabelSection[CaseScore]:
        own = {
            name: score_cases(self.by_name[self._base], self.by_name[name]) for name in self.rivals
        }
        return side_by_side("cases", items, own, case_figures, self._base)

    def filtering(
        self, items: Mapping[str, Mapping[str, Availability]]
    ) -> LabelSection[Availability]:
        own = {}
        for name in self.rivals:
            flags: dict[str, dict[str, bool]] = {}
            for case in self._cases:
                if name in case.labels:
                    available = case.labels[name].is_available
                    flags.setdefault(case.trait, {})[case.cohort] = available
            own[name] = judge_availability(self._cases, self._base, flags)
        return side_by_side("filtering", items, own, filtering_figures, self._base)

    def disagreements(self) -> dict[str, dict[Disagreement, int]]:
        base = self.by_name[self._base]
        return {name: count_disagreements(base, self.by_name[name]) for name in self.rivals}


def _chosen(cases: Sequence[LabelledCase], labels: Sequence[str] | None) -> tuple[str, ...]:
    """Return the sets to score against, the base first."""
    names = tuple(dict.fromkeys(labels or label_sets(cases)))
    if not names:
        msg = "no case has a label"
        raise UsageError(msg)
    for name in names:
        labelled_by(cases, name)
    base = base_labels(names)
    return (base, *(name for name in names if name != base))


def _listed(names: Sequence[str], what: str) -> list[str]:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return [f"{what}: {len(names)} ({', '.join(names[:_SHOWN])}{more})"] if names else []


def _cohort_notes(cases: Sequence[LabelledCase], flags: _PredictedFlags) -> list[str]:
    labelled: dict[str, set[str]] = {}
    for case in cases:
        labelled.setdefault(case.trait, set()).add(case.cohort)
    silent, strange = [], []
    for trait, records in flags.items():
        if records is not None:
            silent += [f"{trait}/{cohort}" for cohort in sorted(labelled[trait] - records.keys())]
            strange += [f"{trait}/{cohort}" for cohort in sorted(records.keys() - labelled[trait])]
    return [
        *_listed(silent, "labelled cohorts without a record, counted as not available"),
        *_listed(strange, "cohorts that are not labelled, not judged"),
    ]
