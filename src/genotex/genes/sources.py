"""Sources of a gene table: NCBI gene_info, a synonym JSON, the packaged files."""

from __future__ import annotations

import io
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl

from genotex.errors import FileLimitError, FormatError
from genotex.formats import decode, read_bytes, sha256
from genotex.id_kinds import ID_KINDS
from genotex.outside import Gauge, Packing, parse_json, read_json, read_parquet, unpack, unreadable

GENE_SCHEMA = {
    "gene_id": pl.Int64,
    "symbol": pl.String,
    "synonyms": pl.String,
    "ensembl": pl.String,
    "type": pl.String,
}
"""Columns that every gene table has; rows in NCBI's order, several synonyms or ids joined by ``|``.

A table from gene_info has one more for every further kind of id with an `DatabaseIds.xref`.
"""

ACCESSION_SCHEMA = {"prefix": pl.String, "width": pl.Int64, "number": pl.Int64, "row": pl.Int64}
"""Accession ``prefix`` + ``number`` (zero-padded to ``width``) belongs to the gene in ``row``."""

_HUMAN = "9606"
_USED = ("#tax_id", "GeneID", "Symbol", "Synonyms", "dbXrefs", "type_of_gene", "Modification_date")


@dataclass(frozen=True)
class GeneSource:
    """Where a gene table comes from."""

    name: str  # the source in words
    date: str  # date of the data (not of the build), empty if the source does not state it
    sha256: str  # checksum of the source file
    genes: int  # number of genes
    accessions: int = 0

    def to_json(self) -> str:
        """Return the record as the JSON text stored with the packaged table."""
        return json.dumps(asdict(self), indent=2) + "\n"


def holds_json(path: Path) -> bool:
    """Return whether a file (gzip or plain) holds a JSON object or array."""
    try:
        with path.open("rb") as handle:
            gauge = Gauge(os.fstat(handle.fileno()).st_size, path)
            first = next(unpack(handle, path, gauge, (Packing.GZIP,)), b"")
    except OSError as error:
        raise unreadable(path, error) from error
    return first.lstrip()[:1] in (b"{", b"[")


def read_gene_info(path: Path) -> tuple[pl.DataFrame, GeneSource]:
    """Read an NCBI ``gene_info`` file (gzip or plain).

    `path`: ``Homo_sapiens.gene_info`` or any gene_info file with human rows. Returns human genes in
    file order, columns of `GENE_SCHEMA`; name, newest modification date, checksum, number of genes.
    """
    data = read_bytes(path)
    names = data.split(b"\n", 1)[0].decode("utf-8", "replace").strip().split("\t")
    lacking = [name for name in _USED if name not in names]
    if lacking:
        msg = f"not a gene_info table: the first line lacks {', '.join(lacking)}"
        raise FormatError(msg, path=path, line=1, hint="give NCBI's Homo_sapiens.gene_info(.gz)")
    try:
        table = pl.read_csv(
            io.BytesIO(data),
            separator="\t",
            quote_char=None,
            infer_schema=False,
            columns=list(_USED),
            encoding="utf8-lossy",
            truncate_ragged_lines=True,
        )
    except pl.exceptions.PolarsError as error:
        msg = f"the table cannot be read: {str(error).splitlines()[0]}"
        raise FormatError(msg, path=path, hint="download it again") from error
    human = table.filter(pl.col("#tax_id").is_in([_HUMAN, *_ARCHAIC]))
    if human.is_empty():
        msg = "no human gene in the table"
        raise FormatError(msg, path=path, field="#tax_id", hint="give Homo_sapiens.gene_info")
    xrefs = {str(kind): ids.xref for kind, ids in ID_KINDS.items() if ids.xref is not None}
    found = pl.col("dbXrefs").str
    genes = human.select(
        pl.col("GeneID").cast(pl.Int64, strict=False).alias("gene_id"),
        pl.col("Symbol").alias("symbol"),
        pl.when(pl.col("Synonyms") == "-").then(pl.lit("")).otherwise("Synonyms").alias("synonyms"),
        *(found.extract_all(xref.pattern).list.join("|").alias(n) for n, xref in xrefs.items()),
        pl.col("type_of_gene").alias("type"),
    ).drop_nulls(["gene_id", "symbol"])
    newest = str(human["Modification_date"].max() or "")
    date = f"{newest[:4]}-{newest[4:6]}-{newest[6:8]}" if len(newest) == 8 else ""
    source = GeneSource(f"NCBI gene_info ({path.name})", date, sha256(path), genes.height)
    return genes.with_columns(pl.col("synonyms", *xrefs, "type").fill_null("")), source


_ARCHAIC = ("63221", "741158")
"""Neanderthal and Denisovan mitochondrial genes, which NCBI keeps in the human file."""


def read_synonym_json(path: Path) -> tuple[dict[str, str], GeneSource]:
    """Read the benchmark's ``gene_synonym.json``: alias to official symbol."""
    hint = "give the benchmark's gene_synonym.json"
    text = decode(read_bytes(path, "document"))
    found = parse_json(text, path, hint, words="not JSON")
    if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
        msg = "not an object of alias: symbol"
        raise FormatError(msg, path=path, hint=hint)
    source = GeneSource(f"synonyms ({path.name})", "", sha256(path), len(set(found.values())))
    return found, source


def read_packaged_genes(folder: Path) -> tuple[pl.DataFrame, GeneSource]:
    """Read genes in the packaged form and the record of their source."""
    try:
        record = read_json(folder / "genes.json")
        genes = read_parquet(folder / "genes.parquet")
        return genes.cast(GENE_SCHEMA), GeneSource(**record)  # type: ignore[arg-type]
    except FileLimitError:
        raise
    except (FormatError, TypeError, pl.exceptions.PolarsError) as error:
        msg = f"no gene table: {(str(error).splitlines() or [type(error).__name__])[0]}"
        hint = "make it with 'genotex fetch genes'"
        raise FormatError(msg, path=folder / "genes.parquet", hint=hint) from error
