"""Gene sets in GMT form: one line per set, its name, a description, its genes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from genotex.errors import FormatError
from genotex.formats import as_utf8, read_bytes

FEWEST_COLUMNS = 3
_HINT = "a line is set name, description, genes, separated by tabs, as in MSigDB's .gmt files"


@dataclass(frozen=True)
class GeneSet:
    """A named set of genes.

    Attributes
    ----------
    name, description : str
        As in the file; the description is often a web address, or empty.
    genes : tuple of str
        Without repetition, in the order of the file.
    """

    name: str
    description: str
    genes: tuple[str, ...]


def read_gmt(path: Path | str) -> tuple[GeneSet, ...]:
    """Read a GMT file, plain or gzip (GSEA documentation, "Data formats", GMT).

    A weight after a comma, as in some Enrichr files, is dropped; a gene listed twice in
    a set counts once; empty lines and empty cells are ignored.

    Returns
    -------
    tuple of GeneSet
        In file order.

    Raises
    ------
    NotDataError
        If the file is a web page, an archive, UTF-16 or not text at all.
    TruncatedFileError
        If it is empty or its gzip data are damaged.
    FormatError
        If it cannot be read, a line has too few columns, or a set has no name or occurs twice;
        names the line.
    """
    path = Path(path)
    text = as_utf8(read_bytes(path, "gene_sets")).decode()
    found: dict[str, tuple[int, GeneSet]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        gene_set = _read_line(line, path, number)
        if gene_set.name in found:
            msg = f"the set {gene_set.name} already occurs in line {found[gene_set.name][0]}"
            hint = "rename or remove one of the two"
            raise FormatError(msg, path=path, line=number, hint=hint)
        found[gene_set.name] = (number, gene_set)
    return tuple(gene_set for _, gene_set in found.values())


def _read_line(line: str, path: Path, number: int) -> GeneSet:
    cells = [cell.strip() for cell in line.split("\t")]
    if len(cells) < FEWEST_COLUMNS:
        msg = f"no line of a GMT file: {len(cells)} of at least {FEWEST_COLUMNS} columns"
        raise FormatError(msg, path=path, line=number, hint=_HINT)
    name, description, *genes = cells
    if not name:
        msg = "the set has no name"
        raise FormatError(msg, path=path, line=number, hint=_HINT)
    symbols = (gene.partition(",")[0].strip() for gene in genes)
    return GeneSet(name, description, tuple(dict.fromkeys(filter(None, symbols))))
