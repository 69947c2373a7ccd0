"""`genotex clinical sheet`: the samples of every series in a table to edit in a spreadsheet."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.data.preprocess import load_options, note_trait_names
from genotex.cli.option_classes import Without, with_options
from genotex.cli.output_file import check_output_file
from genotex.errors import FormatError, UsageError
from genotex.layout import InputFolder
from genotex.options import PreprocessChoices

if TYPE_CHECKING:
    from genotex.cohorts import PreprocessOptions, ProposedSheet, RawSeries


@with_options
def sheet(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="INPUT",
            help="Folder that holds GEO/<Trait>/<GSE>/, or one series matrix or family SOFT file.",
        ),
    ],
    trait: Annotated[str, typer.Option("--trait", help="The trait.")],
    data: Annotated[
        PreprocessChoices, Without("samples", "control_roles", "scale", "gene_table", "encoding")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The sheet: .csv, .tsv or .xlsx.")
    ] = Path("samples.csv"),
    cohort: o.CohortNames = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the sheet.")] = False,
    json: o.Json = False,
) -> None:
    r"""Write a table of all samples with their groups, to correct in a spreadsheet.

    One row per sample: title, source, characteristics, then the columns that
    are used: group (case, control, other disease, other control, a number for
    a measured trait, or nothing), age, sex, pair, batch, exclude (yes). "why"
    is what the rules saw; where they found no groups, fill in the column group.

    Examples:
      genotex clinical sheet input --trait Osteoarthritis -o samples.xlsx

      genotex solve input output --trait Osteoarthritis --samples samples.xlsx

      genotex clinical sheet input --trait Gout --cohort GSE160170 \
          --case "title~gout" --control "title~healthy"
    """
    from genotex.clinical import check_kind, sheet_cells, sheet_headers, write_sheet_table

    check_output_file(output)
    check_kind(output)
    if output.exists() and not force:
        msg = f"{output} exists already, perhaps edited; replace it with --force"
        raise UsageError(msg)
    settings = load_options(data)
    note_trait_names([trait], data.vocabulary)
    proposed = _propose(source, trait, cohort or (), settings)
    rows = [row for each in proposed for row in each.rows]
    headers = sheet_headers(rows)
    write_sheet_table(output, headers, sheet_cells(rows, headers))
    if json:
        screen.print_json({"sheet": str(output), "series": [_summary(each) for each in proposed]})
    else:
        _show(proposed, source, trait, output)


def _propose(
    source: Path, trait: str, cohorts: Sequence[str], settings: PreprocessOptions
) -> list[ProposedSheet]:
    """Return the rows of each series."""
    from genotex.analysis import named_pools
    from genotex.clinical import check_conditions, describe_series, rule_expert
    from genotex.cohorts import propose_sheet

    expert = rule_expert(
        settings.procedure,
        vocabulary=settings.vocabulary,
        least_certainty=settings.least_certainty,
    )
    with screen.progress("reading series") as step:
        found = _series(source, trait, cohorts, settings)
        described = [describe_series(raw.series) for raw in found.values()]
        check_conditions(described, settings.cases, settings.controls, settings.exclude)
        proposed = []
        for name, raw in found.items():
            step(name, len(found))
            proposed.append(propose_sheet(name, raw, trait, expert, settings, named_pools))
    return proposed


def _series(
    source: Path, trait: str, cohorts: Sequence[str], settings: PreprocessOptions
) -> dict[str, RawSeries]:
    """Return the series of a folder, or the one of a file, with their expression if possible."""
    from genotex.cohorts import RawSeries, choose_file, read_series_file, with_expression

    if source.is_file():
        series = read_series_file(source)
        return {series.accession or source.name.split("_")[0]: RawSeries(series, ())}
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
        "to check": sum("check: " in row["why"] for row in proposed.rows),
    }


def _show(proposed: Sequence[ProposedSheet], source: Path, trait: str, output: Path) -> None:
    summaries = [_summary(each) for each in proposed]
    always = ("series", "samples", "cases", "controls", "no group")
    columns = [name for name in summaries[0] if name in always or any(s[name] for s in summaries)]
    screen.table(columns, summaries)
    for each in proposed:
        for note in each.notes:
            screen.notify(f"{each.cohort}: {note}", "note")
    for summary in summaries:
        if summary["no group"] == summary["samples"]:
            screen.notify(
                f"{summary['series']}: the rules found no groups; fill in the column group", "note"
            )
    screen.show(f"\nsaved: {output}. Correct the columns group to exclude, save it, and use it:")
    folder = source if source.is_dir() else "INPUT"
    words = ["genotex", "solve", str(folder), "OUTPUT", "--trait", trait, "--samples", str(output)]
    screen.show(f"  {shlex.join(words)}")
