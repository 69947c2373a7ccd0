"""The figures of an analysis in the workbench, and the genes that are selected in them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.analysis.meta import MetaResult
from genotex.arrays import Floats
from genotex.features import feature_of_column
from genotex.figures import (
    Figure,
    ForestRow,
    GeneResult,
    Registered,
    SampleMarks,
    figures_of,
    forest,
    gene_in_samples,
)
from genotex.reports import change_words, covariate_bars, gene_forest
from genotex.studies import LoadedAnalysis
from genotex.words import number

_MOST_LEVELS = 12
_FIRST = ("volcano", "ma", "histogram", "pca")
"""The others follow in their order."""


def plots_of(analysis: LoadedAnalysis) -> dict[str, Registered]:
    """Return the figures of all genes, the most asked for first; none for a mere selection."""
    if analysis.findings.selects:
        return {}
    every = {each.key: each for each in figures_of(GeneResult) if each.key != "coefficients"}
    return {key: every.pop(key) for key in _FIRST} | every


@dataclass(frozen=True)
class Cut:
    """From where on genes count as significant: below a q-value, with at least some change."""

    q: float
    change: float

    @classmethod
    def read(cls, analysis: LoadedAnalysis, given: Mapping[str, str]) -> Cut:
        """Return the cut-offs of an address; those of the analysis where they make no sense."""
        usual = cls(analysis.findings.cut, analysis.findings.minimal_change)
        try:
            q, change = (float(given.get(name) or getattr(usual, name)) for name in ("q", "change"))
        except ValueError:
            return usual
        return cls(q, change) if 0 < q <= 1 and 0 <= change < math.inf else usual

    def significant(self, analysis: LoadedAnalysis) -> pl.Series:
        """Return which genes pass; without another cut-off, those of the analysis."""
        genes = analysis.genes
        if self == Cut.read(analysis, {}) or analysis.findings.selects:
            return genes["Significant"].fill_null(False)
        passes = (genes["rank_q"] < self.q) & (genes["Coefficient"].abs() >= self.change)
        return passes.fill_null(False).alias("Significant")

    def of(self, analysis: LoadedAnalysis) -> GeneResult:
        """Return what figures need of the genes."""
        passes = self.significant(analysis).to_numpy()
        return replace(analysis.subject, significant=passes, cut=self.q, least=self.change)


def subject_of(
    analysis: LoadedAnalysis, cut: Cut, marked: NDArray[np.bool_], by: str, plot: str
) -> GeneResult:
    """Return what the figures of all genes show, or one of them; `by` colours the samples."""
    bars = covariate_bars(analysis.marks.names, analysis.covariates)
    along = _along(analysis, by)
    if plot == "heatmap" and by and by not in analysis.covariates and along is not None:
        label = choices_of(analysis)[by]
        bars = (*bars, SampleMarks.annotating(analysis.marks.names, along, label))
    return replace(
        cut.of(analysis),
        marks=analysis.marks if plot == "heatmap" else _marks_by(analysis, by),
        bars=bars,
        table=analysis.expression.T,  # type: ignore[arg-type]
        places=analysis.gene_rows,
        components=analysis.components if plot == "pca" else None,
        marked=marked,
    )


def _marks_by(analysis: LoadedAnalysis, by: str) -> SampleMarks:
    """Return the samples marked by group, or by a covariate or characteristic."""
    along = _along(analysis, by)
    if along is None or not by:
        return analysis.marks
    texts = [value for value in along if isinstance(value, str)]
    order = sorted(set(texts), key=texts.count, reverse=True)
    return SampleMarks.by_values(analysis.marks.names, along, choices_of(analysis)[by], order)


def axes_of(analysis: LoadedAnalysis, plot: str) -> tuple[Floats, Floats]:
    """Return the places of all genes in the volcano or the MA plot, NaN where there are none."""
    found = analysis.subject
    return (found.mean, found.change) if plot == "ma" else (found.change, found.log_p)


def inside(
    axes: tuple[Floats, Floats], corners: Sequence[tuple[float, float]]
) -> NDArray[np.bool_]:
    """Return which points are inside a polygon (even-odd rule)."""
    x, y = axes
    found = np.zeros(len(x), dtype=bool)
    before_x, before_y = corners[-1]
    for here_x, here_y in corners:
        if here_y != before_y:
            crosses = (here_y > y) != (before_y > y)
            at = (before_x - here_x) * (y - here_y) / (before_y - here_y) + here_x
            found ^= crosses & (x < at)
        before_x, before_y = here_x, here_y
    return found


def gene_figure(analysis: LoadedAnalysis, gene: str, by: str = "") -> Figure:
    """Declare the expression of a gene in every sample, along `by` and by group."""
    marks = analysis.marks
    values = analysis.expression[analysis.gene_rows[gene]].astype(np.float64)
    compared = set(analysis.findings.tested)
    label = choices_of(analysis)[by] if by else ("" if marks.levels is None else marks.level_name)
    tested = [name in compared for name in marks.names]
    return gene_in_samples(gene, values, marks, _along(analysis, by), label, tested)


def choices_of(analysis: LoadedAnalysis) -> dict[str, str]:
    """Return what samples can be laid out along, besides their group, with their labels."""
    features = {name: feature_of_column(name) for name in analysis.covariates}
    labels = {name: name if found is None else found.name for name, found in features.items()}
    return labels | {name: name for name in analysis.evidence.sample_facts if name not in labels}


def _along(analysis: LoadedAnalysis, by: str) -> list[Any] | None:
    """Return the place of each sample along the trait's level, a covariate or a characteristic."""
    marks = analysis.marks
    if by in analysis.covariates:
        feature, values = feature_of_column(by), [*map(float, analysis.covariates[by])]
        if feature is not None and feature.levels:
            return [feature.cell(value) or "unknown" for value in values]
        return [*values]
    if by in analysis.evidence.sample_facts:
        facts = analysis.evidence.sample_facts[by]
        texts = [facts.get(name) or "unknown" for name in marks.names]
        common = sorted(set(texts), key=texts.count, reverse=True)[:_MOST_LEVELS]
        return [text if text in common else "other" for text in texts]
    return None if marks.levels is None else marks.levels.tolist()


def forest_of(analysis: LoadedAnalysis, gene: str) -> Figure | None:
    """Return the effect of a gene in every cohort and combined; of this cohort if it is alone."""
    combined = None if analysis.meta is None else meta_forest(analysis.meta, gene)
    return combined or _one_cohort(analysis, gene)


def meta_forest(meta: MetaResult, gene: str) -> Figure | None:
    """Return the effect of a gene in every cohort and combined, if it was combined."""
    rows = meta.genes["Variable"].to_list()
    return gene_forest(meta, rows.index(gene)) if gene in rows else None


def _one_cohort(analysis: LoadedAnalysis, gene: str) -> Figure | None:
    row = analysis.genes.row(analysis.rank_of[gene.lower()], named=True)
    effect, low, high = row["Coefficient"], row["CI Lower"], row["CI Upper"]
    if effect is None or low is None or high is None:
        return None
    ends = " to ".join(number(value, "signed") for value in (low, high))
    text = f"{number(effect, 'signed')}  ({ends})"
    line = ForestRow(analysis.result.cohort, effect, low, high, text, 1.0)
    return forest([line], change_words(analysis.findings).axis, "one-cohort")


_MOST_CORNERS = 400
_SEPARATORS = re.compile(r"[\s,;|]+")


def highlighted(analysis: LoadedAnalysis, marked: Iterable[str]) -> NDArray[np.bool_]:
    """Return which genes are highlighted."""
    found = np.zeros(analysis.genes.height, dtype=bool)
    ranks = (analysis.rank_of.get(name.lower()) for name in marked)
    found[[rank for rank in ranks if rank is not None]] = True
    return found


def corners(text: str) -> tuple[tuple[float, float], ...]:
    """Return the corners of a lasso; none of a text that makes no sense."""
    try:
        numbers = [float(part) for part in text.split(",")] if text else []
    except ValueError:
        return ()
    if len(numbers) % 2 or not 6 <= len(numbers) <= 2 * _MOST_CORNERS:
        return ()
    if not np.isfinite(numbers).all():
        return ()
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def names_in(text: str) -> tuple[str, ...]:
    """Return the gene names of a pasted text, each once."""
    return tuple(dict.fromkeys(name for name in _SEPARATORS.split(text) if name))
