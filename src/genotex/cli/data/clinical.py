"""`genotex clinical`: trait, age and sex from sample characteristics."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.data.clinical_screen import (
    annotation_json,
    show_annotation,
    show_keys,
    show_override,
    show_relations,
)
from genotex.cli.data.clinical_sheet import sheet
from genotex.cli.data.preprocess import given_annotation, load_options, note_trait_names
from genotex.cli.option_classes import Only, Without, with_options
from genotex.cli.output_file import check_other_file, check_output_file, write_text
from genotex.errors import UsageError
from genotex.options import PreprocessChoices

if TYPE_CHECKING:
    from genotex.clinical import ClinicalAnnotation, RuleExpert, SeriesDescription
    from genotex.cohorts import PreprocessOptions
    from genotex.formats import Series

app = typer.Typer(no_args_is_help=True, help="Annotate samples with trait, age and gender.")
app.command()(sheet)


@app.command()
@with_options
def infer(
    cases: Annotated[
        Path, typer.Argument(metavar="CASES", help="Cases, one JSON object a line (.gz allowed).")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="File for the answers (.gz allowed).")
    ],
    data: Annotated[PreprocessChoices, Only("procedure", "vocabulary", "least_certainty")],
    machines: o.Machines,
) -> None:
    """Answer many cases at once: which rows record trait, age and gender.

    Each answer also states how values are coded. Labels in the file are not
    used.

    Example:
      genotex clinical infer cases.jsonl.gz -o answers.jsonl
    """
    from genotex.clinical import count_cases, infer_cases
    from genotex.clinical.cases import infer_cases_elsewhere

    procedure = data.procedure
    check_output_file(output)
    expert = _rule_expert(data)
    check_other_file(output, cases, "cases; write the answers")
    total = count_cases(cases)
    if not total:
        msg = f"{cases} holds no cases; a case is one JSON object on one line"
        raise UsageError(msg)
    answers: dict[int, list[str]] = {}
    with (
        machines.executor(cases, data.vocabulary) as executor,
        screen.progress("reading cases", total) as step,
    ):
        found: Iterator[tuple[int, list[str]]] = (
            ((n, [line]) for n, line in enumerate(infer_cases(cases, expert, procedure)))
            if executor is None
            else infer_cases_elsewhere(cases, expert, procedure, executor)
        )
        for first, lines in found:
            answers[first] = lines
            for _ in lines:
                step("reading cases", total)
    write_text(output, "".join(f"{line}\n" for n in sorted(answers) for line in answers[n]))
    screen.notify(f"{total} answers in {output}")


@app.command()
@with_options
def show(
    matrix: Annotated[
        Path, typer.Argument(metavar="MATRIX", help="A series matrix or family SOFT file.")
    ],
    trait: Annotated[str, typer.Option("--trait", help="The trait to look for.")],
    data: Annotated[
        PreprocessChoices, Without("control_roles", "scale", "gene_table", "series_platform")
    ],
    save: Annotated[
        Path | None,
        typer.Option("--save", help="Add the annotation to an encoding file, to edit by hand."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the annotation of this series in that file.")
    ] = False,
    json: o.Json = False,
) -> None:
    r"""Show how a series is annotated for a trait, how certain that is, and why.

    The last lines state how to decide otherwise. Ends with exit code 0 if trait
    and gene data are available, 1 if they are not, 2 after a mistake.

    Examples:
      genotex clinical show \
          input/GEO/Osteoarthritis/GSE55457/GSE55457_series_matrix.txt.gz \
          --trait Osteoarthritis

      genotex clinical show GSE55457_series_matrix.txt.gz \
          --trait Osteoarthritis --case "clinical status=osteoarthritis"
    """
    from genotex.clinical import (
        add_annotation,
        annotation_rows,
        characteristics_to_edit,
        find_relations,
        load_vocabulary,
        sum_up,
        values_by_key,
    )

    known = load_vocabulary(data.vocabulary)
    named = known.named(trait)
    note_trait_names([trait], data.vocabulary)
    series, description, reading = _annotated(matrix, trait, data)
    cohort = description.cohort
    rows = annotation_rows(reading, series, data.procedure)
    keys = values_by_key(description, trait, known)
    summary, relations = sum_up(reading, rows), find_relations(description)
    if save is not None:
        there = characteristics_to_edit(keys)
        add_annotation(
            save, cohort, reading, trait=named.name, characteristics=there, replace=force
        )
    if json:
        facts = {"accession": cohort, "asked_for": trait, "procedure": data.procedure}
        related = {"relations": relations.as_record()}
        screen.print_json(facts | annotation_json(reading, summary, keys) | related)
    else:
        words = f" by the vocabulary of {named.listed}" if named.note and named.listed else ""
        headline = f"{cohort}, annotated for {trait}{words} (procedure {data.procedure})\n"
        show_annotation(summary, headline)
        if not summary.features[0].available:
            show_keys(keys, reading)
        show_relations(relations)
        show_override(reading, keys, matrix, trait, cohort)
    if save is not None:
        screen.notify(f"saved: {save}; edit it and use it with --encoding {save}")
    found = summary.features[0].available and summary.gene
    raise typer.Exit(screen.DONE if found else screen.NOTHING_USABLE)


@app.command()
@with_options
def words(
    trait: Annotated[str, typer.Option("--trait", help="The trait.")],
    data: Annotated[PreprocessChoices, Only("vocabulary")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write it to this file.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
) -> None:
    """Print the vocabulary that recognises a trait, as a file to edit.

    Use the edited file with --vocabulary, in this and other commands.

    Examples:
      genotex clinical words --trait Osteoarthritis -o mine.toml

      genotex solve input output --trait Osteoarthritis --vocabulary mine.toml
    """
    from genotex.clinical import load_vocabulary, vocabulary_text

    if output is not None:
        check_output_file(output)
        if output.exists() and not force:
            msg = f"{output} exists already, perhaps edited; replace it with --force"
            raise UsageError(msg)
    text = vocabulary_text(load_vocabulary(data.vocabulary), trait)
    note_trait_names([trait], data.vocabulary)
    if output is None:
        sys.stdout.write(text)
        return
    write_text(output, text)
    screen.notify(f"saved: {output}; edit it and use it with --vocabulary {output}")


def _annotated(
    matrix: Path, trait: str, data: PreprocessChoices
) -> tuple[Series, SeriesDescription, ClinicalAnnotation]:
    """Read a series and annotate it as the options state."""
    from genotex.clinical import describe_series
    from genotex.cohorts import read_or_replay, read_series_file

    settings = load_options(data)
    series = read_series_file(matrix)
    cohort = series.accession or matrix.name.split("_")[0]
    given = given_annotation(settings, cohort, trait)
    description = replace(describe_series(series), cohort=cohort)
    _check_choices(description, settings)
    expert = _rule_expert(data)
    return series, description, read_or_replay(description, series, trait, expert, settings, given)


def _check_choices(description: SeriesDescription, settings: PreprocessOptions) -> None:
    """Check conditions and a sample sheet against the one series that is shown."""
    from genotex.clinical import check_conditions, check_sample_sheet

    check_conditions([description], settings.cases, settings.controls, settings.exclude)
    if settings.sheet is not None:
        others = [name for name in settings.sheet.series if name != description.cohort]
        check_sample_sheet(settings.sheet, {description.cohort: description.samples}, others)


def _rule_expert(data: PreprocessChoices) -> RuleExpert:
    from genotex.clinical import rule_expert

    return rule_expert(
        data.procedure, vocabulary=data.vocabulary, least_certainty=data.least_certainty
    )
