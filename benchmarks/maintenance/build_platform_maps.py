"""Build the packaged maps from probes to genes, with human symbols of the packaged gene table.

    python -m benchmarks build_platform_maps SOURCE [FOLDER]

SOURCE is a Parquet file with the columns gpl, probe_id and symbol, such as the collection that
the idmap1 project made of Bioconductor's annotation packages (Artistic-2.0). FOLDER is
``src/genotex/genes/data`` unless given; it gets ``platforms.parquet.xz`` and ``platforms.json``.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.maintenance.build_gene_ontology import write_packed
from genotex.formats import sha256
from genotex.formats.json_files import write_json
from genotex.genes import GeneTable, PlatformMaps, official_symbols
from genotex.procedure import Procedure

FOLDER = Path(__file__).parents[2] / "src" / "genotex" / "genes" / "data"
NAME = "Bioconductor annotation packages, collected by idmap1"
DATE = "about 2019"
"""98 % of the symbols are official in NCBI's table of January 2020, 96 % in that of 2022."""
MOUSE = ("GPL81", "GPL82", "GPL83", "GPL339", "GPL340", "GPL1261", "GPL6246", "GPL6885", "GPL8321")
RAT = ("GPL85", "GPL86", "GPL87", "GPL89", "GPL1355")


def species_of(accession: str) -> str:
    """Return the species of a platform of the collection."""
    return "mouse" if accession in MOUSE else "rat" if accession in RAT else "human"


def up_to_date(symbols: list[str], table: GeneTable) -> tuple[dict[str, str], set[str]]:
    """Return today's symbol of those that were renamed, and the symbols that the table lacks."""
    official = official_symbols(symbols, table, Procedure.SOUND).symbols
    pairs = list(zip(symbols, official, strict=True))
    known = table.symbols(Procedure.SOUND)
    return (
        {old: new for old, new in pairs if new and new != old},
        {old for old in symbols if old.upper() not in known},
    )


def build(source: Path, table: GeneTable) -> tuple[pl.DataFrame, PlatformMaps]:
    """Return the maps and their record."""
    probes = pl.read_parquet(source).with_columns(pl.col("gpl").cast(pl.String))
    platforms: dict[str, dict[str, Any]] = {}
    parts = []
    for accession in sorted(probes["gpl"].unique().to_list(), key=lambda name: int(name[3:])):
        rows = probes.filter(pl.col("gpl") == accession).sort("probe_id")
        species = species_of(accession)
        new, unknown = ({}, set[str]())
        if species == "human":
            new, unknown = up_to_date(rows["symbol"].unique().to_list(), table)
        platforms[accession] = {
            "species": species,
            "probes": rows.height,
            "updated": len(new),
            "unknown": len(unknown),
        }
        parts.append(rows.with_columns(pl.col("symbol").replace(new)))
    record = PlatformMaps(NAME, DATE, sha256(source), "Artistic-2.0", table.source.date, platforms)
    # Platforms share most of their probes, and each pair of probe and gene is stored once.
    pairs = (
        pl.concat(parts)
        .group_by("probe_id", "symbol", maintain_order=True)
        .agg(pl.col("gpl").str.join(" ").alias("platforms"))
        .sort("platforms", "probe_id", "symbol")
    )
    return pairs, record


def main() -> None:
    """Build the maps from the source named on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    arguments = parser.parse_args()
    probes, record = build(arguments.source, GeneTable.load())
    small = probes.with_columns(pl.col("platforms", "symbol").cast(pl.Categorical))
    size = write_packed(arguments.folder / "platforms.parquet.xz", small)
    write_json(arguments.folder / "platforms.json", record.to_json())
    print(f"{len(record.platforms)} platforms, {probes.height} probes with a gene: {size} bytes")
