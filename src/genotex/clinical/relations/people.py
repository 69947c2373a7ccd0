"""Samples of one person, pairs among them, and technical replicates."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from genotex.clinical.cells import parse_number
from genotex.clinical.relations.statements import MISSING, Statement, plain_key
from genotex.clinical.sample_keys import SampleKeys
from genotex.clinical.words.wording import packaged_table

FEWEST_PAIRS = 3
"""Fewer samples that differ in one word alone may do so by chance."""

_PERSON_KEY = re.compile(
    r"(?:patient|donor|subject|individual|participant|person|volunteer|proband|study subject"
    r"|human subject|blood donor)s?[ -]?(?:id|ids|identifier|no|nr|num|number|code|name)?[ #:]*"
)
_PAIR_KEY = re.compile(r"(?:matched |sample )?pairs?[ -]?(?:id|no|nr|number|code)?[ #:]*")
_REPLICATE_KEY = re.compile(r"technical (?:replicates?|rep|repeat)[ -]?(?:id|no|number)?")
_ID = re.compile(r"(?=.*\d)[\w .#/:-]{1,30}|[A-Za-z]{1,3}")

_WORD = r"patient|pt|donor|subject|individual|participant|volunteer|proband"
_PERSON = re.compile(
    rf"(?:(?P<before>[A-Za-z][A-Za-z0-9+-]*)[\s_,-]+)?(?<![A-Za-z])(?P<word>{_WORD})s?[\s_.#:-]*"
    r"(?:(?:no\.?|number|id|nr\.?)[\s_.#:-]*)?"
    r"(?:(?P<id>[A-Za-z]{0,3}[-_]?\d{1,6})(?P<part>[A-Za-z]?)|(?P<letter>[A-MO-SU-Z](?![\s_-]*cells?\b)))"
    r"(?![A-Za-z0-9])(?!\s*(?:y|yr|yrs|years?|months?|mo|days?|weeks?|hours?|h|min|%)\b)",
    re.IGNORECASE,
)
_SAME_PERSON = frozenset(packaged_table("relations")["no_groups"])
_SIDE_WORDS = frozenset(
    ["normal", "tumor", "tumour", "adjacent", "control", "cancer", "affected", "unaffected"]
)
_HEALTHY = re.compile(r"\b(?:healthy|controls?)\b", re.IGNORECASE)
_EQUAL_KEYS = re.compile(r"(?:patient |donor |subject )?(?:sex|gender|ethnicity|race)")
_AGE_KEY = re.compile(r"(?:patient |donor |subject )?age(?: ?[(\[].*)?(?: at \w+)?")
_AGE_STEP = 2.0
_PAIR_TEXT = re.compile(
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


def find_donors(keys: SampleKeys, titles: Sequence[str | None], about: str) -> PersonStatements:
    """Return the people whom a characteristic, or else the titles, name."""
    named = []
    for key in keys.characteristics:
        if _PERSON_KEY.fullmatch(plain_key(key)) and (found := _ids(keys.columns[key])):
            named.append(PersonStatements(f"characteristic '{key}'", found))
    named = [each for each in named if not conflicting(keys, each.stated)]
    if named:
        return max(named, key=lambda each: _repeated(each.stated))
    stated = _from_titles(titles, _PAIR_TEXT.search(about) is not None)
    return PersonStatements("title", {} if conflicting(keys, stated) else stated)


def find_pairs(keys: SampleKeys, titles: Sequence[str | None], about: str) -> PersonStatements:
    """Return the pairs that a characteristic names, or that titles make but for one word."""
    for key in keys.characteristics:
        found = _ids(keys.columns[key]) if _PAIR_KEY.fullmatch(plain_key(key)) else {}
        if found and _repeated(found):
            return PersonStatements(f"characteristic '{key}'", found)
    stated: dict[int, Statement] = {}
    for family in _FAMILIES if any(titles) else ():
        found = _pairs_of(family, titles, about)
        if len(found) > len(stated) and not conflicting(keys, found):
            stated = found
    return PersonStatements("title", stated)


def _ids(column: Sequence[Sequence[str]]) -> dict[int, Statement]:
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


def _repeated(stated: Mapping[int, Statement]) -> int:
    counts = Counter(found.value for found in stated.values())
    return sum(count for count in counts.values() if count > 1)


def conflicting(keys: SampleKeys, stated: Mapping[int, Statement]) -> bool:
    """Return whether samples of one person differ in sex, origin or age."""
    members = defaultdict(list)
    for number, found in stated.items():
        members[found.value].append(number)
    several = [found for found in members.values() if len(found) > 1]
    for key in keys.characteristics:
        name, column = plain_key(key), keys.columns[key]
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


# --- Pairs of titles


@dataclass(frozen=True)
class _Family:
    """Words of which the samples of a pair have one each."""

    sides: Mapping[str, re.Pattern[str]]
    # Within one person by what they mean, as lesional and non-lesional skin
    within: bool = False
    needs: re.Pattern[str] | None = None  # In the texts of the series, for single letters


def _side(words: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])", flags)


_TUMOUR = r"tumou?r(?:al|ous)?(?: tissue)?|cancer(?:ous)?(?: tissue)?|carcinoma"
_NO_TUMOUR = (
    r"(?:tumou?r[- ])?adjacent(?:[- ](?:normal|non[- ]?tumou?r(?:al|ous)?|tissue))*"
    r"|normal(?:[- ]adjacent)?(?: (?:tissue|mucosa))?"
    r"|non[- ]?(?:tumou?r(?:al|ous)?|cancer(?:ous)?)(?: tissue)?"
    r"|para[- ]?(?:tumou?r|cancer(?:ous)?|carcinoma)"
)
_EVENTS = (
    r"treatment|therapy|surgery|op|operative|vaccin\w+|exercise|training|chemo\w*|intervention|diet"
)
_FAMILIES = (
    _Family({"normal": _side(_NO_TUMOUR), "tumour": _side(_TUMOUR)}),
    _Family(
        {
            "nonlesional": _side(r"non[- ]?lesion(?:al)?|uninvolved|perilesional|NL", 0),
            "lesional": _side(r"lesion(?:al)?|involved|Lesional|Lesion|Involved|L|LS", 0),
        },
        within=True,
        needs=re.compile(r"lesion|involved", re.IGNORECASE),
    ),
    _Family({"no": _side("non[- ]?lesional|uninvolved"), "yes": _side("lesional|involved")}, True),
    _Family({"no": _side("non[- ]?inflamed|uninflamed"), "yes": _side("inflamed")}, True),
    _Family(
        {
            "before": _side(rf"(?:pre|before|prior to)(?:[- ]?(?:{_EVENTS}))?|baseline"),
            "after": _side(rf"(?:post|after)(?:[- ]?(?:{_EVENTS}))?|follow[- ]?up"),
        },
        within=True,
    ),
    _Family({"relapse": _side("relapsed?"), "first": _side("diagnosis|primary")}),
    _Family({"meta": _side("metastas[ie]s|metastatic|met"), "first": _side("primary")}),
    _Family(
        {"normal": _side("N|NT", 0), "tumour": _side("T|TU?", 0)},
        needs=re.compile(
            r"(?:tumou?r|cancer|carcinoma).*(?:normal|adjacent|non-?tumou?r)"
            r"|(?:normal|adjacent|non-?tumou?r).*(?:tumou?r|cancer|carcinoma)",
            re.IGNORECASE | re.DOTALL,
        ),
    ),
)


def _pairs_of(family: _Family, titles: Sequence[str | None], about: str) -> dict[int, Statement]:
    if family.needs is not None and not family.needs.search(about):
        return {}
    sided = {n: found for n, title in enumerate(titles) if (found := _split(family, title or ""))}
    members: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, (stem, side, _) in sided.items():
        members[stem][side].append(number)
    pairs = {
        stem: sorted(n for found in sides.values() for n in found)
        for stem, sides in members.items()
        if re.search(r"\d|\b[a-z]\b", stem)
        and len(sides) > 1
        and all(len(found) == 1 for found in sides.values())
    }
    count = sum(map(len, pairs.values()))
    if len(pairs) < FEWEST_PAIRS or 2 * count < len(sided):
        return {}
    if not (family.within or _PAIR_TEXT.search(about) or _are_irregular(members)):
        return {}
    return {n: Statement(stem, sided[n][2]) for stem, found in pairs.items() for n in found}


def _split(family: _Family, title: str) -> tuple[str, str, str] | None:
    """Return the title without the word of a side, the side, and the word."""
    text = re.sub(r"[_]", " ", title)
    for side, form in family.sides.items():
        hits = list(form.finditer(text))
        if len(hits) == 1:
            rest = text[: hits[0].start()] + " " + text[hits[0].end() :]
            if not any(f.search(rest) for name, f in family.sides.items() if name != side):
                return _stem(rest), side, hits[0].group()
            return None
        if hits:
            return None
    return None


def _stem(text: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", text).casefold().split())


def _are_irregular(members: Mapping[str, Mapping[str, Sequence[int]]]) -> bool:
    """Return whether the numbers in the titles are those of people, not 1, 2, 3 on each side."""
    sides: dict[str, set[int]] = defaultdict(set)
    for stem, found in members.items():
        numbers = [int(n) for n in re.findall(r"(?<!\d)\d{1,9}(?!\d)", stem)]
        for side in found:
            sides[side].update(numbers[-1:])
    regular = [not numbers or len(numbers) == max(numbers) for numbers in sides.values()]
    return bool(sides) and not any(regular)


# --- Technical replicates

_TECHNICAL = re.compile(
    r"[\s_,.(\[-]*(?<![A-Za-z])(?:technical|tech)[\s_.-]*(?:replicates?|replica|reps?|repeats?|duplicates?)"
    r"(?:[\s_.#:-]*(?:\d{1,2}|[a-d])(?![A-Za-z0-9]))?[)\]]?",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"[\s_,.(\[-]+(?:replicates?|reps?|repl|repeat|duplicate|re-?run)[\s_.#:-]*(?:\d{1,2}|[a-d])?[)\]]?$",
    re.IGNORECASE,
)
_BIOLOGICAL = re.compile(r"\bbio(?:l|logical)?[\s_.-]*(?:independent[\s_.-]*)?rep", re.IGNORECASE)


def find_technical_replicates(
    keys: SampleKeys, titles: Sequence[str | None], donors: Mapping[int, Statement], about: str
) -> PersonStatements:
    """Return the biological sample of each technical replicate."""
    stated = _same_stem(titles, _TECHNICAL, lambda number: True)
    if not stated and not _BIOLOGICAL.search(about):
        # "rep 1" alone is a biological replicate, unless both are of the same person.
        plain = _same_stem(titles, _PLAIN, lambda number: number in donors)
        stated = plain if _same_facts(keys, plain) else {}
    if stated:
        return PersonStatements("title", stated)
    for key in keys.characteristics:
        if _REPLICATE_KEY.fullmatch(plain_key(key)):
            numbered = {n for n, cells in enumerate(keys.columns[key]) if cells}
            stated = _same_stem(titles, _PLAIN, numbered.__contains__)
            return PersonStatements(f"title, characteristic '{key}'", stated)
    return PersonStatements("title", {})


def _same_stem(
    titles: Sequence[str | None], form: re.Pattern[str], counts: Callable[[int], bool]
) -> dict[int, Statement]:
    """Return the samples whose titles are equal but for what a form finds."""
    stems: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for number, title in enumerate(titles):
        if not title or not counts(number):
            continue
        hit = form.search(title)
        rest = title if hit is None else title[: hit.start()] + " " + title[hit.end() :]
        stems[_stem(rest)].append((number, "" if hit is None else hit.group().strip(" _,.-([)]")))
    return {
        number: Statement(stem, words or "the same title without a number")
        for stem, found in stems.items()
        if stem and len(found) > 1 and any(words for _, words in found)
        for number, words in found
    }


def _same_facts(keys: SampleKeys, stated: Mapping[int, Statement]) -> bool:
    """Return whether all characteristics of the replicates agree, but for ids of arrays."""
    members = defaultdict(list)
    for number, found in stated.items():
        members[found.value].append(number)
    columns = [keys.columns[key] for key in keys.characteristics]
    return not any(
        len({tuple(column[n]) for n in found}) > 1
        for found in members.values()
        for column in columns
    )
