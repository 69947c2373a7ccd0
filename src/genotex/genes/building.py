"""Construction of a gene table in the packaged form from NCBI's gene data."""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from genotex.formats import sha256
from genotex.genes.sources import ACCESSION_SCHEMA, GENE_SCHEMA, GeneSource, read_gene_info
from genotex.genes.table import GeneTable
from genotex.io import atomic_write

_TRANSCRIPTS = re.compile(r"(NM_|NR_|XM_|XR_|ENST)(\d+)$")
_NUCLEOTIDES = re.compile(r"(?![OPQ]\d)([A-Z]{1,2})(\d{5,8})$")  # O, P, Q + 5: UniProt


def build_gene_table(gene_info: Path, folder: Path, accessions_of: GeneTable) -> GeneTable:
    """Build a table from a gene_info file, which has no accessions, and another table's accessions.

    `gene_info`: NCBI's ``Homo_sapiens.gene_info``, gzip or plain. `folder`: Output folder of the
    table's three files; `GeneTable.load` takes its ``genes.parquet``. `accessions_of`: Its RefSeq,
    GenBank and Ensembl transcript accessions are kept for every gene whose GeneID still exists.
    """
    genes, source = read_gene_info(gene_info)
    accessions = _carried_over(accessions_of, genes)
    name = f"{source.name}, with the accessions of {accessions_of.source.date}"
    write_gene_table(
        folder, genes, accessions, replace(source, name=name, accessions=accessions.height)
    )
    return GeneTable.load(folder / "genes.parquet")


def _carried_over(known: GeneTable, genes: pl.DataFrame) -> pl.DataFrame:
    rows = known.accessions
    if rows is None:
        return pl.DataFrame(schema=ACCESSION_SCHEMA)
    old = known.genes.select("gene_id").with_row_index("row")
    new = genes.select("gene_id").with_row_index("new_row")
    moved = old.join(new, on="gene_id").select("row", pl.col("new_row").cast(pl.Int64))
    kept = rows.join(moved, on="row").select("prefix", "width", "number", row="new_row")
    return kept.sort("prefix", "width", "number", "row")


def write_gene_table(
    folder: Path, genes: pl.DataFrame, accessions: pl.DataFrame, source: GeneSource
) -> None:
    """Write the three files of a table."""
    options: dict[str, Any] = {
        "compression": "zstd",
        "compression_level": 22,
        "statistics": False,
    }
    # Accessions point to rows of the genes, so the two files must never mismatch: the genes are
    # removed first and written last.
    (folder / "genes.parquet").unlink(missing_ok=True)
    # Numbers are stored as differences, which compress five times better.
    steps = accessions.select(
        pl.col("prefix").cast(pl.Categorical),
        pl.col("width").cast(pl.UInt8),
        pl.col("number").diff().fill_null(pl.col("number").first()).cast(pl.Int64).alias("step"),
        pl.col("row").cast(pl.Int32),
    )
    with atomic_write(folder / "accessions.parquet") as part, part.open("wb") as handle:
        steps.write_parquet(handle, **options)
    with atomic_write(folder / "genes.json") as part:
        part.write_text(source.to_json(), encoding="utf-8")
    small = genes.with_columns(
        pl.col("gene_id").cast(pl.Int32), pl.col("type").cast(pl.Categorical)
    )
    with atomic_write(folder / "genes.parquet") as part, part.open("wb") as handle:
        small.write_parquet(handle, **options)


def read_org_db(path: Path) -> tuple[pl.DataFrame, pl.DataFrame, GeneSource]:
    """Read the SQLite file of Bioconductor's ``org.Hs.eg.db``."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        meta = dict(db.execute("SELECT name, value FROM metadata"))
        gene = {key: int(gene_id) for key, gene_id in db.execute("SELECT _id, gene_id FROM genes")}
        symbol = dict(db.execute("SELECT _id, symbol FROM gene_info"))
        kind = dict(db.execute("SELECT _id, gene_type FROM genetype"))
        synonyms = _collect(db.execute("SELECT _id, alias_symbol FROM alias"))
        ensembl = _collect(db.execute("SELECT _id, ensembl_id FROM ensembl"))
        pairs = {
            (accession.split(".")[0], key)
            for query in (
                "SELECT _id, accession FROM accessions",
                "SELECT _id, trans_id FROM ensembl_trans",
                "SELECT _id, ucsc_id FROM ucsc WHERE ucsc_id LIKE 'ENST%'",
            )
            for key, accession in db.execute(query)
        }
    order = sorted(gene, key=lambda key: gene[key])
    rows = [
        (
            gene[key],
            symbol[key],
            "|".join(s for s in synonyms[key] if s != symbol[key]),
            "|".join(sorted(ensembl[key])),
            kind.get(key, ""),
        )
        for key in order
    ]
    genes = pl.DataFrame(rows, schema=GENE_SCHEMA, orient="row")
    accessions = _accessions(pairs, {key: row for row, key in enumerate(order)})
    date = datetime.strptime(meta["EGSOURCEDATE"], "%Y-%b%d").date().isoformat()
    name = "NCBI Gene by way of org.Hs.eg.db (Bioconductor; Debian r-bioc-org.hs.eg.db)"
    return genes, accessions, GeneSource(name, date, sha256(path), len(rows), accessions.height)


def _collect(rows: sqlite3.Cursor) -> defaultdict[int, list[str]]:
    found: defaultdict[int, list[str]] = defaultdict(list)
    for key, value in rows:
        found[key].append(value)
    return found


def _accessions(pairs: set[tuple[str, int]], row: dict[int, int]) -> pl.DataFrame:
    found = []
    for accession, key in pairs:
        match = _TRANSCRIPTS.match(accession) or _NUCLEOTIDES.match(accession)
        if match:
            found.append((match[1], len(match[2]), int(match[2]), row[key]))
    return pl.DataFrame(sorted(found), schema=ACCESSION_SCHEMA, orient="row")
