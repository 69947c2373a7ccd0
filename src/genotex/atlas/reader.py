"""An atlas as it is read: its tables, its ranks, and names of genes and traits."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.atlas.store import AtlasFolder, AtlasManifest, Table
from genotex.errors import UsageError
from genotex.layout import trait_folder_name

Level = Literal["cohort", "trait"]
_OWNERS: dict[Level, str] = {"cohort": "results-", "trait": "groups-"}
_NEAR = 4


class AtlasReader:
    """Reads an atlas; a build that replaces it in the meantime is noticed with the next query.

    Raises
    ------
    UsageError
        If the folder holds no atlas.
    """

    def __init__(self, root: Path) -> None:
        self.store = AtlasFolder(root)
        self._held: dict[str, Any] = {}
        self._manifest = self.store.finished()
        self._time = self._written()

    def _written(self) -> int:
        return self.store.manifest_file.stat().st_mtime_ns

    @property
    def manifest(self) -> AtlasManifest:
        """What the atlas holds now."""
        if self._written() != self._time:
            self._time = self._written()
            self._manifest = self.store.finished()
            self._held = {}
        return self._manifest

    def _table(self, start: str) -> pl.DataFrame:
        name = self.manifest.file(start)
        if name not in self._held:
            self._held[name] = self.store.read_table(name)
        table: pl.DataFrame = self._held[name]
        return table

    @property
    def results(self) -> pl.DataFrame:
        """One cohort tested for one problem in each row; columns of `RESULTS`."""
        return self._table("results-")

    @property
    def groups(self) -> pl.DataFrame:
        """All cohorts of one trait and condition in each row; columns of `GROUPS`."""
        return self._table("groups-")

    @property
    def symbols(self) -> pl.Series:
        """All genes, sorted."""
        return self._table("symbols-")["gene"]

    def owners(self, level: Level) -> pl.DataFrame:
        """Return the rows that the columns of `ranks` are of."""
        return self._table(_OWNERS[level])

    def ranks(self, level: Level) -> NDArray[np.float16]:
        """Return the normal scores of genes x cohorts, or genes x traits, as a file in memory."""
        name = self.manifest.file(f"{level}-ranks-")
        if name not in self._held:
            self._held[name] = self.store.read_matrix(name)
        matrix: NDArray[np.float16] = self._held[name]
        return matrix

    def rows(self, table: Table, gene: str) -> pl.DataFrame:
        """Return the rows of a gene in all results, or all groups, that are there now."""
        rows = self.store.read_gene(self.manifest, table, gene)
        owners = self.results if table == "genes" else self.groups
        key = "result" if table == "genes" else "group"
        return rows.filter(pl.col(key).is_in(owners[key].implode()))

    def gene(self, name: str) -> str:
        """Return the symbol in the atlas of a gene that is named by symbol or synonym.

        Raises
        ------
        UsageError
            If no result has the gene; the message names those that are spelt alike.
        """
        found = self.genes([name])[0]
        if found is None:
            near = near_misses(name, self.symbols.to_list())
            msg = f"no result in the atlas has a gene {name!r}{near}"
            raise UsageError(msg)
        return found

    def genes(self, names: list[str]) -> list[str | None]:
        """Return the symbols of several genes, None for those that no result has."""
        asked = pl.Series("name", [name.strip() for name in names], dtype=pl.String)
        known = set(asked.filter(asked.is_in(self.symbols.implode())).to_list())
        if len(known) == asked.n_unique():
            return asked.to_list()
        folded = {symbol.upper(): symbol for symbol in self.symbols}
        official: Any = None
        found: list[str | None] = []
        for name in asked:
            symbol = name if name in known else folded.get(name.upper())
            if symbol is None:
                if official is None:
                    from genotex.genes import GeneTable

                    official = GeneTable.load()
                current = official.official_symbol(name)
                symbol = folded.get(current.upper()) if current else None
            found.append(symbol)
        return found

    def trait(self, name: str) -> str:
        """Return a trait as its folder is named, ignoring case.

        Raises
        ------
        UsageError
            If there is no result of it; the message names traits that are spelt alike.
        """
        known = self.results["trait"].unique().sort().to_list()
        folded = {trait.casefold(): trait for trait in known}
        found: str | None = folded.get(trait_folder_name(name).casefold())
        if found is None:
            near = near_misses(trait_folder_name(name), known)
            msg = f"the atlas has no results of {name!r}{near}"
            raise UsageError(msg)
        return found


def near_misses(name: str, known: list[str]) -> str:
    """Return the names that are spelt alike, as the end of a message."""
    folded = {each.casefold(): each for each in reversed(known)}
    near = get_close_matches(name.casefold(), folded, n=_NEAR, cutoff=0.6)
    if near:
        return f"; spelt alike: {', '.join(folded[each] for each in near)}"
    return f"; there are {len(known):,}, such as {', '.join(known[:_NEAR])}"
