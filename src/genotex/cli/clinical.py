"""`genotex clinical`: how sample characteristics are read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from genotex.cli import options as o
from genotex.cli import screen

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Read trait, age and gender from characteristics.")


@app.command()
def infer(
    cases: Annotated[Path, typer.Argument(help="Cases, one JSON object a line (.gz allowed).")],
    output: Annotated[Path, typer.Option("-o", "--output", help="File for the answers.")],
) -> None:
    """Answer many cases at once: which row tells trait, age and gender, and how values are coded.

    Labels in the file are ignored.

    Example:

      genotex clinical infer cases.jsonl.gz -o answers.jsonl
    """
    from genotex.clinical import infer_cases

    with screen.progress("reading cases") as step:
        count = infer_cases(cases, output, progress=lambda done, total: step("reading cases", total))
    screen.talk.print(f"{count} answers in {output}", soft_wrap=True)


@app.command()
def show(
    matrix: Annotated[Path, typer.Argument(help="A series matrix or family SOFT file.")],
    trait: Annotated[str, typer.Option("--trait", help="The trait to look for.")],
    save: Annotated[
        Path | None,
        typer.Option("--save", help="Write the reading to an encoding file to edit by hand."),
    ] = None,
    json: o.Json = False,
) -> None:
    """Show how a series is read for a trait: each raw value, its code and role, and why.

    Examples:

      genotex clinical show GSE55457_series_matrix.txt.gz --trait "Rheumatoid Arthritis"

      genotex clinical show GSE55457_series_matrix.txt.gz --trait Osteoarthritis --save mine.json

      genotex solve input output --trait Osteoarthritis --encoding mine.json
    """
    from genotex.clinical import RuleExpert, describe_series, reading_table, save_readings
    from genotex.cohorts import read_series_file

    series = read_series_file(matrix)
    reading = RuleExpert().read(describe_series(series), trait)
    rows = reading_table(reading, series)
    if save is not None:
        save_readings(save, {series.accession or matrix.name: reading})
    if json:
        screen.print_json(rows)
    else:
        screen.table(["feature", "key", "raw value", "code", "role", "samples", "why"], rows)
        if save is not None:
            screen.talk.print(f"saved: {save}; edit it and give it back with --encoding {save}")
    found = reading.trait is not None and reading.gene.available
    raise typer.Exit(screen.DONE if found else screen.NOTHING_USABLE)
