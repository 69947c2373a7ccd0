"""NCBI's genes: the gene_info file, the gene table made of it, and the benchmark's synonyms."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from genotex.errors import FormatError, GenotexError, UsageError, WrongContentError
from genotex.fetch.contents import wrong
from genotex.fetch.download import Progress, Wanted
from genotex.fetch.folder import Fetched, FetchFolder
from genotex.fetch.web import WebClient
from genotex.formats import sha256
from genotex.genes import GeneTable
from genotex.genes.table import build_gene_table

NCBI_GENE = "https://ftp.ncbi.nlm.nih.gov/gene/DATA/"
"""Base address of NCBI's gene data."""

MOST_MISSING = 0.1
"""Share of the packaged table's protein-coding genes that a whole file may lack."""

GENE_INFO = "Homo_sapiens.gene_info.gz"
_SYNONYMS = "gene_synonym.json"
_TABLE = "gene_table"
_MAKING = "genes"
"""Name of what is made of the file, in the journal."""
_TABLE_FILES = tuple(
    f"{_TABLE}/{name}" for name in ("accessions.parquet", "genes.json", "genes.parquet")
)


@dataclass(frozen=True)
class FetchedGenes:
    """NCBI's genes in a folder."""

    gene_info: Fetched  # the file as NCBI has it
    # ``gene_synonym.json``: alias in capitals -> official symbol, as the benchmark has it.
    synonyms: Fetched
    # The files of the gene table, with ``genes.parquet`` last, which `GeneTable.load` takes.
    table: tuple[Fetched, ...]
    genes: GeneTable  # the table


def fetch_genes(
    client: WebClient,
    folder: FetchFolder,
    base: str = NCBI_GENE,
    progress: Progress = lambda done, total: None,
) -> FetchedGenes:
    """Fetch NCBI's human genes, and make the gene table and the synonyms of them."""
    # A gene_info file in the folder is not fetched again. RefSeq, GenBank and Ensembl
    # transcript accessions, which it lacks, are those of the packaged table.
    _refuse_files_of_others(folder)
    wanted = Wanted(f"{base}GENE_INFO/Mammalia/{GENE_INFO}", GENE_INFO)
    gene_info = folder.fetch(client, wanted, progress)
    if (made := _made_before(folder, gene_info)) is not None:
        return made
    folder.note("begun", _MAKING)
    making = folder.root / f".{_TABLE}.part"
    try:
        _make_table(gene_info, making, wanted, whole=base == NCBI_GENE)
        # What was made of an earlier file stays until this one is known to be whole.
        folder.place(_TABLE).mkdir(exist_ok=True)
        for path in _TABLE_FILES:
            target = folder.place(path)
            (making / target.name).replace(target)
    except GenotexError:
        if gene_info.now:
            gene_info.path.unlink()
        folder.note("failed", _MAKING)
        raise
    finally:
        shutil.rmtree(making, ignore_errors=True)
    genes = GeneTable.load(target)
    genes.to_synonym_json(folder.place(_SYNONYMS))
    synonyms, *table = (folder.made(path, wanted.address) for path in (_SYNONYMS, *_TABLE_FILES))
    folder.note("finished", _MAKING)
    return FetchedGenes(gene_info, synonyms, tuple(table), genes)


def _make_table(gene_info: Fetched, place: Path, wanted: Wanted, *, whole: bool) -> None:
    """Make the gene table in a folder; refuse a file that is no table of genes, or not whole."""
    # A killed run may have left some of it.
    shutil.rmtree(place, ignore_errors=True)
    try:
        genes = build_gene_table(gene_info.path, place, GeneTable.load())
    except FormatError as error:
        if not gene_info.now:
            raise
        raise wrong(error.message, wanted.address) from error
    if whole and (missing := _share_missing(genes)) > MOST_MISSING:
        message = f"{missing:.0%} of the packaged table's protein-coding genes are not in it"
        hint = "it may be cut short; remove it where it is kept, and fetch it again later"
        raise WrongContentError(message, address=wanted.address, hint=hint)


def _share_missing(genes: GeneTable) -> float:
    """Return the share of the packaged table's protein-coding genes that a table lacks."""
    coding = GeneTable.load().genes.filter(pl.col("type") == "protein-coding")["symbol"]
    there = coding.is_in(genes.genes["symbol"].to_list())
    return 1.0 - int(there.sum()) / len(coding)


def _refuse_files_of_others(folder: FetchFolder) -> None:
    last = folder.last_note(_MAKING)
    if last is not None and last["step"] == "begun":
        return  # A run was killed while it wrote them.
    for path in (_SYNONYMS, *_TABLE_FILES):
        place, done = folder.place(path), folder.last(path, "done")
        if place.exists() and (done is None or done["sha256"] != sha256(place)):
            msg = f"{place} was not made here and is not replaced; move it, or name another folder"
            raise UsageError(msg)


def _made_before(folder: FetchFolder, gene_info: Fetched) -> FetchedGenes | None:
    """Return what an earlier run made of the same file, None where it is not all there."""
    # Writing the table again, even with the same bytes, would cause every cohort to be redone.
    there = [
        file for path in (_SYNONYMS, *_TABLE_FILES) if (file := folder.known(path)) is not None
    ]
    if len(there) <= len(_TABLE_FILES):
        return None
    synonyms, *table = there
    genes = GeneTable.load(table[-1].path)
    if genes.source.sha256 != gene_info.sha256:
        return None
    return FetchedGenes(gene_info, synonyms, tuple(table), genes)
