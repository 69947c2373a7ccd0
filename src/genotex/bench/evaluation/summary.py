"""From the items of an evaluation to averages, their bootstrap intervals, and counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import genotex
from genotex.bench.evaluation.figures import TABLES, Section
from genotex.bench.evaluation.options import OURS, ScoringRules, rules_of
from genotex.bench.evaluation.scores import (
    FIGURES,
    AnalysisScore,
    PreprocessingScore,
    Scores,
    SelectionScore,
)
from genotex.problems import Problem, ProblemKind
from genotex.records import as_json

DRAWS = 2000
_LEVEL = 0.95

_PIECE = 1 << 20
"""Indices in memory at a time."""


def resampled_means(values: NDArray[np.float64], seed: int, draws: int) -> NDArray[np.float64]:
    """Return averages (draws, figures) of items drawn with replacement (Efron 1979).

    All columns share the draws, so that a difference of two columns is a paired one. Items whose
    value is not a number are drawn like the others and left out of the average.
    """
    items, figures = values.shape
    defined = np.isfinite(values)
    filled = np.where(defined, values, 0.0)
    means = np.full((draws, figures), np.nan)
    for first, chosen in _draws(items, seed, draws):
        rows = slice(first, first + len(chosen))
        for column in range(figures):
            total = filled[:, column][chosen].sum(axis=1)
            whole = bool(defined[:, column].all())
            count = items if whole else defined[:, column][chosen].sum(axis=1)
            with np.errstate(invalid="ignore"):
                means[rows, column] = total / count
    return means


def _draws(items: int, seed: int, draws: int) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yield the first draw of a piece, and the items of its draws (draws, items)."""
    random = np.random.default_rng(seed)
    at_once = max(1, _PIECE // max(1, items))
    for first in range(0, draws if items else 0, at_once):
        size = (min(at_once, draws - first), items)
        yield first, random.integers(items, size=size, dtype=np.intp)


def percentile_interval(means: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return the middle 95 % of resampled averages; None when there are none."""
    defined = means[np.isfinite(means)]
    if not defined.size:
        return None
    low, high = np.quantile(defined, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return float(low), float(high)


_Value = TypeVar("_Value")

_BY_KIND: tuple[Section, ...] = ("selection", "analysis")


@dataclass(frozen=True)
class Average:
    """The average of one figure over the items where it is defined."""

    average: float | None  # over full precision; None when it is defined for no item
    # 95 % percentile bootstrap interval; None with fewer than two defined values
    interval: tuple[float, float] | None
    scored: int  # items with and without a value
    undefined: int


@dataclass(frozen=True)
class Summary:
    """The averages of the items."""

    # section -> figure -> average, for what was scored, in the order of `FIGURES`
    sections: Mapping[Section, Mapping[str, Average]]
    # selection and analysis, over the problems of one kind; kinds without a problem are absent
    by_kind: Mapping[ProblemKind, Mapping[Section, Mapping[str, Average]]]
    seed: int
    draws: int
    rules: ScoringRules = OURS  # by which the items were scored


def summarise(scores: Scores, *, seed: int = 0, draws: int = DRAWS) -> Summary:
    """Average every figure, with bootstrap intervals over the items.

    Parameters
    ----------
    scores
        The items: traits for filtering, problems for selection and analysis, files for
        preprocessing.
    seed, draws
        Of the bootstrap.
    """
    sections = {
        section: _averages(section, items, seed, draws)
        for section in FIGURES
        if (items := section_items(scores, section)) is not None
    }
    by_kind: dict[ProblemKind, dict[Section, Mapping[str, Average]]] = {}
    for kind in ProblemKind:
        for section in _BY_KIND:
            every = section_items(scores, section) or ()
            items = [i for i in every if Problem(i.trait, i.condition).kind is kind]
            if items:
                by_kind.setdefault(kind, {})[section] = _averages(section, items, seed, draws)
    return Summary(sections, by_kind, seed, draws, rules_of(scores.settings))


def section_items(scores: Scores, section: Section) -> Sequence[Any] | None:
    """Return the items of a section; None if it was not scored."""
    if section == "gene" or section == "clinical" or section == "linked":
        return scores.preprocessing.get(section)
    items: Mapping[Section, tuple[Sequence[Any], str]] = {
        "filtering": (scores.filtering, "selection"),
        "selection": (scores.selection, "selection"),
        "analysis": (scores.analysis, "analysis"),
    }
    found, task = items[section]
    return found if found or task in scores.tasks else None


def item_key(item: Any) -> tuple[str, ...]:
    """Return what an item is about: trait, or trait and condition or cohort."""
    if isinstance(item, SelectionScore | AnalysisScore):
        return (item.trait, item.condition or "None")
    return (item.trait, item.cohort) if isinstance(item, PreprocessingScore) else (item.trait,)


def value_table(section: Section, items: Sequence[Any]) -> NDArray[np.float64]:
    """Return the figures of the items, shape (items, figures); not a number where undefined."""
    names = [figure.key for figure in FIGURES[section]]
    rows = [[getattr(item, name) for name in names] for item in items]
    return np.array(rows, dtype=np.float64).reshape(len(items), len(names))


def _averages(section: Section, items: Sequence[Any], seed: int, draws: int) -> dict[str, Average]:
    values = value_table(section, items)
    means = resampled_means(values, seed, draws)
    return {
        figure.key: _average(values[:, column], means[:, column])
        for column, figure in enumerate(FIGURES[section])
    }


def _average(values: NDArray[np.float64], means: NDArray[np.float64]) -> Average:
    defined = values[np.isfinite(values)]
    scored = len(defined)
    # The exact sum does not depend on the order of the items.
    average = math.fsum(defined) / scored if scored else None
    interval = percentile_interval(means) if scored > 1 else None
    return Average(average, interval, scored, len(values) - scored)


def to_json(scores: Scores, summary: Summary) -> dict[str, Any]:
    """Return items and averages as plain JSON values: ``genotex evaluate --json``.

    ``average``, ``interval`` ([low, high] or null) and ``counts`` ({"scored", "undefined"}) have
    the shape of the items: section, below ``preprocessing`` the table, then the figure;
    ``by_kind`` holds the same three for each kind of problem.
    """
    return {
        **scores.items(),
        **averages_json(summary.sections),
        "by_kind": {
            kind.value: averages_json(sections) for kind, sections in summary.by_kind.items()
        },
        "bootstrap": {"draws": summary.draws, "seed": summary.seed, "level": _LEVEL},
        **as_json(
            scores, "tasks", "settings", "missing", "traps", "notes", "prediction", "reference"
        ),
        "genotex_version": genotex.__version__,
    }


def averages_json(sections: Mapping[Section, Mapping[str, Average]]) -> dict[str, Any]:
    """Return ``average``, ``interval`` and ``counts`` of some sections (see `to_json`)."""
    return {
        "average": nested(sections, lambda a: a.average),
        "interval": nested(sections, lambda a: None if a.interval is None else [*a.interval]),
        "counts": nested(sections, lambda a: {"scored": a.scored, "undefined": a.undefined}),
    }


def nested(
    sections: Mapping[Section, Mapping[str, _Value]], value: Callable[[_Value], Any]
) -> dict[str, Any]:
    """Return something of every figure in the shape of the items, tables in ``preprocessing``."""
    shaped: dict[str, Any] = {}
    for section, figures in sections.items():
        place = shaped.setdefault("preprocessing", {}) if section in TABLES else shaped
        place[section] = {name: value(figure) for name, figure in figures.items()}
    return shaped
