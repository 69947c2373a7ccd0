"""`genotex report`: the report pages of a problem, from its output folder."""

from __future__ import annotations

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.option_classes import with_options
from genotex.errors import UsageError
from genotex.layout import OutputFolder
from genotex.options import FigureOptions


@with_options
def report(
    output: o.AnalysedDir,
    asked: o.AskedProblem,
    drawing: FigureOptions,
    json: o.Json = False,
) -> None:
    """Write the report of an analysed problem from its output folder.

    If cohorts were combined, the page over all cohorts is written as well.
    The raw files are not needed.

    Examples:
      genotex report output --trait Osteoarthritis

      genotex report output --trait "Rheumatoid Arthritis" --condition Age

      genotex report output --trait Osteoarthritis --figures pdf,png
    """
    from genotex.workflows import report as write
    from genotex.workflows import save_result_figures

    if not output.is_dir():
        msg = f"{output} is not a folder; give the output folder of 'genotex analyze'"
        raise UsageError(msg)
    problem = asked.problem
    with screen.work() as progress:
        pages = write(OutputFolder(output), problem, progress)
    drawn = save_result_figures(OutputFolder(output), problem, drawing)
    if json:
        files = {what: str(path) for what, path in pages.items()}
        files |= {path.name: str(path) for path in drawn}
        screen.print_json({"trait": problem.trait, "condition": problem.condition, "files": files})
        return
    for what, path in pages.items():
        screen.show(f"{what}: {path}")
    if drawn:
        screen.show(f"figures: {drawn[0].parent}")
