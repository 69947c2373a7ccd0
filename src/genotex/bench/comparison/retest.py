"""Repeated runs of one method: how far genes and scores agree, and what scores vary with."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from genotex.arrays import Floats
from genotex.bench.comparison.paired import RunComparison
from genotex.bench.evaluation.analysis_task import read_gene_list
from genotex.bench.evaluation.figures import PlainTable
from genotex.bench.evaluation.folder_items import read_or_why
from genotex.bench.evaluation.preprocessing import jaccard
from genotex.bench.evaluation.scores import AnalysisScore, Scores, headline_figures
from genotex.bench.evaluation.summary import percentile_interval, resampled_means
from genotex.errors import UsageError
from genotex.layout import OutputFolder
from genotex.problems import Problem

_PIECE = 1 << 20
"""Values in memory at a time."""


@dataclass(frozen=True)
class Component:
    """A value with its 95 % bootstrap interval over problems; None where undefined."""

    value: float | None
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class VarianceComponents:
    """Where the variance of a figure comes from, in squared units of the figure.

    Of a two-way random model without replication, problems x runs (Shrout and Fleiss 1979): the
    estimates are those of the analysis of variance, negative ones 0. `icc` is the share of the
    problems, ICC(2,1): agreement of two single runs; None where nothing varies.
    """

    problem: Component
    run: Component
    residual: Component
    icc: Component
    problems: int


@dataclass(frozen=True)
class Retest:
    """Agreement of repeated runs."""

    runs: tuple[str, ...]  # names, in the order given
    # Jaccard index of the genes of two runs, averaged over pairs of runs, then over problems
    genes: Component
    problems: int  # over which `genes` is averaged
    # of each headline figure of the analysis, over the problems that every run has a value of
    figures: Mapping[str, VarianceComponents]
    notes: tuple[str, ...] = ()  # what could not be computed


def with_retest(comparison: RunComparison) -> RunComparison:
    """Return a comparison with the agreement of its runs, which are taken as repetitions."""
    summary = comparison.runs[0].summary
    named = {run.name: run.scores for run in comparison.runs}
    found = retest_runs(named, seed=summary.seed, draws=summary.draws)
    return replace(comparison, retest=found, notes=(*comparison.notes, *found.notes))


def retest_runs(named: Mapping[str, Scores], *, seed: int = 0, draws: int = 2000) -> Retest:
    """Compute how far repeated runs of one method agree."""
    answers = [{(i.trait, i.condition): i for i in scores.analysis} for scores in named.values()]
    common = [key for key in answers[0] if all(key in each for each in answers)] if answers else []
    if len(named) < 2 or not common:
        msg = "repeated runs are compared by their answers; give two runs or more that were "
        raise UsageError(msg + "scored on the same problems (-t analysis)")
    figures = {
        figure.key: variance_components(
            _values([[each[key] for each in answers] for key in common], figure.key), seed, draws
        )
        for figure in headline_figures("analysis")
    }
    folders = [Path(scores.prediction) for scores in named.values()]
    gone = [str(folder) for folder in folders if not (folder / "regress").is_dir()]
    notes = tuple(f"genes of repeated runs are not compared: {f} has no answers" for f in gone)
    indices = [] if gone else list(_indices(folders, [Problem(*key) for key in common]))
    return Retest(tuple(named), _mean(indices, seed, draws), len(indices), figures, notes)


def _values(rows: Sequence[Sequence[AnalysisScore]], key: str) -> Floats:
    """Return a figure (problems, runs), without the problems where a run has no value."""
    values = np.array([[getattr(item, key) for item in row] for row in rows], dtype=np.float64)
    whole: Floats = values[np.isfinite(values).all(axis=1)]
    return whole


def _indices(folders: Sequence[Path], problems: Sequence[Problem]) -> Iterator[float]:
    """Yield the mean Jaccard index of each problem that any run answered."""
    for problem in problems:
        lists = [_genes(folder, problem) for folder in folders]
        if any(found is not None for found in lists):
            pairs = [_index(a, b) for a, b in combinations(lists, 2)]
            yield math.fsum(pairs) / len(pairs)


def _genes(folder: Path, problem: Problem) -> frozenset[str] | None:
    path = OutputFolder(folder).significant_genes(problem.trait, problem.condition)
    found = read_or_why(path, read_gene_list)
    return None if isinstance(found, str) else frozenset(found.genes)


def _index(one: frozenset[str] | None, other: frozenset[str] | None) -> float:
    """Return the Jaccard index; an answer and none share nothing, two that lack agree."""
    if one is None or other is None:
        return float(one is other)
    return jaccard(one, other)


def _mean(values: Sequence[float], seed: int, draws: int) -> Component:
    if not values:
        return Component(None)
    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return Component(mean)
    table = np.array(values)[:, None]
    return Component(mean, percentile_interval(resampled_means(table, seed, draws)[:, 0]))


def variance_components(values: Floats, seed: int = 0, draws: int = 2000) -> VarianceComponents:
    """Split the variance of a figure (problems, runs) into problem, run and residual."""
    problems, runs = values.shape
    if problems < 2 or runs < 2:
        nothing = Component(None)
        return VarianceComponents(nothing, nothing, nothing, nothing, problems)
    found = _components(values[None])[0]
    random = np.random.default_rng(seed)
    pieces = []
    at_once = max(1, _PIECE // values.size)
    for first in range(0, draws, at_once):
        chosen = random.integers(problems, size=(min(at_once, draws - first), problems))
        pieces.append(_components(values[chosen]))
    drawn = np.concatenate(pieces) if pieces else np.empty((0, 4))
    problem, run, residual, icc = (
        Component(float(value) if np.isfinite(value) else None, percentile_interval(column))
        for value, column in zip(found, drawn.T, strict=True)
    )
    return VarianceComponents(problem, run, residual, icc, problems)


def _components(tables: Floats) -> Floats:
    """Return problem, run, residual and ICC of each table (tables, problems, runs)."""
    _, problems, runs = tables.shape
    whole = tables.mean(axis=(1, 2), keepdims=True)
    rows, columns = tables.mean(axis=2, keepdims=True), tables.mean(axis=1, keepdims=True)
    left = tables - rows - columns + whole
    residual = (left**2).sum(axis=(1, 2)) / ((problems - 1) * (runs - 1))
    of_rows = runs * ((rows - whole) ** 2).sum(axis=(1, 2)) / (problems - 1)
    of_columns = problems * ((columns - whole) ** 2).sum(axis=(1, 2)) / (runs - 1)
    problem = np.maximum(0.0, (of_rows - residual) / runs)
    run = np.maximum(0.0, (of_columns - residual) / problems)
    total = problem + run + residual
    icc = np.full_like(total, np.nan)
    # Deviations of rounding alone are no variance.
    varies = total > 1e-18 * np.maximum(1.0, whole[:, 0, 0] ** 2)
    np.divide(problem, total, out=icc, where=varies)
    return np.stack([problem, run, residual, icc], axis=1)


def retest_tables(retest: Retest) -> tuple[PlainTable, ...]:
    """Return agreement and variance components as a table."""
    head = ("agreement of", "agreement", "SD problem", "SD run", "SD residual", "problems")
    genes = ("genes (Jaccard index)", _text(retest.genes, "{:.3f}"), "-", "-", "-")
    rows: list[tuple[str, ...]] = [(*genes, f"{retest.problems:,}")]
    for figure in headline_figures("analysis"):
        found = retest.figures[figure.key]
        parts = (found.problem, found.run, found.residual)
        shown = "{:.2f}" if figure.unit == "%" else "{:.3f}"
        sds = [_text(_root(part), shown) for part in parts]
        name, icc = f"{figure.name} (ICC)", _text(found.icc, "{:.3f}")
        rows.append((name, icc, *sds, f"{found.problems:,}"))
    note = (
        "ICC(2,1): share of the variance that is due to the problems; 1 when runs agree. Standard "
        "deviations in units of the figure. Intervals: bootstrap over problems, 95 %; with few "
        "runs the part of the run is uncertain beyond its interval."
    )
    title = f"Agreement of {len(retest.runs)} runs taken as repetitions"
    return (PlainTable(title, head, tuple(rows), note=note),)


def _root(part: Component) -> Component:
    if part.value is None:
        return part
    ends = part.interval
    roots = None if ends is None else (math.sqrt(ends[0]), math.sqrt(ends[1]))
    return Component(math.sqrt(part.value), roots)


def _text(part: Component, shown: str) -> str:
    if part.value is None:
        return "-"
    text = shown.format(part.value)
    if part.interval is None:
        return text
    return f"{text} ({' to '.join(shown.format(end) for end in part.interval)})"
