"""`genotex describe`: a description of a data set, for machines and for people."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.option_classes import with_options

if TYPE_CHECKING:
    from genotex.reports.datasets import Description

__all__ = ["describe"]

GAPS_SHOWN = 12


def _web_address(text: str | None) -> str | None:
    if text is not None and not re.match(r"https?://\S+$", text):
        msg = f"{text!r} is not an address; give one that starts with https:// or http://"
        raise typer.BadParameter(msg)
    return text


def _day(text: str | None) -> str | None:
    import datetime

    try:
        return None if text is None else datetime.date.fromisoformat(text).isoformat()
    except ValueError as error:
        msg = f"{text!r} is not a day; write it as 2026-01-31"
        raise typer.BadParameter(msg) from error


@dataclass(frozen=True)
class _About:
    """What only a person knows about a data set."""

    name: Annotated[
        str | None,
        typer.Option("--name", help="Name of the data set.", show_default="that of DIR"),
    ] = None
    license_url: Annotated[
        str | None,
        typer.Option(
            "--license",
            metavar="ADDRESS",
            help="The licence, by the address of its text.",
            show_default=False,
            callback=_web_address,
        ),
    ] = None
    url: Annotated[
        str | None,
        typer.Option(
            "--url", help="Where it is published.", show_default=False, callback=_web_address
        ),
    ] = None
    version: Annotated[
        str | None, typer.Option("--version", help="Its version, as 1.2.0.", show_default=False)
    ] = None
    citation: Annotated[
        str | None, typer.Option("--citation", help="How to cite it.", show_default=False)
    ] = None
    creator: Annotated[
        list[str] | None,
        typer.Option("--creator", help="Who made it; can be repeated.", show_default=False),
    ] = None
    publisher: Annotated[
        str | None,
        typer.Option("--publisher", help="Organisation that publishes it.", show_default=False),
    ] = None
    date: Annotated[
        str | None,
        typer.Option(
            "--date", help="Day of publication, as 2026-01-31.", show_default=False, callback=_day
        ),
    ] = None


@with_options
def describe(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="An input folder, an output folder, or a folder that holds such folders.",
            show_default=False,
        ),
    ],
    facts: _About,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write here.", show_default="into DIR"),
    ] = None,
    no_checksums: Annotated[
        bool,
        typer.Option(
            "--no-checksums",
            help="Quick: sizes and headers only, without digests and numbers of rows.",
        ),
    ] = False,
    jobs: o.Jobs = 1,
    json: o.Json = False,
) -> None:
    """Describe a data set: files, checksums, cohorts, samples, gaps.

    Writes croissant.json (Croissant 1.0, for data set search and mlcroissant)
    and, in description/, a datasheet as Markdown, JSON and CSV. Unknown fields
    are omitted, never guessed. Contact details in series files are never
    repeated.

    Examples:
      genotex describe input

      genotex describe output --name "My cohorts" --creator "My Name"

      genotex describe bundle --no-checksums -o look

      genotex describe input --json
    """
    from genotex.reports.datasets import (
        About,
        check_place,
        datasheet_json,
        describe_dataset,
        own_files,
        write_description,
    )

    target = output or folder
    about = About(
        facts.name or folder.resolve().name,
        facts.license_url,
        facts.url,
        facts.version,
        facts.citation,
        tuple(facts.creator or ()),
        facts.publisher,
        facts.date,
    )
    if folder.is_dir() or output is not None:
        check_place(target)
    with screen.progress("describing") as step:
        described = describe_dataset(
            folder,
            about,
            leave_out=[*own_files(folder), *own_files(target)],
            whole=not no_checksums,
            jobs=jobs,
            progress=step,
        )
    written = write_description(target, described)
    if json:
        screen.print_json(datasheet_json(described))
    else:
        _show(described, written)


def _show(described: Description, written: Path) -> None:
    from genotex.cli.benchmark.score_screen import show_table
    from genotex.reports.datasets import (
        WANTED_BY_CROISSANT,
        datasheet_tables,
        without_empty_columns,
    )

    for table in datasheet_tables(described):
        show_table(without_empty_columns(table))
    screen.out.print()
    for gap in described.gaps[:GAPS_SHOWN]:
        number = f" ({len(gap.where):,}, {gap.where[0]} first)" if gap.where else ""
        screen.notify(f"{gap.what}{number}", "not there")
    if len(described.gaps) > GAPS_SHOWN:
        screen.notify(f"{len(described.gaps) - GAPS_SHOWN} more in the datasheet", "not there")
    about = described.about
    known = {
        "license": about.license,
        "url": about.url,
        "creator": about.creators,
        "datePublished": about.date,
    }
    if lacking := [option for key, option in WANTED_BY_CROISSANT.items() if not known[key]]:
        screen.notify(
            f"to publish it Croissant also asks for {', '.join(lacking)}, which files do not state",
            "note",
        )
    screen.show(f"datasheet: {written.parent / 'description' / 'datasheet.md'}")
    screen.show(f"Croissant: {written}")
