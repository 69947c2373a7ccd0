"""Every result as ranks: normal scores of its genes, in one matrix of genes x results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtri

FEWEST_GENES = 20
"""A result that ranks fewer genes cannot be compared by ranks."""


def signed_size(table: pl.DataFrame) -> pl.DataFrame:
    """Return ``gene`` and ``value`` of tested genes: minus log10 p, with the sign of the effect."""
    size = pl.col("effect").sign() * -pl.col("log10_p")
    kept = table.select("gene", size.cast(pl.Float64).alias("value"))
    return kept.filter(pl.col("value").is_finite())


def normal_scores(values: pl.Series) -> NDArray[np.float16]:
    """Return the normal scores of values (van der Waerden): their ranks as normal deviates."""
    ranks = values.rank("average").to_numpy()
    scores: NDArray[np.float16] = ndtri((ranks - 0.5) / len(values)).astype(np.float16)
    return scores


@dataclass(frozen=True, eq=False)
class RankColumn:
    """The genes of one result, and their normal scores."""

    genes: pl.Series
    scores: NDArray[np.float16]

    @property
    def ranked(self) -> int:
        """Number of genes."""
        return len(self.genes)

    @property
    def spread(self) -> float:
        """Mean square of the scores, whose mean is 0."""
        return float(np.mean(self.scores.astype(np.float64) ** 2))

    @classmethod
    def of(cls, table: pl.DataFrame) -> RankColumn | None:
        """Rank genes by their signed ``value``; None where they are too few."""
        if table.height < FEWEST_GENES:
            return None
        return cls(table["gene"], normal_scores(table["value"]))


@dataclass(frozen=True, eq=False)
class RankMatrix:
    """Normal scores of genes x results; NaN where a result did not test a gene."""

    genes: pl.Series
    owners: tuple[int, ...]
    scores: NDArray[np.float16]

    @classmethod
    def empty(cls) -> RankMatrix:
        """Return the matrix of no result."""
        return cls(pl.Series("gene", [], dtype=pl.String), (), np.empty((0, 0), np.float16))

    def updated(
        self, genes: pl.Series, owners: Sequence[int], new: Mapping[int, RankColumn | None]
    ) -> RankMatrix:
        """Return the matrix of other results: columns from `new`, or else from this one."""
        places = pl.DataFrame({"gene": genes}).with_row_index("place")
        scores = np.full((len(genes), len(owners)), np.nan, np.float16)
        before = {owner: i for i, owner in enumerate(self.owners)}
        columns = [j for j, owner in enumerate(owners) if owner not in new and owner in before]
        if columns:
            rows, inside = _places(self.genes, places)
            kept = [before[owners[j]] for j in columns]
            scores[rows[:, None], columns] = self.scores[inside[:, None], kept]
        for j, owner in enumerate(owners):
            column = new.get(owner)
            if column is not None:
                rows, inside = _places(column.genes, places)
                scores[rows, j] = column.scores[inside]
        return RankMatrix(genes, tuple(owners), scores)


def _places(genes: pl.Series, places: pl.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where genes are in the new matrix, and which of the given ones these are."""
    given = pl.DataFrame({"gene": genes}).with_row_index("given")
    found = given.join(places, on="gene", maintain_order="left")
    return found["place"].cast(pl.Int64).to_numpy(), found["given"].cast(pl.Int64).to_numpy()
