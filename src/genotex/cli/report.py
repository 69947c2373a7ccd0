"""`genotex report`: the report pages of a problem, from its output folder."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.option_classes import with_options
from genotex.errors import GenotexError, UsageError
from genotex.layout import OutputFolder

if TYPE_CHECKING:
    from genotex.analysis import ProblemOutcome
    from genotex.bench.problems import Problem

__all__ = ["existing_pages", "redraw", "report"]


@with_options
def report(output: o.AnalysedDir, asked: o.AskedProblem, json: o.Json = False) -> None:
    """Write the report of an analysed problem from its output folder.

    If cohorts were combined, the page over all cohorts is written as well.
    The raw files are not needed.

    Examples:
      genotex report output --trait Osteoarthritis

      genotex report output --trait "Rheumatoid Arthritis" --condition Age
    """
    if not output.is_dir():
        msg = f"{output} is not a folder; give the output folder of 'genotex analyze'"
        raise UsageError(msg)
    problem = asked.problem
    pages = _draw(OutputFolder(output), problem)
    if json:
        files = {what: str(path) for what, path in pages.items()}
        screen.print_json({"trait": problem.trait, "condition": problem.condition, "files": files})
        return
    for what, path in pages.items():
        screen.show(f"{what}: {path}")


def _draw(folder: OutputFolder, problem: Problem) -> dict[str, Path]:
    from genotex.reports import write_meta_report, write_report

    trait, condition = problem.trait, problem.condition
    over_cohorts = folder.meta_genes(trait, condition).is_file()
    pages = {}
    with screen.progress("writing the report", total=1 + over_cohorts) as step:
        # There may be an answer over all cohorts and none for the largest alone.
        if folder.significant_genes(trait, condition).is_file() or not over_cohorts:
            pages["report"] = write_report(folder, trait, condition)
            step("writing the report", None)
        if over_cohorts:
            pages["report over all cohorts"] = write_meta_report(folder, trait, condition)
    return pages


def existing_pages(folder: OutputFolder, problems: Sequence[Problem]) -> set[Problem]:
    """Return the problems that have a report page."""
    return {p for p in problems if folder.report(p.trait, p.condition).is_file()}


def redraw(
    folder: OutputFolder, outcomes: Sequence[ProblemOutcome], had_page: Collection[Problem]
) -> dict[Problem, Path]:
    """Update the pages of earlier results, answered or not, and return them by problem.

    A page that cannot be written is reported and does not stop the others.
    """
    gone = [
        outcome
        for outcome in outcomes
        if outcome.problem in had_page
        and not folder.report(outcome.problem.trait, outcome.problem.condition).is_file()
    ]
    pages: dict[Problem, Path] = {}
    if not gone:
        return pages
    with screen.progress("updating the reports", total=len(gone)) as step:
        for outcome in gone:
            try:
                pages[outcome.problem] = _draw_outcome(folder, outcome)
            except (GenotexError, OSError) as error:
                screen.notify(f"{outcome.problem}: {error}", "report not written")
            step(str(outcome.problem), None)
    return pages


def _draw_outcome(folder: OutputFolder, outcome: ProblemOutcome) -> Path:
    from genotex.reports import write_report, write_unanswered_report

    trait, condition = outcome.problem.trait, outcome.problem.condition
    if outcome.result is not None:
        return write_report(folder, trait, condition)
    return write_unanswered_report(folder, trait, condition, {}, why=outcome.why)
