"""The people of a cohort, and the words in which a submitter tells about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["People", "age_words", "choose_words", "draw_people", "sex_words", "told"]


@dataclass(frozen=True, eq=False)
class People:
    """Who gave the samples of one cohort.

    Attributes
    ----------
    group : tuple of str
        "case", "healthy control" or "other disease" for each sample.
    age : ndarray of float64, shape (n,)
        Years.
    male : ndarray of int64, shape (n,)
        Female 0, male 1.
    batch : ndarray of int64, shape (n,)
        1 or 2; all 0 where the cohort has no batches.
    """

    group: tuple[str, ...]
    age: NDArray[np.float64]
    male: NDArray[np.int64]
    batch: NDArray[np.int64]

    @property
    def case(self) -> NDArray[np.float64]:
        """1 for a case, 0 for everybody else."""
        return np.array([group == "case" for group in self.group], dtype=np.float64)


def draw_people(
    rng: np.random.Generator, groups: Mapping[str, int], late: Mapping[str, float] | None
) -> People:
    """Draw age, sex and batch of everybody in a cohort, in random order.

    Cases are a little older and more often women, so that age and sex matter as covariates.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    groups : mapping of str to int
        Number of samples of each group.
    late : mapping of str to float, optional
        Group -> share of its samples in batch 2. Equal shares make the batch independent of the
        trait; exact counts are used, so that chance adds no confounding. None: no batches.
    """
    names = [name for name, count in groups.items() for _ in range(count)]
    batch = np.zeros(len(names), dtype=np.int64)
    if late is not None:
        start = 0
        for name, count in groups.items():
            second = round(late[name] * count)
            batch[start : start + count] = rng.permutation(np.arange(count) < second) + 1
            start += count
    case = np.array([name == "case" for name in names])
    age = np.clip(rng.normal(np.where(case, 53.0, 49.0), 11.0), 19.0, 84.0).round()
    male = (rng.random(len(names)) < np.where(case, 0.35, 0.48)).astype(np.int64)
    order = rng.permutation(len(names))
    return People(tuple(names[i] for i in order), age[order], male[order], batch[order])


def choose_words(rng: np.random.Generator, words: Sequence[str], n: int) -> list[str]:
    """Choose a spelling for each of `n` cells: the first one mostly, as submitters do."""
    weights = np.array([0.7] + [0.3 / max(1, len(words) - 1)] * (len(words) - 1))
    return [words[i] for i in rng.choice(len(words), size=n, p=weights / weights.sum())]


def sex_words(
    rng: np.random.Generator,
    male: NDArray[np.int64],
    spellings: tuple[Sequence[str], Sequence[str]],
) -> list[str]:
    """Return one word for each sample, out of (spellings of female, spellings of male)."""
    words = [choose_words(rng, spelling, len(male)) for spelling in spellings]
    return [words[sex][i] for i, sex in enumerate(male)]


def age_words(
    rng: np.random.Generator, age: NDArray[np.float64], forms: Sequence[str], missing: int
) -> list[str]:
    """Return the age of each sample in words; `missing` of them unknown.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    age : ndarray, shape (n,)
        Years.
    forms : sequence of str
        Format strings with one place, such as ``{:.0f} years``.
    missing : int
        How many cells say ``n/a``.
    """
    chosen = choose_words(rng, forms, len(age))
    cells = [form.format(years) for form, years in zip(chosen, age, strict=True)]
    for i in rng.choice(len(age), size=missing, replace=False):
        cells[i] = "n/a"
    return cells


def told(
    people: People,
    samples: Sequence[str],
    age_cells: Sequence[str],
    sex_cells: Sequence[str | None],
) -> dict[str, dict[str, Any]]:
    """Return what a perfect reader of the file would know of each sample."""
    return {
        sample: {
            "group": people.group[i],
            "age": None if age_cells[i] == "n/a" else float(people.age[i]),
            "gender": None if sex_cells[i] is None else int(people.male[i]),
            "batch": int(people.batch[i]) or None,
        }
        for i, sample in enumerate(samples)
    }
