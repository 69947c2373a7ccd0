"""What expression of a series can be taken from, on the screen; accessions in place of folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from genotex.cli import screen
from genotex.layout import SERIES_ACCESSION

if TYPE_CHECKING:
    from genotex.fetch import GeoRequest, GeoSource, SeriesPlan


def source_of_accession(source: Path) -> tuple[Path, tuple[str, ...]]:
    """Return the input folder, and the series where an accession is in its place."""
    if source.exists() or not SERIES_ACCESSION.fullmatch(str(source)):
        return source, ()
    return Path("input"), (str(source).upper(),)


def show_sources(source: GeoSource, requests: Sequence[GeoRequest], *, json: bool) -> None:
    """Show what expression of each series can be taken from, and exit."""
    from genotex.fetch import plan_values

    plans = []
    with screen.progress("looking at files") as step:
        for request in requests:
            for plan in plan_values(source, request):
                step(plan.accession, None)
                plans.append(plan)
    if json:
        screen.print_json([plan.values_json() for plan in plans])
    else:
        columns = ["series", "kind", "holds", "files", "size", "verdict"]
        screen.table(columns, [row for plan in plans for row in _source_rows(plan)])
    usable = any(plan.best is not None for plan in plans)
    raise typer.Exit(screen.DONE if usable else screen.NOTHING_USABLE)


def _source_rows(plan: SeriesPlan) -> list[dict[str, Any]]:
    from genotex.fetch.geo_files import megabytes

    return [
        {
            "series": plan.accession,
            "kind": each.kind,
            "holds": each.holds,
            "files": each.label,
            "size": megabytes(each.size) if each.size else None,
            "verdict": plan.verdict(each),
        }
        for each in plan.sources
    ]
