"""What a series states on the relations of its samples, and in which words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from genotex.clinical.description import SeriesDescription
from genotex.clinical.relations.people import (
    PersonStatements,
    find_donors,
    find_pairs,
    find_technical_replicates,
)
from genotex.clinical.relations.statements import (
    Statement,
    are_numbered,
    dose_from_key,
    dose_from_text,
    line_from_key,
    line_from_text,
    pool_from_text,
    time_from_key,
    time_from_text,
)
from genotex.clinical.relations.treatments import (
    TreatmentGroup,
    treatment_from_text,
    treatments_by_slot,
    treatments_from_column,
)
from genotex.clinical.sample_keys import SampleKeys, keys_of_samples
from genotex.clinical.words.wording import simple_key

Kind = Literal[
    "pool",
    "technical replicate",
    "donor",
    "pair",
    "cell line",
    "treatment",
    "treatment group",
    "dose",
    "time point",
]
"""What may be stated, by the name under which options find it."""

_MOST_TIMES = 0.6
"""Larger shares of different numbers are measurements, such as times of survival."""
_FEWEST_SAMPLES = 5
_SHOWN_VALUES = 6


@dataclass(frozen=True)
class RelationStatement:
    """What is stated of one sample, and where.

    Attributes
    ----------
    value : str
        In a form that is equal for samples that agree: ``day 7``, ``dmso``, ``patient 12``.
    place : str
        ``title``, ``source``, or ``characteristic 'time'``.
    words : str
        The words that state it.
    """

    value: str
    place: str
    words: str


@dataclass(frozen=True)
class SampleRelations:
    """The relations of the samples of a series.

    Attributes
    ----------
    stated : mapping of str to mapping of str to RelationStatement
        Kind (``pool``, ``technical replicate``, ``donor``, ``pair``, ``cell line``, ``treatment``,
        ``treatment group``, ``dose``, ``time point``) -> sample id -> statement; samples of which
        nothing is stated are not in it. A ``treatment group`` is ``untreated``, ``control
        treatment`` (a vehicle, mock, placebo, a control sequence) or ``treated``.
    """

    stated: Mapping[str, Mapping[str, RelationStatement]]

    def values(self, kind: Kind) -> dict[str, str]:
        """Return the value of each sample of which something of a kind is stated."""
        return {sample: found.value for sample, found in self.stated.get(kind, {}).items()}

    def as_record(self) -> dict[str, list[dict[str, Any]]]:
        """Return the statements as plain JSON: kind -> value, place, words and samples of each."""
        return {kind: _grouped(found) for kind, found in self.stated.items()}

    def lines(self) -> list[str]:
        """Return each kind in words: "time point: baseline (10), day 7 (12); title"."""
        return [f"{kind}: {_in_short(list(found.values()))}" for kind, found in self.stated.items()]

    def texts(self, sample: str) -> list[str]:
        """Return what is stated of a sample, in words for people."""
        return [
            f"{kind}: {found[sample].value} ({found[sample].place}: {found[sample].words!r})"
            for kind, found in self.stated.items()
            if sample in found
        ]


def _in_short(found: Sequence[RelationStatement]) -> str:
    counts = Counter(statement.value for statement in found)
    places = ", ".join(dict.fromkeys(statement.place for statement in found))
    if len(counts) > _SHOWN_VALUES:
        return f"{len(counts)} values in {len(found)} samples; {places}"
    return f"{', '.join(f'{value} ({n})' for value, n in counts.most_common())}; {places}"


def _grouped(found: Mapping[str, RelationStatement]) -> list[dict[str, Any]]:
    groups: dict[RelationStatement, list[str]] = {}
    for sample, statement in found.items():
        groups.setdefault(statement, []).append(sample)
    return [
        {"value": s.value, "place": s.place, "words": s.words, "samples": samples}
        for s, samples in groups.items()
    ]


def find_relations(description: SeriesDescription) -> SampleRelations:
    """Return what the texts of a series state on the relations of its samples.

    Parameters
    ----------
    description : SeriesDescription
        The series, with a cell for each sample.

    Returns
    -------
    SampleRelations
        Only what a text states in words that have this meaning alone; no expression is used.
    """
    return relations_of(description, keys_of_samples(description))


def relations_of(description: SeriesDescription, keys: SampleKeys) -> SampleRelations:
    """Return what is stated, where the keys of the samples are gathered already."""
    if not keys.samples:
        return SampleRelations({})
    texts = _Texts(description, keys)
    donors = find_donors(keys, texts.titles, texts.about)
    replicates = find_technical_replicates(keys, texts.titles, donors.stated, texts.about)
    treatments, groups = texts.treatments()
    found: dict[Kind, dict[int, RelationStatement]] = {
        "pool": texts.pools(),
        "technical replicate": _placed(replicates),
        "donor": _placed(donors),
        "pair": _placed(find_pairs(keys, texts.titles, texts.about)),
        "cell line": texts.cell_lines(),
        "treatment": treatments,
        "treatment group": groups,
        "dose": texts.gather(dose_from_key, dose_from_text),
        "time point": texts.time_points(),
    }
    samples = keys.samples
    return SampleRelations(
        {
            kind: {samples[number]: stated[number] for number in sorted(stated)}
            for kind, stated in found.items()
            if stated
        }
    )


def searchable_keys(description: SeriesDescription) -> SampleKeys:
    """Return what conditions may ask for: the recorded keys, and relations by their plain names."""
    keys = keys_of_samples(description)
    known = {simple_key(key) for key in keys.columns}
    columns = {
        kind: [(found[s].value,) if s in found else () for s in keys.samples]
        for kind, found in relations_of(description, keys).stated.items()
        if simple_key(kind) not in known
    }
    return replace(keys, columns={**keys.columns, **columns}) if columns else keys


def _placed(found: PersonStatements) -> dict[int, RelationStatement]:
    return {n: RelationStatement(s.value, found.place, s.words) for n, s in found.stated.items()}


class _Texts:
    """The texts of the samples, searched for one kind after another."""

    def __init__(self, description: SeriesDescription, keys: SampleKeys) -> None:
        count = len(keys.samples)
        self._keys = keys
        self.titles = _filled(description.titles, count)
        self._sources = _filled(description.source_names, count)
        self.about = description.text

    def gather(
        self,
        from_key: Callable[[str, str], Statement | None],
        from_text: Callable[[str], Statement | None],
        accept: Callable[[Mapping[int, RelationStatement]], bool] = bool,
    ) -> dict[int, RelationStatement]:
        """Return statements of the characteristics, else of titles, else of source names."""
        found: dict[int, RelationStatement] = {}
        for key in self._keys.characteristics:
            column = self._column(key, from_key)
            if accept(column):
                found = column | found
        for place, line in (("title", self.titles), ("source", self._sources)):
            known = {text: from_text(text) for text in set(line) if text}
            for number, text in enumerate(line):
                statement = known.get(text) if text else None
                if statement is not None and number not in found:
                    found[number] = RelationStatement(statement.value, place, statement.words)
        return found

    def _column(
        self, key: str, from_key: Callable[[str, str], Statement | None]
    ) -> dict[int, RelationStatement]:
        cells = self._keys.columns[key]
        known = {value: from_key(key, value) for value in {v for values in cells for v in values}}
        place, found = f"characteristic '{key}'", {}
        if not any(known.values()):
            return {}
        for number, values in enumerate(cells):
            stated = [s for value in values if (s := known[value]) is not None]
            if len({s.value for s in stated}) == 1:
                found[number] = RelationStatement(stated[0].value, place, stated[0].words)
        return found

    def pools(self) -> dict[int, RelationStatement]:
        """Return the samples that are pools."""
        return self.gather(
            lambda key, value: None if "reference" in key.casefold() else pool_from_text(value),
            pool_from_text,
        )

    def time_points(self) -> dict[int, RelationStatement]:
        """Return the time points, but not measurements under such keys."""
        return self.gather(time_from_key, time_from_text, _repeat)

    def cell_lines(self) -> dict[int, RelationStatement]:
        """Return the cell lines, but not names that only number the samples."""
        found = self.gather(line_from_key, lambda text: line_from_text(text, self.about))
        free = {s.value for s in found.values() if not s.place.startswith("char")}
        texts = [text for text in (*self.titles, *self._sources) if text]
        if free and are_numbered(free, texts):
            return {n: s for n, s in found.items() if s.place.startswith("char")}
        return found

    def treatments(self) -> tuple[dict[int, RelationStatement], dict[int, RelationStatement]]:
        """Return treatments and their groups."""
        named: dict[int, RelationStatement] = {}
        groups: dict[int, RelationStatement] = {}

        def add(number: int, place: str, statement: Statement, group: TreatmentGroup) -> None:
            if number not in groups:
                groups[number] = RelationStatement(group, place, statement.words)
                named[number] = RelationStatement(statement.value, place, statement.words)

        keys = self._keys
        healthy = any(
            "healthy" in v.casefold() for k in keys.characteristics for v in keys.counts(k)
        )
        for key in keys.characteristics:
            column, states = treatments_from_column(key, keys.columns[key], healthy)
            for number, statement in column.items():
                add(number, f"characteristic '{key}'", statement, states[number])
        for place, line in (("title", self.titles), ("source", self._sources)):
            known = {text: treatment_from_text(text) for text in set(line) if text}
            stated = {n: f for n, text in enumerate(line) if text and (f := known[text])}
            slots = treatments_by_slot(line, stated) if place == "title" else {}
            for number, (statement, group) in {**slots, **stated}.items():
                add(number, place, statement, group)
        return named, groups


def _filled(line: Sequence[str | None], count: int) -> tuple[str | None, ...]:
    return tuple(line[:count]) + (None,) * (count - len(line[:count]))


def _repeat(found: Mapping[int, RelationStatement]) -> bool:
    """Return whether values repeat, as those of time points do and measurements do not."""
    different = Counter(statement.value for statement in found.values())
    return bool(found) and (
        len(found) < _FEWEST_SAMPLES or len(different) <= _MOST_TIMES * len(found)
    )
