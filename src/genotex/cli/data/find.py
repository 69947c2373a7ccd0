"""`genotex find`: series by words, in an index of GEO and on this disk, without a network."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.data.fetch_geo import GeoServers
from genotex.cli.data.fetch_screen import note_pause
from genotex.cli.option_classes import Only, with_options
from genotex.errors import UsageError
from genotex.options import FindOptions, Option, PreprocessChoices, changed

if TYPE_CHECKING:
    from genotex.workflows import FoundSeries

_UPDATING = "The index of GEO"
_SHOWN = ("accession", "samples", "year", "species", "kind", "title (platform; on disk)")
_SHORT = (
    ("Expression profiling by high throughput sequencing", "RNA-seq"),
    ("Expression profiling by array", "array"),
    ("profiling by high throughput sequencing", "by sequencing"),
    ("profiling by array", "by array"),
    ("Homo sapiens", "human"),
    ("Mus musculus", "mouse"),
    ("Rattus norvegicus", "rat"),
)
"""Words of GEO that take too much of a screen."""


@dataclass(frozen=True)
class _Updating:
    """Whether the index is built or brought up to date first."""

    update: Annotated[
        bool,
        Option(
            "Build the index of all series from NCBI's Entrez, or ask for the new months; about "
            "1,000 requests the first time. The same command resumes where it stopped.",
            panel=_UPDATING,
        ),
    ] = False
    force: Annotated[
        bool, Option("With --update: ask for all again.", "--force", panel=_UPDATING)
    ] = False


@with_options
def find(
    asked: FindOptions,
    updating: _Updating,
    servers: Annotated[GeoServers, Only("eutils_address")],
    data: Annotated[PreprocessChoices, Only("vocabulary")],
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="WORDS", help="Words that a series has in its title or texts."),
    ] = None,
    output: Annotated[
        Path | None, Option("Also write the table to this CSV file.", short="-o", metavar="FILE")
    ] = None,
    json: o.Json = False,
) -> None:
    r"""Find series by words: in GEO, and on this disk. Without a network.

    GEO is searched in an index, which --update builds once; series in the
    folder 'input' are always searched. The name of a trait counts as all that
    the vocabulary calls it: SLE finds lupus. Ends with exit code 1 if nothing
    is found.

    Examples:
      genotex find --update

      genotex find lupus whole blood --human --min-samples 40

      genotex find vemurafenib melanoma --kind sequencing --from 2018

      genotex find --on-disk --input ~/data
    """
    from genotex.clinical import load_vocabulary
    from genotex.workflows import find_series

    text = " ".join(words or ())
    if updating.force and not updating.update:
        msg = "--force belongs to --update; give both"
        raise UsageError(msg)
    if output is not None:
        o.check_output_file(output)
    if updating.update:
        _update(asked, servers, force=updating.force)
    elif not text and not changed(asked):
        msg = "name words to search for, as in: genotex find lupus whole blood"
        raise UsageError(msg)
    if updating.update and not text:
        return
    found = find_series(text, asked, load_vocabulary(data.vocabulary))
    if output is not None:
        o.write_text(output, _csv(found))
    if json:
        screen.print_json({"total": found.total, "notes": found.notes, "series": found.rows()})
    else:
        _show(found)
    raise typer.Exit(screen.DONE if found.matches else screen.NOTHING_USABLE)


def _update(asked: FindOptions, servers: GeoServers, *, force: bool) -> None:
    from genotex.fetch import GeoAddresses, index_path, open_geo_source, update_index

    path = index_path(asked.index)
    screen.resumes.set()
    addresses = GeoAddresses(*servers.addresses)
    with (
        open_geo_source(None, addresses, note_pause) as source,
        screen.progress("asking GEO") as step,
    ):
        series = update_index(source.entrez, path, step, force=force)
    screen.notify(f"{series:,} series of GEO are in the index {path}")


def _csv(found: FoundSeries) -> str:
    import polars as pl

    from genotex.formats import inert_frame

    return inert_frame(pl.DataFrame(found.rows())).write_csv()


def _show(found: FoundSeries) -> None:
    for note in found.notes:
        screen.notify(note, "note")
    rows = [_row(row) for row in found.rows()]
    if rows:
        screen.table(_SHOWN, rows)
    where = (
        f"this disk and in GEO as of {found.asked} ({found.indexed:,} series)"
        if found.asked
        else "this disk"
    )
    if not rows:
        screen.notify(f"no series fits, on {where}")
        return
    screen.show(f"\n{len(rows):,} of {found.total:,} series that fit, on {where}")
    _show_next(found)


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row that fits on a screen."""
    place = "; ".join(filter(None, (row["platform"], row["on disk"])))
    texts = {name: row[name] for name in ("kind", "species")}
    for long, short in _SHORT:
        texts = {name: text.replace(long, short) for name, text in texts.items()}
    return {**row, **texts, "year": row["date"][:4], _SHOWN[-1]: f"{row['title']} ({place})"}


def _show_next(found: FoundSeries) -> None:
    """Print how the best series is looked at and solved."""
    best = found.matches[0].accession
    here = [folder for folder in found.folders.get(best, ()) if folder.name == best]
    trait = ["--trait", found.trait.replace("_", " ")] if found.trait and not here else []
    commands = [["genotex", "solve", str(here[0]) if here else best, "output", *trait]]
    if not here:
        commands.insert(0, ["genotex", "fetch", "geo", best, "--plan"])
    screen.show("Go on with one, as:")
    for command in commands:
        screen.show(f"  {shlex.join(command)}")
