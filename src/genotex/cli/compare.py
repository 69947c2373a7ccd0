"""`genotex compare`: runs side by side, and two annotators against each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import options as o
from genotex.cli import run_scores as r
from genotex.cli import screen
from genotex.cli.evaluate import ScoredProblems
from genotex.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from genotex.bench.evaluation.comparison import RunComparison
    from genotex.bench.evaluation.options import EvaluationOptions

__all__ = ["compare"]


def compare(
    runs: r.RunPaths,
    reference: r.Reference = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="NAME",
            help="Compare with this run.",
            show_default="the first",
        ),
    ] = None,
    each_other: Annotated[
        bool,
        typer.Option(
            "--each-other", help="Score two runs against each other, without a reference."
        ),
    ] = False,
    tasks: r.Tasks = None,
    task_info: r.TaskInfoFile = None,
    problems: ScoredProblems = None,
    output: r.ResultsFolder = None,
    jobs: o.Jobs = 1,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the bootstrap.")] = 0,
    json: o.Json = False,
) -> None:
    r"""Put runs side by side: figures with intervals, and paired differences.

    Output folders are scored by the default settings; for others score them
    with 'genotex evaluate -o' first and compare what it wrote.

    Examples:
      genotex compare lasso mixed -r reference

      genotex compare rules=runs/7/output agent=runs/9/output \
          -r reference --baseline rules

      genotex compare lasso/scores.json mixed/scores.json -o comparison

      genotex compare annotator_1 annotator_2 --each-other
    """
    from genotex.bench.evaluation.run_record import name_runs
    from genotex.bench.evaluation.score_files import check_folder

    if output is not None:
        check_folder(output)
    named = name_runs(runs)
    settings = r.scoring_options(tasks, task_info, problems)
    if each_other:
        _refuse_beside_each_other(reference, baseline)
        found = _agreement(named, settings, jobs, seed)
    else:
        found = _compared(named, reference, baseline, settings, jobs, seed)
    page = None
    if output is not None:
        from genotex.reports.scores import write_comparison

        page = write_comparison(output, found)
    if json:
        from genotex.bench.evaluation.comparison_tables import comparison_json

        screen.print_json(comparison_json(found))
    else:
        _show(found, page)


def _compared(
    named: Mapping[str, Path],
    reference: Path | None,
    baseline: str | None,
    settings: EvaluationOptions,
    jobs: int,
    seed: int,
) -> RunComparison:
    from genotex.bench.evaluation.comparison import compare_runs

    if len(named) < 2:
        msg = "give two runs or more; 'genotex evaluate' scores a single one"
        raise UsageError(msg)
    if baseline is not None and baseline not in named:
        # Told before anything is scored, which takes its time.
        msg = f"no run is called {baseline!r}; there are {', '.join(named)}"
        raise UsageError(msg)
    return compare_runs(r.score_runs(named, reference, settings, jobs), baseline, seed=seed)


def _refuse_beside_each_other(reference: Path | None, baseline: str | None) -> None:
    for option, value in (("-r", reference), ("--baseline", baseline)):
        if value is not None:
            msg = f"{option} does nothing beside --each-other; leave one of them out"
            raise UsageError(msg)


def _agreement(
    named: Mapping[str, Path], settings: EvaluationOptions, jobs: int, seed: int
) -> RunComparison:
    from genotex.bench.evaluation.comparison import agreement
    from genotex.bench.evaluation.run_record import holds_outputs

    if len(named) != 2 or not all(map(holds_outputs, named.values())):
        msg = "--each-other takes two output folders, which are scored against each other"
        raise UsageError(msg)
    (first, one), (second, other) = named.items()
    forward = r.score_runs({first: one}, other, settings, jobs)[first]
    backward = r.score_runs({second: other}, one, settings, jobs)[second]
    return agreement((first, second), forward, backward, seed=seed)


def _show(found: RunComparison, page: Path | None) -> None:
    from genotex.bench.evaluation.comparison_tables import (
        difference_tables,
        how_compared,
        side_by_side_table,
    )
    from genotex.cli.score_screen import show_table

    show_table(side_by_side_table(found))
    for table in difference_tables(found):
        show_table(table)
    screen.out.print()
    screen.say(how_compared(found))
    for note in found.notes:
        screen.tell(note, "note")
    if page is not None:
        screen.say(f"page: {page}")
