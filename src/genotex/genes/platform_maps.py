"""Probe-to-gene maps of common platforms, packaged for series without a platform table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from genotex.formats import Platform
from genotex.genes.identify import sample_evenly
from genotex.outside import packaged, read_json, read_parquet

PACKAGED_MAP = "packaged map of"
"""Beginning of the note on a packaged map that was used."""

_PACKAGED, _FILE = Path(__file__).parent / "data", "platforms.parquet.xz"
_SPECIFIC = re.compile(r"[A-Za-z][A-Za-z_].*\d|\d{3,}\w*_at", re.DOTALL)


@dataclass(frozen=True)
class PlatformMaps:
    """The record of the packaged maps."""

    name: str  # Their source in words
    date: str  # Of the symbols in the source, as far as it is known
    sha256: str  # Of the source file
    licence: str
    symbols: str  # Date of the gene table that brought human symbols up to date
    platforms: dict[str, dict[str, Any]]  # Accession -> species, probes, symbols updated, unknown

    def to_json(self) -> dict[str, Any]:
        """Return the record as it is stored next to the maps."""
        return asdict(self)

    def note(self, accession: str) -> str:
        """Return which map was used and how old it is."""
        found = self.platforms[accession]
        dated = f"; {found['updated']} symbols updated to {self.symbols}" if self.symbols else ""
        return (
            f"{PACKAGED_MAP} {accession}: {found['probes']:,} "
            f"probes with a {found['species']} gene ({self.name}, {self.date}{dated})"
        )


@cache
def packaged_maps() -> PlatformMaps:
    """Return the record of the packaged maps: source, dates, and their platforms."""
    return PlatformMaps(**read_json(_PACKAGED / "platforms.json"))


@cache
def _probes() -> pl.DataFrame:
    return read_parquet(packaged("genotex.genes", f"data/{_FILE}")).cast(pl.String)


def packaged_platform(accession: str | None, ids: Sequence[str] = ()) -> Platform | None:
    """Return the packaged map of a platform as its table of two columns, None where there is none.

    `accession`: GPL accession, in any case. `ids`: its probes, by which it gets the map of other
    platforms whose probes are called the same. Columns ``ID`` and ``Gene Symbol``; the field
    ``packaged`` states source and dates. Probes of several genes or of none are not in it.
    """
    name = (accession or "").strip().upper()
    maps = packaged_maps()
    if name in maps.platforms:
        return _platform(name, [name], _probes(), maps.note(name))
    alike = platforms_with(ids)
    if not (name and alike):
        return None
    # ILMN_1779356, A_23_P26810 and 11715100_at are one sequence on all arrays of their makers.
    species = maps.platforms[alike[0]]["species"]
    names = [each for each, facts in maps.platforms.items() if facts["species"] == species]
    probes = _probes().filter(pl.col("probe_id").is_in(set(ids)))
    found = _platform(name, names, probes, "")
    share = found.table.height / len(set(ids))
    note = f"{share:.0%} of its row ids are probes of {', '.join(alike)} ({maps.name})"
    return replace(found, fields={**found.fields, "packaged": (f"{PACKAGED_MAP} {name}: {note}",)})


def _platform(accession: str, names: Sequence[str], probes: pl.DataFrame, note: str) -> Platform:
    """Return the map of probes that are on some of the platforms and have one gene there."""
    combinations = probes["platforms"].unique().to_list()
    having = [each for each in combinations if not set(names).isdisjoint(each.split())]
    rows = probes.filter(pl.col("platforms").is_in(having)).unique(
        "probe_id", keep="none", maintain_order=True
    )
    table = rows.select(pl.col("probe_id").alias("ID"), pl.col("symbol").alias("Gene Symbol"))
    fields = {"packaged": (note,), "organism": (packaged_maps().platforms[names[0]]["species"],)}
    return Platform(_PACKAGED / _FILE, accession, fields, table)


def platforms_with(ids: Sequence[str], least: float = 0.4) -> list[str]:
    """Return the packaged platforms that hold most of the probe ids, the best first.

    `ids`: Row ids; plain numbers mean other genes on every platform and give none. `least`: Share
    of the ids that a platform must hold.
    """
    some = [i.strip() for i in sample_evenly(list(ids), 2000)]
    if not some or sum(_SPECIFIC.match(i) is not None for i in some) < 0.5 * len(some):
        return []
    held = _probes().filter(pl.col("probe_id").is_in(set(some)))["platforms"].str.split(" ")
    counts = Counter(held.explode().to_list())
    return [name for name, count in counts.most_common() if count >= least * len(set(some))]
