"""Donors: the person whom a characteristic or a title names, who may have several samples."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from genotex.features.cells import parse_number
from genotex.features.feature import (
    MISSING,
    Placed,
    PlacedStatement,
    SampleFeature,
    SeriesTexts,
    Statement,
)
from genotex.features.plain_text import packaged_table, plain_key

FEWEST_PAIRS = 3
"""Fewer samples that differ in one word alone may do so by chance."""

_PERSON_KEY = re.compile(
    r"(?:patient|donor|subject|individual|participant|person|volunteer|proband|study subject"
    r"|human subject|blood donor)s?[ -]?(?:id|ids|identifier|no|nr|num|number|code|name)?[ #:]*"
)
_ID = re.compile(r"(?=.*\d)[\w .#/:-]{1,30}|[A-Za-z]{1,3}")

_WORD = r"patient|pt|donor|subject|individual|participant|volunteer|proband"
_PERSON = re.compile(
    rf"(?:(?P<before>[A-Za-z][A-Za-z0-9+-]*)[\s_,-]+)?(?<![A-Za-z])(?P<word>{_WORD})s?[\s_.#:-]*"
    r"(?:(?:no\.?|number|id|nr\.?)[\s_.#:-]*)?"
    r"(?:(?P<id>[A-Za-z]{0,3}[-_]?\d{1,6})(?P<part>[A-Za-z]?)|(?P<letter>[A-MO-SU-Z](?![\s_-]*cells?\b)))"
    r"(?![A-Za-z0-9])(?!\s*(?:y|yr|yrs|years?|months?|mo|days?|weeks?|hours?|h|min|%)\b)",
    re.IGNORECASE,
)
_SAME_PERSON = frozenset(packaged_table("genotex.features", "relations")["no_groups"])
_SIDE_WORDS = frozenset(
    ["normal", "tumor", "tumour", "adjacent", "control", "cancer", "affected", "unaffected"]
)
_HEALTHY = re.compile(r"\b(?:healthy|controls?)\b", re.IGNORECASE)
_EQUAL_KEYS = re.compile(r"(?:patient |donor |subject )?(?:sex|gender|ethnicity|race)")
_AGE_KEY = re.compile(r"(?:patient |donor |subject )?age(?: ?[(\[].*)?(?: at \w+)?")
_AGE_STEP = 2.0
PAIR_TEXT = re.compile(
    r"(?<!age[- ])(?<!sex[- ])(?<!gender[- ])(?<!bmi[- ])(?<!and[- ])"
    r"\b(?:paired(?![- ]end)|matched(?! (?:for|healthy|controls?|on|by|with healthy))|matching)\b"
    r"|\badjacent\b|\bsame (?:patient|individual|subject|donor|person|case|participant)s?\b"
    r"|\bbefore and (?:\w+ ){0,3}after\b|\bpre[- ]? ?(?:and|/) ?post\b|\bautologous\b"
    r"|\blesional and (?:\w+ )?non-?lesional\b|\blongitudinal\b|\bcontralateral\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class PersonStatements:
    """Who the samples are of, where it is stated, by position of the sample."""

    place: str
    stated: Mapping[int, Statement]

    @property
    def placed(self) -> Placed:
        """The statements, each with its place."""
        return {n: PlacedStatement(s.value, self.place, s.words) for n, s in self.stated.items()}


def _find_donors(texts: SeriesTexts) -> PersonStatements:
    """Return the people whom a characteristic, or else the titles, name."""
    named = []
    for key, cells in texts.columns.items():
        if _PERSON_KEY.fullmatch(plain_key(key)) and (found := person_ids(cells)):
            named.append(PersonStatements(f"characteristic '{key}'", found))
    named = [each for each in named if not conflicting(texts, each.stated)]
    if named:
        return max(named, key=lambda each: repeated_people(each.stated))
    stated = _from_titles(texts.titles, PAIR_TEXT.search(texts.about) is not None)
    return PersonStatements("title", {} if conflicting(texts, stated) else stated)


def person_ids(column: Sequence[Sequence[str]]) -> dict[int, Statement]:
    """Return the values that name people; none where they name kinds of people."""
    values = {
        number: cells[0]
        for number, cells in enumerate(column)
        if len(cells) == 1 and cells[0].strip().casefold() not in MISSING
    }
    different = set(values.values())
    ids = [value for value in different if _ID.fullmatch(value.strip())]
    if len(different) < FEWEST_PAIRS or 10 * len(ids) < 9 * len(different):
        return {}
    return {number: Statement(value.strip(), value) for number, value in values.items()}


def repeated_people(stated: Mapping[int, Statement]) -> int:
    """Return how many samples are of people with several samples."""
    counts = Counter(found.value for found in stated.values())
    return sum(count for count in counts.values() if count > 1)


def conflicting(texts: SeriesTexts, stated: Mapping[int, Statement]) -> bool:
    """Return whether samples of one person differ in sex, origin or age."""
    members = defaultdict(list)
    for number, found in stated.items():
        members[found.value].append(number)
    several = [found for found in members.values() if len(found) > 1]
    for key, column in texts.columns.items():
        name = plain_key(key)
        if _EQUAL_KEYS.fullmatch(name):
            if any(_differ(column, found) for found in several):
                return True
        elif _AGE_KEY.fullmatch(name) and any(_ages_differ(column, found) for found in several):
            return True
    return False


def _differ(column: Sequence[Sequence[str]], members: Iterable[int]) -> bool:
    values = {cell.casefold() for n in members for cell in column[n]} - MISSING
    return len(values) > 1


def _ages_differ(column: Sequence[Sequence[str]], members: Iterable[int]) -> bool:
    ages = [age for n in members for cell in column[n] if (age := parse_number(cell)) is not None]
    return len(ages) > 1 and max(ages) - min(ages) > _AGE_STEP


def _from_titles(titles: Sequence[str | None], paired: bool) -> dict[int, Statement]:
    hits = {n: found for n, title in enumerate(titles) if (found := _person(title or ""))}
    if len({hit.group().casefold() for hit in hits.values()}) < FEWEST_PAIRS:
        return {}
    parts = {(_id_of(hit), (hit["part"] or "").casefold()) for hit in hits.values()}
    whole = Counter(name for name, _ in parts)
    # "patient 12a" and "patient 12b" may be two samples of one person, or two people.
    if any(part and whole[name] > 1 for name, part in parts):
        return {}
    groups: dict[str, set[str]] = defaultdict(set)
    for hit in hits.values():
        groups[_id_of(hit)].add(_group_of(hit))
    sides = {group for found in groups.values() if len(found) > 1 for group in found}
    # "RA patient 3" and "OA patient 3" are two people, "LPS donor 3" and "IL4 donor 3" are one.
    if sides and not (sides & {"healthy"} or (paired and sides <= _SIDE_WORDS | {""})):
        return {}
    same = sides <= _SIDE_WORDS | {""}
    # "Subject 1, asthma" and "Subject 1, healthy" may be two people, too.
    if not paired and _healthy_later(hits):
        return {}
    stated = {}
    for number, hit in hits.items():
        group = "" if same else _group_of(hit)
        value = f"{group} {_id_of(hit)}{(hit['part'] or '').casefold()}".strip()
        stated[number] = Statement(value, hit.group().strip(" _,-"))
    return stated


def _group_of(hit: re.Match[str]) -> str:
    """Return the word in front of a person, where it may name a group."""
    before = (hit["before"] or "").casefold()
    return "" if before in _SAME_PERSON or re.search(r"\d", before) else before


def _healthy_later(hits: Mapping[int, re.Match[str]]) -> bool:
    """Return whether only some samples of a person are called healthy behind the id."""
    found: dict[str, set[bool]] = defaultdict(set)
    for hit in hits.values():
        later = _HEALTHY.search(hit.string, hit.end())
        donor = hit["word"].casefold() == "donor"
        found[_id_of(hit)].add(later is not None and not (donor and later[0][0] in "cC"))
    return any(len(states) > 1 for states in found.values())


def _person(title: str) -> re.Match[str] | None:
    hits = list(_PERSON.finditer(title))
    return hits[0] if len(hits) == 1 else None


def _id_of(hit: re.Match[str]) -> str:
    name = (hit["id"] or hit["letter"]).casefold()
    word = "patient" if hit["word"].casefold() == "pt" else hit["word"].casefold()
    return f"{word} {name}"


DONOR = SampleFeature(
    name="donor",
    label="Donor",
    scale="person",
    use="block",
    find=lambda texts: _find_donors(texts).placed,
)
