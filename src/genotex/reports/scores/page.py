"""Pages of scores: one evaluation, and runs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import genotex
from genotex.bench.comparison.paired import RunComparison
from genotex.bench.comparison.tables import (
    agreement_tables,
    comparison_texts,
    difference_tables,
    how_compared,
    side_by_side_table,
)
from genotex.bench.evaluation.figures import PlainTable
from genotex.bench.evaluation.score_files import (
    average_tables,
    kind_table,
    missing_table,
    score_texts,
    settings_rows,
    trap_table,
    write_texts,
)
from genotex.bench.evaluation.scores import FIGURES, AnalysisScore, Scores
from genotex.bench.evaluation.summary import Average, Summary, item_key
from genotex.problems import Problem
from genotex.reports.pages import render_template
from genotex.reports.scores.figures import (
    average_figures,
    kind_figures,
    problem_figures,
    problem_name,
    table_figures,
)
from genotex.reports.sections import FigureView
from genotex.words import counted, listed, readable, sentence


@dataclass(frozen=True)
class _ItemTable:
    """A long table that a reader sorts and searches."""

    table: PlainTable
    csv_name: str
    noun: str


@dataclass(frozen=True)
class PageSection:
    """A section of the page."""

    key: str
    link: str
    title: str
    lead: str = ""
    figures: tuple[FigureView, ...] = ()
    tables: tuple[PlainTable, ...] = ()
    items: tuple[_ItemTable, ...] = ()
    remarks: tuple[str, ...] = ()
    commands: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ScoresPage:
    """A page of scores, of one run or of several."""

    title: str
    question: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[PageSection, ...]
    version: str


PAGE_FILE = "scores.html"


def write_scores(folder: Path, scores: Scores, summary: Summary) -> Path:
    """Write ``scores.json``, a CSV file for each task, Markdown and the page."""
    page = render_template("scores.html.j2", _build_scores_page(scores, summary))
    # The page comes last: it never names a table that is not there.
    write_texts(folder, score_texts(scores, summary) | {PAGE_FILE: page})
    return folder / PAGE_FILE


def _build_scores_page(scores: Scores, summary: Summary) -> ScoresPage:
    """Return what the page of one evaluation shows."""
    return ScoresPage(
        title=f"Scores of {PurePath(*PurePath(scores.prediction).parts[-2:])}",
        question="How close do its cohorts, tables and genes come to those of the reference?",
        facts=tuple(_facts(scores)),
        sections=tuple(_score_sections(scores, summary)),
        version=genotex.__version__,
    )


def _facts(scores: Scores) -> Iterator[tuple[str, str]]:
    yield "Prediction", scores.prediction
    yield "Reference", scores.reference
    problems = scores.analysis or scores.selection
    if problems:
        yield "Problems", f"{len(problems):,}"
    if files := sum(map(len, scores.preprocessing.values())):
        yield "Tables", f"{files:,}"
    yield "Metrics", str(scores.settings.get("metrics", "not recorded"))
    yield "Missing or unreadable", f"{len(scores.missing):,}"


def _score_sections(scores: Scores, summary: Summary) -> Iterator[PageSection]:
    tables = average_tables(summary)
    if tables:
        yield PageSection(
            "averages", "Averages", "Averages", _lead(summary),
            figures=average_figures({"": summary}), tables=tables,
        )  # fmt: skip
    if kinds := kind_table(summary):
        yield PageSection(
            "kinds", "Kinds", "By kind of problem", _KINDS, kind_figures(summary), (kinds,)
        )
    if traps := trap_table(scores):
        yield PageSection("traps", "Traps", "With a trap and without it", "", tables=(traps,))
    if figures := problem_figures(scores):
        lead = "An average hides how much problems differ: here is each of them."
        ranking = best_and_worst(scores)
        yield PageSection("problems", "Problems", "From problem to problem", lead, figures, ranking)
    if figures := table_figures(scores):
        yield PageSection("tables", "Tables", "From table to table", "", figures)
    missing = missing_table(scores)
    yield PageSection(
        "missing", "Missing", "What was missing",
        "" if missing else "Every prediction that the reference asks for was there and was read.",
        tables=(missing,) if missing else (),
    )  # fmt: skip
    if items := item_tables(scores):
        yield PageSection("items", "Items", "Every item", items=items)
    yield _how(scores, summary)


_KINDS = (
    "Unconditional problems name a trait alone; one-step problems add age or gender, which are "
    "in the same cohort; two-step problems add another trait, which is predicted from a second "
    "cohort."
)


def _lead(summary: Summary) -> str:
    figures = summary.sections.get("analysis")
    if not figures or figures["success"].average is None:
        return ""
    success = figures["success"]
    text = (
        f"Of {counted(success.scored, 'problem')} {success.average:.1f} % have a result that can "
        "be read."
    )
    if figures["auroc"].average is not None:
        text += f" The average AUROC is {_with_interval(figures['auroc'])}, where 0.5 is chance."
    return text


def _with_interval(average: Average) -> str:
    if average.interval is None:
        return f"{average.average:.3f}"
    low, high = average.interval
    return f"{average.average:.3f} (95 % interval {low:.3f} to {high:.3f})"


def _how(scores: Scores, summary: Summary) -> PageSection:
    settings = [f"{name}: {value}" for name, value in settings_rows(scores)]
    remarks = [sentence(text) for text in (*settings, *scores.notes)]
    remarks.append(
        f"Intervals: the middle 95 % of {summary.draws:,} bootstrap averages over the items "
        f"(traits for filtering, problems for selection and analysis, files for preprocessing), "
        f"seed {summary.seed}. A missing or unreadable prediction counts 0; a value that is not "
        "defined is left out of its average and counted."
    )
    return PageSection(
        "how", "How", "How these numbers were made",
        f"Computed by genotex {genotex.__version__}. Figures of different versions of the metrics, "
        "or under other settings, must not be compared.",
        remarks=tuple(remarks),
    )  # fmt: skip


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
        (problem_name(item), *(f.write(getattr(item, f.key)) for f in figures)) for item in items
    )
    return PlainTable(title, ("problem", *(figure.name for figure in figures)), rows)


def item_tables(scores: Scores) -> tuple[_ItemTable, ...]:
    """Return every item of every task."""
    tables = []
    if scores.analysis:
        tables.append(_ItemTable(_problems(scores), "analysis.csv", "problems"))
    elif scores.selection:
        tables.append(_ItemTable(_selection(scores), "selection.csv", "problems"))
    if any(scores.preprocessing.values()):
        tables.append(_ItemTable(_files(scores), "preprocessing.csv", "files"))
    if scores.filtering:
        tables.append(_ItemTable(_filtering(scores), "filtering.csv", "traits"))
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
    note = "Selection of every problem that could be posed is in selection.csv." if chosen else ""
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


_COMPARISON_PAGE = "comparison.html"


def write_comparison(folder: Path, comparison: RunComparison) -> Path:
    """Write a comparison as JSON, CSV, Markdown and a page."""
    page = render_template("scores.html.j2", _comparison_page(comparison))
    write_texts(folder, comparison_texts(comparison) | {_COMPARISON_PAGE: page})
    return folder / _COMPARISON_PAGE


def _comparison_page(comparison: RunComparison) -> ScoresPage:
    names = [run.name for run in comparison.runs]
    question = "Which of them comes closer to the reference, and is that more than chance?"
    if not comparison.differences:
        question = "How far do they agree?"
    return ScoresPage(
        title=listed(names),
        question=question,
        facts=tuple((run.name, run.scores.prediction) for run in comparison.runs),
        sections=tuple(_comparison_sections(comparison)),
        version=genotex.__version__,
    )


def _comparison_sections(comparison: RunComparison) -> Iterator[PageSection]:
    figures = average_figures({run.name: run.summary for run in comparison.runs})
    table = side_by_side_table(comparison)
    yield PageSection("averages", "Side by side", "Side by side", figures=figures, tables=(table,))
    if agreement := agreement_tables(comparison):
        yield PageSection(
            "agreement", "Agreement", "Agreement of repeated runs",
            "The runs are taken as repetitions of one method.", tables=agreement,
        )  # fmt: skip
    if differences := difference_tables(comparison):
        yield PageSection(
            "differences", "Differences", f"Differences to {comparison.baseline}",
            "Both sides were scored on the same items. An interval without 0 means that other "
            "problems of the same kind would hardly reverse the difference.",
            tables=differences,
        )  # fmt: skip
    settings = settings_rows(comparison.runs[0].scores)
    remarks = [how_compared(comparison), *comparison.notes]
    remarks += [f"{name}: {value}" for name, value in settings]
    yield PageSection(
        "how", "How", "How these numbers were made", f"Computed by genotex {genotex.__version__}.",
        remarks=tuple(map(sentence, remarks)),
    )  # fmt: skip
