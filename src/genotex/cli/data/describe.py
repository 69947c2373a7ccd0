"""`genotex describe`: a description of a data set, for machines and for people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.option_classes import with_options
from genotex.options import About, Option

if TYPE_CHECKING:
    from genotex.reports.datasets import Description

GAPS_SHOWN = 12


@dataclass(frozen=True)
class _Describing:
    """How the data set is read, and where the description goes."""

    output: Annotated[Path | None, Option("Write here.", short="-o", default="into DIR")] = None
    no_checksums: Annotated[
        bool,
        Option(
            "Quick: sizes and headers only, without digests and numbers of rows.", "--no-checksums"
        ),
    ] = False
    jobs: o.Jobs = 1
    json: o.Json = False


@with_options
def describe(
    folder: Annotated[
        Path,
        o.argument(
            "DIR", "An input folder, an output folder, or a folder that holds such folders."
        ),
    ],
    about: About,
    how: _Describing,
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
        check_place,
        datasheet_json,
        describe_dataset,
        own_files,
        write_description,
    )

    target = how.output or folder
    about = replace(about, name=about.name or folder.resolve().name)
    if folder.is_dir() or how.output is not None:
        check_place(target)
    with screen.progress("describing") as step:
        described = describe_dataset(
            folder,
            about,
            leave_out=[*own_files(folder), *own_files(target)],
            whole=not how.no_checksums,
            jobs=how.jobs,
            progress=step,
        )
    written = write_description(target, described)
    if how.json:
        screen.print_json(datasheet_json(described))
    else:
        _show(described, written)


def _show(described: Description, written: Path) -> None:
    from genotex.cli.benchmark.score_screen import show_table
    from genotex.reports.datasets import WANTED_BY_CROISSANT, datasheet_tables

    for table in datasheet_tables(described):
        show_table(table.as_text())
    screen.out.print()
    for gap in described.gaps[:GAPS_SHOWN]:
        number = f" ({len(gap.where):,}, {gap.where[0]} first)" if gap.where else ""
        screen.notify(f"{gap.what}{number}", "not there")
    if len(described.gaps) > GAPS_SHOWN:
        screen.notify(f"{len(described.gaps) - GAPS_SHOWN} more in the datasheet", "not there")
    options = WANTED_BY_CROISSANT.items()
    if lacking := [option for name, option in options if not getattr(described.about, name)]:
        screen.notify(
            f"to publish it Croissant also asks for {', '.join(lacking)}, which files do not state",
            "note",
        )
    screen.show(f"datasheet: {written.parent / 'description' / 'datasheet.md'}")
    screen.show(f"Croissant: {written}")
