"""How submitters put the people of a cohort into words: many keys, spellings and forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from genotex.bench.simulated.traits import WorldTrait
from genotex.simulate import (
    People,
    Words,
    choose_words,
    keyed,
    number_words,
    sex_words,
    shifted_rows,
)

__all__ = ["LETTERS", "PLAIN_AGE", "AgeForm", "SexForm", "StatusForm", "Wording", "forms"]


@dataclass(frozen=True)
class StatusForm:
    """How the trait is told; texts are forms for `WorldTrait.say`.

    Attributes
    ----------
    key : str
        Key of the characteristic.
    spellings : mapping of str to sequence of str
        Group -> its names, the usual one first.
    level : str
        Format string for the number of a measured trait.
    explained : str
        What the texts of the series explain.
    """

    key: str
    spellings: Mapping[str, Sequence[str]]
    level: str = ""
    explained: str = ""


@dataclass(frozen=True)
class AgeForm:
    """Key and format strings of the age, which is told in parts of a year where `per_year` says."""

    key: str
    formats: Sequence[str] = ("{:.0f}",)
    per_year: int = 1


@dataclass(frozen=True)
class SexForm:
    """Key of the sex, and spellings of female and male."""

    key: str
    female: Sequence[str]
    male: Sequence[str]


_DISEASE = (
    StatusForm(
        "disease state",
        {
            "case": ["{t}", "{T}"],
            "healthy control": ["healthy control", "Healthy control"],
            "other disease": ["{o}"],
        },
    ),
    StatusForm(
        "diagnosis",
        {"case": ["{T}"], "healthy control": ["normal", "Normal"], "other disease": ["{o}"]},
    ),
    StatusForm(
        "group",
        {
            "case": ["{t} patient", "{T} patient"],
            "healthy control": ["healthy volunteer"],
            "other disease": ["{o} patient"],
        },
    ),
    StatusForm("{t}", {"case": ["yes"], "healthy control": ["no"], "other disease": ["no"]}),
    StatusForm(
        "subject status",
        {
            "case": ["patient with {t}"],
            "healthy control": ["healthy subject"],
            "other disease": ["patient with {o}"],
        },
    ),
    StatusForm(
        "clinical status",
        {
            "case": ["{t}", "{t}, active"],
            "healthy control": ["unaffected control"],
            "other disease": ["{o}"],
        },
    ),
    StatusForm(
        "status", {"case": ["case"], "healthy control": ["control"], "other disease": ["{o}"]}
    ),
    StatusForm(
        "diagnosis",
        {"case": ["{t}"], "healthy control": ["no {t}"], "other disease": ["{o}"]},
    ),
    StatusForm(
        "phenotype",
        {"case": ["{A}"], "healthy control": ["HC"], "other disease": ["{o}"]},
        explained=" We compare {t} ({A}) with healthy controls (HC).",
    ),
)
_UNKNOWN: Mapping[str, Sequence[str]] = {"unknown": ("n/a", "unknown")}
_CANCER = (
    StatusForm(
        "tissue",
        {
            "case": ["{t}"],
            "healthy control": ["adjacent normal tissue"],
            "other disease": ["{o}"],
        },
    ),
    StatusForm(
        "tissue type",
        {"case": ["tumor", "Tumor"], "healthy control": ["normal"], "other disease": ["{o}"]},
    ),
    StatusForm(
        "histology",
        {
            "case": ["{t}, grade 2", "{t}, grade 3"],
            "healthy control": ["non-neoplastic tissue"],
            "other disease": ["{o}"],
        },
    ),
    StatusForm(
        "disease state",
        {"case": ["{T}"], "healthy control": ["healthy"], "other disease": ["{o}"]},
    ),
)
_MEASURED = (
    StatusForm("{t} (ng/ml)", {}, "{:.1f}"),
    StatusForm("{t}", {}, "{:.1f} ng/ml"),
    StatusForm("{level}", {}, "{:.1f}"),
)
PLAIN_AGE = AgeForm("age")
LETTERS = SexForm("gender", ("F",), ("M",))
_AGES = (
    PLAIN_AGE,
    AgeForm("age (years)", ("{:.0f}", "{:.1f}")),
    AgeForm("age", ("{:.0f} years", "{:.0f}y")),
    AgeForm("age at sampling", ("{:.0f} yr", "{:.0f}")),
    AgeForm("age (months)", per_year=12),
    AgeForm("patient age", ("{:.0f}-year-old",)),
)
_SEXES = (
    SexForm("gender", ("female", "Female", "F"), ("male", "Male", "M")),
    SexForm("Sex", ("F",), ("M",)),
    SexForm("sex", ("woman", "female"), ("man", "male")),
    SexForm("gender (1=male, 2=female)", ("2",), ("1",)),
    SexForm("gender", ("Female",), ("Male",)),
)


def forms(trait: WorldTrait, turn: int) -> tuple[StatusForm, AgeForm, SexForm]:
    """Return the forms of the cohort that is made at this turn."""
    status = _MEASURED if trait.measured else _CANCER if trait.code else _DISEASE
    return status[turn % len(status)], _AGES[turn % len(_AGES)], _SEXES[turn % len(_SEXES)]


@dataclass(frozen=True)
class Wording:
    """All that the characteristics of a cohort tell.

    Attributes
    ----------
    trait : WorldTrait
        What is told.
    status, age, sex : StatusForm, AgeForm, SexForm or None
        How; None where the characteristics do not tell.
    batch : bool
        Whether the batch is told.
    arms : tuple of str
        Arms of a trial, half of the samples each; empty where there are none.
    shifted : bool
        Whether every sixth sample lacks its sex, so that all that follows moves up by one row.
    together : bool
        Whether sex and age stand in one cell, "M/45".
    """

    trait: WorldTrait
    status: StatusForm | None
    age: AgeForm | None
    sex: SexForm | None
    batch: bool = False
    arms: tuple[str, ...] = ()
    shifted: bool = False
    together: bool = False

    def tell(self, rng: np.random.Generator, people: People) -> Words:
        """Put the people into words."""
        n = len(people.group)
        sex, age = self._sex(rng, people), self._age(rng, people)
        rows = self._rows_of_people(sex, age)
        level = self._level(rng, people)
        if self.status is not None:
            cells = self._groups(rng, people) if level is None else level
            rows.append(keyed(self.trait.say(self.status.key), cells))
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
            group: choose_words(rng, [self.trait.say(form) for form in spellings], n)
            for group, spellings in {**_UNKNOWN, **self.status.spellings}.items()
        }
        return [spelled[group][i] for i, group in enumerate(people.group)]
