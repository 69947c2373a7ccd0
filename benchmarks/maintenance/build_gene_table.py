"""Build the packaged gene table from NCBI gene data.

Two sources are understood: an NCBI ``gene_info`` file (plain or gzip) and the SQLite file of the
Bioconductor package ``org.Hs.eg.db`` (in Debian: ``r-bioc-org.hs.eg.db``), which also holds
RefSeq, GenBank and Ensembl transcript accessions.

    python -m benchmarks build_gene_table SOURCE [FOLDER]

FOLDER is ``src/genotex/genes/data`` unless given.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import polars as pl

from genotex.genes.building import read_org_db, write_gene_table
from genotex.genes.sources import ACCESSION_SCHEMA, read_gene_info

FOLDER = Path(__file__).parents[2] / "src" / "genotex" / "genes" / "data"


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


if __name__ == "__main__":
    main()
