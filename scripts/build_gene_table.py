"""Build the packaged gene table from NCBI gene data.

Two sources are understood: an NCBI ``gene_info`` file (plain or gzip) and the SQLite file of the
Bioconductor package ``org.Hs.eg.db`` (in Debian: ``r-bioc-org.hs.eg.db``), which also holds
RefSeq, GenBank and Ensembl transcript accessions.

    python scripts/build_gene_table.py SOURCE [FOLDER]

FOLDER is ``src/genotex/genes/data`` unless given.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

from genotex.genes.building import read_org_db, write_gene_table
from genotex.genes.sources import ACCESSION_SCHEMA, read_gene_info

FOLDER = Path(__file__).parents[1] / "src" / "genotex" / "genes" / "data"


def main(arguments: list[str]) -> int:
    """Build the table from the source named on the command line."""
    if not 1 <= len(arguments) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    path, folder = Path(arguments[0]), Path(arguments[1]) if arguments[1:] else FOLDER
    if path.suffix == ".sqlite":
        genes, accessions, source = read_org_db(path)
    else:
        genes, source = read_gene_info(path)
        accessions = pl.DataFrame(schema=ACCESSION_SCHEMA)
    write_gene_table(folder, genes, accessions, source)
    size = sum((folder / name).stat().st_size for name in ("genes.parquet", "accessions.parquet"))
    print(f"{source.genes} genes, {source.accessions} accessions, {source.date}: {size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
