"""What surrogate variables are associated with: the trait, covariates, batch, scan date, tissue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from genotex.analysis.classical_tests import pearson
from genotex.analysis.confounding import Association, associate_covariate, associate_levels
from genotex.analysis.contrast import Contrast
from genotex.analysis.design import Design
from genotex.analysis.sample_facts import SampleFacts, read_numbers, read_value

__all__ = ["associate_surrogates", "correlation_with_trait"]

Floats = NDArray[np.float64]

REPORTED_P = 0.05
"""Associations are reported when their p-value, times the number of tests, is below."""
MOST_REPORTED = 10
ENOUGH_SAMPLES = 4


def correlation_with_trait(
    columns: Mapping[str, Floats], contrast: Contrast
) -> dict[str, tuple[float, float]]:
    """Return Pearson's correlation of each surrogate variable with the trait, and its p-value."""
    # Shapes: columns (n,).
    return {name: _with_trait(column, contrast) for name, column in columns.items()}


def _with_trait(column: Floats, contrast: Contrast) -> tuple[float, float]:
    """Return the correlation with the trait; of a factor the multiple correlation."""
    if contrast.factor is None:
        return pearson(column, contrast.values)
    groups = [column[contrast.factor.place == k] for k in range(len(contrast.factor.values))]
    between = sum(len(group) * (group.mean() - column.mean()) ** 2 for group in groups)
    whole = float(((column - column.mean()) ** 2).sum())
    share, tested, left = between / whole, len(groups) - 1, len(column) - len(groups)
    f = share / tested / max((1 - share) / left, np.finfo(np.float64).tiny)
    return float(np.sqrt(share)), float(fdtrc(tested, left, f))


def associate_surrogates(
    columns: Mapping[str, Floats],
    contrast: Contrast,
    design: Design,
    facts: SampleFacts,
    samples: Sequence[str],
) -> list[dict[str, Any]]:
    """Find what the surrogate variables are associated with, strongest first."""
    # Each is tested against the trait (Pearson's correlation), each covariate and each
    # characteristic that varies; those are reported whose p-value is below 0.05 after Bonferroni's
    # correction for all these tests, ten at most.
    # Shapes: columns (n,).
    # Returns ``surrogate``, ``with``, ``kind`` (trait, covariate, characteristic), ``test``,
    # ``measure``, ``size``, ``p``.
    tests = [
        (surrogate, *test)
        for surrogate, column in columns.items()
        for test in _tests(column, contrast, design, facts, samples)
    ]
    reported = [test for test in tests if test[-1].p * len(tests) < REPORTED_P]
    reported.sort(key=lambda test: test[-1].p)
    return [
        {
            "surrogate": surrogate,
            "with": other,
            "kind": kind,
            "test": found.test,
            "measure": found.measure,
            "size": found.size,
            "p": found.p,
        }
        for surrogate, other, kind, found in reported[:MOST_REPORTED]
    ]


def _tests(
    column: Floats,
    contrast: Contrast,
    design: Design,
    facts: SampleFacts,
    samples: Sequence[str],
) -> Iterator[tuple[str, str, Association]]:
    r, p = _with_trait(column, contrast)
    test, measure = "Pearson's correlation", "r"
    if contrast.factor is not None:
        test, measure = "analysis of variance", "multiple r"
    yield design.trait, "trait", Association(test, p, measure, r, False)
    for place, name in enumerate(design.adjusted, start=1):
        covariate = design.matrix[:, place]
        yield name, "covariate", associate_covariate(column, covariate, binary=False)
    for key, recorded in facts.items():
        values = [read_value(key, recorded.get(samples[i])) for i in contrast.rows]
        found = _associate_characteristic(column, values)
        if found is not None:
            yield key, "characteristic", found


def _associate_characteristic(column: Floats, values: Sequence[str | None]) -> Association | None:
    """Take few different values for groups, many numbers for a measurement."""
    known = np.array([value is not None for value in values], dtype=bool)
    levels = [value for value in values if value is not None]
    different = len(set(levels))
    if len(levels) < ENOUGH_SAMPLES or different < 2:
        return None
    if different <= max(2, len(levels) // 3):
        return associate_levels(column[known], levels, binary=False)
    measured = read_numbers(levels)
    if measured is None:
        return None  # names of samples or people
    return associate_covariate(column[known], measured, binary=False)
