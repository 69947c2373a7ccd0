"""From scores to the page that shows them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

import genotex
from genotex.bench.evaluation.score_tables import (
    average_tables,
    kind_table,
    missing_table,
    settings_rows,
)
from genotex.bench.evaluation.scores import Scores
from genotex.bench.evaluation.summary import Average, Summary
from genotex.reports.scores.drawing import (
    average_figures,
    kind_figures,
    problem_figures,
    table_figures,
)
from genotex.reports.scores.listing import best_and_worst, item_tables
from genotex.reports.scores.page import PageSection, ScoresPage
from genotex.reports.words import counted, sentence

__all__ = ["build_scores_page"]


def build_scores_page(scores: Scores, summary: Summary) -> ScoresPage:
    """Return what the page of one evaluation shows.

    Parameters
    ----------
    scores : Scores
        The items.
    summary : Summary
        Their averages.
    """
    return ScoresPage(
        title=f"Scores of {PurePath(*PurePath(scores.prediction).parts[-2:])}",
        question="How close do its cohorts, tables and genes come to those of the reference?",
        facts=tuple(_facts(scores)),
        sections=tuple(_sections(scores, summary)),
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
    yield "Metrics", str(scores.settings.get("metrics", "not told"))
    yield "Missing or unreadable", f"{len(scores.missing):,}"


def _sections(scores: Scores, summary: Summary) -> Iterator[PageSection]:
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
    if figures := problem_figures(scores):
        lead = "An average hides how unlike the problems are: here is each of them."
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
    "Unconditional problems name a trait alone; one-step problems add age or gender, which stand "
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
