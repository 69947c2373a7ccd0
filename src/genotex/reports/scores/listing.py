"""Items of an evaluation as tables: all of them to be sorted, the best and the worst."""

from __future__ import annotations

from collections.abc import Sequence

from genotex.bench.evaluation.plain_table import PlainTable
from genotex.bench.evaluation.scores import FIGURES, AnalysisScore, Scores
from genotex.bench.evaluation.summary import item_key
from genotex.bench.problems import Problem
from genotex.reports.scores.page import ItemTable
from genotex.reports.words import readable

__all__ = ["best_and_worst", "item_tables"]

_SHOWN = 8
_WITHOUT_COLUMN = ("success", "gsea_es_within", "trait_r2")
"""Figures of a problem that the page has no room for."""


def best_and_worst(scores: Scores) -> tuple[PlainTable, ...]:
    """Return the problems of highest and of lowest F1 among those with a result."""
    answered = [item for item in scores.analysis if item.success]
    if not answered:
        return ()
    ranked = sorted(answered, key=_rank)
    half = len(ranked) // 2
    best = ranked[half:][::-1]
    tables = [_ranking("Closest to the reference", best[:_SHOWN])]
    if half:
        tables.append(_ranking("Furthest from it, with a result", ranked[:half][:_SHOWN]))
    return tuple(tables)


def _rank(item: AnalysisScore) -> tuple[float, float, int, str]:
    auroc = -1.0 if item.auroc is None else item.auroc
    return (item.f1, auroc, -item.reference, str(Problem(item.trait, item.condition)))


def _ranking(title: str, items: Sequence[AnalysisScore]) -> PlainTable:
    figures = [f for f in FIGURES["analysis"] if f.key in ("f1", "auroc", "predicted", "reference")]
    rows = tuple(
        (_named(item), *(f.write(getattr(item, f.key)) for f in figures)) for item in items
    )
    return PlainTable(title, ("problem", *(figure.name for figure in figures)), rows)


def _named(item: AnalysisScore) -> str:
    return readable(str(Problem(item.trait, item.condition)))


def item_tables(scores: Scores) -> tuple[ItemTable, ...]:
    """Return every item of every task."""
    tables = []
    if scores.analysis:
        tables.append(ItemTable(_problems(scores), "analysis.csv", "problems"))
    elif scores.selection:
        tables.append(ItemTable(_selection(scores), "selection.csv", "problems"))
    if any(scores.preprocessing.values()):
        tables.append(ItemTable(_files(scores), "preprocessing.csv", "files"))
    if scores.filtering:
        tables.append(ItemTable(_filtering(scores), "filtering.csv", "traits"))
    return tuple(tables)


def _problems(scores: Scores) -> PlainTable:
    figures = [f for f in FIGURES["analysis"] if f.key not in _WITHOUT_COLUMN]
    chosen = {item_key(item): item.accuracy for item in scores.selection}
    head = ["trait", "condition", "kind", "result"]
    head += ["same cohort"] if chosen else []
    rows = []
    for item in scores.analysis:
        row = [*_problem(item.trait, item.condition), item.kind.value]
        row.append("yes" if item.success else "no")
        row += [_alike(chosen.get(item_key(item)))] if chosen else []
        row += [figure.write(getattr(item, figure.key)) for figure in figures]
        rows.append(tuple(row))
    note = (
        "Selection of every problem that could be posed stands in selection.csv." if chosen else ""
    )
    return PlainTable(
        "Problems", (*head, *(f.name for f in figures)), tuple(rows), words=len(head), note=note
    )


def _selection(scores: Scores) -> PlainTable:
    rows = tuple(
        (*_problem(item.trait, item.condition), _alike(item.accuracy)) for item in scores.selection
    )
    return PlainTable("Problems", ("trait", "condition", "same cohort"), rows, words=3)


def _problem(trait: str, condition: str | None) -> tuple[str, str]:
    return readable(trait), "none" if condition is None else readable(condition)


def _alike(accuracy: float | None) -> str:
    if accuracy is None:
        return "-"
    return "yes" if accuracy else "no"


def _files(scores: Scores) -> PlainTable:
    figures = FIGURES["linked"]
    rows = tuple(
        (
            readable(item.trait),
            item.cohort,
            table,
            *(f.write(getattr(item, f.key)) for f in figures),
        )
        for table, items in scores.preprocessing.items()
        for item in items
    )
    head = ("trait", "cohort", "table", *(figure.name for figure in figures))
    return PlainTable("Preprocessed tables", head, rows, words=3)


def _filtering(scores: Scores) -> PlainTable:
    figures = FIGURES["filtering"]
    rows = tuple(
        (readable(item.trait), *(f.write(getattr(item, f.key)) for f in figures))
        for item in scores.filtering
    )
    head = ("trait", *(figure.name for figure in figures))
    return PlainTable("Dataset filtering", head, rows)
