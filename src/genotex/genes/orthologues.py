"""Genes of another species by their human orthologues, from a table that the user gives."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from genotex.errors import FormatError
from genotex.formats import ExpressionMatrix, read_table_file, sha256
from genotex.genes.table import GeneTable
from genotex.procedure import Procedure

_FEWEST = 10


@dataclass(frozen=True, eq=False)
class Orthologues:
    """One-to-one pairs of genes."""

    human: dict[str, str]
    """Upper-case symbol of the other species -> official human symbol."""
    source: str
    """Name and checksum of the file."""

    def apply(self, matrix: ExpressionMatrix) -> tuple[ExpressionMatrix, str]:
        """Return the genes with an orthologue by its symbol, and a note with the counts."""
        found = [self.human.get(gene.upper()) for gene in matrix.ids]
        counts = Counter(name for name in found if name)
        rows = [i for i, name in enumerate(found) if name and counts[name] == 1]
        order = sorted(rows, key=lambda i: found[i] or "")
        note = (
            f"{len(rows):,} of {len(matrix.ids):,} genes have one human orthologue and take its "
            f"symbol; the others are left out ({self.source})"
        )
        names = tuple(found[i] or "" for i in order)
        values = np.ascontiguousarray(matrix.values[order])
        return ExpressionMatrix(names, matrix.samples, values), note


def read_orthologues(path: Path, table: GeneTable) -> Orthologues:
    """Read a table whose first two columns are a gene of the species and its human orthologue.

    Genes with several orthologues on either side are left out. Raises FormatError if hardly any
    of the second column is a human gene.
    """
    frame = read_table_file(path, numbers=False).columns
    if frame.width < 2:
        msg = "has no two columns: gene of the species, human gene"
        raise FormatError(msg, path=path)
    pairs = {
        (a.strip().upper(), human)
        for a, b in frame.select(frame.columns[:2]).iter_rows()
        if a and b and (human := table.official_symbol(str(b), Procedure.SOUND))
    }
    if len(pairs) < _FEWEST:
        msg = "hardly any of its second column is a human gene"
        hint = "give gene of the species and human symbol, in this order, with a header line"
        raise FormatError(msg, path=path, hint=hint)
    ours, theirs = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    kept = {a: b for a, b in pairs if ours[a] == theirs[b] == 1}
    return Orthologues(kept, f"{path.name}, {len(kept):,} pairs, SHA-256 {sha256(path)[:12]}")
