"""The numbers of the plots: volcano, MA and p-values of an analysis, samples and cohorts of a gene.

A plot of 20,000 points is slow in a browser, and most of them lie on top of each other. Of the
genes that are neither significant nor highlighted, one is drawn for each cell of a fine grid; on
zooming in, the part in view is asked for again. Selections are made among all genes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.meta import MetaResult
from genotex.reports import forest_rows
from genotex.studies import Floats, LoadedAnalysis
from genotex.words import number, readable

PLOTS = {"volcano": "Volcano", "ma": "MA", "p": "p-values", "samples": "Samples"}
_COLUMNS, _ROWS = 200, 130
_MOST_SIGNIFICANT = 3000
_NAMED = 12
_BARS = 40
_MOST_LEVELS = 12
_LABELS = {"Gender": "sex", "Age": "age"}


@dataclass(frozen=True, eq=False)
class Axes:
    """Place of each gene in a plot, NaN where it has none, and what the axes show."""

    x: Floats
    y: Floats
    x_label: str
    y_label: str


def axes_of(analysis: LoadedAnalysis, plot: str) -> Axes:
    """Return the places of all genes in the volcano or the MA plot."""
    change = _change_label(analysis)
    if plot == "ma":
        return Axes(analysis.mean, analysis.change, "mean log2 expression", change)
    return Axes(analysis.change, analysis.log_p, change, "\N{MINUS SIGN}log10 p")


def _change_label(analysis: LoadedAnalysis) -> str:
    kind = analysis.findings.trait_kind
    trait = readable(analysis.result.trait)
    if kind == "binary":
        return "log2 fold change, case against control"
    if kind == "factor":
        return f"largest difference between two levels of {trait}, log2"
    return f"change per standard deviation of {trait}"


def inside(axes: Axes, corners: Sequence[tuple[float, float]]) -> NDArray[np.bool_]:
    """Return which points are inside a polygon (even-odd rule)."""
    x, y = axes.x, axes.y
    found = np.zeros(len(x), dtype=bool)
    before_x, before_y = corners[-1]
    for here_x, here_y in corners:
        if here_y != before_y:
            crosses = (here_y > y) != (before_y > y)
            at = (before_x - here_x) * (y - here_y) / (before_y - here_y) + here_x
            found ^= crosses & (x < at)
        before_x, before_y = here_x, here_y
    return found


def points(
    analysis: LoadedAnalysis,
    plot: str,
    marked: NDArray[np.bool_],
    window: tuple[float, float, float, float] | None = None,
) -> dict[str, Any]:
    """Return the points of a plot in a window (x and y from, to), by kind."""
    axes = axes_of(analysis, plot)
    placed = np.isfinite(axes.x) & np.isfinite(axes.y)
    seen = placed.copy()
    if window is not None:
        left, right, low, high = window
        seen &= (axes.x >= left) & (axes.x <= right) & (axes.y >= low) & (axes.y <= high)
    significant = analysis.significant
    kinds = {
        "up": seen & significant & ~marked & (analysis.change > 0),
        "down": seen & significant & ~marked & (analysis.change <= 0),
        "marked": seen & marked,
        "rest": seen & ~significant & ~marked,
    }
    names, q = analysis.genes["Variable"], analysis.genes["rank_q"]
    groups = []
    for kind in ("rest", "down", "up", "marked"):
        rows = np.flatnonzero(kinds[kind])
        if kind == "rest" or len(rows) > _MOST_SIGNIFICANT:
            rows = thinned(axes, rows)
        groups.append(
            {
                "kind": kind,
                "x": rounded(axes.x[rows]),
                "y": rounded(axes.y[rows]),
                "gene": names[rows].to_list(),
                "q": [number(value, "p") for value in q[rows]],
            }
        )
    to_name = [np.flatnonzero(seen & marked), np.flatnonzero(seen & significant & ~marked)]
    first = _apart(axes, np.concatenate(to_name), seen)
    return {
        "plot": plot,
        "x_label": axes.x_label,
        "y_label": axes.y_label,
        "groups": groups,
        "named": [
            {"gene": names[int(i)], "x": float(axes.x[i]), "y": float(axes.y[i])} for i in first
        ],
        "drawn": sum(len(group["gene"]) for group in groups),
        "seen": int(seen.sum()),
        "total": int(placed.sum()),
    }


def _apart(axes: Axes, rows: NDArray[np.intp], seen: NDArray[np.bool_]) -> list[np.intp]:
    """Return the first rows whose names do not cover each other."""
    chosen: list[np.intp] = []
    if not len(rows):
        return chosen
    wide, high = (0.08 * (float(np.ptp(values[seen])) or 1.0) for values in (axes.x, axes.y))
    for row in rows[: 10 * _NAMED]:
        near = (
            abs(axes.x[row] - axes.x[other]) < wide and abs(axes.y[row] - axes.y[other]) < high / 2
            for other in chosen
        )
        if not any(near):
            chosen.append(row)
    return chosen[:_NAMED]


def thinned(axes: Axes, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first of the rows in each cell of a grid over them."""
    if not len(rows):
        return rows
    cells = _steps(axes.x[rows], _COLUMNS) * _ROWS + _steps(axes.y[rows], _ROWS)
    _, first = np.unique(cells, return_index=True)
    kept: NDArray[np.intp] = rows[np.sort(first)]
    return kept


def _steps(values: Floats, count: int) -> NDArray[np.int64]:
    low, width = values.min(), float(np.ptp(values)) or 1.0
    steps: NDArray[np.int64] = np.minimum((values - low) / width * count, count - 1).astype(int)
    return steps


def rounded(values: NDArray[np.floating[Any]]) -> list[float | None]:
    """Return numbers for JSON; what is missing as null."""
    return [round(v, 4) if np.isfinite(v) else None for v in values.tolist()]


def histogram(analysis: LoadedAnalysis) -> dict[str, Any]:
    """Return how many p-values are in each of equal steps."""
    p = analysis.p[np.isfinite(analysis.p)]
    counts, _ = np.histogram(p, bins=_BARS, range=(0, 1))
    middles = (np.arange(_BARS) + 0.5) / _BARS
    return {
        "plot": "p",
        "x": middles.tolist(),
        "y": counts.tolist(),
        "width": 1 / _BARS,
        "expected": len(p) / _BARS,
        "total": len(p),
    }


def samples_of(analysis: LoadedAnalysis, gene: str, by: str = "") -> dict[str, Any]:
    """Return the expression of a gene in every sample, along `by` and by group."""
    marks = analysis.marks
    values = analysis.expression[analysis.gene_rows[gene]]
    compared = set(analysis.findings.tested)
    along = _along(analysis, by)
    groups = [("level", marks.level_name, np.arange(len(marks.names)))]
    if marks.levels is None:
        groups = [(key, label, marks.members(key)) for key, label in marks.labels.items()]
    return {
        "gene": gene,
        "by": by,
        "numeric": along is not None and not isinstance(along[0], str),
        "x_label": {"Gender": "sex", "Age": "age"}.get(by, by)
        or ("" if marks.levels is None else marks.level_name),
        "groups": [
            {
                "kind": kind,
                "name": label,
                "values": rounded(values[rows]),
                "x": None if along is None else [along[i] for i in rows],
                "sample": [marks.names[i] for i in rows],
                "compared": [marks.names[i] in compared for i in rows],
            }
            for kind, label, rows in groups
        ],
    }


def sample_map(analysis: LoadedAnalysis, by: str = "") -> dict[str, Any]:
    """Return the samples on their first two principal components, coloured by group or `by`."""
    parts, marks = analysis.components, analysis.marks
    along = _along(analysis, by)
    levels = None if along is None or isinstance(along[0], str) else along
    places = range(len(marks.names))
    groups: list[tuple[str, str, list[int]]]
    if levels is not None:
        groups = [("level", _LABELS.get(by, by) or marks.level_name, list(places))]
    elif along is not None:
        texts = sorted(set(along), key=along.count, reverse=True)
        groups = [("", text, [i for i in places if along[i] == text]) for text in texts]
    else:
        groups = [(key, text, marks.members(key).tolist()) for key, text in marks.labels.items()]
    first, second = (f"{share:.1%}".replace("%", " %") for share in parts.explained)
    return {
        "plot": "samples",
        "x_label": f"component 1 ({first} of the variance)",
        "y_label": f"component 2 ({second})",
        "genes": parts.genes,
        "groups": [
            {
                "kind": kind,
                "name": label,
                "x": rounded(parts.scores[rows, 0]),
                "y": rounded(parts.scores[rows, 1]),
                "sample": [marks.names[i] for i in rows],
                "level": None if levels is None else [levels[i] for i in rows],
            }
            for kind, label, rows in groups
        ],
    }


def choices_of(analysis: LoadedAnalysis) -> list[str]:
    """Return what samples can be laid out along, besides their group."""
    return [*analysis.covariates, *analysis.evidence.sample_facts]


def _along(analysis: LoadedAnalysis, by: str) -> list[Any] | None:
    """Return the place of each sample along the trait's level, a covariate or a characteristic."""
    marks = analysis.marks
    if by == "Gender" and by in analysis.covariates:
        sexes = {0.0: "female", 1.0: "male"}
        return [sexes.get(value, "unknown") for value in analysis.covariates[by].tolist()]
    if by in analysis.covariates:
        return rounded(analysis.covariates[by])
    if by in analysis.evidence.sample_facts:
        facts = analysis.evidence.sample_facts[by]
        texts = [facts.get(name) or "unknown" for name in marks.names]
        common = sorted(set(texts), key=texts.count, reverse=True)[:_MOST_LEVELS]
        return [text if text in common else "other" for text in texts]
    return None if marks.levels is None else rounded(marks.levels)


def forest_of(analysis: LoadedAnalysis, gene: str) -> dict[str, Any] | None:
    """Return the effect of a gene in every cohort and combined; of this cohort if it is alone."""
    combined = None if analysis.meta is None else meta_forest(analysis.meta, gene)
    return combined or _one_cohort(analysis, gene)


def meta_forest(meta: MetaResult, gene: str) -> dict[str, Any] | None:
    """Return the effect of a gene in every cohort and combined, if it was combined."""
    rows = meta.genes["Variable"].to_list()
    if gene not in rows:
        return None
    lines = [
        {
            "name": line.label,
            "effect": line.effect,
            "low": line.lower,
            "high": line.upper,
            "text": line.written,
            "cohort": line.weight is not None,
        }
        for line in forest_rows(meta, rows.index(gene))
    ]
    label = "Hedges' g, case against control" if meta.binary else "partial correlation"
    return {"label": label, "combined": True, "rows": lines}


def _one_cohort(analysis: LoadedAnalysis, gene: str) -> dict[str, Any] | None:
    row = analysis.genes.row(analysis.rank_of[gene.lower()], named=True)
    effect, low, high = row["Coefficient"], row["CI Lower"], row["CI Upper"]
    if effect is None or low is None or high is None:
        return None
    ends = " to ".join(number(value, "signed") for value in (low, high))
    text = f"{number(effect, 'signed')}  ({ends})"
    line = {"name": analysis.result.cohort, "effect": effect, "low": low, "high": high}
    return {
        "label": _change_label(analysis),
        "combined": False,
        "rows": [{**line, "text": text, "cohort": True}],
    }
