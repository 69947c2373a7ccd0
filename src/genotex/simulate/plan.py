"""The plan of a simulated cohort: its people, and how its submitters describe them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

TraitKind = Literal["binary", "continuous"]
"""Whether a trait is present or absent, or has a level."""

_LEVEL_MEAN, _LEVEL_SD = 50.0, 12.0
Fault = Literal["swapped", "failed", "twice"]
"""Samples of two people exchanged; an array that failed; every person measured twice."""

COMORBIDITY = 0.7
"""How much more often people with a trait have its companion, and the share of the companion's
effects that is seen as the trait's where nobody adjusts for it."""
_COMPANION_SHARE, _COMPANION_SD = 0.5, 0.35


@dataclass(frozen=True)
class HiddenTrait:
    """Another trait of the people in a cohort, unknown to the submitter."""

    kind: TraitKind = "binary"
    share: float = 0.35  # of the people in each group who have it
    goes_with: str = ""  # the trait, "age", "sex", or a hidden trait named before


@dataclass(frozen=True)
class Confounding:
    """How age and sex go with a trait."""

    years: float  # cases are this much older than controls
    men: float  # share of men among cases less that among controls


SLIGHT = Confounding(4.0, -0.13)
"""Age and sex matter as covariates, and hardly bias a comparison without them."""


@dataclass(frozen=True, eq=False)
class People:
    """The donors of the samples of one cohort."""

    group: tuple[str, ...]  # "case", "healthy control" or "other disease" for each sample
    age: NDArray[np.float64]  # years
    male: NDArray[np.int64]  # female 0, male 1
    batch: NDArray[np.int64]  # 1 or 2
    level: NDArray[np.float64] | None = None  # the measured trait, where it is one
    donor: NDArray[np.int64] | None = None  # first sample of each one's donor, where some have two

    @property
    def status(self) -> NDArray[np.float64]:
        """The variable that genes of the trait follow: cases are one unit above all others.

        For a measured trait, people one standard deviation above the mean are one unit above
        those one standard deviation below it.
        """
        if self.level is not None:
            return (self.level - _LEVEL_MEAN) / (2 * _LEVEL_SD)
        return np.array([group == "case" for group in self.group], dtype=np.float64)


def draw_people(
    rng: np.random.Generator,
    groups: Mapping[str, int],
    late: Mapping[str, float] | None,
    confounding: Confounding = SLIGHT,
) -> People:
    """Draw age, sex and batch of the people in a cohort, in random order."""
    # Equal shares in batch 2 make the batch independent of the trait; counts are exact, so that
    # chance adds no confounding.
    names = [name for name, count in groups.items() for _ in range(count)]
    batch = np.zeros(len(names), dtype=np.int64)
    if late is not None:
        start = 0
        for name, count in groups.items():
            second = round(late[name] * count)
            batch[start : start + count] = rng.permutation(np.arange(count) < second) + 1
            start += count
    half = np.array([{"case": 0.5, "unknown": 0.0}.get(name, -0.5) for name in names])
    age = rng.normal(51.0 + confounding.years * half, 11.0)
    age = np.clip(age, 19.0, 84.0).round()
    male = (rng.random(len(names)) < 0.415 + confounding.men * half).astype(np.int64)
    order = rng.permutation(len(names))
    return People(tuple(names[i] for i in order), age[order], male[order], batch[order])


def measured_twice(people: People) -> People:
    """Return the first half of the people, each with two samples."""
    half = len(people.group) // 2
    rows = np.arange(len(people.group)) % half
    group = tuple(people.group[i] for i in rows)
    return People(group, people.age[rows], people.male[rows], people.batch[rows], donor=rows)


def with_levels(rng: np.random.Generator, people: People, confounding: Confounding) -> People:
    """Return the same people with a measured trait that goes with age and sex."""
    # In correlations what the differences between two groups of equal size would be.
    of_age, of_sex = confounding.years / 25.0, confounding.men
    rest = np.sqrt(1 - of_age**2 - of_sex**2)
    score = of_age * (people.age - 51.0) / 11.0 + of_sex * (2.0 * people.male - 0.83)
    level = _LEVEL_MEAN + _LEVEL_SD * (score + rest * rng.standard_normal(len(people.group)))
    return replace(people, level=np.clip(level, 1.0, None).round(1))


def companion_status(
    rng: np.random.Generator, people: People, kind: TraitKind
) -> NDArray[np.float64]:
    """Return the status of another trait that people with the trait have more often."""
    centre = 0.0 if people.level is not None else 0.5
    expected = COMORBIDITY * (people.status - centre)
    if kind == "continuous":
        return expected + rng.normal(0.0, _COMPANION_SD, len(expected))
    chance = np.clip(_COMPANION_SHARE + expected, 0.05, 0.95)
    # Of people with the same chance exactly that share, as for `hidden_status`.
    status = (rng.random(len(chance)) < chance).astype(np.float64)
    for one in np.unique(chance) if people.level is None else ():
        members = rng.permutation(np.flatnonzero(chance == one))
        status[members] = np.arange(len(members)) < round(float(one) * len(members))
    return status


def hidden_status(
    rng: np.random.Generator,
    people: People,
    hidden: HiddenTrait,
    other: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the status (see `People.status`) of a trait that the files do not mention.

    It may go with `other`, the status of another such trait.
    """
    # Every group has the same share or mean: by chance, genes of the other trait would differ
    # between cases and controls, and count as false positives although they really differ.
    status = np.zeros(len(people.group))
    binary, going = hidden.kind == "binary", other is not None
    expected = COMORBIDITY * (other - other.mean()) if other is not None else status.copy()
    for group in sorted(set(people.group)):
        members = np.flatnonzero([name == group for name in people.group])
        count = round(hidden.share * len(members))
        if not binary:
            level = expected[members] + rng.normal(
                0.0, _COMPANION_SD if going else 0.5, len(members)
            )
            status[members] = level - level.mean()
        elif going:
            members = rng.permutation(members)
            likely = expected[members] > rng.uniform(-0.5, 0.5, len(members))
            status[members[np.argsort(~likely, kind="stable")[:count]]] = 1.0
        else:
            status[rng.choice(members, size=count, replace=False)] = 1.0
    return status


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


def number_words(
    rng: np.random.Generator, numbers: NDArray[np.float64], forms: Sequence[str], missing: int
) -> list[str]:
    """Return the age or level of each sample in words; `missing` of them unknown."""
    chosen = choose_words(rng, forms, len(numbers))
    cells = [form.format(number) for form, number in zip(chosen, numbers, strict=True)]
    for i in rng.choice(len(numbers), size=missing, replace=False):
        cells[i] = "n/a"
    return cells


def known_annotation(
    people: People,
    samples: Sequence[str],
    age_cells: Sequence[str],
    sex_cells: Sequence[str | None],
    level_cells: Sequence[str] | None = None,
) -> dict[str, dict[str, Any]]:
    """Return what a perfect reader of the files would know about each sample."""
    records: dict[str, dict[str, Any]] = {}
    for i, sample in enumerate(samples):
        records[sample] = {
            "group": people.group[i],
            "age": None if age_cells[i] == "n/a" else float(people.age[i]),
            "gender": None if sex_cells[i] is None else int(people.male[i]),
            "batch": int(people.batch[i]) or None,
        }
        if people.level is not None and level_cells is not None:
            known = level_cells[i] != "n/a"
            records[sample]["level"] = float(people.level[i]) if known else None
    return records


NOTHING_REAL = (
    "All values, people and accessions of this series are simulated; they tell nothing real."
)


@dataclass(frozen=True)
class Words:
    """The annotation of the samples of one cohort in the files."""

    rows: tuple[tuple[str, ...], ...]  # characteristics as in the files
    age: tuple[str, ...]  # the words for the age of each sample, ``n/a`` if not recorded
    sex: tuple[str | None, ...]  # the words for the sex of each sample, None if not recorded
    level: tuple[str, ...] | None = None


Describe = Callable[[np.random.Generator, People], Words]


@dataclass(frozen=True)
class SampleNames:
    """Names of the samples of each group."""

    sources: Mapping[str, str]  # group -> source name, and how sample titles begin
    titles: Mapping[str, str]

    @classmethod
    def of_tissue_and_groups(cls, tissue: str, groups: Mapping[str, str]) -> SampleNames:
        """Return names composed of tissue and group."""
        return cls(
            {group: f"{tissue}, {name.lower()}" for group, name in groups.items()},
            {group: f"{name}, {tissue}" for group, name in groups.items()},
        )


@dataclass(frozen=True)
class CohortPlan:
    """One GEO cohort that is to be made."""

    accession: str  # GSE accession and trait folder
    trait: str
    array: str
    groups: Mapping[str, int]  # samples of each group
    late: Mapping[str, float] | None  # share of each group in batch 2
    describe: Describe  # describes the people in words
    title: str  # as in the ``!Series_`` lines
    summary: tuple[str, ...]  # lines
    overall_design: str
    names: SampleNames  # of the samples
    usable: bool  # whether a careful reader can use it
    reason: str  # why, or why not
    kind: TraitKind = "binary"  # of the trait
    hidden: Mapping[str, HiddenTrait] = field(default_factory=dict)
    confounding: Confounding = SLIGHT
    traps: tuple[str, ...] = ()  # what a careless reader misses
    fault: Fault | None = None  # what happened to the samples, unknown to the submitter


def keyed(key: str, cells: Sequence[object]) -> tuple[str, ...]:
    """Return a row of characteristics, ``key: cell`` for each sample."""
    return tuple(f"{key}: {cell}" for cell in cells)


def shifted_rows(rows: Sequence[Sequence[str | None]]) -> tuple[tuple[str, ...], ...]:
    """Return the rows as GEO shows them: where a sample lacks one (None), its rest moves up."""
    columns = []
    for cells in zip(*rows, strict=True):
        there = [cell for cell in cells if cell is not None]
        columns.append(there + [""] * (len(rows) - len(there)))
    return tuple(zip(*columns, strict=True))
