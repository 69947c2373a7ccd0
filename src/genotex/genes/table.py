"""The gene table: official human symbols, their synonyms, and the ids of other databases."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import polars as pl

from genotex.errors import FormatError
from genotex.genes.idkind import SHAPES, IdKind, bare_accession
from genotex.genes.sources import (
    GENE_SCHEMA,
    GeneSource,
    read_gene_info,
    read_packaged_genes,
    read_synonym_json,
)
from genotex.layout import Procedure, atomic_write

__all__ = ["AMBIGUOUS", "GeneTable"]

AMBIGUOUS = ""
"""Stands for the symbol of an alias or id that belongs to several genes."""

_PACKAGED = Path(__file__).parent / "data"


@dataclass(frozen=True, eq=False)
class GeneTable:
    """Human genes: official symbols, synonyms, ids. Use `load`.

    Attributes
    ----------
    genes : polars.DataFrame
        One row a gene, in NCBI's order: ``gene_id``, ``symbol``, ``synonyms`` and ``ensembl``
        (joined by ``|``), ``type`` (locus type such as protein-coding).
    source : GeneSource
        Where the table comes from, of what date, with its checksum.
    """

    genes: pl.DataFrame
    source: GeneSource
    _accession_file: Path | None = None
    _published: Mapping[str, str] | None = None

    @classmethod
    def load(cls, path: Path | None = None) -> GeneTable:
        """Load a gene table; each file is read once in a process.

        Parameters
        ----------
        path : Path, optional
            An NCBI ``gene_info`` file (gzip or plain) or the benchmark's ``gene_synonym.json``,
            which `benchmark` then uses as it is. Default: the packaged table.

        Raises
        ------
        FormatError
            If the file is neither.
        """
        return _packaged() if path is None else _load(path, path.stat() if path.exists() else None)

    @cached_property
    def official(self) -> dict[str, str]:
        """Official symbols by their upper-case form."""
        symbols = self.genes["symbol"].to_list()
        return {symbol.upper(): symbol for symbol in symbols}

    @cached_property
    def _alias_rows(self) -> list[tuple[str, str]]:
        """(upper-case alias, official symbol) in the order of the table."""
        rows = self.genes.select(pl.col("synonyms").str.to_uppercase().str.split("|"), "symbol")
        rows = rows.explode("synonyms").filter(pl.col("synonyms") != "")
        return list(zip(rows["synonyms"].to_list(), rows["symbol"].to_list(), strict=True))

    @cached_property
    def alias_genes(self) -> dict[str, tuple[str, ...]]:
        """For every upper-case alias the official symbols that it is a synonym of."""
        found: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for alias, symbol in self._alias_rows:
            found[alias][symbol] = None
        return {alias: tuple(symbols) for alias, symbols in found.items()}

    @cached_property
    def _sound(self) -> dict[str, str]:
        """An official symbol wins; an alias of several genes is `AMBIGUOUS`."""
        found = {
            alias: symbols[0] if len(symbols) == 1 else AMBIGUOUS
            for alias, symbols in self.alias_genes.items()
        }
        return found | self.official

    @cached_property
    def _benchmark(self) -> dict[str, str]:
        """The gene that comes last wins; then upper-case official symbols.

        Symbols with lower-case letters (C11orf52) stand in line with the synonyms, so a later
        gene with that synonym takes them: this is how the published table came to be.
        """
        if self._published is not None:
            return dict(self._published)
        found: dict[str, str] = {}
        for symbol, synonyms in self.genes.select("symbol", "synonyms").iter_rows():
            found[symbol.upper()] = symbol
            if synonyms:
                found.update(dict.fromkeys(synonyms.upper().split("|"), symbol))
        found.update((upper, symbol) for upper, symbol in self.official.items() if upper == symbol)
        return found

    def symbols(self, procedure: Procedure) -> Mapping[str, str]:
        """Return upper-case symbol or alias -> official symbol (`AMBIGUOUS` only in `sound`).

        Parameters
        ----------
        procedure : {"sound", "benchmark"}
            Whose rule for ambiguous aliases holds (spec, preprocessing, step 7).
        """
        return self._benchmark if procedure == "benchmark" else self._sound

    def official_symbol(self, name: str, procedure: Procedure = "sound") -> str | None:
        """Return the official symbol of a symbol or alias, None when unknown or ambiguous."""
        return self.symbols(procedure).get(name.strip().upper()) or None

    def __contains__(self, name: object) -> bool:
        """Tell whether a text is an official symbol or an alias, whatever its case."""
        return isinstance(name, str) and name.upper() in self._sound

    @cached_property
    def _entrez(self) -> dict[str, str]:
        if self.genes["gene_id"].null_count():
            return {}
        numbers = self.genes["gene_id"].cast(pl.String).to_list()
        return dict(zip(numbers, self.genes["symbol"].to_list(), strict=True))

    @cached_property
    def _ensembl(self) -> dict[str, str]:
        rows = self.genes.select(pl.col("ensembl").str.split("|"), "symbol").explode("ensembl")
        found: dict[str, str] = {}
        for ensembl, symbol in rows.filter(pl.col("ensembl") != "").iter_rows():
            known = found.setdefault(ensembl, symbol)
            if known != symbol:
                found[ensembl] = AMBIGUOUS
        return found

    def lookup(self, kind: IdKind, ids: Iterable[str]) -> dict[str, str]:
        """Look ids of other databases up.

        Parameters
        ----------
        kind : IdKind
            ENTREZ, ENSEMBL (genes and transcripts), REFSEQ or GENBANK; versions are ignored.
            UCSC ids are in no source of this table.
        ids : iterable of str
            Ids as they stand in a file.

        Returns
        -------
        dict
            Those that the table knows -> official symbol, `AMBIGUOUS` for several genes.
        """
        ids = set(ids)
        if kind is IdKind.SYMBOL:
            symbols = self.symbols("sound")
            return {i: symbols[i.upper()] for i in ids if i.upper() in symbols}
        if kind is IdKind.ENTREZ:
            shape = SHAPES[kind]
            found = {i: match[1] for i in ids if (match := shape.match(i.strip()))}
            return {i: self._entrez[n] for i, n in found.items() if n in self._entrez}
        if kind not in (IdKind.ENSEMBL, IdKind.REFSEQ, IdKind.GENBANK):
            return {}
        bare = {i: bare_accession(i) for i in ids}
        genes = self._ensembl if kind is IdKind.ENSEMBL else {}
        rest = self._accessions({a for a in bare.values() if a not in genes})
        both = {**genes, **rest} if rest else genes
        return {i: both[a] for i, a in bare.items() if a in both}

    @cached_property
    def _accession_table(self) -> pl.DataFrame | None:
        if self._accession_file is None or not self._accession_file.is_file():
            return None
        table = pl.read_parquet(self._accession_file)
        return table.select(
            pl.col("prefix").cast(pl.String),
            pl.col("width").cast(pl.Int64),
            pl.col("step").cum_sum().alias("number"),
            pl.col("row").cast(pl.UInt32),
        )

    def _accessions(self, wanted: set[str]) -> dict[str, str]:
        """Find accessions without version."""
        parts = [(a, m[1], len(m[2]), int(m[2])) for a in wanted if (m := _ACCESSION.match(a))]
        if not parts or self._accession_table is None:
            return {}
        schema = {
            "accession": pl.String,
            "prefix": pl.String,
            "width": pl.Int64,
            "number": pl.Int64,
        }
        hits = pl.DataFrame(parts, schema=schema, orient="row").join(
            self._accession_table, on=["prefix", "width", "number"]
        )
        symbols = self.genes["symbol"]
        found: dict[str, str] = {}
        for accession, row in hits.select("accession", "row").iter_rows():
            symbol = symbols[row]
            if found.setdefault(accession, symbol) != symbol:
                found[accession] = AMBIGUOUS
        return found

    def to_synonym_json(self, path: Path) -> None:
        """Write alias -> official symbol in the form of the benchmark's ``gene_synonym.json``.

        Parameters
        ----------
        path : Path
            The file; keys are upper case, ambiguity is resolved as in `benchmark`.
        """
        with atomic_write(path) as part:
            part.write_text(json.dumps(dict(self.symbols("benchmark"))), encoding="utf-8")


_ACCESSION = re.compile(r"([A-Z]{1,4}_?)(\d{4,12})$")


@cache
def _packaged() -> GeneTable:
    genes, source = read_packaged_genes(_PACKAGED)
    return GeneTable(genes, source, _accession_file=_PACKAGED / "accessions.parquet")


@cache
def _load(path: Path, _state: object) -> GeneTable:
    if path.name.lower().endswith((".json", ".json.gz")):
        published, source = read_synonym_json(path)
        return GeneTable(_genes_of(published), source, _published=published)
    if path.is_dir():
        raise FormatError("a folder, not a file", path=path, hint="give a gene_info file")
    genes, source = read_gene_info(path)
    return GeneTable(genes, source)


def _genes_of(published: Mapping[str, str]) -> pl.DataFrame:
    """Build the genes of a synonym file, which knows no ids and no locus types."""
    synonyms: defaultdict[str, list[str]] = defaultdict(list)
    for alias, symbol in published.items():
        synonyms[symbol].extend([alias] if alias.upper() != symbol.upper() else [])
    rows: Sequence[tuple[None, str, str, str, str]] = [
        (None, symbol, "|".join(aliases), "", "") for symbol, aliases in synonyms.items()
    ]
    return pl.DataFrame(rows, schema=GENE_SCHEMA, orient="row")
