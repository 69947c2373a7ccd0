"""`genotex clinical`: trait, age and sex from characteristics, and tables to edit them in."""

from __future__ import annotations

import gc
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.data.annotator_screen import show_estimate, show_spent
from genotex.cli.data.clinical_screen import (
    annotation_json,
    show_annotation,
    show_keys,
    show_override,
    show_relations,
)
from genotex.cli.data.preprocess import given_annotation, load_options, note_trait_names
from genotex.cli.option_classes import Only, Without, with_options
from genotex.errors import BudgetReachedError, FormatError, ModelError, UsageError
from genotex.layout import InputFolder
from genotex.options import ANNOTATOR_FIELDS, Option, PreprocessChoices

if TYPE_CHECKING:
    from genotex.clinical import ClinicalAnnotation, Expert, SeriesDescription
    from genotex.cohorts import PreprocessOptions, ProposedSheet, RawSeries
    from genotex.formats import Series
    from genotex.parallel import Executor
    from genotex.procedure import Procedure


app = typer.Typer(no_args_is_help=True, help="Annotate samples with trait, age and gender.")


@app.command()
@with_options
def sheet(
    source: Annotated[
        Path,
        o.argument(
            "INPUT", "Folder with GEO/<Trait>/<GSE>/, with series, or of one, or the file of one."
        ),
    ],
    data: Annotated[
        PreprocessChoices, Without("samples", "control_roles", "scale", "gene_table", "encoding")
    ],
    trait: Annotated[str | None, Option("The trait.", default="what the series compares")] = None,
    comparing: Annotated[
        str | None,
        Option(
            "Without --trait: the comparison whose groups are proposed, by name or number.",
            "--compare",
            metavar="NAME",
            default="the first one",
        ),
    ] = None,
    output: Annotated[Path, Option("The sheet: .csv, .tsv or .xlsx.", short="-o")] = Path(
        "samples.csv"
    ),
    cohort: o.CohortNames = (),
    force: Annotated[bool, Option("Replace the sheet.", "--force")] = False,
    json: o.Json = False,
) -> None:
    r"""Write a table of all samples with their groups, to correct in a spreadsheet.

    Without --trait the groups are those of a comparison that 'genotex solve
    INPUT OUTPUT' lists. One row per sample: title, source, characteristics,
    then the columns that are used: group (case, control, other disease, other
    control, a number for a measured trait, or nothing), age, sex, pair, batch,
    exclude (yes). "why" is what the rules saw; where they found no groups, fill
    in the column group.

    Examples:
      genotex clinical sheet input --trait Osteoarthritis -o samples.xlsx

      genotex solve input output --trait Osteoarthritis --samples samples.xlsx

      genotex clinical sheet input --trait Gout --cohort GSE160170 \
          --case "title~gout" --control "title~healthy"
    """
    from genotex.clinical import CALLS_OF, check_kind, sheet_cells, sheet_headers, write_sheet_table

    o.check_output_file(output)
    check_kind(output)
    o.refuse_edited(output, force)
    settings = load_options(data)
    if trait is None:
        proposed, words = _compared(source, comparing, cohort, settings)
    elif comparing is not None:
        msg = "--compare proposes groups without a trait; leave --trait out"
        raise UsageError(msg)
    else:
        note_trait_names([trait], data.vocabulary)
        calls = output.with_name(output.name + CALLS_OF)
        proposed, words = _propose(source, trait, cohort, settings, calls), ["--trait", trait]
    # A sheet opens with what is to be reviewed, the least certain series first.
    proposed.sort(key=lambda each: each.certainty or 0.0 if each.review else 1.0)
    rows = [row for each in proposed for row in each.rows]
    headers = sheet_headers(rows)
    write_sheet_table(output, headers, sheet_cells(rows, headers))
    if json:
        screen.print_json({"sheet": str(output), "series": [_summary(each) for each in proposed]})
    else:
        _show(proposed, source, words, output)


def _compared(
    source: Path, name: str | None, cohorts: Sequence[str], settings: PreprocessOptions
) -> tuple[list[ProposedSheet], list[str]]:
    """Return the rows of each series for a comparison, and the options that test the first."""
    from genotex.cli.genes.comparing import find_comparisons
    from genotex.workflows import propose_comparison

    found = find_comparisons(source, cohorts, settings)
    proposed, words = [], list[str]()
    with screen.progress("reading series", len(found)) as step:
        for series in found:
            step(series.files.cohort, len(found))
            first = next(iter(series.comparisons), None)
            chosen = first if name is None else series.chosen(name)
            proposed.append(propose_comparison(series, chosen, settings))
            if chosen is not None and not words:
                only = ["--cohort", series.files.cohort] if len(found) > 1 else []
                words = ["--compare", chosen.name, *only]
    return proposed, words


def _propose(
    source: Path, trait: str, cohorts: Sequence[str], settings: PreprocessOptions, record: Path
) -> list[ProposedSheet]:
    """Return the rows of each series."""
    from genotex.analysis import named_pools
    from genotex.clinical import check_conditions, describe_series, expert_of
    from genotex.cohorts import propose_sheet

    expert = expert_of(settings, record)
    with screen.progress("reading series") as step:
        found = _series(source, trait, cohorts, settings)
        described = [describe_series(raw.series) for raw in found.values()]
        show_estimate(expert, ((each, trait) for each in described))
        check_conditions(described, settings.cases, settings.controls, settings.exclude)
        proposed = []
        for name, raw in found.items():
            step(name, len(found))
            proposed.append(propose_sheet(name, raw, trait, expert, settings, named_pools))
    show_spent(expert)
    return proposed


def _series(
    source: Path, trait: str, cohorts: Sequence[str], settings: PreprocessOptions
) -> dict[str, RawSeries]:
    """Return the series of a folder, or the one of a file, with their expression if possible."""
    from genotex.cohorts import choose_file, with_expression

    folder = InputFolder(source)
    there = folder.geo_cohorts(trait)
    if not there:
        known = ", ".join(folder.traits()) or "no trait"
        msg = f"no GEO series of {trait} in {source}: it holds {known}"
        raise UsageError(msg)
    if missing := sorted(set(cohorts) - {files.cohort for files in there}):
        names = ", ".join(files.cohort for files in there)
        msg = f"no series {', '.join(missing)} of {trait} in {source}: it holds {names}"
        raise UsageError(msg)
    found = {}
    for files in there:
        if cohorts and files.cohort not in cohorts:
            continue
        try:
            raw = choose_file(files, settings.series_platform)
            found[files.cohort] = with_expression(raw)
        except FormatError as error:
            screen.notify(f"{files.cohort} is not in the sheet: {error}", "warning")
    if not found:
        msg = f"no series of {trait} could be read"
        raise UsageError(msg)
    return found


def _summary(proposed: ProposedSheet) -> dict[str, Any]:
    from genotex.clinical import CHECK

    words = {"cases": "case", "controls": "control"}
    words |= {word: word for word in ("other disease", "other control")}
    counts = {name: proposed.count(word) for name, word in words.items()}
    empty = proposed.count("")
    excluded = sum(row["exclude"] != "" for row in proposed.rows)
    return {
        "series": proposed.cohort,
        "samples": len(proposed.rows),
        **counts,
        "measured": len(proposed.rows) - sum(counts.values()) - empty - excluded,
        "excluded": excluded,
        "no group": empty,
        "to check": sum(CHECK in row["why"] for row in proposed.rows),
    }


def _show(
    proposed: Sequence[ProposedSheet], source: Path, options: Sequence[str], output: Path
) -> None:
    summaries = [_summary(each) for each in proposed]
    always = ("series", "samples", "cases", "controls", "no group")
    columns = [name for name in summaries[0] if name in always or any(s[name] for s in summaries)]
    screen.table(columns, summaries)
    for each in proposed:
        for note in each.notes:
            screen.notify(f"{each.cohort}: {note}", "note")
        for what, text in each.review.items():
            screen.notify(f"{each.cohort}, {what}: {text}", "review")
    for summary in summaries:
        if summary["no group"] == summary["samples"]:
            screen.notify(
                f"{summary['series']}: the rules found no groups; fill in the column group", "note"
            )
    screen.show(f"\nsaved: {output}. Correct the columns group to exclude, save it, and use it:")
    folder = source if source.is_dir() else "INPUT"
    words = ["genotex", "solve", str(folder), "OUTPUT", *options, "--samples", str(output)]
    screen.show(f"  {shlex.join(words)}")


@app.command()
@with_options
def infer(
    cases: Annotated[Path, o.argument("CASES", "Cases, one JSON object a line (.gz allowed).")],
    output: Annotated[Path, Option("File for the answers (.gz allowed).", short="-o")],
    data: Annotated[
        PreprocessChoices, Only("procedure", "vocabulary", "least_certainty", *ANNOTATOR_FIELDS)
    ],
    machines: o.Machines,
) -> None:
    r"""Answer many cases at once: which rows record trait, age and gender.

    Each answer also states how values are coded. Labels in the file are not
    used. The same command goes on after a limit: questions that a model has
    answered are not asked again.

    Examples:
      genotex clinical infer cases.jsonl.gz -o answers.jsonl

      genotex clinical infer cases.jsonl.gz -o answers.jsonl \
          --annotator ollama:llama3.3 --max-calls 50
    """
    from genotex.clinical import CALLS_OF, count_cases, described_cases, expert_of

    o.check_output_file(output)
    if data.asks and machines.scheduler is not None:
        msg = "a model is asked from this machine alone, where its key is; leave --scheduler out"
        raise UsageError(msg)
    if data.record is not None:
        o.check_other_file(data.record, cases, "cases; write the calls")
        o.check_other_file(output, data.record, "calls of the model; write the answers")
    expert = expert_of(data, output.with_name(output.name + CALLS_OF))
    o.check_other_file(output, cases, "cases; write the answers")
    total = count_cases(cases)
    if not total:
        msg = f"{cases} holds no cases; a case is one JSON object on one line"
        raise UsageError(msg)
    show_estimate(expert, described_cases(cases))
    with machines.executor(cases, data.vocabulary) as executor:
        lines, stopped = _lines(total, _inferred(cases, expert, data.procedure, executor))
    o.write_text(output, "".join(f"{line}\n" for line in lines))
    there = f" (of {total} cases)" if stopped else ""
    screen.notify(f"{len(lines)} answers in {output}{there}")
    show_spent(expert, stopped)
    if stopped:
        raise typer.Exit(screen.STOPPED)


def _lines(total: int, found: Iterator[tuple[int, list[str]]]) -> tuple[list[str], str]:
    """Return the answers in the order of the cases, and why there are no more; empty at the end."""
    answers: dict[int, list[str]] = {}
    stopped = ""
    with screen.progress("reading cases", total) as step:
        try:
            for first, lines in found:
                answers[first] = lines
                for _ in lines:
                    step("reading cases", total)
        except (BudgetReachedError, ModelError) as error:
            stopped = str(error)
    return [line for first in sorted(answers) for line in answers[first]], stopped


def _inferred(
    cases: Path, expert: Expert, procedure: Procedure, executor: Executor | None
) -> Iterator[tuple[int, list[str]]]:
    """Yield the answers as they come: the place of the first, and the lines."""
    from genotex.clinical import AskingExpert, infer_cases
    from genotex.clinical.cases import infer_cases_elsewhere

    if executor is not None:
        yield from infer_cases_elsewhere(cases, expert, procedure, executor)
        return
    at_once = expert.at_once if isinstance(expert, AskingExpert) else 1
    for number, line in enumerate(infer_cases(cases, expert, procedure, at_once=at_once)):
        if number == 0:
            gc.freeze()  # The words that the first case loaded stay: no collector looks for garbage
        yield number, [line]


@app.command()
@with_options
def show(
    matrix: Annotated[Path, o.argument("MATRIX", "A series matrix or family SOFT file.")],
    trait: Annotated[str, Option("The trait to look for.")],
    data: Annotated[
        PreprocessChoices, Without("control_roles", "scale", "gene_table", "series_platform")
    ],
    save: Annotated[
        Path | None, Option("Add the annotation to an encoding file, to edit by hand.")
    ] = None,
    force: Annotated[
        bool, Option("Replace the annotation of this series in that file.", "--force")
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
    trait: Annotated[str, Option("The trait.")],
    data: Annotated[PreprocessChoices, Only("vocabulary")],
    output: Annotated[Path | None, Option("Write it to this file.", short="-o")] = None,
    force: Annotated[bool, Option("Replace the file.", "--force")] = False,
) -> None:
    """Print the vocabulary that recognises a trait, as a file to edit.

    Use the edited file with --vocabulary, in this and other commands.

    Examples:
      genotex clinical words --trait Osteoarthritis -o mine.toml

      genotex solve input output --trait Osteoarthritis --vocabulary mine.toml
    """
    from genotex.clinical import load_vocabulary, vocabulary_text

    if output is not None:
        o.check_output_file(output)
        o.refuse_edited(output, force)
    text = vocabulary_text(load_vocabulary(data.vocabulary), trait)
    note_trait_names([trait], data.vocabulary)
    if output is None:
        sys.stdout.write(text)
        return
    o.write_text(output, text)
    screen.notify(f"saved: {output}; edit it and use it with --vocabulary {output}")


def _annotated(
    matrix: Path, trait: str, data: PreprocessChoices
) -> tuple[Series, SeriesDescription, ClinicalAnnotation]:
    """Read a series and annotate it as the options state."""
    from genotex.clinical import describe_series, expert_of
    from genotex.cohorts import read_or_replay, read_series_file

    settings = load_options(data)
    series = read_series_file(matrix)
    cohort = series.accession or matrix.name.split("_")[0]
    given = given_annotation(settings, cohort, trait)
    description = replace(describe_series(series), cohort=cohort)
    _check_choices(description, settings)
    expert = expert_of(data)
    return series, description, read_or_replay(description, series, trait, expert, settings, given)


def _check_choices(description: SeriesDescription, settings: PreprocessOptions) -> None:
    """Check conditions and a sample sheet against the one series that is shown."""
    from genotex.clinical import check_conditions, check_sample_sheet

    check_conditions([description], settings.cases, settings.controls, settings.exclude)
    if settings.sheet is not None:
        others = [name for name in settings.sheet.series if name != description.cohort]
        check_sample_sheet(settings.sheet, {description.cohort: description.samples}, others)
