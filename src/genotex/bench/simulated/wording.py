"""The traits of a simulated benchmark, and how submitters describe the people of a cohort.

Every name is invented, and visibly so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from genotex.simulate.plan import (
    People,
    TraitKind,
    Words,
    choose_words,
    keyed,
    number_words,
    sex_words,
    shifted_rows,
)


@dataclass(frozen=True)
class SimulatedTrait:
    """A trait of the simulated benchmark."""

    name: str
    tissue: str
    other: str = ""
    code: str = ""
    measured: bool = False
    answerable: bool = True

    @property
    def words(self) -> str:
        """Return the name in words: ``simulated arthritis``."""
        return self.name.replace("_", " ").lower()

    def fill(self, form: str) -> str:
        """Fill in a form: ``{t}`` the trait in words, ``{T}`` with capitals, ``{A}`` abbreviated.

        ``{level}`` is the name of a measured trait without the word "level", ``{o}`` the other
        disease, ``{tissue}`` the tissue.
        """
        return form.format(
            t=self.words,
            T=self.words.title(),
            A="".join(word[:2] for word in self.words.split()).upper(),
            level=self.words.removesuffix(" level"),
            o=self.other,
            tissue=self.tissue,
        )

    @property
    def kind(self) -> TraitKind:
        """Whether people have it or not, or have more or less of it."""
        return "continuous" if self.measured else "binary"


_TRAITS = (
    SimulatedTrait("Simulated_Arthritis", "synovial membrane", "joint trauma"),
    SimulatedTrait("Simulated_Carcinoma", "epithelium", "chronic inflammation", code="SIMC"),
    SimulatedTrait("Simulated_Hormone_Level", "whole blood", measured=True),
    SimulatedTrait(
        "Simulated_Amnesia", "peripheral blood mononuclear cells", "migraine", answerable=False
    ),
    SimulatedTrait("Simulated_Diabetes", "whole blood", "hypertension"),
    SimulatedTrait("Simulated_Sarcoma", "soft tissue", "chronic inflammation", code="SIMS"),
    SimulatedTrait("Simulated_Asthma", "bronchial epithelium", "chronic bronchitis"),
    SimulatedTrait("Simulated_Vitamin_Level", "whole blood", measured=True),
    SimulatedTrait("Simulated_Lymphoma", "lymph node", "reactive lymphadenitis", code="SIML"),
    SimulatedTrait("Simulated_Dermatitis", "skin", "psoriasis"),
    SimulatedTrait("Simulated_Hepatitis", "liver", "fatty liver disease"),
    SimulatedTrait("Simulated_Depression", "peripheral blood mononuclear cells", "migraine"),
    SimulatedTrait("Simulated_Colitis", "colonic mucosa", "irritable bowel syndrome"),
    SimulatedTrait("Simulated_Nephritis", "kidney", "hypertension"),
    SimulatedTrait("Simulated_Anemia", "whole blood", "hypertension"),
    SimulatedTrait("Simulated_Epilepsy", "hippocampus", "migraine"),
)
"""The first few are of every kind, so that a small benchmark is a complete one."""

FEWEST_TRAITS, MOST_TRAITS = 4, len(_TRAITS)
_FAMILY = 4


def simulated_traits(count: int) -> tuple[SimulatedTrait, ...]:
    """Return the first `count` traits."""
    return _TRAITS[:count]


def conditions_of(trait: SimulatedTrait, traits: Sequence[SimulatedTrait]) -> tuple[str, ...]:
    """Return the traits that are conditions of `trait`: the others of its family of about four.

    Traits of a family share related genes, as those do that the benchmark pairs.
    """
    families = max(1, len(traits) // _FAMILY)
    place = traits.index(trait)
    return tuple(
        other.name
        for i, other in enumerate(traits)
        if i % families == place % families and other != trait
    )


def companion_of(trait: SimulatedTrait, traits: Sequence[SimulatedTrait]) -> str:
    """Return the trait that people with `trait` have more often: the next of its family."""
    conditions = conditions_of(trait, traits)
    others = [other for other in traits if other.name in conditions and other.answerable]
    later = [other for other in others if traits.index(other) > traits.index(trait)]
    return (later or others)[0].name if others and trait.answerable else ""


@dataclass(frozen=True)
class _StatusForm:
    """How the trait is described; texts are forms for `SimulatedTrait.fill`."""

    key: str
    spellings: Mapping[str, Sequence[str]]
    level: str = ""
    explained: str = ""


@dataclass(frozen=True)
class _AgeForm:
    """Key and format strings of the age, in units of 1 / `per_year` years."""

    key: str
    formats: Sequence[str] = ("{:.0f}",)
    per_year: int = 1


@dataclass(frozen=True)
class _SexForm:
    """Key of the sex, and spellings of female and male."""

    key: str
    female: Sequence[str]
    male: Sequence[str]


_DISEASE = (
    _StatusForm(
        "disease state",
        {
            "case": ["{t}", "{T}"],
            "healthy control": ["healthy control", "Healthy control"],
            "other disease": ["{o}"],
        },
    ),
    _StatusForm(
        "diagnosis",
        {"case": ["{T}"], "healthy control": ["normal", "Normal"], "other disease": ["{o}"]},
    ),
    _StatusForm(
        "group",
        {
            "case": ["{t} patient", "{T} patient"],
            "healthy control": ["healthy volunteer"],
            "other disease": ["{o} patient"],
        },
    ),
    _StatusForm("{t}", {"case": ["yes"], "healthy control": ["no"], "other disease": ["no"]}),
    _StatusForm(
        "subject status",
        {
            "case": ["patient with {t}"],
            "healthy control": ["healthy subject"],
            "other disease": ["patient with {o}"],
        },
    ),
    _StatusForm(
        "clinical status",
        {
            "case": ["{t}", "{t}, active"],
            "healthy control": ["unaffected control"],
            "other disease": ["{o}"],
        },
    ),
    _StatusForm(
        "status", {"case": ["case"], "healthy control": ["control"], "other disease": ["{o}"]}
    ),
    _StatusForm(
        "diagnosis", {"case": ["{t}"], "healthy control": ["no {t}"], "other disease": ["{o}"]}
    ),
    _StatusForm(
        "phenotype",
        {"case": ["{A}"], "healthy control": ["HC"], "other disease": ["{o}"]},
        explained=" We compare {t} ({A}) with healthy controls (HC).",
    ),
)
_UNKNOWN: Mapping[str, Sequence[str]] = {"unknown": ("n/a", "unknown")}
_CANCER = (
    _StatusForm(
        "tissue",
        {"case": ["{t}"], "healthy control": ["adjacent normal tissue"], "other disease": ["{o}"]},
    ),
    _StatusForm(
        "tissue type",
        {"case": ["tumor", "Tumor"], "healthy control": ["normal"], "other disease": ["{o}"]},
    ),
    _StatusForm(
        "histology",
        {
            "case": ["{t}, grade 2", "{t}, grade 3"],
            "healthy control": ["non-neoplastic tissue"],
            "other disease": ["{o}"],
        },
    ),
    _StatusForm(
        "disease state", {"case": ["{T}"], "healthy control": ["healthy"], "other disease": ["{o}"]}
    ),
)
_MEASURED = (
    _StatusForm("{t} (ng/ml)", {}, "{:.1f}"),
    _StatusForm("{t}", {}, "{:.1f} ng/ml"),
    _StatusForm("{level}", {}, "{:.1f}"),
)
PLAIN_AGE = _AgeForm("age")
LETTERS = _SexForm("gender", ("F",), ("M",))
_AGES = (
    PLAIN_AGE,
    _AgeForm("age (years)", ("{:.0f}", "{:.1f}")),
    _AgeForm("age", ("{:.0f} years", "{:.0f}y")),
    _AgeForm("age at sampling", ("{:.0f} yr", "{:.0f}")),
    _AgeForm("age (months)", per_year=12),
    _AgeForm("patient age", ("{:.0f}-year-old",)),
)
_SEXES = (
    _SexForm("gender", ("female", "Female", "F"), ("male", "Male", "M")),
    _SexForm("Sex", ("F",), ("M",)),
    _SexForm("sex", ("woman", "female"), ("man", "male")),
    _SexForm("gender (1=male, 2=female)", ("2",), ("1",)),
    _SexForm("gender", ("Female",), ("Male",)),
)


def forms(trait: SimulatedTrait, turn: int) -> tuple[_StatusForm, _AgeForm, _SexForm]:
    """Return the forms of the cohort that is made at this turn."""
    status = _MEASURED if trait.measured else _CANCER if trait.code else _DISEASE
    return status[turn % len(status)], _AGES[turn % len(_AGES)], _SEXES[turn % len(_SEXES)]


@dataclass(frozen=True)
class Wording:
    """The characteristics of a cohort."""

    trait: SimulatedTrait
    status: _StatusForm | None
    age: _AgeForm | None
    sex: _SexForm | None
    batch: bool = False
    arms: tuple[str, ...] = ()
    shifted: bool = False
    together: bool = False

    def words(self, rng: np.random.Generator, people: People) -> Words:
        """Put the people into words."""
        n = len(people.group)
        sex, age = self._sex(rng, people), self._age(rng, people)
        rows = self._rows_of_people(sex, age)
        level = self._level(rng, people)
        if self.status is not None:
            cells = self._groups(rng, people) if level is None else level
            rows.append(keyed(self.trait.fill(self.status.key), cells))
        if self.status is None or self.status.key != "tissue":
            rows.append(keyed("tissue", [self.trait.tissue] * n))
        if self.batch:
            rows.append(keyed("batch", people.batch.tolist()))
        if self.arms:
            rows.append(keyed("treatment", [self.arms[i % len(self.arms)] for i in range(n)]))
        if not self.shifted:
            rows = [rows[i] for i in rng.permutation(len(rows))]
        return Words(shifted_rows(rows), tuple(age), tuple(sex), level)

    def _rows_of_people(
        self, sex: Sequence[str | None], age: Sequence[str]
    ) -> list[Sequence[str | None]]:
        if self.together:
            cells = [f"{letter}/{years}" for letter, years in zip(sex, age, strict=True)]
            return [keyed("gender/age", cells)]
        rows: list[Sequence[str | None]] = []
        if self.sex is not None:
            rows.append([None if cell is None else f"{self.sex.key}: {cell}" for cell in sex])
        if self.age is not None:
            rows.append(keyed(self.age.key, age))
        return rows

    def _age(self, rng: np.random.Generator, people: People) -> list[str]:
        n = len(people.group)
        if self.age is None:
            return ["n/a"] * n
        years = people.age * self.age.per_year
        return number_words(rng, years, self.age.formats, missing=n // 20)

    def _sex(self, rng: np.random.Generator, people: People) -> list[str | None]:
        n = len(people.group)
        if self.sex is None:
            return [None] * n
        cells: list[str | None] = [*sex_words(rng, people.male, (self.sex.female, self.sex.male))]
        if self.shifted:
            for i in rng.choice(n, size=max(2, n // 6), replace=False):
                cells[i] = None
        return cells

    def _level(self, rng: np.random.Generator, people: People) -> tuple[str, ...] | None:
        if people.level is None:
            return None
        if self.status is None:
            return ("n/a",) * len(people.group)
        return tuple(number_words(rng, people.level, [self.status.level], missing=1))

    def _groups(self, rng: np.random.Generator, people: People) -> list[str]:
        if self.status is None:
            return []
        n = len(people.group)
        spelled = {
            group: choose_words(rng, [self.trait.fill(form) for form in spellings], n)
            for group, spellings in {**_UNKNOWN, **self.status.spellings}.items()
        }
        return [spelled[group][i] for i, group in enumerate(people.group)]
