"""The kinds of row and gene ids, and what each looks like."""

from __future__ import annotations

import re
from enum import StrEnum

__all__ = ["SHAPES", "IdKind", "bare_accession"]


class IdKind(StrEnum):
    """What a set of ids is."""

    SYMBOL = "symbol"
    PROBE = "probe"
    ENTREZ = "entrez"
    ENSEMBL = "ensembl"
    REFSEQ = "refseq"
    GENBANK = "genbank"
    UCSC = "ucsc"
    UNKNOWN = "unknown"


SHAPES = {
    IdKind.ENSEMBL: re.compile(r"ENS[GT]\d{11}(\.\d+)?(_PAR_Y)?$", re.IGNORECASE),
    IdKind.REFSEQ: re.compile(r"[NX][MR]_\d{4,9}(\.\d+)?$", re.IGNORECASE),
    IdKind.UCSC: re.compile(r"uc\d{3}[a-z]{3}(\.\d+)?$"),
    IdKind.GENBANK: re.compile(r"([A-Z]\d{5}|[A-Z]{2}\d{6}(\d\d)?)(\.\d+)?$", re.IGNORECASE),
    IdKind.ENTREZ: re.compile(r"(?:GeneID:)?([1-9]\d{0,8})(?:\.0)?$", re.IGNORECASE),
}
"""The shape of every kind that has one. A shape is necessary, never enough: the table decides."""


def bare_accession(accession: str) -> str:
    """Return an accession in upper case, without version (``.3``) and ``_PAR_Y``."""
    return accession.strip().upper().removesuffix("_PAR_Y").split(".", 1)[0]
