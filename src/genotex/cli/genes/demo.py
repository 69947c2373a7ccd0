"""`genotex demo`: simulate a study, solve it, and compare the genes found with the planted ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.data.preprocess import show_outcomes
from genotex.cli.data.simulate import Seed
from genotex.cli.genes.results import show_result
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions


def demo(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder for the demonstration.")
    ] = Path("demo"),
    seed: Seed = 1,
    jobs: o.Jobs = 1,
) -> None:
    """Run the whole pipeline on a simulated study whose answer is known.

    Everything is written to one folder; no network is needed.

    Examples:
      genotex demo

      genotex demo elsewhere --seed 7
    """
    from genotex.problems import Problem
    from genotex.simulate import score_against_truth, simulate_study
    from genotex.workflows import SolveRequest, solve

    with screen.progress("simulating a study") as step:
        study = simulate_study(
            folder / "study", seed=seed, overwrite=True, progress=lambda what: step(what, 8)
        )
    truth, results = study.truth, folder / "results"
    request = SolveRequest(
        study.folder,
        OutputFolder(results),
        Problem(truth.trait),
        AnalysisOptions(),
        report=folder / "report.html",
        jobs=jobs,
    )
    with screen.work() as progress:
        solved = solve(request, progress)
    show_outcomes(solved.cohorts)
    outcome, report = solved.outcome, solved.report
    if outcome.result is None:
        screen.notify(f"the demonstration failed: {outcome.why}", "error", "red")
        raise typer.Exit(screen.NOTHING_USABLE)
    screen.out.print()
    show_result(outcome.result)
    screen.show(f"\nreport: {report} (open it in a browser)")
    score = score_against_truth(truth, outcome.result.significant["Variable"])
    screen.show(
        f"planted found: {score.found}/{score.planted}, FDP {score.false_discovery_proportion:.3f}"
    )
