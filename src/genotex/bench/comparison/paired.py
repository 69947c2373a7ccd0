"""Runs side by side: paired differences of every figure, and the average of the runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from genotex.bench.evaluation.figures import SECTIONS, Section
from genotex.bench.evaluation.folder_items import one_name
from genotex.bench.evaluation.options import rules_of
from genotex.bench.evaluation.scores import FIGURES, PreprocessingScore, Scores
from genotex.bench.evaluation.summary import (
    DRAWS,
    Average,
    Summary,
    item_key,
    percentile_interval,
    resampled_means,
    section_items,
    summarise,
    value_table,
)
from genotex.errors import UsageError

if TYPE_CHECKING:
    from genotex.bench.comparison.retest import Retest

_MUST_AGREE = ("rules", "metrics", "df_field")
"""Settings that change the meaning of figures."""


@dataclass(frozen=True)
class Run:
    """One evaluation under a unique name."""

    name: str
    scores: Scores
    summary: Summary


@dataclass(frozen=True)
class Difference:
    """A figure of one run less that of the baseline, over the items that both scored.

    The interval is the 95 % percentile interval of the paired bootstrap; p is two-sided: twice the
    smaller share of draws that are not on the difference's side of 0, each share counted with one
    extra draw. Both are None with fewer than two items.
    """

    difference: float | None
    interval: tuple[float, float] | None
    p: float | None
    compared: int
    left_out: int


@dataclass(frozen=True)
class RunComparison:
    """Several runs."""

    runs: tuple[Run, ...]  # in the order they were given
    baseline: str  # the run that the others are compared with
    # by the name of the run, for every run but the baseline
    differences: Mapping[str, Mapping[Section, Mapping[str, Difference]]]
    # the average of the runs' averages; `scored` counts the items that every run has a value for,
    # `undefined` all others. The row of human experts in the paper (table 2) is such a mean of two
    # annotators
    mean: Mapping[Section, Mapping[str, Average]]
    notes: tuple[str, ...]  # items that not every run scored, settings that differ
    mean_name: str = "mean of runs"  # what the mean is called
    retest: Retest | None = None  # where the runs repeat one method: how far they agree


def compare_runs(
    named: Mapping[str, Scores], baseline: str | None = None, *, seed: int = 0, draws: int = DRAWS
) -> RunComparison:
    """Compare runs that were scored in the same way.

    Parameters
    ----------
    named
        At least one, by name.
    baseline
        What the others are compared with; the first by default.
    seed, draws
        Of the bootstrap; all runs share the draws.

    Raises
    ------
    UsageError
        If the baseline is not a run, or the runs were scored by different metrics.
    """
    first = next(iter(named)) if baseline is None else baseline
    if first not in named:
        msg = f"no run is called {first!r}; known: {', '.join(named)}"
        raise UsageError(msg)
    _refuse_other_metrics(named)
    averaged = partial(summarise, seed=seed, draws=draws)
    runs = tuple(Run(name, scores, averaged(scores)) for name, scores in named.items())
    aligned = ((section, _align(section, runs)) for section in FIGURES)
    values = {section: tables for section, tables in aligned if tables is not None}
    means = {
        section: {name: resampled_means(table, seed, draws) for name, table in tables.items()}
        for section, tables in values.items()
    }
    differences = {
        name: {
            section: _differences(section, tables[name], tables[first], seed, draws)
            for section, tables in values.items()
            if {name, first} <= tables.keys()
        }
        for name in named
        if name != first
    }
    mean = {
        section: _mean(section, runs, values[section], resampled)
        for section, resampled in means.items()
        if 1 < len(resampled) == len(runs)
    }
    return RunComparison(runs, first, differences, mean, tuple(_notes(runs)))


def _refuse_other_metrics(named: Mapping[str, Scores]) -> None:
    for key in _MUST_AGREE:
        found = {name: _setting(scores, key) for name, scores in named.items()}
        if len(set(map(str, found.values()))) > 1:
            listed = ", ".join(f"{name}: {value}" for name, value in found.items())
            msg = (
                f"the runs differ in {key} ({listed}); score them in the same way before comparing"
            )
            raise UsageError(msg)


def _setting(scores: Scores, key: str) -> Any:
    """Return a setting; scores of versions without rules follow ours."""
    return rules_of(scores.settings).name if key == "rules" else scores.settings.get(key)


def _align(section: Section, runs: Sequence[Run]) -> dict[str, NDArray[np.float64]] | None:
    """Return the values of the runs that have a section, row by row of the same items.

    An item that a run does not have is not a number there.
    """
    tables = {}
    for run in runs:
        items = section_items(run.scores, section)
        if items is not None:
            tables[run.name] = dict(
                zip(_item_keys(items), value_table(section, items), strict=True)
            )
    if not tables:
        return None
    every = dict.fromkeys(key for table in tables.values() for key in table)
    nothing = np.full(len(FIGURES[section]), np.nan)
    return {
        name: np.array([table.get(key, nothing) for key in every]).reshape(-1, len(nothing))
        for name, table in tables.items()
    }


def _item_keys(items: Sequence[object]) -> list[tuple[str, ...]]:
    """Return what each item is about; the two names of a TCGA cohort are one where one is there."""
    exact = [item_key(item) for item in items]
    same = [
        (item.trait, one_name(item.cohort)) if isinstance(item, PreprocessingScore) else key
        for item, key in zip(items, exact, strict=True)
    ]
    return same if len(set(same)) == len(same) else exact


def _differences(
    section: Section, run: NDArray[np.float64], baseline: NDArray[np.float64], seed: int, draws: int
) -> dict[str, Difference]:
    paired = run - baseline
    means = resampled_means(paired, seed, draws)
    either = np.isfinite(run) | np.isfinite(baseline)
    return {
        figure.key: _difference(paired[:, column], means[:, column], int(either[:, column].sum()))
        for column, figure in enumerate(FIGURES[section])
    }


def _difference(paired: NDArray[np.float64], means: NDArray[np.float64], either: int) -> Difference:
    both = paired[np.isfinite(paired)]
    left_out = either - len(both)
    if len(both) < 2:
        return Difference(float(both[0]) if len(both) else None, None, None, len(both), left_out)
    average = math.fsum(both) / len(both)
    return Difference(average, percentile_interval(means), _p_value(means), len(both), left_out)


def _p_value(means: NDArray[np.float64]) -> float:
    """Return the two-sided achieved significance level (Efron and Tibshirani 1993, chapter 15)."""
    drawn = means[np.isfinite(means)]
    smaller = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    return min(1.0, 2 * (smaller + 1) / (len(drawn) + 1))


def _mean(
    section: Section,
    runs: Sequence[Run],
    values: Mapping[str, NDArray[np.float64]],
    means: Mapping[str, NDArray[np.float64]],
) -> dict[str, Average]:
    resampled = np.mean(list(means.values()), axis=0)
    every = np.all([np.isfinite(table) for table in values.values()], axis=0)
    found = {}
    for column, figure in enumerate(FIGURES[section]):
        averages = [run.summary.sections[section][figure.key].average for run in runs]
        defined = [average for average in averages if average is not None]
        scored = int(every[:, column].sum())
        whole = len(defined) == len(runs)
        found[figure.key] = Average(
            math.fsum(defined) / len(runs) if whole else None,
            percentile_interval(resampled[:, column]) if whole and scored > 1 else None,
            scored,
            len(every) - scored,
        )
    return found


def _notes(runs: Sequence[Run]) -> list[str]:
    notes = []
    for section in FIGURES:
        lists = [section_items(run.scores, section) for run in runs]
        without = [run.name for run, items in zip(runs, lists, strict=True) if items is None]
        if len(without) == len(runs):
            continue
        short = SECTIONS[section].short or "analysis"
        if without:
            notes.append(f"{short}: not scored for {', '.join(without)}")
        keys = [set(_item_keys(items)) for items in lists if items is not None]
        whole, common = set().union(*keys), keys[0].intersection(*keys)
        if len(whole) > len(common):
            notes.append(
                f"{short}: {len(whole) - len(common):,} of {len(whole):,} "
                f"{SECTIONS[section].items} were not scored in every run and are left out of "
                "differences, but not of a run's own averages"
            )
    notes += _differing(runs)
    return notes


def _differing(runs: Sequence[Run]) -> list[str]:
    """List where runs were scored against another reference or under other settings."""
    values_by_key = {"reference": [run.scores.reference for run in runs]}
    for key in dict.fromkeys(key for run in runs for key in run.scores.settings):
        values_by_key[key] = [str(_setting(run.scores, key)) for run in runs]
    return [
        f"the runs differ in {key}: "
        + ", ".join(f"{run.name} {value}" for run, value in zip(runs, values, strict=True))
        for key, values in values_by_key.items()
        if len(set(values)) > 1
    ]


def compare_both_ways(
    names: tuple[str, str], forward: Scores, backward: Scores, *, seed: int = 0
) -> RunComparison:
    """Compare the two directions, with their mean (GenoTEX paper, section 3.2).

    The F1 of dataset filtering is the same in both directions; precision and recall change places.
    """
    first, second = names
    directions = {f"{first} against {second}": forward, f"{second} against {first}": backward}
    compared = compare_runs(directions, seed=seed)
    notes = tuple(_agreement_notes(forward, backward))
    return replace(compared, differences={}, notes=notes, mean_name="mean of both")


def _agreement_notes(forward: Scores, backward: Scores) -> Iterator[str]:
    for section, names in SECTIONS.items():
        items = [section_items(scores, section) or () for scores in (forward, backward)]
        one, other = (set(_item_keys(found)) for found in items)
        if one != other:
            yield (
                f"{names.short or 'analysis'}: {len(one ^ other):,} of {len(one | other):,} "
                f"{names.items} are on one side only; each counts in the direction whose "
                "reference has it"
            )
