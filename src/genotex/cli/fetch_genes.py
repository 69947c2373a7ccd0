"""`genotex fetch genes`: NCBI's genes as a gene table and as the benchmark's synonyms."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.fetch_screen import progress_of_files, tell_wait

if TYPE_CHECKING:
    from genotex.fetch import Fetched
    from genotex.fetch.gene_info import FetchedGenes

__all__ = ["genes"]


def genes(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="Folder for the files, such as the metadata folder."),
    ],
    genes_address: Annotated[
        str | None,
        typer.Option(
            "--genes-address",
            metavar="ADDRESS",
            help="Base address of NCBI's gene data.",
            show_default="NCBI's",
            rich_help_panel="Addresses",
        ),
    ] = None,
    json: o.Json = False,
) -> None:
    r"""Fetch NCBI's human genes, and make a gene table of them.

    Brings gene_info, the table made of it, and gene_synonym.json. A gene_info
    file that is there is not asked for again; remove it for NCBI's newest.

    Examples:
      genotex fetch genes metadata

      genotex solve input output --trait Asthma \
          --gene-table metadata/gene_table/genes.parquet
    """
    from genotex.fetch import WebClient, base_address, open_fetch_folder
    from genotex.fetch.gene_info import GENE_INFO, NCBI_GENE, fetch_genes

    base = base_address(genes_address or NCBI_GENE)
    with (
        WebClient([base], waiting=tell_wait) as client,
        open_fetch_folder(folder) as place,
        progress_of_files(None, 1) as start,
    ):
        found = fetch_genes(client, place, base, start("file", 1, GENE_INFO))
    if json:
        screen.print_json(_to_json(found))
    else:
        _show(found)


def _show(found: FetchedGenes) -> None:
    source = found.genes.source
    names = found.genes.symbols("benchmark")
    told = [
        (found.gene_info, f"NCBI's of {source.date}" if source.date else "as NCBI has it"),
        (found.synonyms, f"{len(names):,} names in capitals -> official symbols"),
        (found.table[-1], f"{source.genes:,} genes, {source.accessions:,} accessions"),
    ]
    rows = [
        {
            "state": _state(file, "fetched" if file is found.gene_info else "made"),
            "file": str(file.path),
            "MB": f"{file.size / 1e6:,.1f}",
            "what": what,
        }
        for file, what in told
    ]
    screen.table(("state", "file", "MB", "what"), rows, fold=("file", "what"), right=("MB",))
    screen.say(f"\nuse it with --gene-table {found.table[-1].path}")


def _state(file: Fetched, now: str) -> str:
    return now if file.now else "was there"


def _to_json(found: FetchedGenes) -> dict[str, Any]:
    source = found.genes.source
    files = (found.gene_info, found.synonyms, *found.table)
    return {
        "state": _state(found.gene_info, "fetched"),
        "date": source.date or None,
        "genes": source.genes,
        "accessions": source.accessions,
        "names": len(found.genes.symbols("benchmark")),
        "gene_table": str(found.table[-1].path),
        "files": [
            {"path": str(file.path), "size": file.size, "sha256": file.sha256} for file in files
        ],
    }
