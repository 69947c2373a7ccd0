"""A prediction against several sets of labels, and the sets against each other; with its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from genotex.bench.evaluation.figures import PlainTable
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
from genotex.bench.evaluation.score_files import json_text, to_csv
from genotex.bench.evaluation.scores import FilteringScore, Missing
from genotex.errors import UsageError
from genotex.formats import read_cohort_info
from genotex.layout import InputFolder, OutputFolder
from genotex.records import as_json

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
    sets = _Sets(cases, labels)
    return LabelEvaluation(sets.base, sets.names, (sets.cases({}),), sets.disagreements())


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
    sets = _Sets(cases, labels)
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
    items = {name: score_cases(sets.by_name[name], answers.by_id) for name in sets.names}
    sections = (sets.cases(items),)
    return LabelEvaluation(
        sets.base, sets.names, sections, sets.disagreements(), missing, tuple(notes)
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
    sets = _Sets(cases, labels)
    if not (output.root / "preprocess").is_dir():
        msg = f"{output.root} contains no preprocess/; give a folder in the benchmark's layout"
        raise UsageError(msg)
    flags, missing = read_flags(output, dict.fromkeys(case.trait for case in cases))
    items = {name: judge_availability(cases, name, flags) for name in sets.names}
    sections: list[LabelSection[Any]] = [sets.filtering(items)]
    notes = _cohort_notes(cases, flags)
    if raw is not None:
        judged = judge_tables(cases, sets.names, sets.base, sets.rivals, output, raw, progress)
        found = side_by_side("clinical", judged.items, judged.own, coding_figures, sets.base)
        sections.append(found)
        missing = (*missing, *judged.missing)
        notes += judged.notes
    return LabelEvaluation(
        sets.base, sets.names, tuple(sections), sets.disagreements(), missing, tuple(notes)
    )


class _Sets:
    """The sets of labels to score against, the base first, and how they compare with it."""

    def __init__(self, cases: Sequence[LabelledCase], labels: Sequence[str] | None) -> None:
        self._cases = cases
        there = label_sets(cases)
        names = tuple(dict.fromkeys(labels or there))
        if not names:
            msg = "no case has a label"
            raise UsageError(msg)
        self.by_name = {name: labelled_by(cases, name) for name in dict.fromkeys((*names, *there))}
        self.base = base_labels(names)
        self.names = (self.base, *(name for name in names if name != self.base))
        own = self.by_name[self.base]
        # A set that leaves cases out cannot serve as a prediction for all of them.
        self.rivals = tuple(
            name for name in there if name != self.base and own.keys() <= self.by_name[name].keys()
        )

    def cases(self, items: Mapping[str, Mapping[str, CaseScore]]) -> LabelSection[CaseScore]:
        own = {
            name: score_cases(self.by_name[self.base], self.by_name[name]) for name in self.rivals
        }
        return side_by_side("cases", items, own, case_figures, self.base)

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
            own[name] = judge_availability(self._cases, self.base, flags)
        return side_by_side("filtering", items, own, filtering_figures, self.base)

    def disagreements(self) -> dict[str, dict[Disagreement, int]]:
        base = self.by_name[self.base]
        return {name: count_disagreements(base, self.by_name[name]) for name in self.rivals}


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


_Row = dict[str, Any]

_FIGURE_COLUMNS = ("section", "labels", "count", "figure", "value", "difference")


def evaluation_to_json(evaluation: LabelEvaluation) -> dict[str, Any]:
    """Return an evaluation as plain JSON values."""
    return {
        "base": evaluation.base,
        "labels": list(evaluation.labels),
        "scores": {
            section.name: {
                scores.labels: as_json(scores, "count", "figures", "shared", "difference")
                for scores in section.scores
            }
            for section in evaluation.sections
        },
        "own_labels": {section.name: as_json(section.own) for section in evaluation.sections},
        "items": {section.name: _rows(section) for section in evaluation.sections},
        **as_json(evaluation, "disagreements", "missing", "notes"),
    }


def evaluation_texts(evaluation: LabelEvaluation, content: Mapping[str, Any]) -> dict[str, str]:
    """Return name and content of every file: one CSV of items for each section, figures, JSON."""
    texts = {}
    for section in evaluation.sections:
        found = _rows(section).items()
        rows = [{"labels": name, **_flat(row)} for name, items in found for row in items]
        if rows:
            texts[f"labels_{section.name}.csv"] = to_csv(tuple(rows[0]), rows)
    texts["labels_figures.csv"] = to_csv(_FIGURE_COLUMNS, _figure_rows(evaluation.sections))
    texts["labels.json"] = json_text(content)
    return texts


def _figure_rows(sections: Iterable[LabelSection[Any]]) -> list[_Row]:
    rows: list[_Row] = []
    for section in sections:
        for scores in section.scores:
            rows += [
                {
                    "section": section.name,
                    "labels": scores.labels,
                    "count": scores.count,
                    "figure": name,
                    "value": value,
                    "difference": scores.difference.get(name),
                }
                for name, value in scores.figures.items()
            ]
        for labels, figures in section.own.items():
            front = {"section": f"{section.name}, own labels", "labels": labels}
            rows += [{**front, "figure": name, "value": value} for name, value in figures.items()]
    return rows


def _rows(section: LabelSection[Any]) -> dict[str, list[_Row]]:
    """Return what was judged, by set of labels."""
    make = _ROWS[section.name]
    return {name: make(items) for name, items in section.items.items()}


def _case_rows(items: Mapping[str, CaseScore]) -> list[_Row]:
    rows = []
    for case, score in items.items():
        row: _Row = {"id": case, "gene": score.gene[0] == score.gene[1]}
        for name, found in score.features.items():
            row |= {f"{name}_row": found.row, f"{name}_values": found.values}
        rows.append({**row, "exact": score.exact})
    return rows


def _filtering_rows(items: Mapping[str, Availability]) -> list[_Row]:
    judged = list(items.values())
    return [
        {
            **asdict(score),
            "passed_over": _cohorts(judged, score.trait, label=True),
            "taken_wrongly": _cohorts(judged, score.trait, label=False),
        }
        for score in filtering_scores(judged)
    ]


def _cohorts(judged: Sequence[Availability], trait: str, *, label: bool) -> list[str]:
    """Return the cohorts of a trait that have one label and were predicted otherwise."""
    return [
        one.cohort
        for one in judged
        if one.trait == trait and one.label is label and bool(one.predicted) is not label
    ]


_ROWS: Mapping[str, Callable[[Mapping[str, Any]], list[_Row]]] = {
    "cases": _case_rows,
    "filtering": _filtering_rows,
    "clinical": lambda items: as_json(list(items.values())),
}


def _flat(row: _Row) -> _Row:
    return {name: " ".join(v) if isinstance(v, list) else v for name, v in row.items()}


_TITLES = {
    "cases": "Cases: row and coding of each feature",
    "filtering": "Dataset filtering: gene expression and the trait available, in percent",
    "clinical": "Clinical tables: share of samples coded alike",
}
_NONE = "-"


def label_tables(evaluation: LabelEvaluation) -> list[PlainTable]:
    """Return a table for each section, and one for each set of labels that differs from the base.

    Figures are rows, sets of labels columns; next to a set is its difference to the base, over the
    cases that both label, followed by other sets taken as predictions.
    """
    tables = [
        _section_table(section, evaluation.base)
        for section in evaluation.sections
        if section.scores or section.own
    ]
    for name, counts in evaluation.disagreements.items():
        rows = [(kind.value, str(count)) for kind, count in counts.items() if count]
        title = f"How labels {name!r} of the trait differ from {evaluation.base!r}"
        tables.append(PlainTable(title, ("class", "cases"), tuple(rows)))
    return tables


def _section_table(section: LabelSection[Any], base: str) -> PlainTable:
    digits = 1 if section.name == "filtering" else 3
    count = "cases" if section.name == "cases" else "cohorts"
    columns: dict[str, dict[str, str]] = {}
    for scores in section.scores:
        written = {name: f"{value:.{digits}f}" for name, value in scores.figures.items()}
        columns[scores.labels] = {count: str(scores.count), **written}
        if scores.labels != base:
            signed = {name: f"{v:+.{digits}f}" for name, v in scores.difference.items()}
            columns[f"{scores.labels} - {base}"] = {count: str(scores.shared), **signed}
    for labels, figures in section.own.items():
        written = {name: f"{value:.{digits}f}" for name, value in figures.items()}
        columns[f"{labels}'s own labels"] = written
    names = dict.fromkeys(name for column in columns.values() for name in column)
    rows = [(name, *(column.get(name, _NONE) for column in columns.values())) for name in names]
    return PlainTable(_TITLES[section.name], ("figure", *columns), tuple(rows))
