"""What a series states on the relations of its samples, and in which words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from genotex.clinical.cells import SampleKeys, keys_of_samples
from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import FEWEST
from genotex.clinical.relation_texts import (
    are_numbered,
    find_pairs,
    find_technical_replicates,
    line_from_key,
    line_from_text,
    pool_from_text,
)
from genotex.features import (
    FEWEST_PAIRS,
    Placed,
    PlacedStatement,
    SeriesTexts,
    dose_from_key,
    dose_from_text,
    find_treatment_groups,
    recorded_features,
    simple_key,
)

_SHOWN_VALUES = 6
_ORDER = (
    "pool",
    "technical replicate",
    "donor",
    "pair",
    "cell line",
    "treatment",
    "treatment group",
    "dose",
    "time point",
)
"""Kinds in the order of records; features that are not among them follow."""


@dataclass(frozen=True)
class SampleRelations:
    """The relations of the samples of a series."""

    stated: Mapping[str, Mapping[str, PlacedStatement]]
    """Kind (``pool``, ``technical replicate``, ``donor``, ``pair``, ``cell line``, ``treatment``,
    ``treatment group``, ``dose``, ``time point``) -> sample id -> statement; samples of which
    nothing is stated are not in it. A ``treatment group`` is ``untreated``, ``control treatment``
    (a vehicle, mock, placebo, a control sequence) or ``treated``."""

    def values(self, kind: str) -> dict[str, str]:
        """Return the value of each sample of which something of a kind is stated."""
        return {sample: found.value for sample, found in self.stated.get(kind, {}).items()}

    def with_facts(self, facts: Mapping[str, Mapping[str, str]]) -> SampleRelations:
        """Return the statements with features that a person gave in place of those of texts.

        An empty value is that of a cell which the person emptied: nothing is stated.
        """
        merged = dict(self.stated)
        for feature in recorded_features():
            if feature.use == "batch" or feature.name not in facts:
                continue
            own, given = self.values(feature.name), facts[feature.name]
            found = {
                sample: PlacedStatement(value, "sample sheet", value)
                for sample, value in given.items()
                if value != own.get(sample)
            }
            kept = {**self.stated.get(feature.name, {}), **found}
            merged[feature.name] = {
                s: statement for s, statement in kept.items() if statement.value
            }
        return SampleRelations({kind: found for kind, found in merged.items() if found})

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
            if kind in _ORDER and sample in found
        ]


def _in_short(found: Sequence[PlacedStatement]) -> str:
    counts = Counter(statement.value for statement in found)
    places = ", ".join(dict.fromkeys(statement.place for statement in found))
    if len(counts) > _SHOWN_VALUES:
        return f"{len(counts)} values in {len(found)} samples; {places}"
    return f"{', '.join(f'{value} ({n})' for value, n in counts.most_common())}; {places}"


def _grouped(found: Mapping[str, PlacedStatement]) -> list[dict[str, Any]]:
    groups: dict[PlacedStatement, list[str]] = {}
    for sample, statement in found.items():
        groups.setdefault(statement, []).append(sample)
    return [
        {"value": s.value, "place": s.place, "words": s.words, "samples": samples}
        for s, samples in groups.items()
    ]


def find_relations(description: SeriesDescription) -> SampleRelations:
    """Return what the texts of a series state on the relations of its samples.

    `description` has a cell for each sample. Found is only what a text states in words
    that have this meaning alone; no expression is used.
    """
    return relations_of(description, keys_of_samples(description))


def relations_of(description: SeriesDescription, keys: SampleKeys) -> SampleRelations:
    """Return what is stated, where the keys of the samples are gathered already."""
    if not keys.samples:
        return SampleRelations({})
    count, samples = len(keys.samples), keys.samples
    texts = SeriesTexts(
        {key: keys.columns[key] for key in keys.characteristics},
        _filled(description.titles, count),
        _filled(description.source_names, count),
        description.text,
    )
    found = {feature.name: feature.find(texts) for feature in recorded_features()}
    found |= {
        "pool": texts.gather(
            lambda key, text: None if "reference" in key.casefold() else pool_from_text(text),
            pool_from_text,
        ),
        "technical replicate": find_technical_replicates(texts, found["donor"]).placed,
        "pair": find_pairs(texts).placed,
        "cell line": _cell_lines(texts),
        "treatment group": find_treatment_groups(texts),
        "dose": texts.gather(dose_from_key, dose_from_text),
    }
    return SampleRelations(
        {
            kind: {samples[number]: found[kind][number] for number in sorted(found[kind])}
            for kind in dict.fromkeys((*_ORDER, *found))
            if found.get(kind)
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


def _cell_lines(texts: SeriesTexts) -> Placed:
    """Return the cell lines, but not names that only number the samples."""
    found = texts.gather(line_from_key, lambda text: line_from_text(text, texts.about))
    free = {s.value for s in found.values() if not s.place.startswith("char")}
    lines = [text for text in (*texts.titles, *texts.sources) if text]
    if free and are_numbered(free, lines):
        return {n: s for n, s in found.items() if s.place.startswith("char")}
    return found


def _filled(line: Sequence[str | None], count: int) -> tuple[str | None, ...]:
    return tuple(line[:count]) + (None,) * (count - len(line[:count]))


def propose_exclusions(
    relations: SampleRelations, codes: Mapping[str, float], excluded: Collection[str]
) -> dict[str, str]:
    """Return the samples to leave out, with the reason: pools, and repeats of the same RNA.

    `codes` are those of the samples in a group; nothing is proposed that empties a group.
    """
    found: dict[str, str] = {}
    first: dict[str, str] = {}
    for sample, stem in relations.values("technical replicate").items():
        if sample in excluded or (codes and sample not in codes):
            continue
        if stem in first and codes.get(sample) == codes.get(first[stem]):
            found[sample] = f"technical replicate of {first[stem]}"
        first.setdefault(stem, sample)
    found |= dict.fromkeys(relations.values("pool"), "a pool")
    left = Counter(code for s, code in codes.items() if s not in found and s not in excluded)
    if any(left[code] < FEWEST for code in set(codes.values())):
        return {}
    return {sample: why for sample, why in found.items() if sample not in excluded}


def propose_pairs(
    relations: SampleRelations, codes: Mapping[str, float], excluded: Collection[str]
) -> dict[str, str]:
    """Return the pairs or people with several samples, where the analysis can block on them."""
    used = {sample: code for sample, code in codes.items() if sample not in excluded}
    for values in (relations.values("pair"), relations.values("donor")):
        members: dict[str, list[str]] = defaultdict(list)
        for sample, value in values.items():
            if sample in used or (not codes and sample not in excluded):
                members[value].append(sample)
        several = {value: found for value, found in members.items() if len(found) > 1}
        varying = [v for v, found in several.items() if len({used.get(s) for s in found}) > 1]
        if not several:
            continue
        if len(varying) >= FEWEST_PAIRS or not codes:
            return {sample: value for value, found in several.items() for sample in found}
        # Repeats are averaged; samples of unknown people would be left out.
        people = Counter(used[found[0]] for found in members.values())
        whole = used.keys() <= values.keys() and min(people.values()) >= FEWEST
        if not varying and whole:
            return {sample: value for value, found in members.items() for sample in found}
    return {}
