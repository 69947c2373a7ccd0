"""How submitters put the people of a cohort into words: many keys, spellings and forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from genotex.simulate.people import People, choose_words, number_words, sex_words
from genotex.simulate.plan import Words, keyed, shifted_rows
from genotex.simulate.world.traits import WorldTrait

__all__ = ["AgeForm", "SexForm", "StatusForm", "Wording", "forms"]


@dataclass(frozen=True)
class StatusForm:
    """Key and spellings of the trait, the usual spelling first.

    ``{t}`` stands for the trait in words, ``{T}`` for the same with capitals, ``{o}`` for the other
    disease among the controls. Of a measured trait `level` is a format string for the number.
    """

    key: str
    spellings: Mapping[str, Sequence[str]]
    level: str = ""


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
)
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
    StatusForm("{s}", {}, "{:.1f}"),
)
_AGES = (
    AgeForm("age"),
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
    """

    trait: WorldTrait
    status: StatusForm | None
    age: AgeForm | None
    sex: SexForm | None
    batch: bool = False
    arms: tuple[str, ...] = ()
    shifted: bool = False

    def tell(self, rng: np.random.Generator, people: People) -> Words:
        """Put the people into words."""
        n = len(people.group)
        rows: list[Sequence[str | None]] = []
        sex = self._sex(rng, people)
        if self.sex is not None:
            rows.append([None if cell is None else f"{self.sex.key}: {cell}" for cell in sex])
        age = ["n/a"] * n
        if self.age is not None:
            years = people.age * self.age.per_year
            age = number_words(rng, years, self.age.formats, missing=n // 20)
            rows.append(keyed(self.age.key, age))
        level = self._level(rng, people)
        if self.status is not None:
            cells = self._groups(rng, people) if level is None else level
            rows.append(keyed(self._filled(self.status.key), cells))
        if self.status is None or self.status.key != "tissue":
            rows.append(keyed("tissue", [self.trait.tissue] * n))
        if self.batch:
            rows.append(keyed("batch", people.batch.tolist()))
        if self.arms:
            rows.append(keyed("treatment", [self.arms[i % len(self.arms)] for i in range(n)]))
        if not self.shifted:
            rows = [rows[i] for i in rng.permutation(len(rows))]
        return Words(shifted_rows(rows), tuple(age), tuple(sex), level)

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
            group: choose_words(rng, [self._filled(form) for form in spellings], n)
            for group, spellings in self.status.spellings.items()
        }
        return [spelled[group][i] for i, group in enumerate(people.group)]

    def _filled(self, form: str) -> str:
        words = self.trait.words
        return form.format(
            t=words, T=words.title(), s=words.removesuffix(" level"), o=self.trait.other
        )
