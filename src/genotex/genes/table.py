"""The gene table: official human symbols, their synonyms, and the ids of other databases."""

from __future__ import annotations

import json
import marshal
import os
import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from genotex.genes.sources import (
    ACCESSION_SCHEMA,
    GENE_SCHEMA,
    GeneSource,
    holds_json,
    read_gene_info,
    read_packaged_genes,
    read_synonym_json,
)
from genotex.id_kinds import ID_KINDS, IdKind, bare_accession
from genotex.io import atomic_write
from genotex.outside import read_parquet
from genotex.procedure import Procedure

AMBIGUOUS = ""
"""The symbol of an alias or id that belongs to several genes."""

_PACKAGED = Path(__file__).parent / "data"
_LOOK_UPS = ("official", "shared_aliases", "_sound", "_benchmark")
"""Lookups that nearly every cohort needs; building them takes a tenth of a second."""

_taken_over: dict[str, Any] = {}


@dataclass(frozen=True, eq=False)
class GeneTable:
    """Human genes: official symbols, synonyms, ids. Use `load`."""

    genes: pl.DataFrame
    """One row a gene, in NCBI's order: ``gene_id``, ``symbol``, ``synonyms`` and ``ensembl``
    (joined by ``|``), ``type`` (locus type such as protein-coding)."""
    source: GeneSource
    """Where the table comes from, of what date, with its checksum."""
    _accession_file: Path | None = None
    _published: Mapping[str, str] | None = None

    @classmethod
    def load(cls, path: Path | None = None) -> GeneTable:
        """Load a gene table; each file is read once in a process.

        `path`: an NCBI ``gene_info`` file (gzip or plain), the ``genes.parquet`` that `genotex
        fetch genes` makes of one, or the benchmark's ``gene_synonym.json``, which `benchmark` then
        uses as it is. Default: the packaged table.
        """
        if path is None:
            return _packaged()
        path = path.resolve()
        state = path.stat() if path.exists() else None
        return _load(path, state and (state.st_mtime_ns, state.st_size))

    @cached_property
    def _symbols(self) -> list[str]:
        """Official symbols in table order: each text once, whatever refers to it."""
        return self.genes["symbol"].to_list()

    @cached_property
    def official(self) -> dict[str, str]:
        """Official symbols by their upper-case form."""
        return {name if name.isupper() else name.upper(): name for name in self._symbols}

    @cached_property
    def _aliases(self) -> pl.DataFrame:
        """Upper-case ``alias``, official ``symbol`` and ``row`` of its gene, in table order."""
        rows = self.genes.lazy().with_row_index("row").filter(pl.col("synonyms") != "")
        alias = pl.col("synonyms").str.to_uppercase().str.split("|").alias("alias")
        return (
            rows.select(alias, "symbol", "row")
            .explode("alias")
            .filter(pl.col("alias") != "")
            .collect()
        )

    @cached_property
    def _last_gene(self) -> dict[str, str]:
        """For every upper-case alias the last gene that has it."""
        rows = self._aliases
        symbols = map(self._symbols.__getitem__, rows["row"].to_list())
        return dict(zip(rows["alias"].to_list(), symbols, strict=True))

    @cached_property
    def shared_aliases(self) -> dict[str, tuple[str, ...]]:
        """For every upper-case alias of several genes their official symbols."""
        found: defaultdict[str, dict[str, None]] = defaultdict(dict)
        repeated = self._aliases.filter(pl.col("alias").is_duplicated())
        for alias, symbol in repeated.select("alias", "symbol").iter_rows():
            found[alias][symbol] = None
        return {alias: tuple(symbols) for alias, symbols in found.items() if len(symbols) > 1}

    @cached_property
    def alias_genes(self) -> dict[str, tuple[str, ...]]:
        """For every upper-case alias the official symbols that it is a synonym of."""
        single = {alias: (symbol,) for alias, symbol in self._last_gene.items()}
        return single | self.shared_aliases

    @cached_property
    def _sound(self) -> dict[str, str]:
        """An official symbol wins; an alias of several genes is `AMBIGUOUS`."""
        return self._last_gene | dict.fromkeys(self.shared_aliases, AMBIGUOUS) | self.official

    @cached_property
    def _benchmark(self) -> dict[str, str]:
        """An official symbol wins, then the last gene that has the alias.

        Symbols with lower-case letters (C11orf52) compete with synonyms, so a later gene with
        that synonym takes them: this is how the published table was made.
        """
        if self._published is not None:
            return dict(self._published)
        return self._last_gene | self.official | self._taken_by_later_genes()

    def _taken_by_later_genes(self) -> dict[str, str]:
        """For symbols with lower-case letters the last of the later genes that have them as alias.

        Keys are in upper case. A symbol that is written in capitals elsewhere is not among them.
        """
        upper = pl.col("symbol").str.to_uppercase().alias("alias")
        mixed = self.genes.lazy().select(upper, "symbol").with_row_index("row")
        mixed = mixed.filter(pl.col("alias") != pl.col("symbol")).unique("alias", keep="last")
        taken = self._aliases.lazy().join(
            mixed, on="alias", suffix="_official", maintain_order="left"
        )
        rows = taken.filter(pl.col("row") > pl.col("row_official")).select("alias", "symbol")
        return {a: s for a, s in rows.collect().iter_rows() if self.official[a] != a}

    def _look_ups(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _LOOK_UPS}

    def symbols(self, procedure: Procedure | str) -> Mapping[str, str]:
        """Return upper-case symbol or alias -> official symbol (`AMBIGUOUS` only in `sound`).

        `procedure`: Whose rule for ambiguous aliases applies (spec, preprocessing, step 7).
        """
        drops = Procedure(procedure).drops_ambiguous_aliases
        return self._sound if drops else self._benchmark

    def official_symbol(
        self, name: str, procedure: Procedure | str = Procedure.SOUND
    ) -> str | None:
        """Return the official symbol of a symbol or alias, None when unknown or ambiguous."""
        return self.symbols(procedure).get(name.strip().upper()) or None

    def __contains__(self, name: object) -> bool:
        """Return whether a text is an official symbol or an alias, ignoring case."""
        return isinstance(name, str) and name.upper() in self._sound

    @cached_property
    def _entrez(self) -> dict[str, str]:
        if self.genes["gene_id"].null_count():
            return {}
        numbers = self.genes["gene_id"].cast(pl.String).to_list()
        return dict(zip(numbers, self._symbols, strict=True))

    @cached_property
    def _xrefs(self) -> dict[IdKind, dict[str, str]]:
        return {}

    def _by_xref(self, kind: IdKind) -> dict[str, str]:
        """Return the symbols by the ids of another database, from the column named after it."""
        if kind not in self.genes.columns:
            return {}
        if kind not in self._xrefs:
            rows = self.genes.select(pl.col(kind).str.split("|"), "symbol").explode(kind)
            found: dict[str, str] = {}
            for database_id, symbol in rows.filter(pl.col(kind) != "").iter_rows():
                known = found.setdefault(database_id, symbol)
                if known != symbol:
                    found[database_id] = AMBIGUOUS
            self._xrefs[kind] = found
        return self._xrefs[kind]

    def lookup(self, kind: IdKind, ids: Iterable[str]) -> dict[str, str]:
        """Look ids of other databases up.

        `kind`: SYMBOL or a kind of `ID_KINDS`; versions are ignored. ENSEMBL may be genes and
        transcripts; UCSC ids are in no source of this table. `ids`: Ids as in a file. Returns those
        that the table knows -> official symbol, `AMBIGUOUS` for several genes.
        """
        ids = set(ids)
        if kind is IdKind.SYMBOL:
            symbols = self.symbols(Procedure.SOUND)
            return {i: symbols[i.upper()] for i in ids if i.upper() in symbols}
        if (database := ID_KINDS.get(kind)) is None:
            return {}
        if database.is_number:
            numbers = {i: match[1] for i in ids if (match := database.shape.match(i.strip()))}
            return {i: self._entrez[n] for i, n in numbers.items() if n in self._entrez}
        bare = {i: bare_accession(i) for i in ids}
        genes = {} if database.xref is None else self._by_xref(kind)
        if database.in_accessions:
            rest = self._accessions({a for a in bare.values() if a not in genes})
            genes = {**genes, **rest} if rest else genes
        return {i: genes[a] for i, a in bare.items() if a in genes}

    @cached_property
    def accessions(self) -> pl.DataFrame | None:
        """RefSeq, GenBank and Ensembl transcript accessions, None where the table has none.

        ``prefix``, ``width`` and ``number`` of an accession, ``row`` of its gene.
        """
        if self._accession_file is None or not self._accession_file.is_file():
            return None
        table = read_parquet(self._accession_file)
        return table.select(
            pl.col("prefix").cast(pl.String),
            pl.col("width").cast(pl.Int64),
            pl.col("step").cum_sum().alias("number"),
            pl.col("row").cast(pl.UInt32),
        )

    def _accessions(self, wanted: set[str]) -> dict[str, str]:
        """Find accessions without version."""
        parts = [(a, m[1], len(m[2]), int(m[2])) for a in wanted if (m := _ACCESSION.match(a))]
        if not parts or self.accessions is None:
            return {}
        schema = {
            "accession": pl.String,
            "prefix": pl.String,
            "width": pl.Int64,
            "number": pl.Int64,
        }
        hits = pl.DataFrame(parts, schema=schema, orient="row").join(
            self.accessions, on=["prefix", "width", "number"]
        )
        found: dict[str, str] = {}
        for accession, row in hits.select("accession", "row").iter_rows():
            symbol = self._symbols[row]
            if found.setdefault(accession, symbol) != symbol:
                found[accession] = AMBIGUOUS
        return found

    def to_synonym_json(self, path: Path) -> None:
        """Write alias -> official symbol in the form of the benchmark's ``gene_synonym.json``.

        `path`: the file; keys are upper case, ambiguity is resolved as in `benchmark`.
        """
        with atomic_write(path) as part:
            part.write_text(json.dumps(dict(self.symbols(Procedure.BENCHMARK))), encoding="utf-8")


_ACCESSION = re.compile(r"([A-Z]{1,4}_?)(\d{4,12})$")


@cache
def _packaged() -> GeneTable:
    table = _of_folder(_PACKAGED)
    # Where a cached property would keep them.
    vars(table).update(_taken_over)
    return table


_under_way: list[tuple[int, int]] = []
"""Id of the process that builds lookups, and the pipe for its answer."""


def start_lookups() -> None:
    """Start building the packaged table's lookups, once for all processes forked from this one."""
    # In a process of its own: the threads of polars do not survive a fork, so they must not start
    # in a process that others are forked from. The result is plain data of this package.
    come, go = os.pipe()
    with warnings.catch_warnings():
        # Newer Pythons warn of threads: those of libraries are idle and hold no locks.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            with os.fdopen(go, "wb") as answer:
                answer.write(marshal.dumps(GeneTable.load()._look_ups()))
        finally:
            os._exit(0)
    os.close(go)
    _under_way.append((child, come))


def adopt_lookups() -> None:
    """Adopt the lookups; if building failed, each process builds its own as usual."""
    child, come = _under_way.pop()
    with os.fdopen(come, "rb") as answer, suppress(EOFError, ValueError, TypeError):
        _taken_over.update(marshal.loads(answer.read()))
    os.waitpid(child, 0)


def _of_folder(folder: Path) -> GeneTable:
    genes, source = read_packaged_genes(folder)
    return GeneTable(genes, source, _accession_file=folder / "accessions.parquet")


@lru_cache(maxsize=4)
def _load(path: Path, _state: object) -> GeneTable:
    if path.suffix == ".parquet":
        return _of_folder(path.parent)
    if holds_json(path):
        published, source = read_synonym_json(path)
        return GeneTable(_genes_of(published), source, _published=published)
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


def build_gene_table(gene_info: Path, folder: Path, accessions_of: GeneTable) -> GeneTable:
    """Build a table from a gene_info file, which has no accessions, and another table's accessions.

    `gene_info`: NCBI's ``Homo_sapiens.gene_info``, gzip or plain. `folder`: Output folder of the
    table's three files; `GeneTable.load` takes its ``genes.parquet``. `accessions_of`: Its RefSeq,
    GenBank and Ensembl transcript accessions are kept for every gene whose GeneID still exists.
    """
    genes, source = read_gene_info(gene_info)
    accessions = _carried_over(accessions_of, genes)
    name = f"{source.name}, with the accessions of {accessions_of.source.date}"
    write_gene_table(
        folder, genes, accessions, replace(source, name=name, accessions=accessions.height)
    )
    return GeneTable.load(folder / "genes.parquet")


def _carried_over(known: GeneTable, genes: pl.DataFrame) -> pl.DataFrame:
    rows = known.accessions
    if rows is None:
        return pl.DataFrame(schema=ACCESSION_SCHEMA)
    old = known.genes.select("gene_id").with_row_index("row")
    new = genes.select("gene_id").with_row_index("new_row")
    moved = old.join(new, on="gene_id").select("row", pl.col("new_row").cast(pl.Int64))
    kept = rows.join(moved, on="row").select("prefix", "width", "number", row="new_row")
    return kept.sort("prefix", "width", "number", "row")


def write_gene_table(
    folder: Path, genes: pl.DataFrame, accessions: pl.DataFrame, source: GeneSource
) -> None:
    """Write the three files of a table."""
    # Several groups of rows would each begin their compression from nothing.
    options: dict[str, Any] = {
        "compression": "zstd",
        "compression_level": 22,
        "statistics": False,
        "row_group_size": 1_000_000,
    }
    # Accessions point to rows of the genes, so the two files must never mismatch: the genes are
    # removed first and written last.
    (folder / "genes.parquet").unlink(missing_ok=True)
    # Numbers are stored as differences, which compress five times better.
    steps = accessions.select(
        pl.col("prefix").cast(pl.Categorical),
        pl.col("width").cast(pl.UInt8),
        pl.col("number").diff().fill_null(pl.col("number").first()).cast(pl.Int64).alias("step"),
        pl.col("row").cast(pl.Int32),
    )
    with atomic_write(folder / "accessions.parquet") as part, part.open("wb") as handle:
        steps.write_parquet(handle, **options)
    with atomic_write(folder / "genes.json") as part:
        part.write_text(source.to_json(), encoding="utf-8")
    small = genes.with_columns(
        pl.col("gene_id").cast(pl.Int32), pl.col("type").cast(pl.Categorical)
    )
    with atomic_write(folder / "genes.parquet") as part, part.open("wb") as handle:
        small.write_parquet(handle, **options)
