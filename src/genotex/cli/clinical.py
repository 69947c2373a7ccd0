"""`genotex clinical`: how sample characteristics are read."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genotex.cli import options as o
from genotex.cli import screen

if TYPE_CHECKING:
    from genotex.clinical import ClinicalReading

__all__ = ["app"]

SHOWN_VALUES = 12

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
    from genotex.layout import atomic_write

    answers = []
    with screen.progress("reading cases") as step:
        for line in infer_cases(cases):
            answers.append(line + "\n")
            step("reading cases", None)
    with atomic_write(output) as part:
        part.write_text("".join(answers), encoding="utf-8")
    screen.tell(f"{len(answers)} answers in {output}")


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
    rows = [asdict(row) for row in reading_table(reading, series)]
    if save is not None:
        cohort = series.accession or matrix.name.split("_")[0]
        save_readings(save, {cohort: reading}, trait=trait)
    if json:
        screen.print_json({"gene": asdict(reading.gene), "values": rows})
    else:
        _show(reading, rows)
        if save is not None:
            screen.tell(f"saved: {save}; edit it and give it back with --encoding {save}")
    found = reading.trait is not None and reading.gene.available
    raise typer.Exit(screen.DONE if found else screen.NOTHING_USABLE)


def _show(reading: ClinicalReading, rows: list[dict[str, Any]]) -> None:
    available = "yes" if reading.gene.available else "no"
    screen.say(f"human gene expression: {available} ({reading.gene.reason})")
    for name, encoding in (
        ("trait", reading.trait),
        ("age", reading.age),
        ("gender", reading.gender),
    ):
        if encoding is None:
            screen.out.print(f"\n[bold]{name}[/]: not available")
            continue
        where = encoding.sample_field if encoding.row is None else f"row {encoding.row}"
        screen.out.print(f"\n[bold]{name}[/]: {where}, {encoding.confidence}")
        for line in encoding.evidence:
            screen.say(f"  {line}")
        shown = [row for row in rows if row["feature"] == name]
        screen.table(["raw", "code", "role", "samples"], shown[:SHOWN_VALUES], fold="raw")
        if len(shown) > SHOWN_VALUES:
            screen.say(f"... and {len(shown) - SHOWN_VALUES} more values (all with --json)")
    for note in reading.notes:
        screen.say(f"\nnote: {note}")
