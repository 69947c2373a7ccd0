"""Build the packaged gene table from NCBI gene data.

Two sources are understood: an NCBI ``gene_info`` file (plain or gzip) and the SQLite file of the
Bioconductor package ``org.Hs.eg.db`` (in Debian: ``r-bioc-org.hs.eg.db``), which also holds
RefSeq, GenBank and Ensembl transcript accessions.

    python -m benchmarks build_gene_table SOURCE [FOLDER]

FOLDER is ``src/genotex/genes/data`` unless given.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
from collections import defaultdict
from contextlib import closing
from datetime import datetime
from pathlib import Path

import polars as pl

from genotex.formats import sha256
from genotex.genes import GENE_SCHEMA, GeneSource
from genotex.genes.sources import ACCESSION_SCHEMA, read_gene_info
from genotex.genes.table import write_gene_table

FOLDER = Path(__file__).parents[2] / "src" / "genotex" / "genes" / "data"


_TRANSCRIPTS = re.compile(r"(NM_|NR_|XM_|XR_|ENST)(\d+)$")
_NUCLEOTIDES = re.compile(r"(?![OPQ]\d)([A-Z]{1,2})(\d{5,8})$")  # O, P, Q + 5: UniProt


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


def main() -> None:
    """Build the table from the source named on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    arguments = parser.parse_args()
    path, folder = arguments.source, arguments.folder
    if path.suffix == ".sqlite":
        genes, accessions, source = read_org_db(path)
    else:
        genes, source = read_gene_info(path)
        accessions = pl.DataFrame(schema=ACCESSION_SCHEMA)
    write_gene_table(folder, genes, accessions, source)
    size = sum((folder / name).stat().st_size for name in ("genes.parquet", "accessions.parquet"))
    print(f"{source.genes} genes, {source.accessions} accessions, {source.date}: {size} bytes")
