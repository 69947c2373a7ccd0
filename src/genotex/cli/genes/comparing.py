"""`genotex solve` without a trait: what a series compares, and the comparison that is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from genotex.cli import screen
from genotex.cli.genes.de import show_designs
from genotex.errors import UsageError
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, FigureOptions, Option

if TYPE_CHECKING:
    from genotex.cohorts import PreprocessOptions
    from genotex.workflows import SeriesComparisons

_SHOWN = 12


@dataclass(frozen=True)
class Comparing:
    """Which comparison is tested, and how."""

    compare: Annotated[
        str | None,
        Option(
            "Without --trait: the comparison to test, by its name or number in the list that "
            "'genotex solve INPUT OUTPUT' prints.",
            metavar="NAME",
        ),
    ] = None
    orthologues: Annotated[
        Path | None,
        Option(
            "With --compare, for mouse or rat: table of two columns, gene and human orthologue; "
            "genes then take the human symbol. Without it they keep their own."
        ),
    ] = None


def find_comparisons(
    source: Path, cohorts: Sequence[str], settings: PreprocessOptions
) -> list[SeriesComparisons]:
    """Return what the series of a folder compare; those of a sample sheet, where one is given."""
    from genotex.workflows import comparisons_of, series_in

    if not settings.procedure.tests_genes:
        msg = "the published procedure needs --trait; comparisons are tested by 'sound'"
        raise UsageError(msg)
    named = settings.sheet.series if settings.sheet is not None else ()
    return [comparisons_of(files, settings) for files in series_in(source, cohorts or named)]


def solve_comparison(
    found: Sequence[SeriesComparisons],
    asked: Comparing,
    settings: PreprocessOptions,
    analysis: AnalysisOptions,
    output: OutputFolder,
    drawing: FigureOptions,
    *,
    json: bool,
) -> int:
    """List what series compare, or test one comparison; return the exit code."""
    from genotex.workflows import by_sheet, compare, save_result_figures

    if asked.compare is None and settings.sheet is None:
        return _list(found, json=json)
    if len(found) > 1:
        names = ", ".join(each.files.cohort for each in found)
        msg = f"one series is tested at a time; name it with --cohort: {names}"
        raise UsageError(msg)
    (series,) = found
    chosen = None if asked.compare is None else series.chosen(asked.compare)
    if settings.sheet is not None:
        chosen = by_sheet(series, chosen, settings.sheet)
    assert chosen is not None
    if not json:
        screen.notify(f"{series.files.cohort}: {chosen.text}", "note")
    with screen.work() as progress:
        tested, notes = compare(
            series, chosen, settings, analysis, output, progress, orthologues=asked.orthologues
        )
    answered = [outcome.problem for outcome in tested.outcomes if outcome.result is not None]
    for problem in answered:
        save_result_figures(output, problem, drawing)
    if json:
        screen.print_json([tested.summary(outcome) for outcome in tested.outcomes])
    else:
        for note in notes:
            screen.notify(note, "note")
        show_designs(tested)
    return screen.DONE if answered else screen.NOTHING_USABLE


def _list(found: Sequence[SeriesComparisons], *, json: bool) -> int:
    if json:
        screen.print_json(
            [
                {"series": each.files.cohort, "name": c.name, "where": c.key, "kind": c.kind,
                 "case": c.case, "control": c.control, "cases": c.cases, "controls": c.controls,
                 "adjusted_for": [name for name, _ in c.columns], "paired": c.paired,
                 "confounded_with": c.confounded}
                for each in found
                for c in each.comparisons
            ]
        )  # fmt: skip
    for each in () if json else found:
        number = len(each.description.samples)
        screen.show(f"{each.files.cohort}: {each.raw.series.title} ({number} samples)")
        if not each.comparisons:
            screen.notify("its texts name no two groups of two samples", "not answered")
            continue
        for number, comparison in enumerate(each.comparisons[:_SHOWN], 1):
            screen.show(f"  {number}. {comparison.name}\n     {comparison.text}")
        if (more := len(each.comparisons) - _SHOWN) > 0:
            screen.show(f"  and {more} more (--json lists all)")
    if not json:
        screen.show("\nTest one with --compare NAME; compare groups of a disease with --trait.")
    return screen.DONE if any(each.comparisons for each in found) else screen.NOTHING_USABLE
