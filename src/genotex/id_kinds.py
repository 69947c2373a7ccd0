"""Kinds of row and gene ids. To add a kind of database id, add a member and a row of `ID_KINDS`.

The gene table, the detection of row ids, the choice of annotation columns and the check for human
expression data read this registry. Patterns are necessary, never enough: the gene table decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class IdKind(StrEnum):
    """The kind of a set of ids."""

    SYMBOL = "symbol"
    PROBE = "probe"
    ENTREZ = "entrez"
    ENSEMBL = "ensembl"
    REFSEQ = "refseq"
    GENBANK = "genbank"
    UCSC = "ucsc"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class _DatabaseIds:
    """How one kind of database id is recognised and where the gene table has it."""

    shape: re.Pattern[str]
    """What every id of this kind looks like; of numbers, group 1 is the id itself."""
    column_names: tuple[tuple[re.Pattern[str], float], ...] = ()
    """Names of annotation columns with such ids, in plain lower-case letters and digits, and how
    much each suggests them (0 to 1)."""
    preference: float = 0.0
    """Added to a column's score, so that one of two equally good columns is preferred."""
    is_number: bool = False
    """NCBI GeneIDs, which the gene table has by number."""
    xref: re.Pattern[str] | None = None
    """Such ids in ``dbXrefs`` of NCBI's gene_info; the gene table has them in a column named after
    the kind."""
    in_accessions: bool = False
    """Whether the gene table has such ids among its accessions."""
    is_partial: bool = False
    """Whether part of such ids is always missing from the gene table (withdrawn, or an EST)."""
    only_human: str | None = None
    """Pattern, ignoring case, of row ids that occur in human data alone."""
    label: str = ""
    """What messages call them, if not by the kind."""

    @property
    def in_gene_table(self) -> bool:
        """Whether the gene table has ids of this kind at all."""
        return self.is_number or self.xref is not None or self.in_accessions

    @property
    def is_of_genes(self) -> bool:
        """Whether ids name one gene without doubt, so that no platform table is needed."""
        return self.xref is not None


def _shape(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


ID_KINDS: dict[IdKind, _DatabaseIds] = {
    IdKind.ENTREZ: _DatabaseIds(
        shape=_shape(r"(?:GeneID:)?([1-9]\d{0,8})(?:\.0)?$"),
        column_names=(
            (re.compile(r"entrez|locuslink"), 0.95),
            (re.compile(r"^geneid|^llid"), 0.9),
            (re.compile(r"^(orf|gene|spotid)$"), 0.6),
        ),
        preference=0.03,
        is_number=True,
    ),
    IdKind.ENSEMBL: _DatabaseIds(
        shape=_shape(r"ENS[GT]\d{11}(\.\d+)?(_PAR_Y)?$"),
        column_names=((re.compile(r"ensembl|^ensg?$"), 0.9), (re.compile(r"gene|spotid"), 0.5)),
        preference=0.02,
        xref=re.compile(r"ENSG\d+"),
        in_accessions=True,
        only_human=r"ens[gt]r?\d{11}.*",
    ),
    IdKind.REFSEQ: _DatabaseIds(
        shape=_shape(r"[NX][MR]_\d{4,9}(\.\d+)?$"),
        column_names=((re.compile(r"refseq|gblist|gbacc|accession"), 0.9),),
        preference=0.01,
        in_accessions=True,
        is_partial=True,
    ),
    IdKind.UCSC: _DatabaseIds(
        shape=re.compile(r"uc\d{3}[a-z]{3}(\.\d+)?$"), label="UCSC transcript ids"
    ),
    IdKind.GENBANK: _DatabaseIds(
        shape=_shape(r"([A-Z]\d{5}|[A-Z]{2}\d{6}(\d\d)?)(\.\d+)?$"),
        column_names=((re.compile(r"gbacc|genbank|gblist|publicid|accession"), 0.9),),
        in_accessions=True,
        is_partial=True,
    ),
}
"""Every kind of database id, in the order in which they are tried."""


def bare_accession(accession: str) -> str:
    """Return an accession in upper case, without version (``.3``) and ``_PAR_Y``."""
    return accession.strip().upper().removesuffix("_PAR_Y").split(".", 1)[0]
