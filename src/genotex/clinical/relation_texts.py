"""Relations of samples as texts state them: cell lines, pools, pairs, technical replicates."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from genotex.features import (
    FEWEST_PAIRS,
    MISSING,
    PAIR_TEXT,
    PersonStatements,
    SeriesTexts,
    Statement,
    conflicting,
    packaged_table,
    person_ids,
    plain_key,
    repeated_people,
    simple_key,
)
from genotex.formats import names_pool

_LINE_KEY = re.compile(
    r"(?:parental |host |human )?cell[ -]?lines?(?: (?:name|background|used))?(?:/ ?subline)?"
)
_TYPE_KEY = re.compile(r"cell(?:s|[ -]?types?)?|tissue(?: type)?|source|cell type/line")
_NO_LINE = re.compile(
    r"\bprimary\b|\bpbmcs?\b|blood|tissue|biops|patients?\b|donors?\b|\bnone\b"
    r"|monocytes?$|monocytes? |macrophage|lymphocytes|neutrophil|[tb][- ]cells?\b"
    r"|\bhuvecs?\b|\bnheks?\b|fibroblasts?$|keratinocytes?$|endothelial|\bmscs?\b|mesenchymal|\bhmvecs?\b|organoid|xenograft|\bpdx\b",
    re.IGNORECASE,
)
_LINE_FILLERS = re.compile(r"\b(?:human|cell|cells|lines?|cultured?|the|of)\b", re.IGNORECASE)
_NOT_GROWN = re.compile(
    r"co[- ]?cultur|condition(?:ed|ing) medi|supernatant|patients?\b|\bprimary\b|\bpbmcs?\b|biops"
    r"|xenograft|\btumou?r\b",
    re.IGNORECASE,
)
_ABOUT_CELLS = re.compile(r"\bcells?\b|\blines?\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def _known_line() -> re.Pattern[str]:
    """Return the form of a well-known cell line, however its parts are joined."""
    names = sorted(
        packaged_table("genotex.features", "relations")["cell_lines"], key=len, reverse=True
    )
    plain = (re.escape(name).replace(r"\#", "#") for name in names)
    forms = (re.sub(r"#+", lambda hit: rf"\d{{{len(hit[0])},4}}", name) for name in plain)
    joined = "|".join(form.replace(r"\-", "[ -]?") for form in forms)
    return re.compile(rf"(?<![\w.])(?:{joined})(?![\w.]|-\d)", re.IGNORECASE)


def line_from_key(key: str, value: str) -> Statement | None:
    """Return the cell line that a characteristic states."""
    name, text = plain_key(key), " ".join(value.split())
    known = _known_lines(text)
    if text.casefold() in MISSING or (_NO_LINE.search(text) and not known):
        return None
    if _LINE_KEY.fullmatch(name):
        rest = _LINE_FILLERS.sub(" ", _known_line().sub(" ", text))
        alone = len(known) == 1 and not re.search(r"\w", rest)
        left = simple_key(_LINE_FILLERS.sub(" ", text))
        return Statement(next(iter(known)) if alone else left, value) if left else None
    if _TYPE_KEY.fullmatch(name) and len(known) == 1 and not _NOT_GROWN.search(text):
        return Statement(next(iter(known)), value)
    return None


def line_from_text(text: str, about: str) -> Statement | None:
    """Return the one well-known cell line that a title or a source name states."""
    # `about`: the other texts of the sample and its series, which must be about cells.
    known = _known_lines(text.replace("_", " "))
    if len(known) != 1 or _NOT_GROWN.search(text):
        return None
    ((value, words),) = known.items()
    # "PC3" may be the third patient: cells must be mentioned.
    return Statement(value, words) if _ABOUT_CELLS.search(f"{text} {about}") else None


def _known_lines(text: str) -> dict[str, str]:
    return {
        re.sub(r"[^A-Za-z0-9]", "", hit.group()).upper(): hit.group()
        for hit in _known_line().finditer(text)
    }


def are_numbered(lines: Iterable[str], texts: Iterable[str]) -> bool:
    """Return whether names such as PC3 only number the samples: there are PC1 and PC2, too."""
    short = {hit[1] for line in lines if (hit := re.fullmatch(r"([A-Z]{1,3})(?:[3-9]|\d\d)", line))}
    if not short:
        return False
    heads = "|".join(map(re.escape, sorted(short)))
    form = re.compile(rf"(?<![A-Za-z0-9])({heads})[ -]?0?[12](?![0-9])", re.IGNORECASE)
    return any(form.search(text.replace("_", " ")) for text in texts)


# --- Pools

_NO_POOL = re.compile(
    r"(?:si|sh|sg|g|mi)rnas?|crispr|smartpool|clones?\b|clonal|librar|sequenc|\blanes?\b|multiplex"
    r"|barcod|plasmid|stable|transfect|transduc|primers?\b",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"\buniversal (?:human )?reference\b|\bhuman reference rna\b"
    r"|\bstratagene (?:universal )?reference|\bUHRR?\b|\breference rna pool\b",
    re.IGNORECASE,
)


def pool_from_text(text: str) -> Statement | None:
    """Return that a text names a pool of people, or a reference of pooled RNA."""
    if _NO_POOL.search(text):
        return None
    if names_pool(text) or _REFERENCE.search(text):
        return Statement("yes", text)
    return None


_PAIR_KEY = re.compile(r"(?:matched |sample )?pairs?[ -]?(?:id|no|nr|number|code)?[ #:]*")
_REPLICATE_KEY = re.compile(r"technical (?:replicates?|rep|repeat)[ -]?(?:id|no|number)?")


def find_pairs(texts: SeriesTexts) -> PersonStatements:
    """Return the pairs that a characteristic names, or that titles make but for one word."""
    for key, cells in texts.columns.items():
        found = person_ids(cells) if _PAIR_KEY.fullmatch(plain_key(key)) else {}
        if found and repeated_people(found):
            return PersonStatements(f"characteristic '{key}'", found)
    stated: dict[int, Statement] = {}
    for family in _FAMILIES if any(texts.titles) else ():
        found = _pairs_of(family, texts.titles, texts.about)
        if len(found) > len(stated) and not conflicting(texts, found):
            stated = found
    return PersonStatements("title", stated)


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
    if not (family.within or PAIR_TEXT.search(about) or _are_irregular(members)):
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


def find_technical_replicates(texts: SeriesTexts, donors: Container[int]) -> PersonStatements:
    """Return the biological sample of each technical replicate."""
    titles = texts.titles
    stated = _same_stem(titles, _TECHNICAL, lambda number: True)
    if not stated and not _BIOLOGICAL.search(texts.about):
        # "rep 1" alone is a biological replicate, unless both are of the same person.
        plain = _same_stem(titles, _PLAIN, lambda number: number in donors)
        stated = plain if _same_facts(texts, plain) else {}
    if stated:
        return PersonStatements("title", stated)
    for key, column in texts.columns.items():
        if _REPLICATE_KEY.fullmatch(plain_key(key)):
            numbered = {n for n, cells in enumerate(column) if cells}
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


def _same_facts(texts: SeriesTexts, stated: Mapping[int, Statement]) -> bool:
    """Return whether all characteristics of the replicates agree, but for ids of arrays."""
    members = defaultdict(list)
    for number, found in stated.items():
        members[found.value].append(number)
    return not any(
        len({tuple(column[n]) for n in found}) > 1
        for found in members.values()
        for column in texts.columns.values()
    )
