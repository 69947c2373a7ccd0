"""`genotex bench table`: runs in the layout of the paper's tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from genotex.cli import options as o
from genotex.cli import run_scores as r
from genotex.cli import screen
from genotex.cli.evaluate import ScoredProblems
from genotex.cli.output_file import check_output_file, write_text

__all__ = ["table"]


def table(
    runs: r.RunPaths,
    reference: r.Reference = None,
    paper: Annotated[
        bool, typer.Option("--paper", help="Add the rows that the paper published.")
    ] = False,
    tasks: r.Tasks = None,
    task_info: r.TaskInfoFile = None,
    problems: ScoredProblems = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write Markdown as well.", show_default=False
        ),
    ] = None,
    jobs: o.Jobs = 1,
    json: o.Json = False,
) -> None:
    r"""Print runs as the paper prints its tables 2 to 5; a dash is unknown.

    Time, tokens and cost come from the run folders of 'genotex bench run'.

    Examples:
      genotex bench table lasso random -r reference --paper

      genotex bench table mine/scores.json -o table.md

      genotex bench table full no-planning -r reference \
          --problems full/run/problems.csv
    """
    from genotex.bench.evaluation.paper_table import (
        paper_json,
        paper_markdown,
        paper_notes,
        paper_rows,
        paper_tables,
    )
    from genotex.bench.evaluation.run_record import name_runs

    if output is not None:
        check_output_file(output)
    paths = name_runs(runs)
    scores = r.score_runs(paths, reference, r.scoring_options(tasks, task_info, problems), jobs)
    rows = paper_rows(scores, paths, paper=paper)
    notes = paper_notes(scores, rows, paper=paper)
    if output is not None:
        write_text(output, paper_markdown(rows, notes))
    if json:
        screen.print_json(paper_json(rows, notes))
        return
    from genotex.cli.score_screen import show_table

    tables = paper_tables(rows)
    for found in tables:
        show_table(found)
    if not tables:
        screen.tell("nothing was scored: no file of the reference belongs to a task asked for")
    for note in notes:
        screen.tell(note, "note")
