"""Scores against sets of labels as JSON values, as files and as tables for the screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from genotex.bench.evaluation.figures import PlainTable
from genotex.bench.evaluation.labels.evaluating import (
    Availability,
    LabelEvaluation,
    filtering_scores,
)
from genotex.bench.evaluation.labels.scoring import CaseScore, LabelSection
from genotex.bench.evaluation.score_files import json_text, to_csv
from genotex.records import as_json

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
