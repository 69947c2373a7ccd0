"""Fitting the conditional logit behind the trait scorer: options of a case against "none"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.model_selection import GroupKFold

from benchmarks.clinical.labelled_cases import Case

Floats = NDArray[np.float64]

PENALTY = 2.0

# What is believed before any case is seen: ridge pulls the weights here, not to zero.
PRIOR = {
    "case named": 1.0,
    "case is a form of the trait": 0.5,
    "case by context": -0.5,
    "case by its cell line": -0.5,
    "case beside controls": -1.0,
    "controls by company alone": -0.5,
    "forms of the trait without healthy controls": -1.0,
    "healthy controls": 0.5,
    "share of values told": 0.5,
    "key asks for the trait": 0.5,
    "key: disease": 0.5,
    "key: treatment": -3.0,
    "key: outcome": -2.0,
    "key: time": -2.0,
    "key: stage": -1.0,
    "key: relatives": -0.5,
    "key: culture": -0.5,
    "key: identifier": -1.0,
    "key is preliminary": -0.5,
    "trait is a level": 2.0,
    "level of a disease": -1.0,
    "how: level groups": 1.0,
    "words in the key of a level": -0.2,
}


def fit(cases: Sequence[Case], penalty: float = PENALTY) -> dict[str, float]:
    """Return the weights that make the right options most likely.

    Every case has two more options: that the trait is recorded in a way that none of the options
    catches, and that it is not available. What is in rows is weighed by cases without titles alone,
    since those with titles are series that are among the others already.
    """
    rows = [case for case in cases if not case.description.titles]
    weights = _fit(rows, {}, penalty)
    return weights if len(rows) == len(cases) else _fit(cases, weights, penalty)


def _fit(cases: Sequence[Case], fixed: Mapping[str, float], penalty: float) -> dict[str, float]:
    """Return the most likely weights, some of which are known already."""
    seen = {name for case in cases for found in _all(case) for name in found}
    names = sorted(seen | PRIOR.keys() | fixed.keys())
    x, owner, right = _stack(cases, names)
    prior = np.array([fixed.get(name, PRIOR.get(name, 0.0)) for name in names])
    bounds = [(fixed.get(name), fixed.get(name)) for name in names]

    def loss(weights: Floats) -> tuple[float, Floats]:
        utility = x @ weights
        share, total, good = _shares(utility, owner, right)
        away = weights - prior
        value = np.log(total / good).sum() + penalty * (away @ away) / 2
        slope = share / total[owner] - share * right / good[owner]
        return float(value), x.T @ slope + penalty * away

    fitted = minimize(
        loss, prior, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 1000}
    )
    return {name: float(weight) for name, weight in zip(names, fitted.x, strict=True)}


def _shares(
    utility: Floats, owner: NDArray[np.int64], right: NDArray[np.bool_]
) -> tuple[Floats, Floats, Floats]:
    """Return the share of each option, and for each case that of all and of the right ones."""
    top = np.full(owner[-1] + 1, -np.inf)
    np.maximum.at(top, owner, utility)
    share, total, good = np.exp(utility - top[owner]), np.zeros(len(top)), np.zeros(len(top))
    np.add.at(total, owner, share)
    np.add.at(good, owner, share * right)
    return share, total, good


def _utility(found: Mapping[str, float], weights: Mapping[str, float]) -> float:
    return sum(weights.get(name, 0.0) * value for name, value in found.items())


def cross_validate(
    cases: Sequence[Case], count: int, seed: int, penalty: float = PENALTY
) -> list[tuple[Case, dict[str, float]]]:
    """Return each case with weights that saw neither its trait nor its series."""
    return [
        (case, weights)
        for train, test in folds(cases, count, seed)
        for weights in [fit(train, penalty)]
        for case in test
    ]


def _all(case: Case) -> list[Mapping[str, float]]:
    return [*case.evidence, case.oversight, case.absence]


def _stack(
    cases: Sequence[Case], names: Sequence[str]
) -> tuple[Floats, NDArray[np.int64], NDArray[np.bool_]]:
    place = {name: column for column, name in enumerate(names)}
    owner = np.array([n for n, case in enumerate(cases) for _ in _all(case)], dtype=np.int64)
    right = [
        [*case.right, not case.none_right and not case.right.any(), case.none_right]
        for case in cases
    ]
    x = np.zeros((len(owner), len(names)))
    for row, found in enumerate(found for case in cases for found in _all(case)):
        for name, value in found.items():
            x[row, place[name]] = value
    return x, owner, np.concatenate(right).astype(bool)


def choose(case: Case, weights: Mapping[str, float]) -> tuple[int | None, float]:
    """Return the most likely option, None for "not available", and its probability."""
    utilities = np.array([_utility(found, weights) for found in _all(case)])
    shares = np.exp(utilities - utilities.max())
    shares /= shares.sum()
    # That something was overlooked is never an answer, it only takes certainty from the others.
    pooled = np.bincount(case.pools, shares[:-2], minlength=1)
    in_rows = [option.candidate.row is not None for option in case.options]
    by_rows = np.bincount(case.pools, shares[:-2] * in_rows, minlength=1)
    pool = int(np.argmax(by_rows if by_rows.max() > shares[-1] else pooled))
    if pooled[pool] <= shares[-1]:
        return None, float(shares[-1])
    return pool, float(pooled[pool])


def folds(cases: Sequence[Case], count: int, seed: int) -> Iterator[tuple[list[Case], list[Case]]]:
    """Give training and test cases: test folds hold whole traits, and no series is in both."""
    groups = [case.trait for case in cases]
    splitter = GroupKFold(count, shuffle=True, random_state=seed)
    for train, test in splitter.split(np.zeros(len(cases)), groups=groups):
        held = [cases[i] for i in test]
        series = {case.cohort for case in held}
        yield [cases[i] for i in train if cases[i].cohort not in series], held
