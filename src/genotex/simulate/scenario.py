"""The cohorts of a simulated study: who is in them, and how their submitters put it in words.

Every name is invented and says so: a page about these genes must never be taken for a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genotex.simulate.people import People, age_words, choose_words, sex_words

__all__ = [
    "CONDITION",
    "TCGA_TRAIT",
    "TRAIT",
    "CohortPlan",
    "Words",
    "geo_plans",
    "hidden_condition",
]

TRAIT = "Simulated_Arthritis"
CONDITION = "Simulated_Diabetes"
TCGA_TRAIT = "Simulated_Carcinoma"

_CONDITION_SHARE = 0.35
"""Share of the people in cohorts of the trait who have the condition, unknown to the submitter."""


@dataclass(frozen=True)
class Words:
    """What the files tell of the samples of one cohort.

    Attributes
    ----------
    rows : tuple of tuple of str
        Characteristics as they stand in the files.
    age : tuple of str
        The words for the age of each sample, ``n/a`` where it is not told.
    sex : tuple of (str or None)
        The words for the sex of each sample, None where it is not told.
    """

    rows: tuple[tuple[str, ...], ...]
    age: tuple[str, ...]
    sex: tuple[str | None, ...]


Tell = Callable[[np.random.Generator, People], Words]


@dataclass(frozen=True)
class CohortPlan:
    """One GEO cohort that is to be made.

    Attributes
    ----------
    accession, trait : str
        GSE accession and trait folder.
    array : str
        "affymetrix" or "illumina".
    groups : mapping of str to int
        Samples of each group.
    late : mapping of str to float or None
        Share of each group in batch 2; None: no batches.
    tell : callable
        Puts the people into words.
    title, overall_design : str
        As in the ``!Series_`` lines.
    summary : tuple of str
        Lines.
    tissue : str
        Source of the samples.
    titles : mapping of str to str
        Group -> how sample titles begin.
    usable : bool
        Whether a careful reader can use it.
    reason : str
        Why, or why not.
    """

    accession: str
    trait: str
    array: str
    groups: Mapping[str, int]
    late: Mapping[str, float] | None
    tell: Tell
    title: str
    summary: tuple[str, ...]
    overall_design: str
    tissue: str
    titles: Mapping[str, str]
    usable: bool
    reason: str


_FEMALE_MALE = (("female", "Female", "F"), ("male", "Male", "M"))
_TITLES = {
    "case": "Simulated arthritis",
    "healthy control": "Healthy control",
    "other disease": "Joint trauma",
}


def _status(
    rng: np.random.Generator, people: People, words: Mapping[str, Sequence[str]]
) -> list[str]:
    spelled = {group: choose_words(rng, forms, len(people.group)) for group, forms in words.items()}
    return [spelled[group][i] for i, group in enumerate(people.group)]


def _keyed(key: str, cells: Sequence[object]) -> tuple[str, ...]:
    return tuple(f"{key}: {cell}" for cell in cells)


def _tell_first(rng: np.random.Generator, people: People) -> Words:
    sex = sex_words(rng, people.male, _FEMALE_MALE)
    age = age_words(rng, people.age, ["{:.0f}", "{:.0f} years", "{:.0f}y"], missing=2)
    status = _status(
        rng, people, {"case": ["simulated arthritis"], "healthy control": ["healthy control"]}
    )
    rows = (
        _keyed("gender", sex),
        _keyed("age", age),
        _keyed("tissue", ["synovial membrane"] * len(sex)),
        _keyed("disease state", status),
        _keyed("batch", people.batch.tolist()),
    )
    return Words(rows, tuple(age), tuple(sex))


def _tell_second(rng: np.random.Generator, people: People) -> Words:
    sex = sex_words(rng, people.male, (("F", "female"), ("M", "male")))
    age = age_words(rng, people.age, ["{:.0f}", "{:.1f}"], missing=1)
    status = _status(
        rng,
        people,
        {
            "case": ["simulated arthritis", "Simulated Arthritis", "simulated  arthritis"],
            "healthy control": ["healthy control", "Healthy Control", "Healthy control"],
            "other disease": ["joint trauma", "Joint trauma"],
        },
    )
    rows = (
        _keyed("tissue", ["synovial tissue"] * len(sex)),
        _keyed("disease state", status),
        _keyed("Sex", sex),
        _keyed("age (years)", age),
        _keyed("batch", people.batch.tolist()),
    )
    return Words(rows, tuple(age), tuple(sex))


def _tell_shifted(rng: np.random.Generator, people: People) -> Words:
    """Every sixth sample lacks its sex, so that all that follows moves up by one row."""
    n = len(people.group)
    sex: list[str | None] = [*sex_words(rng, people.male, (("Female",), ("Male",)))]
    for i in rng.choice(n, size=max(2, n // 6), replace=False):
        sex[i] = None
    age = age_words(rng, people.age, ["{:.0f}"], missing=0)
    status = _status(
        rng, people, {"case": ["simulated arthritis"], "healthy control": ["healthy control"]}
    )
    columns = []
    for i in range(n):
        cells = ["tissue: synovial membrane"]
        cells += [f"Sex: {sex[i]}"] if sex[i] is not None else []
        cells += [f"age: {age[i]}", f"disease state: {status[i]}"]
        columns.append(cells + [""] * (4 - len(cells)))
    return Words(tuple(zip(*columns, strict=True)), tuple(age), tuple(sex))


def _tell_treated(rng: np.random.Generator, people: People) -> Words:
    sex = sex_words(rng, people.male, _FEMALE_MALE)
    age = age_words(rng, people.age, ["{:.0f}"], missing=0)
    arm = ["placebo" if i % 2 else "simulated drug" for i in range(len(sex))]
    rows = (
        _keyed("tissue", ["synovial membrane"] * len(sex)),
        _keyed("disease state", ["simulated arthritis"] * len(sex)),
        _keyed("treatment", arm),
        _keyed("gender", sex),
        _keyed("age", age),
    )
    return Words(rows, tuple(age), tuple(sex))


def _tell_condition(rng: np.random.Generator, people: People) -> Words:
    sex = sex_words(rng, people.male, _FEMALE_MALE)
    age = age_words(rng, people.age, ["{:.0f} yr", "{:.0f}"], missing=1)
    status = _status(
        rng, people, {"case": ["simulated diabetes"], "healthy control": ["non-diabetic control"]}
    )
    rows = (
        _keyed("tissue", ["whole blood"] * len(sex)),
        _keyed("diabetes status", status),
        _keyed("age at sampling", age),
        _keyed("gender", sex),
    )
    return Words(rows, tuple(age), tuple(sex))


_NO_REAL = "All values, people and accessions of this series are simulated; they tell nothing real."


def geo_plans(samples: int) -> list[CohortPlan]:
    """Return the GEO cohorts that hold expression, the largest one with `samples` samples."""
    plans = (_largest, _confounded, _shifted, _treated, _of_the_condition)
    return [plan(samples) for plan in plans]


def _largest(samples: int) -> CohortPlan:
    """Return the cohort with two batches that both hold both groups."""
    half = samples // 2
    return CohortPlan(
        accession="GSE90000001",
        trait=TRAIT,
        array="affymetrix",
        groups={"case": samples - half, "healthy control": half},
        late={"case": 0.5, "healthy control": 0.5, "other disease": 0.5},
        tell=_tell_first,
        title="Gene expression in synovial tissue of patients with simulated arthritis",
        summary=(
            "Synovial tissue of patients with simulated arthritis and of healthy controls was "
            "profiled in two batches to find genes associated with the disease.",
            _NO_REAL,
        ),
        overall_design=(
            "Patients and healthy controls, one array each; both batches hold both groups."
        ),
        tissue="synovial membrane",
        titles=_TITLES,
        usable=True,
        reason="cases and healthy controls in equal numbers, batch independent of the trait",
    )


def _confounded(samples: int) -> CohortPlan:
    """Return the cohort whose batch goes with the trait; some controls have another disease."""
    number = round(0.8 * samples)
    trauma = max(5, number // 8)
    cases = (number - trauma) // 2
    return CohortPlan(
        accession="GSE90000002",
        trait=TRAIT,
        array="illumina",
        groups={"case": cases, "healthy control": number - trauma - cases, "other disease": trauma},
        late={"case": 0.7, "healthy control": 0.3, "other disease": 0.5},
        tell=_tell_second,
        title="Synovial transcriptomes of simulated arthritis, joint trauma and healthy donors",
        summary=(
            "Expression profiling of synovial tissue from patients with simulated arthritis, "
            "patients with joint trauma and healthy donors.",
            _NO_REAL,
        ),
        overall_design="Three groups; most patients were processed in the second batch.",
        tissue="synovial tissue",
        titles=_TITLES,
        usable=True,
        reason=(
            "batch partly confounded with the trait; patients with another disease among controls"
        ),
    )


def _shifted(samples: int) -> CohortPlan:
    """Return the cohort whose rows are shifted where the sex is missing."""
    number = round(0.6 * samples)
    return CohortPlan(
        accession="GSE90000003",
        trait=TRAIT,
        array="affymetrix",
        groups={"case": number - number // 2, "healthy control": number // 2},
        late=None,
        tell=_tell_shifted,
        title="Simulated arthritis synovium, a cohort with incomplete sample records",
        summary=(
            "Synovial biopsies of patients with simulated arthritis and of healthy controls.",
            _NO_REAL,
        ),
        overall_design="Patients and healthy controls; the sex of some donors was not recorded.",
        tissue="synovial membrane",
        titles=_TITLES,
        usable=True,
        reason="characteristics shifted where the sex is missing: usable when read by key",
    )


def _treated(samples: int) -> CohortPlan:
    """Return the cohort in which every sample has the disease."""
    return CohortPlan(
        accession="GSE90000004",
        trait=TRAIT,
        array="illumina",
        groups={"case": round(0.4 * samples)},
        late=None,
        tell=_tell_treated,
        title="Response to a simulated drug in simulated arthritis",
        summary=(
            "Synovial biopsies of patients with simulated arthritis, treated with a drug or "
            "with placebo.",
            _NO_REAL,
        ),
        overall_design="All patients have simulated arthritis; two treatment arms.",
        tissue="synovial membrane",
        titles=_TITLES,
        usable=False,
        reason="every sample has the disease: nobody to compare with",
    )


def _of_the_condition(samples: int) -> CohortPlan:
    """Return the cohort of the condition."""
    number = round(0.8 * samples)
    return CohortPlan(
        accession="GSE90000005",
        trait=CONDITION,
        array="illumina",
        groups={"case": number // 2, "healthy control": number - number // 2},
        late=None,
        tell=_tell_condition,
        title="Whole blood gene expression in simulated diabetes",
        summary=(
            "Whole blood of patients with simulated diabetes and of non-diabetic controls was "
            "profiled on expression arrays.",
            _NO_REAL,
        ),
        overall_design="Patients with simulated diabetes and non-diabetic controls.",
        tissue="whole blood",
        titles={"case": "Simulated diabetes", "healthy control": "Non-diabetic control"},
        usable=True,
        reason="cases and controls of the condition",
    )


def hidden_condition(rng: np.random.Generator, people: People) -> NDArray[np.float64]:
    """Return who has the condition (0 or 1) in a cohort whose files do not tell it.

    Every group has the same share: were it left to chance, genes of the condition would differ
    between cases and controls, and count as false although they really do.
    """
    status = np.zeros(len(people.group))
    for group in sorted(set(people.group)):
        members = np.flatnonzero([name == group for name in people.group])
        count = round(_CONDITION_SHARE * len(members))
        status[rng.choice(members, size=count, replace=False)] = 1.0
    return status
