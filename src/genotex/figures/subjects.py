"""What figures are drawn of: the genes of a result, and the samples of a cohort."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from genotex.arrays import Floats
from genotex.figures.arranging import Components
from genotex.figures.look import LOOKS, level_key

if TYPE_CHECKING:
    import polars as pl

_SHORT = {"case": "case", "control": "control", "other": "other", "unknown": "?"}
_SMALLEST_P = 1e-300
NO_EXPRESSION: tuple[Sequence[str], Floats] = ((), np.empty((0, 0)))


@dataclass(frozen=True, eq=False)
class SampleMarks:
    """Group of each sample (a key of `look.LOOKS`), or its level where the trait is measured."""

    names: tuple[str, ...]
    keys: tuple[str, ...]
    labels: dict[str, str]
    levels: NDArray[np.float64] | None = None
    level_name: str = ""
    order: tuple[str, ...] = ("control", "other", "case", "unknown")

    @classmethod
    def by_values(
        cls,
        names: Sequence[str],
        values: Sequence[str | float | None],
        label: str,
        first: Sequence[str] = (),
    ) -> SampleMarks:
        """Mark samples by a column: by numbers, or by levels, of which some come `first`.

        Of the levels the first two look like controls and cases; samples without one are left out
        of most figures.
        """
        if not any(isinstance(value, str) for value in values):
            levels = np.array([np.nan if v is None else float(v) for v in values])
            return cls(tuple(names), ("unknown",) * len(names), {}, levels, label)
        found = sorted({str(value) for value in values if value is not None})
        order = [*(v for v in first if v in found), *(v for v in found if v not in first)]
        keys = ("control", "case", *(level_key(i) for i in range(2, len(order))))
        key_of = dict(zip(order, keys, strict=False))
        return cls(
            tuple(names),
            tuple("unknown" if value is None else key_of[str(value)] for value in values),
            {key: level for level, key in key_of.items()},
            level_name=label,
            order=(*key_of.values(), "unknown"),
        )

    @classmethod
    def annotating(
        cls, names: Sequence[str], values: Sequence[str | float | None], label: str
    ) -> SampleMarks:
        """Mark samples by a column that does not look like their groups."""
        if not any(isinstance(value, str) for value in values):
            return cls.by_values(names, values, label)
        found = sorted({str(value) for value in values if value is not None})
        keys = {v: v if v in LOOKS else level_key(i) for i, v in enumerate(found, 3)}
        of_sample = tuple("unknown" if v is None else keys[str(v)] for v in values)
        labels = {key: level for level, key in keys.items()}
        return cls(tuple(names), of_sample, labels, None, label, (*labels, "unknown"))

    @property
    def ordered(self) -> list[str]:
        """The groups from left to right."""
        return sorted(self.labels, key=self.order.index)

    @property
    def own_labels(self) -> bool:
        """Whether groups are levels that the user named."""
        return self.order != SampleMarks.order

    def short(self, key: str, room: int) -> str:
        """Return the label of a group in about so many letters."""
        if key in _SHORT and not self.own_labels:
            return _SHORT[key]
        label = self.labels[key]
        return (
            label if len(label) <= room else f"{label[: max(room - 1, 2)]}\N{HORIZONTAL ELLIPSIS}"
        )

    def members(self, key: str) -> NDArray[np.intp]:
        """Return the indices of a group's samples."""
        return np.flatnonzero(np.asarray(self.keys) == key)

    def side_by_side(self, chosen: Sequence[int]) -> NDArray[np.intp]:
        """Return chosen samples in the order of their groups, or by level."""
        rows = np.asarray(chosen, dtype=np.intp)
        if self.levels is not None:
            levels = np.where(np.isfinite(self.levels), self.levels, np.inf)[rows]
            return rows[np.argsort(levels, kind="stable")]
        order = {key: place for place, key in enumerate(self.ordered)}
        places = [order.get(self.keys[i], len(order)) for i in rows]
        return rows[np.argsort(places, kind="stable")]

    def counted(self, key: str) -> str:
        """Return the label of a group with its number of samples."""
        return f"{self.labels[key]} ({len(self.members(key))})"


@dataclass(frozen=True)
class ChangeWords:
    """The words of a change: its axis, and what it means right and left of zero."""

    axis: str
    right: str = "higher"
    left: str = "lower"
    of_p: str = ""
    """Which p-value ranks, if it is not the usual one."""


@dataclass(frozen=True, eq=False)
class GeneResult:
    """The ranked genes of a result, as figures need them.

    Attributes
    ----------
    names : tuple of str
    change, mean, p, q : ndarray
        NaN where a gene has none; `p` and `q` are those that rank.
    significant : ndarray of bool
    words : ChangeWords
    cut, least : float
        Genes with a smaller q-value, and at least this change, are significant.
    selects : bool
        Whether genes were selected without any test.
    marks : SampleMarks, optional
    bars : tuple of SampleMarks
        What else of the samples is shown next to their expression.
    table : ndarray, optional
        Expression in the samples of `marks`, samples x genes.
    places : mapping of str to int
        Gene -> its column of `table`.
    marked : ndarray of bool, optional
        Genes that the user highlights.
    components : Components, optional
        Principal components of the samples, where they are known already.
    """

    names: tuple[str, ...]
    change: Floats
    mean: Floats
    p: Floats
    q: Floats
    significant: NDArray[np.bool_]
    words: ChangeWords
    cut: float
    selects: bool = False
    marks: SampleMarks | None = None
    table: Floats | None = None
    places: Mapping[str, int] = field(default_factory=dict)
    marked: NDArray[np.bool_] | None = None
    components: Components | None = None
    least: float = 0.0
    bars: tuple[SampleMarks, ...] = ()

    @classmethod
    def of(
        cls,
        genes: pl.DataFrame,
        words: ChangeWords,
        cut: float,
        *,
        selects: bool = False,
        marks: SampleMarks | None = None,
        table: tuple[Sequence[str], Floats] = NO_EXPRESSION,
        p: tuple[str, str] = ("rank_p", "rank_q"),
        least: float = 0.0,
        bars: tuple[SampleMarks, ...] = (),
    ) -> GeneResult:
        """Return the genes of a ranked table, and the expression (samples x genes) of a cohort."""

        def column(name: str) -> Floats:
            if name not in genes.columns:
                return np.full(genes.height, np.nan)
            return genes[name].cast(float).fill_null(float("nan")).to_numpy()

        return cls(
            tuple(genes["Variable"].to_list()),
            column("Coefficient"),
            column("Mean Expression"),
            column(p[0]),
            column(p[1]),
            genes["Significant"].fill_null(False).to_numpy().astype(bool),
            words,
            cut,
            selects,
            marks,
            table[1],
            {gene: i for i, gene in enumerate(table[0])},
            least=least,
            bars=bars,
        )

    @cached_property
    def log_p(self) -> Floats:
        """Minus the decimal logarithm of the p-values."""
        return -np.log10(np.maximum(self.p, _SMALLEST_P))

    @property
    def rule(self) -> str:
        """Which genes are significant, in symbols."""
        least = f", change of at least {self.least:g}" if self.least else ""
        return f"q < {self.cut:g}{least}"

    def meanings(self) -> NDArray[np.str_]:
        """Return what each gene is: ``marked``, ``up``, ``down`` or ``rest``."""
        found = np.where(self.change > 0, "up", "down").astype("<U8")
        found = np.where(self.significant, found, "rest")
        return found if self.marked is None else np.where(self.marked, "marked", found)

    def first_measured(self, most: int) -> list[str]:
        """Return the first genes of the ranking that have expression; of a selection, of those."""
        ranked = zip(self.names, self.significant, strict=True)
        chosen = (name for name, selected in ranked if selected or not self.selects)
        return [name for name in chosen if name in self.places][:most]

    def values(self, names: Sequence[str]) -> Floats:
        """Return the expression of genes, samples x genes."""
        assert self.table is not None
        return self.table[:, [self.places[name] for name in names]]
