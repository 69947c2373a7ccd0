"""`genotex clinical`: how sample characteristics are read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.output_file import check_other_file, check_output_file, write_text
from genotex.cli.preprocess import build_options, given_reading
from genotex.cli.reading_json import plain_reading
from genotex.cli.reading_screen import show_keys, show_reading
from genotex.cli.trait_names import tell_names
from genotex.errors import UsageError

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Read trait, age and gender from characteristics.")


@app.command()
def infer(
    cases: Annotated[
        Path, typer.Argument(metavar="CASES", help="Cases, one JSON object a line (.gz allowed).")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="File for the answers (.gz allowed).")
    ],
    procedure: o.ProcedureName = o.Procedures.sound,
    vocabulary: o.VocabularyFile = None,
    least_certainty: o.LeastCertainty = 0.0,
) -> None:
    """Answer many cases at once: which rows tell trait, age and gender.

    Each answer also says how values are coded. Labels in the file are ignored.

    Example:
      genotex clinical infer cases.jsonl.gz -o answers.jsonl
    """
    from genotex.clinical import count_cases, infer_cases, rule_expert

    check_output_file(output)
    expert = rule_expert(procedure.value, vocabulary=vocabulary, least_certainty=least_certainty)
    check_other_file(output, cases, "cases; write the answers")
    total = count_cases(cases)
    if not total:
        msg = f"{cases} holds no case; a case is one JSON object on one line"
        raise UsageError(msg)
    answers = []
    with screen.progress("reading cases", total) as step:
        for line in infer_cases(cases, expert, procedure.value):
            answers.append(line + "\n")
            step("reading cases", total)
    write_text(output, "".join(answers))
    screen.tell(f"{len(answers)} answers in {output}")


@app.command()
def show(
    matrix: Annotated[
        Path, typer.Argument(metavar="MATRIX", help="A series matrix or family SOFT file.")
    ],
    trait: Annotated[str, typer.Option("--trait", help="The trait to look for.")],
    save: Annotated[
        Path | None,
        typer.Option("--save", help="Add the reading to an encoding file to edit by hand."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a reading of this series in that file.")
    ] = False,
    procedure: o.ProcedureName = o.Procedures.sound,
    encoding: o.EncodingFile = None,
    case: o.CaseValues = None,
    control: o.ControlValues = None,
    vocabulary: o.VocabularyFile = None,
    least_certainty: o.LeastCertainty = 0.0,
    json: o.Json = False,
) -> None:
    r"""Show how a series is read for a trait, how sure that is, and why.

    Ends with exit code 0 where trait and gene data are available, 1 where
    they are not, 2 after a mistake.

    Examples:
      genotex clinical show \
          input/GEO/Osteoarthritis/GSE55457/GSE55457_series_matrix.txt.gz \
          --trait Osteoarthritis

      genotex clinical show GSE55457_series_matrix.txt.gz \
          --trait Osteoarthritis --save mine.json

      genotex solve input output --trait Osteoarthritis --encoding mine.json
    """
    from genotex.clinical import (
        add_annotation,
        annotation_rows,
        characteristics_to_edit,
        describe_series,
        load_vocabulary,
        rule_expert,
        sum_up,
        values_by_key,
    )
    from genotex.cohorts import read_or_replay, read_series_file

    settings = build_options(
        procedure=procedure,
        encoding=encoding,
        case=case,
        control=control,
        controls=o.ControlRoles.auto,
        scale=o.Scales.auto,
        gene_table=None,
        vocabulary=vocabulary,
        least_certainty=least_certainty,
    )
    expert = rule_expert(procedure.value, vocabulary=vocabulary, least_certainty=least_certainty)
    known = load_vocabulary(vocabulary)
    named = known.named(trait)
    tell_names([trait], vocabulary)
    series = read_series_file(matrix)
    cohort = series.accession or matrix.name.split("_")[0]
    given = given_reading(settings, cohort, trait)
    description = describe_series(series)
    reading = read_or_replay(description, trait, expert, settings, given)
    rows = annotation_rows(reading, series, procedure.value)
    keys = values_by_key(description, trait, known)
    told = sum_up(reading, rows)
    if save is not None:
        there = characteristics_to_edit(keys)
        add_annotation(
            save, cohort, reading, trait=named.name, characteristics=there, replace=force
        )
    if json:
        facts = {"accession": cohort, "asked_for": trait, "procedure": procedure.value}
        screen.print_json(facts | plain_reading(reading, told, keys))
    else:
        words = f" by the words of {named.listed}" if named.note and named.listed else ""
        show_reading(told, f"{cohort}, read for {trait}{words} (procedure {procedure.value})\n")
        if not told.features[0].available:
            show_keys(keys, reading)
    if save is not None:
        screen.tell(f"saved: {save}; edit it and give it back with --encoding {save}")
    found = told.features[0].available and told.gene
    raise typer.Exit(screen.DONE if found else screen.NOTHING_USABLE)


@app.command()
def words(
    trait: Annotated[str, typer.Option("--trait", help="The trait.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write them to this file.")
    ] = None,
    vocabulary: o.VocabularyFile = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
) -> None:
    """Print the words by which a trait is read, as a file to edit.

    Give the edited file back with --vocabulary, to this and other commands.

    Examples:
      genotex clinical words --trait Osteoarthritis -o mine.toml

      genotex solve input output --trait Osteoarthritis --vocabulary mine.toml
    """
    from genotex.clinical import load_vocabulary, vocabulary_text

    if output is not None:
        check_output_file(output)
        if output.exists() and not force:
            msg = f"{output} is there already, perhaps edited; replace it with --force"
            raise UsageError(msg)
    text = vocabulary_text(load_vocabulary(vocabulary), trait)
    tell_names([trait], vocabulary)
    if output is None:
        sys.stdout.write(text)
        return
    write_text(output, text)
    screen.tell(f"saved: {output}; edit it and give it back with --vocabulary {output}")
