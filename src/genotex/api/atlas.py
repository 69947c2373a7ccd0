"""The atlas in Python: questions across all results, answered as pandas data frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import polars as pl

from genotex.api.choices import as_path
from genotex.atlas import (
    AtlasReader,
    Signature,
    build_atlas,
    compare_traits,
    find_gene,
    find_similar,
    find_trait,
    open_views,
)
from genotex.errors import UsageError

By = Literal["cohort", "trait"]


class Atlas:
    """What all analyses found, by gene, by trait and by signature.

    Parameters
    ----------
    path : str or Path
        Folder that ``genotex atlas build`` or `Atlas.build` wrote.

    Raises
    ------
    UsageError
        If the folder holds no atlas.

    Examples
    --------
    >>> import genotex as gx
    >>> results = []
    >>> atlas = gx.Atlas.build("results", "atlas")  # doctest: +SKIP
    >>> atlas.gene("CXCL9", by="trait")  # doctest: +SKIP
    >>> atlas.similar(up=["CXCL9", "CXCL10", "GBP5"], down=["FOSB"])  # doctest: +SKIP
    """

    def __init__(self, path: str | Path) -> None:
        self._reader = AtlasReader(as_path(path))

    @classmethod
    def build(
        cls,
        results: str | Path | Sequence[str | Path],
        path: str | Path,
        progress: Callable[[str, str, int], None] | None = None,
    ) -> Atlas:
        """Collect results in an atlas, or bring one up to date; only what changed is read.

        Parameters
        ----------
        results : str, Path or sequence of them
            Output folders of solve, analyze, de and bench run, or folders that hold some.
        path : str or Path
            The atlas; made when missing. What came from folders that are not named stays.
        progress : callable, optional
            Called with stage, label and number of pieces of work.

        Raises
        ------
        UsageError
            If a folder holds no results, or `path` holds something else.
        """
        folders = [results] if isinstance(results, str | Path) else list(results)
        build_atlas([as_path(folder) for folder in folders], as_path(path), progress)
        return cls(path)

    @property
    def results(self) -> pd.DataFrame:
        """All results: one cohort tested for one problem in each row."""
        return _pandas(self._reader.results)

    @property
    def symbols(self) -> list[str]:
        """All genes, sorted."""
        return self._reader.symbols.to_list()

    def gene(self, name: str, *, by: By = "cohort") -> pd.DataFrame:
        """Return where a gene changes, and in which direction.

        Parameters
        ----------
        name : str
            Symbol or synonym.
        by : {"cohort", "trait"}
            One cohort in each row, with the rank of the gene in it; or one trait and condition,
            with the meta-analysis over its cohorts.

        Returns
        -------
        pandas.DataFrame
            ``attrs`` has ``gene`` (the symbol) and ``notes``.

        Raises
        ------
        UsageError
            If no result has the gene; the message names those that are spelt alike.
        """
        found = find_gene(self._reader, name)
        table = _pandas(_chosen(by, found.cohorts, found.traits))
        table.attrs = {"gene": found.gene, "notes": list(found.notes)}
        return table

    def trait(self, name: str, condition: str | None = None) -> pd.DataFrame:
        """Return the genes of a trait, combined over its cohorts in all folders.

        Parameters
        ----------
        name : str
            The trait.
        condition : str, optional
            Age, Gender or another trait.

        Returns
        -------
        pandas.DataFrame
            Genes by p. ``attrs`` has ``cohorts``, ``left_out``, ``conditions`` and ``notes``.

        Raises
        ------
        UsageError
            If there are no such results; the message names what there is.
        """
        found = find_trait(self._reader, name, condition)
        table = _pandas(found.genes).set_index("gene")
        table.attrs = {
            "cohorts": found.cohorts["cohort"].to_list(),
            "left_out": dict(found.left_out),
            "conditions": list(found.conditions),
            "notes": list(found.notes),
        }
        return table

    def similar(
        self,
        up: Sequence[str],
        down: Sequence[str] = (),
        *,
        by: By = "trait",
        condition: str | None = None,
    ) -> pd.DataFrame:
        """Return which traits or cohorts have a signature like this one, or its reverse.

        Parameters
        ----------
        up, down : sequence of str
            Genes by symbol or synonym.
        by : {"trait", "cohort"}
            What is in each row.
        condition : str, optional
            Compare results given this condition; ``"all"`` for any. By default those without.

        Returns
        -------
        pandas.DataFrame
            By p: ``direction`` (similar or reversed), ``score`` (mean normal score of the genes),
            ``p`` and ``q`` that allow for correlated genes, ``p_independent`` that does not.
            ``attrs`` has ``unknown`` genes, ``inflation`` and ``notes``.

        Raises
        ------
        UsageError
            If fewer than three genes are known.
        """
        for genes in (up, down):
            if isinstance(genes, str):
                msg = "the genes are one text; give a list of symbols"
                raise UsageError(msg)
        found = find_similar(self._reader, Signature(tuple(up), tuple(down)), condition)
        table = _pandas(_chosen(by, found.cohorts, found.traits))
        table.attrs = {
            "unknown": list(found.unknown),
            "inflation": found.inflation[by].factor,
            "notes": list(found.notes),
        }
        return table

    def traits(self, condition: str | None = None) -> pd.DataFrame:
        """Return how similar all traits are to each other, in the order of their tree.

        Parameters
        ----------
        condition : str, optional
            As for `similar`.

        Returns
        -------
        pandas.DataFrame
            Traits x traits, at most 1, negative where reversed. ``attrs`` has ``newick``, the tree.

        Raises
        ------
        UsageError
            If there are fewer than two traits.
        """
        found = compare_traits(self._reader, condition)
        table = pd.DataFrame(found.similarity, index=found.names, columns=found.names)
        table.attrs = {"newick": found.newick}
        return table

    def trait_pairs(self, condition: str | None = None) -> pd.DataFrame:
        """Return the same as `traits`, a pair in each row, with samples and platforms they share.

        Parameters
        ----------
        condition : str, optional
            As for `similar`.
        """
        return _pandas(compare_traits(self._reader, condition).pairs)

    def sql(self, query: str) -> pd.DataFrame:
        """Ask the views ``effects``, ``combined``, ``results`` and ``groups`` in SQL, by DuckDB.

        Parameters
        ----------
        query : str
            Such as ``SELECT trait, p FROM combined WHERE gene = 'CXCL9'``.

        Raises
        ------
        UsageError
            If the package duckdb is missing (the extra ``genotex[atlas]``).
        """
        with open_views(self._reader.store.root) as connection:
            table: pd.DataFrame = connection.execute(query).df()
        return table


def _chosen(by: str, cohorts: pl.DataFrame, traits: pl.DataFrame) -> pl.DataFrame:
    if by not in ("cohort", "trait"):
        msg = f"by is {by!r}; use 'cohort' or 'trait'"
        raise UsageError(msg)
    return cohorts if by == "cohort" else traits


def _pandas(table: pl.DataFrame) -> pd.DataFrame:
    """Return a table as pandas; missing numbers are NaN, missing texts None."""
    columns: dict[str, Any] = {}
    for column in table:
        numbers = column.dtype.is_numeric()
        filled = column.cast(pl.Float64) if numbers and column.null_count() else column
        columns[column.name] = (
            filled.fill_null(float("nan")).to_numpy() if numbers else column.to_list()
        )
    return pd.DataFrame(columns)
