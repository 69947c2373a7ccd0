"""RNA-seq counts that NCBI computes for human and mouse series of GEO, and their annotation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from genotex.errors import FormatError
from genotex.formats.tables import first_repeated, read_number_table, read_text_table, unquote
from genotex.outside import FETCH_AGAIN

_GENOMES = {"Homo sapiens": "Human.GRCh38.p13", "Mus musculus": "Mouse.GRCm39"}
"""Species whose reads NCBI counts, and its name of the genome."""
GENE_ID = "GeneID"
SYMBOL = "Symbol"
MOST = 2.0**53
"""Above this, floats cannot represent every whole number."""
_NOT_NORMALISED = (
    "take the raw counts, GSE..._raw_counts_..._NCBI.tsv.gz, not those normalised as FPKM or TPM; "
    "or fetch the file again"
)


def ncbi_count_files(organisms: Collection[str], series: str = "GSE...") -> tuple[str, ...]:
    """Return how NCBI names the counts of a series and their annotation; none of other species.

    A series of several species has the counts of the human samples.
    """
    genome = next((g for species, g in _GENOMES.items() if species in organisms), "")
    counts = f"{series}_raw_counts_{genome.partition('.')[2]}_NCBI.tsv.gz"
    return (counts, f"{genome}.annot.tsv.gz") if genome else ()


@dataclass(frozen=True, eq=False)
class CountMatrix:
    """Number of reads of each sample that map to each gene."""

    path: Path
    """The file it was read from."""
    genes: tuple[str, ...]
    """NCBI GeneIDs, all different."""
    samples: tuple[str, ...]
    """GSM accessions, all different."""
    counts: NDArray[np.float64]
    """Shape (len(genes). Whole numbers, 0 or more."""


@dataclass(frozen=True, eq=False)
class GeneAnnotation:
    """The symbols of the genes that NCBI counted."""

    path: Path
    """The file it was read from."""
    symbols: Mapping[str, str]
    """NCBI GeneID -> symbol when the annotation was made."""
    notes: tuple[str, ...] = ()
    """What was odd."""


def read_raw_counts(path: Path | str) -> CountMatrix:
    """Read ``GSE..._raw_counts_..._NCBI.tsv.gz``, gzip or plain.

    `path`: Genes x samples, tab-separated, first column ``GeneID``, then one column for each GSM
    accession.
    """
    path = Path(path)
    names, ids, counts, notes = read_number_table(path)
    if names[0].lower() != GENE_ID.lower():
        msg = f"not an NCBI count matrix: the first column is {names[0][:40]!r}, not {GENE_ID}"
        raise FormatError(msg, path=path, line=1, hint=FETCH_AGAIN)
    samples = tuple(names[1:])
    if "" in samples:
        msg = f"column {names.index('', 1) + 1} has no sample id"
        raise FormatError(msg, path=path, line=1, hint=FETCH_AGAIN)
    genes = tuple(cell.strip() for cell in ids)
    _refuse_repeated("sample", samples, path)
    _check_gene_ids(genes, path)
    if notes:
        msg = f"counts are whole numbers without a gap, but {'; '.join(notes)}"
        raise FormatError(msg, path=path, hint=FETCH_AGAIN)
    _check_counts(genes, samples, counts, path)
    return CountMatrix(path, genes, samples, counts)


def _check_gene_ids(genes: Sequence[str], path: Path) -> None:
    if not genes:
        msg = "the count matrix has no genes"
        raise FormatError(msg, path=path, hint=FETCH_AGAIN)
    wrong = next((gene for gene in genes if not (gene.isascii() and gene.isdigit())), None)
    if wrong is not None:
        msg = f"row {wrong[:40]!r} is not an NCBI GeneID, which is a number"
        raise FormatError(msg, path=path, hint="give the count matrix that NCBI computed")
    _refuse_repeated("GeneID", genes, path)


def _refuse_repeated(what: str, names: Sequence[str], path: Path) -> None:
    if (repeated := first_repeated(names)) is not None:
        msg = f"{what} {repeated[:40]} occurs twice"
        raise FormatError(msg, path=path, hint=FETCH_AGAIN)


def _check_counts(
    genes: Sequence[str], samples: Sequence[str], counts: NDArray[np.float64], path: Path
) -> None:
    for wrong, what in (
        (np.isnan(counts), "is missing"),
        (counts < 0, "is negative"),
        (counts != np.floor(counts), "is not a whole number"),
        (counts > MOST, "is too large"),
    ):
        if wrong.any():
            row, column = (int(place[0]) for place in np.nonzero(wrong))
            cell = counts[row, column]
            value = "" if np.isnan(cell) else f" {cell:g}"
            number = int(wrong.sum())
            more = f" (and {number - 1} more)" if number > 1 else ""
            msg = f"the count{value} of GeneID {genes[row]} in {samples[column]} {what}{more}"
            raise FormatError(msg, path=path, hint=_NOT_NORMALISED)


def read_count_annotation(path: Path | str) -> GeneAnnotation:
    """Read ``Human.GRCh38.p13.annot.tsv.gz`` or that of the mouse, gzip or plain.

    A GeneID listed with two different symbols gets none and is counted in the notes.

    `path`: Tab-separated with the columns ``GeneID`` and ``Symbol``; others are not used.
    """
    path = Path(path)
    frame = read_text_table(path)
    columns = {name.strip().lower(): name for name in reversed(frame.columns)}
    missing = [name for name in (GENE_ID, SYMBOL) if name.lower() not in columns]
    if missing:
        msg = f"not an annotation of NCBI's counts: column {missing[0]} is missing"
        raise FormatError(msg, path=path, line=1, hint=FETCH_AGAIN)
    ids, symbols = (
        [unquote(cell or "").strip() for cell in frame[columns[name.lower()]].to_list()]
        for name in (GENE_ID, SYMBOL)
    )
    found: dict[str, str] = {}
    two_symbols = set()
    for gene, symbol in zip(ids, symbols, strict=True):
        if gene and symbol and found.setdefault(gene, symbol) != symbol:
            two_symbols.add(gene)
    unique = {gene: symbol for gene, symbol in found.items() if gene not in two_symbols}
    notes = [f"{len(two_symbols)} GeneIDs have two symbols in {path.name}"] if two_symbols else []
    return GeneAnnotation(path, unique, tuple(notes))
