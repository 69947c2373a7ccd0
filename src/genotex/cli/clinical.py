"""`genotex clinical`: how sample characteristics are read."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.reading_screen import show_reading
from genotex.cli.trait_names import tell_names

if TYPE_CHECKING:
    from genotex.clinical import ClinicalReading, ReadingRow

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Read trait, age and gender from characteristics.")


@app.command()
def infer(
    cases: Annotated[Path, typer.Argument(help="Cases, one JSON object a line (.gz allowed).")],
    output: Annotated[Path, typer.Option("-o", "--output", help="File for the answers.")],
    procedure: o.ProcedureName = o.Procedures.sound,
    vocabulary: o.VocabularyFile = None,
    least_certainty: o.LeastCertainty = 0.0,
) -> None:
    """Answer many cases at once: which row tells trait, age and gender, and how values are coded.

    Labels in the file are ignored.

    Example:

      genotex clinical infer cases.jsonl.gz -o answers.jsonl
    """
    from genotex.clinical import count_cases, infer_cases, rule_expert
    from genotex.layout import atomic_write

    expert = rule_expert(procedure.value, vocabulary=vocabulary, least_certainty=least_certainty)
    total = count_cases(cases)
    answers = []
    with screen.progress("reading cases", total) as step:
        for line in infer_cases(cases, expert):
            answers.append(line + "\n")
            step("reading cases", total)
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
    procedure: o.ProcedureName = o.Procedures.sound,
    vocabulary: o.VocabularyFile = None,
    least_certainty: o.LeastCertainty = 0.0,
    json: o.Json = False,
) -> None:
    """Show how a series is read for a trait: the decision, how sure it is, why, and what came next.

    Examples:
      genotex clinical show GSE55457_series_matrix.txt.gz --trait "Rheumatoid Arthritis"

      genotex clinical show GSE55457_series_matrix.txt.gz --trait Osteoarthritis --save mine.json

      genotex solve input output --trait Osteoarthritis --encoding mine.json
    """
    from genotex.clinical import (
        describe_series,
        load_vocabulary,
        reading_table,
        rule_expert,
        save_readings,
    )
    from genotex.cohorts import read_series_file

    expert = rule_expert(procedure.value, vocabulary=vocabulary, least_certainty=least_certainty)
    named = load_vocabulary(vocabulary).named(trait)
    tell_names([trait], vocabulary)
    series = read_series_file(matrix)
    reading = expert.read(describe_series(series), trait)
    rows = reading_table(reading, series, procedure.value)
    cohort = series.accession or matrix.name.split("_")[0]
    if save is not None:
        save_readings(save, {cohort: reading}, trait=named.name)
    if json:
        screen.print_json(_plain(reading, rows))
    else:
        words = f" by the words of {named.listed}" if named.told and named.listed else ""
        headline = f"{cohort}, read for {trait}{words} (procedure {procedure.value})\n"
        notes = tuple(note for note in reading.notes if note != named.told)
        show_reading(replace(reading, notes=notes), rows, headline)
        if save is not None:
            screen.tell(f"saved: {save}; edit it and give it back with --encoding {save}")
    found = reading.trait is not None and reading.gene.available
    raise typer.Exit(screen.DONE if found else screen.NOTHING_USABLE)


def _plain(reading: ClinicalReading, rows: list[ReadingRow]) -> dict[str, Any]:
    from genotex.clinical import inferred_from, reading_to_json, why_no_trait

    trait = reading.trait
    return {
        "gene": asdict(reading.gene),
        "trait": {
            "available": trait is not None,
            "certainty": reading.certainty,
            "inferred_from": inferred_from(trait.sample_field) or None if trait else None,
            "why_not": None if trait else why_no_trait(reading),
            "runner_up": reading_to_json(reading)["runner_up"],
        },
        "values": [asdict(row) for row in rows],
        "notes": list(reading.notes),
    }


@app.command()
def words(
    trait: Annotated[str, typer.Option("--trait", help="The trait.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write them to this file.")
    ] = None,
    vocabulary: o.VocabularyFile = None,
) -> None:
    """Print the words by which a trait is read, as a vocabulary file to edit and give back.

    Examples:
      genotex clinical words --trait Osteoarthritis -o mine.toml

      genotex solve input output --trait Osteoarthritis --vocabulary mine.toml
    """
    from genotex.clinical import load_vocabulary, vocabulary_text
    from genotex.layout import atomic_write

    text = vocabulary_text(load_vocabulary(vocabulary), trait)
    tell_names([trait], vocabulary)
    if output is None:
        sys.stdout.write(text)
        return
    with atomic_write(output) as part:
        part.write_text(text, encoding="utf-8")
    screen.tell(f"saved: {output}; edit it and give it back with --vocabulary {output}")
