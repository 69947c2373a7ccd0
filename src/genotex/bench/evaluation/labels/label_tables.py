"""Scores against sets of labels as tables of written cells, for the screen."""

from __future__ import annotations

from typing import Any

from genotex.bench.evaluation.labels.comparing import Section
from genotex.bench.evaluation.labels.evaluating import LabelEvaluation
from genotex.bench.evaluation.plain_table import PlainTable

__all__ = ["label_tables"]

_TITLES = {
    "cases": "Cases: row and coding of each feature",
    "filtering": "Dataset filtering: gene expression and the trait available, in percent",
    "clinical": "Clinical tables: share of samples coded alike",
}
_NONE = "-"


def label_tables(evaluation: LabelEvaluation) -> list[PlainTable]:
    """Return a table for each section, and one for each set of labels that differs from the base.

    Figures go down, sets of labels across; beside a set stands its difference to the base, over
    the cases that both label, and behind them other sets taken as predictions.
    """
    tables = [
        _section_table(section, evaluation.base)
        for section in evaluation.sections
        if section.scores or section.own
    ]
    for name, counts in evaluation.disagreements.items():
        rows = [(kind.value, str(count)) for kind, count in counts.items() if count]
        title = f"What labels {name!r} say of the trait, seen from {evaluation.base!r}"
        tables.append(PlainTable(title, ("class", "cases"), tuple(rows)))
    return tables


def _section_table(section: Section[Any], base: str) -> PlainTable:
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
