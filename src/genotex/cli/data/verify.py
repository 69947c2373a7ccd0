"""`genotex verify` and `fetch benchmark`: check a folder against the list of its files."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.option_classes import with_options
from genotex.errors import UsageError
from genotex.options import Option

if TYPE_CHECKING:
    from genotex.fetch import CheckedFile, Manifest

_WHOLE = 82_000_000_000
"""Bytes of the published folders, according to their README."""

MOST_SHOWN = 20
"""Files of a state that are shown one by one; all are in --json."""


@dataclass(frozen=True)
class _Manifests:
    """The manifests that are used, or the one that is made."""

    manifest: Annotated[
        list[Path] | None,
        Option(
            "A published geo_manifest.json or tcga_manifest.json, or one written with "
            "--write; repeat for several.",
            default="those of the benchmark's metadata folder, else what was fetched",
        ),
    ] = None
    ignore_missing: Annotated[
        bool, Option("Check what is there; DIR need not hold all files.", "--ignore-missing")
    ] = False
    write: Annotated[
        Path | None, Option("Write a manifest of DIR, once all can be read.", metavar="FILE")
    ] = None


@with_options
def verify(
    folder: Annotated[
        Path, o.argument("DIR", "An input folder, any folder in it, or that of the benchmark.")
    ],
    by: _Manifests,
    json: o.Json = False,
) -> None:
    r"""Check the files of a folder against a manifest, and that they are complete.

    Size, SHA-256, and whether a file can be read. Files that no manifest
    lists are reported, not errors. Ends with exit code 1 if a file is
    missing, differs from the listed one, or cannot be read.

    Examples:
      genotex verify input --manifest geo_manifest.json --ignore-missing

      genotex verify input/GEO/Osteoarthritis/GSE55457 \
          --manifest geo_manifest.json

      genotex verify input --write manifest.json

      genotex verify input --manifest manifest.json
    """
    from genotex.fetch.verification import verify_readable

    if not folder.is_dir():
        msg = f"{folder} is not a folder"
        raise UsageError(msg)
    if by.write is not None:
        if by.manifest or by.ignore_missing:
            msg = "--write makes a manifest, --manifest and --ignore-missing use one"
            raise UsageError(msg)
        o.check_output_file(by.write)
        with screen.progress("reading") as step:
            checked = verify_readable(folder, step)
    else:
        checked = _check(folder, by.manifest or (), by.ignore_missing)
    if json:
        screen.print_json(_checked_json(folder, checked))
    else:
        _show_checked(checked)
    if any(file.state.is_wrong for file in checked):
        raise typer.Exit(screen.NOTHING_USABLE)
    if by.write is not None:
        _write(by.write, folder)


def _check(folder: Path, given: Sequence[Path], ignore_missing: bool) -> tuple[CheckedFile, ...]:
    from genotex.fetch import verify_folder
    from genotex.fetch.verification import verify_readable

    manifests = _manifests(folder, given)
    with screen.progress("verifying") as step:
        if manifests:
            return verify_folder(folder, manifests, step, ignore_missing=ignore_missing)
        checked = verify_readable(folder, step)
    screen.notify(
        f"{folder} has no manifest: only whether its files can be read is checked; give one with "
        "--manifest",
        "warning",
    )
    return checked


def _manifests(folder: Path, given: Sequence[Path]) -> list[Manifest]:
    """Return those given, else those of the folder, and note which they are."""
    from genotex.fetch import fetched_manifest, read_manifest
    from genotex.fetch.verification import published_manifests

    if given:
        return [read_manifest(path) for path in given]
    found = [read_manifest(path) for path in published_manifests(folder)]
    if not found and (fetched := fetched_manifest(folder)) is not None:
        found = [fetched]
    for manifest in found:
        screen.notify(f"against {manifest.source}")
    return found


def _write(path: Path, folder: Path) -> None:
    from genotex.fetch import data_files, describe_files, write_manifest

    files = {
        name: file for name, file in data_files(folder).items() if file.resolve() != path.resolve()
    }
    if not files:
        msg = f"{folder} holds no file"
        raise UsageError(msg)
    with screen.progress("checksums") as step:
        described = describe_files(files, step)
    write_manifest(path, described)
    screen.notify(f"saved: {path}")


def _show_checked(checked: Sequence[CheckedFile]) -> None:
    """Print how many files are in each state, and those that are not as they should be."""
    from genotex.fetch import FileState

    counts = Counter(file.state for file in checked)
    for state in FileState:
        of_state = [file for file in checked if file.state is state]
        if state is FileState.OK or not of_state:
            continue
        columns = {"state": "state", "file": "path", "detail": "detail"}
        screen.records(of_state[:MOST_SHOWN], columns, fold=("file", "detail"))
        if len(of_state) > MOST_SHOWN:
            screen.show(f"... and {len(of_state) - MOST_SHOWN:,} more")
        screen.show("")
    summary = ", ".join(f"{counts[state]:,} {state}" for state in FileState if counts[state])
    screen.show(summary or "no files")


def _checked_json(folder: Path, checked: Sequence[CheckedFile]) -> dict[str, object]:
    """Return what was found in a folder, for machines."""
    counts = Counter(str(file.state) for file in checked)
    files = [
        {"path": file.path, "state": str(file.state), "detail": file.detail or None}
        for file in checked
    ]
    wrong = any(file.state.is_wrong for file in checked)
    return {"folder": str(folder), "wrong": wrong, "counts": dict(counts), "files": files}


@with_options
def benchmark(
    folder: Annotated[Path, o.argument("DIR", "Where the benchmark's folders are, or will be.")],
    manifest: Annotated[
        list[Path] | None,
        Option(
            "A published geo_manifest.json or tcga_manifest.json; repeat.",
            default="those in DIR/metadata",
        ),
    ] = None,
    json: o.Json = False,
) -> None:
    r"""Explain how to fetch the published benchmark by hand, then check a folder.

    Its 82 GB are on sites that cannot be fetched from automatically. The
    layout is checked, and every input file against the published manifests.
    Ends with exit code 1 if anything is missing or wrong.

    Examples:
      genotex fetch benchmark genotex

      genotex fetch benchmark genotex \
          --manifest geo_manifest.json --manifest tcga_manifest.json
    """
    from genotex.fetch import check_layout, read_manifest, verify_folder
    from genotex.fetch.bundle import HOW_TO_FETCH
    from genotex.fetch.verification import published_manifests

    manifests = [read_manifest(path) for path in manifest or published_manifests(folder)]
    parts = check_layout(folder)
    checked: tuple[CheckedFile, ...] = ()
    if manifests and any(part.complete for part in parts):
        with screen.progress("verifying") as step:
            checked = verify_folder(folder, manifests, step)
    complete = all(part.complete for part in parts)
    if json:
        rows = screen.rows(parts, _PART)
        screen.print_json({"layout": rows, **_checked_json(folder, checked)})
    else:
        if not complete:
            screen.show(HOW_TO_FETCH.replace("DIR", str(folder)))
            screen.show("")
            _warn_of_space(folder)
        screen.records(parts, _PART)
        if checked:
            screen.show("")
            _show_checked(checked)
    if not manifests:
        screen.notify(
            "the checksums of the input files were not checked: give the published "
            "geo_manifest.json and tcga_manifest.json with --manifest",
            "warning",
        )
    if not complete or any(file.state.is_wrong for file in checked):
        raise typer.Exit(screen.NOTHING_USABLE)


_PART = {"part": "place", "complete": "complete", "detail": "detail"}


def _warn_of_space(folder: Path) -> None:
    place = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    free = shutil.disk_usage(place).free
    if free < _WHOLE:
        screen.notify(
            f"{free / 1e9:,.1f} GB are free there; the whole benchmark takes 82.0 GB", "warning"
        )
