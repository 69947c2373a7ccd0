"""TCGA: the study of a trait, and the columns of a clinical matrix that hold age and sex."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

from genotex.features import (
    OLDEST_AGE,
    SampleFeature,
    packaged_table,
    parse_age_years,
    parse_number,
    parse_sex,
    simplify,
)

_CAMEL = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z])")


@dataclass(frozen=True)
class _DiseaseName:
    """A name as a set of words, so that order and spelling do not matter."""

    words: frozenset[str]  # Without words such as "cancer", and with each organ in one form
    tumour: bool  # Whether the name is that of a tumour

    def means(self, other: _DiseaseName) -> bool:
        """Return whether both are one disease: "lung cancer" and "lung" are not the same."""
        return bool(self.words) and self == other


@dataclass(frozen=True)
class _TcgaStudy:
    """One study, or a union of several."""

    code: str  # Study abbreviation, such as ``LUAD``
    name: str  # Its full name
    names: tuple[_DiseaseName, ...]  # Names of exactly this disease
    short: frozenset[str]  # Abbreviations of it in lower case
    near: tuple[_DiseaseName, ...]  # Diseases that overlap with the study and are not it
    parts: tuple[str, ...]  # Codes of the studies that a union joins

    def __str__(self) -> str:
        """Return code and name, for people."""
        joined = f": {', '.join(self.parts)}" if self.parts else ""
        return f"{self.code} ({self.name}{joined})"


class _TcgaStudies:
    """All studies that are known."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        wording = data["wording"]
        self._tumour = frozenset(simplify(word) for word in wording["tumour"])
        self._fillers = frozenset(simplify(word) for word in wording["fillers"])
        self._endings = tuple(wording["tumour_endings"])
        self._word_codes = frozenset(wording["word_codes"])
        self._organs = sorted(
            (
                (simplify(form), simplify(organ))
                for organ, forms in data["organs"].items()
                for form in (organ, *forms)
            ),
            key=lambda pair: -len(pair[0]),
        )

    @cached_property
    def by_code(self) -> dict[str, _TcgaStudy]:
        """Study by its code."""
        return {code: self._study(code, entry) for code, entry in self._data["studies"].items()}

    def _study(self, code: str, entry: Mapping[str, Any]) -> _TcgaStudy:
        return _TcgaStudy(
            code,
            entry["name"],
            tuple(map(self.read_name, (entry["name"], *entry.get("names", ())))),
            frozenset(word.casefold() for word in entry.get("short", ())),
            tuple(map(self.read_name, entry.get("near", ()))),
            tuple(entry.get("parts", ())),
        )

    def read_name(self, text: str) -> _DiseaseName:
        """Return a name as its words; an explanation in brackets is left out."""
        outside = _CAMEL.sub(" ", re.sub(r"\([^)]*\)", " ", text))
        plain = f" {simplify(outside) or simplify(text)} "
        for form, organ in self._organs:
            # Capitals keep what is done from being found again as part of another organ's name.
            plain = plain.replace(f" {form} ", f" {organ.upper()} ")
        words = frozenset(plain.lower().split()) - self._fillers
        tumour = not words.isdisjoint(self._tumour) or any(w.endswith(self._endings) for w in words)
        return _DiseaseName(words - self._tumour, tumour)

    def named(self, text: str) -> _TcgaStudy | None:
        """Return the study whose code, abbreviation or name the whole text is."""
        bare = re.sub(r"^TCGA[\W_]+", "", text.strip(), flags=re.IGNORECASE)
        code = bare if bare in self.by_code else bare.upper()
        if code in self.by_code and (code == bare or code not in self._word_codes):
            return self.by_code[code]
        name = self.read_name(text)
        for study in self.by_code.values():
            if bare.casefold() in study.short or any(name.means(own) for own in study.names):
                return study
        return None

    def overlapping(self, text: str) -> list[_TcgaStudy]:
        """Return studies of something wider or narrower than the tumour that the text names."""
        name = self.read_name(text)
        if not name.words:
            return []
        shown = {word.casefold() for word in re.findall(r"[A-Za-z]*[A-Z]{2,}", text)}
        listed = [
            study
            for study in self.by_code.values()
            if name in study.near or not shown.isdisjoint({study.code.casefold(), *study.short})
        ]
        if listed or not name.tumour:
            return listed
        return [
            study
            for study in self.by_code.values()
            if any(o.words and (name.words < o.words or o.words < name.words) for o in study.names)
        ]

    def after(self, text: str) -> list[_TcgaStudy]:
        """Return studies of tumours for which the condition in the text raises the risk."""
        words = self.read_name(text).words
        return [
            self.by_code[code]
            for condition, codes in self._data["risks"].items()
            if self.read_name(condition).words <= words
            for code in codes
        ]


def tcga_study_code(text: str) -> str | None:
    """Return the code of the TCGA study that a folder or file name contains.

    `text`: Such as ``TCGA_Lung_Cancer_(LUNG)``, ``TCGA-LUAD``, ``Lung_Squamous_Cell_Carcinoma`` or
    ``TCGA.LUAD.sampleMap_HiSeqV2_PANCAN.gz``. Returns None when it contains none, or several.
    """
    studies = tcga_studies()
    if of_file := re.match(r"TCGA\.([A-Z]+)\.", text):
        return of_file[1] if of_file[1] in studies.by_code else None
    if in_brackets := re.findall(r"\(\s*([A-Z]+)\s*\)", text):
        # An unknown code is another study, despite the words before it.
        return in_brackets[-1] if in_brackets[-1] in studies.by_code else None
    found = {word for word in re.findall(r"[A-Za-z0-9]+", text) if word in studies.by_code}
    if found:
        return found.pop() if len(found) == 1 else None
    study = studies.named(text)
    return None if study is None else study.code


def load_tcga_words() -> Mapping[str, Any]:
    """Return the packaged word file."""
    return packaged_table("genotex.clinical", "tcga")


@lru_cache(maxsize=1)
def tcga_studies() -> _TcgaStudies:
    """Return the studies of the packaged word file."""
    return _TcgaStudies(load_tcga_words())


_MOST_TOLD = 4
"""Most studies that are listed as proxies."""


@dataclass(frozen=True)
class TcgaChoice:
    """The folder that means the trait."""

    folder: str | None
    """Its name; None when none of them means the trait."""
    reason: str
    """Why it does, or why none does."""


def choose_tcga_study(trait: str, folders: Mapping[str, str | None]) -> TcgaChoice:
    """Choose the folder whose cancer is the trait.

    A trait is looked up by code, abbreviation, name or synonym of a study, in any order of words.
    A study of something wider or narrower, or of a tumour that the trait leads to, is a proxy and
    never chosen.

    `trait`: Name of a trait or of its folder. `folders`: Folder name to study code
    (`tcga_study_code`); None where it is not known, so that only the folder's own words count. Of
    two folders of one study the first is taken. The reason is in words, also where there is no
    folder.
    """
    studies = tcga_studies()
    shown = " ".join(trait.replace("_", " ").split())
    study = studies.named(trait)
    name = studies.read_name(trait)
    fitting = [
        folder
        for folder, code in folders.items()
        if (study is not None and code == study.code)
        or (code is None and studies.read_name(folder).means(name))
    ]
    if not fitting:
        reason = f"no TCGA folder means {shown}: {_why_none(trait, study, folders)}"
        return TcgaChoice(None, reason)
    first, *others = fitting
    what = "it is called the same" if folders[first] is None else f"it holds {study}"
    rest = f"; so do {', '.join(others)}, which are left" if others else ""
    return TcgaChoice(first, f"TCGA folder {first} means {shown}: {what}{rest}")


def _why_none(trait: str, study: _TcgaStudy | None, folders: Mapping[str, str | None]) -> str:
    studies = tcga_studies()
    if study is not None:
        return _why_not_at_hand(study, folders)
    name = studies.read_name(trait)
    if not name.words:
        return "it is wider than any TCGA study"
    near = studies.overlapping(trait)
    if near:
        return f"no TCGA study is of just this; {_proxies(near)}"
    risks = studies.after(trait)
    if risks:
        return f"no TCGA study is of it; of tumours that it may lead to, {_proxies(risks)}"
    return "no TCGA study is of it" + ("" if name.tumour else ", TCGA studied cancers only")


def _why_not_at_hand(study: _TcgaStudy, folders: Mapping[str, str | None]) -> str:
    absent = f"that is {study}, of which there is no folder"
    there = set(folders.values())
    parts = [name for name, code in folders.items() if code in study.parts]
    if len(parts) > 1:
        return f"{absent}; {', '.join(parts)} are parts of it and fit equally well"
    if parts:
        return f"{absent}; {parts[0]} is only a part of it"
    studies = tcga_studies().by_code.values()
    wider = [union for union in studies if study.code in union.parts and union.code in there]
    return f"{absent}; {_list(wider)} is wider" if wider else absent


def _proxies(studies: Sequence[_TcgaStudy]) -> str:
    return f"{_list(studies)} would be {'a proxy' if len(studies) == 1 else 'proxies'}"


def _list(studies: Sequence[_TcgaStudy]) -> str:
    *most, last = [str(study) for study in dict.fromkeys(studies)]
    if len(most) >= _MOST_TOLD:
        return f"{', '.join(most[: _MOST_TOLD - 1])} and {len(most) - _MOST_TOLD + 2} others"
    return f"{', '.join(most)} and {last}" if most else last


_Cells = Sequence[str | None]
_Unit = Literal["years", "days", ""]
_UNITS: tuple[_Unit, _Unit] = ("years", "days")

_FEWER_IN_YEARS = 2
"""A column in days is used when it has more than so many times as many ages as one in years."""


@dataclass(frozen=True)
class TcgaColumn:
    """A column of age or gender."""

    name: str
    """As in the file."""
    values: tuple[float | None, ...]
    """Years, or 0 for female and 1 for male; None where it is not known."""
    unit: _Unit
    """``years`` or ``days``, as in the file; empty for gender."""

    @property
    def known(self) -> int:
        """Number of samples with a value."""
        return sum(value is not None for value in self.values)


def find_tcga_column(feature: SampleFeature, table: Mapping[str, _Cells]) -> TcgaColumn | None:
    """Return the column of the age at diagnosis, or of gender, with the fewest missing values.

    A column in years is preferred to one in days (days to birth are counted back from the
    diagnosis and come out as years), unless it is less than half as complete. Codes of gender are
    read by a legend in the name of the column ("gender (1=male, 2=female)").

    `feature`: Age or sex. `table`: Column name to cells; all of one length.
    """
    if feature.levels:
        return _fullest([_column(n, table[n], "", parse_sex) for n in _named(table, "gender")])
    years, days = (
        _fullest([_age_column(n, table[n], unit) for n in _named(table, f"age_{unit}")])
        for unit in _UNITS
    )
    if years is None or days is None:
        return years or days
    return days if days.known > _FEWER_IN_YEARS * years.known else years


def _column(
    name: str, cells: _Cells, unit: _Unit, parse: Callable[[str, str], float | None]
) -> TcgaColumn:
    known = map(read_tcga_cell, cells)
    return TcgaColumn(name, tuple(None if c is None else parse(c, name) for c in known), unit)


def _age_column(name: str, cells: _Cells, unit: _Unit) -> TcgaColumn:
    numbers = (parse_number(cell) for cell in map(read_tcga_cell, cells) if cell is not None)
    sizes = [abs(number) for number in numbers if number is not None]
    if 2 * sum(size > OLDEST_AGE for size in sizes) > len(sizes):
        unit = "days"
    # The key gives the unit of bare numbers; negative ones are days to birth under any key.
    return _column(name, cells, unit, lambda cell, _: parse_age_years(cell, f"age in {unit}"))


def named_columns(
    table: Mapping[str, _Cells], feature: Literal["age", "gender"]
) -> tuple[str, ...]:
    """Return the columns that are named as ones of age or of gender, the best names first."""
    kinds = ("age_years", "age_days") if feature == "age" else ("gender",)
    return tuple(dict.fromkeys(name for kind in kinds for name in _named(table, kind)))


def is_age_or_gender_column(name: str) -> bool:
    """Return whether a column is named as one of age or gender."""
    plain = plain_column_name(name)
    return any(plain in _names(kind) for kind in ("age_years", "age_days", "gender"))


@lru_cache(maxsize=4096)
def plain_column_name(name: str) -> str:
    """Return the name of a column without entity (``demographic.``), legend and punctuation."""
    entities = frozenset(simplify(word) for word in load_tcga_words()["columns"]["entities"])
    outside = re.sub(r"[(\[].*?[)\]]", " ", name)
    parts = [simplify(part) for part in outside.split(".")]
    return " ".join(part for part in parts if part and not part.isdigit() and part not in entities)


def read_tcga_cell(cell: str | None) -> str | None:
    """Return a cell, None where it is one of TCGA's words for missing (``[Not Available]``)."""
    text = "" if cell is None else cell.strip()
    in_brackets = text.startswith("[") and text.endswith("]")
    return None if in_brackets or simplify(text) in _missing() else text


def _named(table: Mapping[str, _Cells], kind: str) -> list[str]:
    """Return the columns of a kind, the best name first."""
    order = {name: place for place, name in reversed(list(enumerate(_names(kind))))}
    found = [name for name in table if plain_column_name(name) in order]
    return sorted(found, key=lambda name: order[plain_column_name(name)])


def _fullest(columns: Sequence[TcgaColumn]) -> TcgaColumn | None:
    best = max(columns, key=lambda column: (column.known, column.unit != "days"), default=None)
    return None if best is None or not best.known else best


@lru_cache(maxsize=8)
def _names(kind: str) -> tuple[str, ...]:
    return tuple(simplify(name) for name in load_tcga_words()["columns"][kind])


@lru_cache(maxsize=1)
def _missing() -> frozenset[str]:
    words = load_tcga_words()["columns"]["missing"]
    return frozenset({simplify(word) for word in words} | {""})
