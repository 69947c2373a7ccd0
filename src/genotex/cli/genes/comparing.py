"""`genotex solve` without a trait: what a series compares, and the comparison that is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from genotex.cli import screen
from genotex.cli.genes.de import show_designs
from genotex.errors import UsageError
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, FigureOptions

if TYPE_CHECKING:
    from genotex.cohorts import PreprocessOptions
    from genotex.workflows import SeriesComparisons

_SHOWN = 12


def solve_comparison(
    source: Path,
    output: OutputFolder,
    name: str | None,
    settings: PreprocessOptions,
    analysis: AnalysisOptions,
    drawing: FigureOptions,
    cohorts: Sequence[str],
    orthologues: Path | None,
    *,
    json: bool,
) -> int:
    """List what the series of a folder compare, or test one comparison; return the exit code."""
    from genotex.workflows import compare, comparisons_of, save_result_figures, series_in

    if not settings.procedure.tests_genes:
        msg = "the published procedure needs --trait; comparisons are tested by 'sound'"
        raise UsageError(msg)
    found = [comparisons_of(files, settings) for files in series_in(source, cohorts)]
    if name is None:
        return _list(found, json=json)
    if len(found) > 1:
        names = ", ".join(each.files.cohort for each in found)
        msg = f"--compare is of one series; name it with --cohort: {names}"
        raise UsageError(msg)
    chosen = found[0].chosen(name)
    if not json:
        screen.notify(f"{found[0].files.cohort}: {chosen.text}", "note")
    with screen.work() as progress:
        tested, notes = compare(
            found[0], chosen, settings, analysis, output, progress, orthologues=orthologues
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
        screen.show(f"{each.files.cohort}: {each.title} ({each.samples} samples)")
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
