"""The numbers of every gene, embedded in the page for its search, strip plots and scatter plots.

A page holds one compressed block: symbols, columns of integers, and expression. Up to about a
million values each sample has its level of each gene. Beyond, each group has the number of its
samples at each level, which takes as much room for 100 samples as for 1,000; names of samples are
then left out.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.arrays import Floats
from genotex.figures import COLOURS, SampleMarks, rounded
from genotex.formats import LinkedTable
from genotex.reports.genes.findings import Findings, gene_result
from genotex.words import readable

Bytes = NDArray[np.uint8]

_GENES_AT_ONCE = 1024
_LEVELS = ((650_000, 254), (1_000_000, 62))
"""Most values with so many levels for each sample."""
_FEWEST, _MOST, _ALL_GROUPS = 12, 40, 80
"""Levels of a group, and of all groups together, where samples are counted."""
MEANINGS = ("rest", "up", "down")
"""Of the points of all genes, in the order in which they are drawn."""
_STEPS = 5
"""Decimal digits of the largest number of a column."""
_MOST_BINS = 5


@dataclass(frozen=True, eq=False)
class _Groups:
    """The groups of the strip plots; `place` is each sample's, -1 for samples without one."""

    labels: tuple[str, ...]
    colours: tuple[str, ...]
    place: NDArray[np.intp]


def explorer_data(
    findings: Findings, genes: pl.DataFrame, table: LinkedTable, marks: SampleMarks
) -> str:
    """Return the ranked genes and their expression as JSON without ``<``; empty without genes."""
    if not genes.height:
        return ""
    columns = _columns(findings, genes)
    expression = _Expression(genes["Variable"].to_list(), table)
    columns |= {"low": expression.low, "high": expression.high}
    values, about = _values(expression, marks)
    symbols = "\n".join(" ".join(str(name).split()) for name in genes["Variable"]).encode()
    parts, written = [np.frombuffer(symbols, dtype=np.uint8)], {}
    for name, column in columns.items():
        packed = _packed(column)
        if packed is not None:
            parts.append(packed[0])
            written[name] = packed[1]
    block = zlib.compress(np.concatenate([*parts, values.ravel()]).tobytes())
    page = {
        "genes": genes.height,
        "symbols": len(symbols),
        "columns": written,
        "change": findings.change_label,
        "meanings": [[meaning, COLOURS[meaning]] for meaning in MEANINGS],
        "cut": findings.cut,
        "ranking": "mixed " if findings.mixed_ranks else "",
        **about,
        "block": base64.b64encode(block).decode(),
    }
    return json.dumps(page, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _columns(findings: Findings, genes: pl.DataFrame) -> dict[str, Floats]:
    """Return the numbers of each gene, p- and q-values as -log10."""
    meanings = gene_result(findings, genes, None, None).meanings()
    columns = {
        "effect": genes["Coefficient"].cast(pl.Float64).to_numpy(),
        "mean": genes["Mean Expression"].cast(pl.Float64).to_numpy(),
        "meaning": np.array([MEANINGS.index(each) for each in meanings], dtype=np.float64),
    }
    if not findings.selects:
        for name in ("p", "q"):
            p = genes[f"rank_{name}"].cast(pl.Float64).to_numpy()
            columns[name] = 0.0 - np.log10(np.maximum(p, 1e-305))
    return columns


class _Expression:
    """Expression in the order of the ranking, of which some genes at a time are in memory.

    `low`, `high`: extremes of each gene, shape (genes,); NaN where nothing is known of it.
    """

    def __init__(self, symbols: Sequence[str], table: LinkedTable) -> None:
        place = {gene: i for i, gene in enumerate(table.genes)}
        self._rows = np.array([place.get(symbol, -1) for symbol in symbols], dtype=np.intp)
        self._table = table.expression
        self.size = len(symbols) * len(table.samples)
        self.low, self.high = (np.full(len(symbols), np.nan) for _ in range(2))
        for genes, values in self._parts():
            self.low[genes] = np.fmin.reduce(values, axis=1)
            self.high[genes] = np.fmax.reduce(values, axis=1)

    def _parts(self) -> Iterator[tuple[slice, Floats]]:
        """Yield genes, and their values (genes, samples); what is not finite is NaN."""
        for at in range(0, len(self._rows), _GENES_AT_ONCE):
            rows = self._rows[at : at + _GENES_AT_ONCE]
            values = self._table.T[rows]
            values[(rows < 0)[:, None] | ~np.isfinite(values)] = np.nan
            yield slice(at, at + len(rows)), values

    def levels(self, levels: int, samples: NDArray[np.intp] | slice = slice(None)) -> Bytes:
        """Return values as levels from 1 to `levels` between the gene's extremes; 0 is missing."""
        width = np.where(self.high > self.low, self.high - self.low, 1.0)
        found = []
        for genes, values in self._parts():
            share = (values[:, samples] - self.low[genes, None]) / width[genes, None]
            known = np.isfinite(share)
            level = np.rint(np.where(known, share, 0.0) * (levels - 1)) + 1
            found.append(np.where(known, level, 0).astype(np.uint8))
        return np.concatenate(found)


def _packed(column: Floats) -> tuple[Bytes, tuple[float, float]] | None:
    """Return a column as bytes, with lowest value and step; None where it holds nothing.

    Integers from 1, 0 for missing; differences of neighbours, with the sign in the lowest bit; all
    lowest bytes first, then the next ones. So sorted or similar numbers become runs of zeros.
    """
    known = np.isfinite(column)
    if not known.any():
        return None
    largest = float(np.abs(column[known]).max())
    step = 10.0 ** (np.ceil(np.log10(largest)) - _STEPS) if largest > 0 else 1.0
    low = float(np.floor(column[known].min() / step)) * step
    whole = np.zeros(len(column), dtype=np.int64)
    whole[known] = np.rint((column[known] - low) / step).astype(np.int64) + 1
    change = np.diff(whole, prepend=0)
    folded = np.where(change < 0, -2 * change - 1, 2 * change).astype("<u4")
    planes = folded.view(np.uint8).reshape(-1, 4).T
    return np.ascontiguousarray(planes).ravel(), (float(f"{low:.9g}"), float(f"{step:.3g}"))


def _values(expression: _Expression, marks: SampleMarks) -> tuple[Bytes, dict[str, Any]]:
    """Return expression as levels of each sample or as counts, and what the page needs to know."""
    for most, levels in _LEVELS:
        if expression.size <= most:
            groups = _groups(marks, bins=False)
            kept = np.flatnonzero(groups.place >= 0)
            # Samples of a group next to each other are packed more tightly.
            order = kept[np.argsort(groups.place[kept], kind="stable")]
            at = expression.levels(levels, order)
            samples = {
                "samples": [marks.names[i] for i in order],
                "place": groups.place[order].tolist(),
                "x": None if marks.levels is None else rounded(marks.levels[order]),
            }
            return at.T, {**_about(groups, levels, marks), **samples}
    groups = _groups(marks, bins=True)
    levels = int(np.clip(_ALL_GROUPS // max(len(groups.labels), 1), _FEWEST, _MOST))
    at = expression.levels(levels)
    counts = [
        (at[:, groups.place == group] == level).sum(axis=1)
        for group in range(len(groups.labels))
        for level in range(1, levels + 1)
    ]
    # More points at one level cannot be told apart in a strip.
    packed = np.minimum(np.array(counts), 255).astype(np.uint8)
    return packed, {**_about(groups, levels, marks), "samples": None, "place": None, "x": None}


def _about(groups: _Groups, levels: int, marks: SampleMarks) -> dict[str, Any]:
    sizes = [int((groups.place == i).sum()) for i in range(len(groups.labels))]
    rows = zip(groups.labels, groups.colours, sizes, strict=True)
    return {
        "groups": [list(row) for row in rows],
        "levels": levels,
        "level": readable(marks.level_name) if marks.levels is not None else "",
    }


def _groups(marks: SampleMarks, *, bins: bool) -> _Groups:
    """Return the groups of the samples; those of a measured level as bins of equal size."""
    if marks.levels is None:
        keys = marks.ordered
        place = np.array([keys.index(k) if k in keys else -1 for k in marks.keys], dtype=np.intp)
        labels = tuple(marks.labels[key] for key in keys)
        return _Groups(labels, tuple(COLOURS[key] for key in keys), place)
    known = np.isfinite(marks.levels)
    place = np.where(known, 0, -1).astype(np.intp)
    if not bins or not known.any():
        return _Groups((marks.level_name,), (COLOURS["control"],), place)
    cuts = np.unique(np.quantile(marks.levels[known], np.linspace(0, 1, _MOST_BINS + 1)[1:-1]))
    place[known] = np.searchsorted(cuts, marks.levels[known], side="left")
    used = np.unique(place[known])
    place[known] = np.searchsorted(used, place[known])
    members = [marks.levels[place == i] for i in range(len(used))]
    labels = tuple(f"{part.min():.4g} to {part.max():.4g}" for part in members)
    return _Groups(labels, (COLOURS["control"],) * len(used), place)
