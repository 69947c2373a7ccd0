"""`genotex fetch benchmark`: what a person has to fetch, and what a folder lacks of it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.verify import checked_json, show_checked

if TYPE_CHECKING:
    from genotex.fetch.bundle import Part
    from genotex.fetch.verification import CheckedFile

__all__ = ["benchmark"]

WHOLE = 82_000_000_000
"""Bytes of the published folders, as their README gives them."""


def benchmark(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where the benchmark's folders are, or will be.")
    ],
    manifest: Annotated[
        list[Path] | None,
        typer.Option(
            "--manifest",
            help="A published geo_manifest.json or tcga_manifest.json; repeat.",
            show_default="those in DIR/metadata",
        ),
    ] = None,
    json: o.Json = False,
) -> None:
    r"""Say how to fetch the published benchmark by hand, then check what is there.

    Its 82 GB lie on sites that want to see a person. The layout is checked,
    and every input file against the published manifests. Ends with exit code
    1 where anything is missing or wrong.

    Examples:
      genotex fetch benchmark genotex

      genotex fetch benchmark genotex \
          --manifest geo_manifest.json --manifest tcga_manifest.json
    """
    from genotex.fetch.bundle import HOW_TO_FETCH, check_layout
    from genotex.fetch.verification import published_manifests, read_manifest, verify_folder

    manifests = [read_manifest(path) for path in manifest or published_manifests(folder)]
    parts = check_layout(folder)
    checked: tuple[CheckedFile, ...] = ()
    if manifests and any(part.complete for part in parts):
        with screen.progress("verifying") as step:
            checked = verify_folder(folder, manifests, step)
    complete = all(part.complete for part in parts)
    if json:
        screen.print_json(_to_json(folder, parts, checked))
    else:
        if not complete:
            screen.say(HOW_TO_FETCH.replace("DIR", str(folder)))
            screen.say("")
            _warn_of_space(folder)
        _show(parts)
        if checked:
            screen.say("")
            show_checked(checked)
    if not manifests:
        screen.tell(
            "the checksums of the input files were not checked: give the published "
            "geo_manifest.json and tcga_manifest.json with --manifest",
            "warning",
        )
    if not complete or any(file.state.is_wrong for file in checked):
        raise typer.Exit(screen.NOTHING_USABLE)


def _show(parts: Sequence[Part]) -> None:
    rows = [
        {"part": part.place, "complete": part.complete, "detail": part.detail} for part in parts
    ]
    screen.table(("part", "complete", "detail"), rows)


def _warn_of_space(folder: Path) -> None:
    place = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    free = shutil.disk_usage(place).free
    if free < WHOLE:
        screen.tell(f"{free / 1e9:,.1f} GB are free there, all of it takes 82.0 GB", "warning")


def _to_json(
    folder: Path, parts: Sequence[Part], checked: Sequence[CheckedFile]
) -> dict[str, object]:
    layout = [
        {"part": part.place, "complete": part.complete, "detail": part.detail} for part in parts
    ]
    return {"layout": layout, **checked_json(folder, checked)}
