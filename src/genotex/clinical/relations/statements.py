"""Time points, doses, cell lines and pools as a single text states them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from genotex.clinical.words.wording import packaged_table, simple_key
from genotex.formats import names_pool

MISSING = frozenset(
    {"", "-", "--", "?", "na", "n/a", "n.a.", "nan", "nd", "n.d.", "null", "unknown", "missing"}
    | {"not available", "not applicable", "not determined", "not recorded", "undetermined"}
)
"""Values that state nothing, in lower case."""


@dataclass(frozen=True)
class Statement:
    """What a text states of its sample."""

    value: str  # In a form that is equal for samples that agree: "day 7"
    words: str  # As the text has it: "DAY7"


def plain_key(key: str) -> str:
    """Return a key in lower case, with spaces for the signs between its words."""
    return " ".join(re.sub(r"[_.]", " ", key).casefold().split())


# --- Time points

_UNIT_NAMES = {
    "mi": "minute",
    "h": "hour",
    "h1": "hour",
    "d": "day",
    "w": "week",
    "mo": "month",
    "v": "visit",
}
_EVENT = (
    r"(?:treatment|therapy|surgery|operation|transplant\w*|vaccin\w+|immuni[sz]ation|infection"
    r"|exercise|training|intervention|chemo\w*|radio(?:therapy)?|infusion|injection|stimulation"
    r"|transfection|induction|exposure|challenge|activation|differentiation|randomi[sz]ation"
    r"|dos(?:e|ing)|diet|incubation|(?:start|initiation|onset) of (?:treatment|therapy)|baseline)"
)
_TIME_KEY = re.compile(
    r"(?:(?:study|sampl(?:e|ing)|collection|treatment|stimulation|exposure|incubation|infection"
    r"|biopsy|visit|challenge|experiment(?:al)?|vaccination|culture)[ -]?)?"
    r"(?:time(?:[ -]?points?|[ -]?course|line)?|days?|weeks?|months?|hours?"
    r"|visit(?: ?(?:id|number|no|name))?|duration|time of (?:sampling|collection))"
    rf"(?: (?:post|after|since|from|following|of|on)[ -]{_EVENT})?"
    r"(?: (?:minutes|hours|days|weeks|months))?(?: ?[(\[][^()\[\]]*[)\]])?"
)
_PRECISE_KEY = re.compile(r"(?:\w+ )?(?:time[ -]?points?|visit(?: ?(?:id|number|no|name))?)")
_NO_TIME_KEY = re.compile(r"^duration|diagnos|birth|death|surviv|disease")
_NUMBER = r"(?P<n>[-+]?\d{1,4}(?:\.\d{1,2})?)"
_LONG_UNIT = (
    r"(?:(?P<mi>min(?:ute)?s?)|(?P<h>hours?|hrs?)|(?P<d>days?)|(?P<w>weeks?|wks?)|(?P<mo>months?))"
)
_ANY_UNIT = (
    r"(?:(?P<mi>min(?:ute)?s?)|(?P<h>hours?|hrs?|h)|(?P<d>days?|d)|(?P<w>weeks?|wks?|w)"
    r"|(?P<mo>months?|mos?)|(?P<v>visit|v))"
)
_AFTER = rf"(?: ?(?:post|after|of|p)[ -]?(?:{_EVENT}|i)?\w*)?"
_KEYED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:t ?=? ?)?{_NUMBER}[ -]*{_ANY_UNIT}\b{_AFTER}(?: \(.{{1,30}}\))?",
        rf"{_ANY_UNIT}[ -]*{_NUMBER}{_AFTER}(?: \(.{{1,30}}\))?",
    )
)
_BARE = re.compile(rf"(?:t ?=? ?)?{_NUMBER}(?: \(.{{1,30}}\))?", re.IGNORECASE)
_FREE = (
    # "6hr_2" is at 6 hours, "Subject 12 Day 7" on day 7.
    re.compile(rf"(?<![\w.+-]){_NUMBER}(?:{_LONG_UNIT}|(?P<h1>h))(?![A-Za-z-])", re.IGNORECASE),
    re.compile(
        rf"(?<![\w.+-]){_NUMBER}[ -]"
        rf"(?:{_LONG_UNIT}(?![A-Za-z-]| ?-?\d)|(?P<h1>h)(?![A-Za-z-]))",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?<![A-Za-z0-9])(?<!\d[ -])(?:(?P<h>hours?|hrs?)|(?P<w>weeks?|wks?)|(?P<mo>months?)"
        r"|(?P<v>visit))[ -]?(?P<n>\d{1,4})(?![\w.]|-\d)",
        re.IGNORECASE,
    ),
    re.compile(r"(?<![A-Za-z0-9])(?P<d>days?)[ -]?(?P<n>\d{1,4})(?![\w.]|-\d)", re.IGNORECASE),
)
_NO_TIME = re.compile(
    r"\b(?:old|aged?|ages|years?|yrs?|gestation\w*|pregnan\w*|trimester|post[- ]?natal|embryo\w*"
    r"|f[oe]*tal|neonat\w*|passage|passages|fast(?:ed|ing)|storage|stored|menstr\w*|cycle|dfs|pfs|os"
    r"|efs|duration|dpc|dpf)\b|surviv|death|died|deceased|relapse|recurr|progress|onset|diagnos"
    r"|mortal|follow[- ]?up (?:of|time|for)|ischa?emi|smok|symptom|born\b|life"
    r"|placent|\b(?:pre)?term\b",
    re.IGNORECASE,
)
_WORD_TIME = re.compile(
    r"(?<![\w-])(?:(?P<base>baseline)(?! (?:age|bmi|level|expression|score|weight|risk|value))"
    rf"|(?P<before>pre|before|prior to)[ -]?(?P<event>{_EVENT})"
    rf"|(?P<after>post|after|following)[ -]?(?P<later>{_EVENT})"
    r"|(?P<follow>follow[ -]?up))(?![\w-])",
    re.IGNORECASE,
)
_SIDE_ONLY = re.compile(r"(?P<before>pre|before)|(?P<after>post|after)", re.IGNORECASE)
_LONGEST_TIME = 40


def time_from_key(key: str, value: str) -> Statement | None:
    """Return the time point that a characteristic states."""
    name, text = plain_key(key), " ".join(value.replace("_", " ").split())
    if not _TIME_KEY.fullmatch(name) or _NO_TIME_KEY.search(name) or text.casefold() in MISSING:
        return None
    for form in _KEYED:
        if hit := form.fullmatch(text):
            return Statement(f"{_unit(hit)} {_number(hit['n'])}", value)
    if hit := _WORD_TIME.fullmatch(text) or _SIDE_ONLY.fullmatch(text):
        return Statement(_in_words(hit), value)
    if hit := _BARE.fullmatch(text):
        unit = _key_unit(name)
        return Statement(f"{unit} {_number(hit['n'])}".strip(), value)
    precise = _PRECISE_KEY.fullmatch(name) and len(text) <= _LONGEST_TIME
    return Statement(text.casefold(), value) if precise else None


def time_from_text(text: str) -> Statement | None:
    """Return the one time point that a title or a source name states."""
    plain = text.replace("_", " ")
    numbers = {}
    if not _NO_TIME.search(plain):
        for form in _FREE:
            for hit in form.finditer(plain):
                numbers[f"{_unit(hit)} {_number(hit['n'])}"] = hit.group()
    if len(numbers) == 1:
        ((value, words),) = numbers.items()
        return Statement(value, words)
    named = {_in_words(hit): hit.group() for hit in _WORD_TIME.finditer(plain)}
    if numbers or len(named) != 1:
        return None
    ((value, words),) = named.items()
    return Statement(value, words)


def _unit(hit: re.Match[str]) -> str:
    found = hit.groupdict()
    return next(name for sign, name in _UNIT_NAMES.items() if found.get(sign))


def _number(text: str) -> str:
    return f"{float(text):g}"


def _key_unit(name: str) -> str:
    hit = re.search(rf"\b{_LONG_UNIT}\b", name)
    unit = "" if hit is None else _unit(hit)
    return unit or ("visit" if name.startswith("visit") else "")


def _in_words(hit: re.Match[str]) -> str:
    found = hit.groupdict()
    if found.get("base"):
        return "baseline"
    if found.get("follow"):
        return "follow-up"
    side = "before" if found.get("before") else "after"
    event = found.get("event") or found.get("later") or ""
    return f"{side} {event.casefold()}".strip()


# --- Doses

_DOSE_KEY = re.compile(
    r"(?:(?:drug|compound|chemical|agent|treatment|final|inhibitor|radiation|irradiation|stimulus)"
    r" )?(?:dose|dosage|concentration|conc)(?: level)?(?: ?[(\[][^()\[\]]*[)\]])?"
)
_DOSE = (
    r"(\d+(?:[.,]\d+)?) ?"
    r"((?:[pnuµμm]M|micro ?M|[npuµμm]g/m[lL]|[uµμm]g/kg|mg/m2|[mc]?Gy|k?I?U/m[lL])|%)"
)
_DOSE_TEXT = re.compile(rf"(?<![\w.]){_DOSE}(?![\w/])")
_DOSE_VALUE = re.compile(rf"{_DOSE}|\d+(?:[.,]\d+)?(?: ?[a-zA-Zµμ/%]{{1,8}})?")


def dose_from_key(key: str, value: str) -> Statement | None:
    """Return the dose that a characteristic states."""
    if not _DOSE_KEY.fullmatch(plain_key(key)) or not _DOSE_VALUE.fullmatch(value.strip()):
        return None
    return Statement(_dose(value), value)


def dose_from_text(text: str) -> Statement | None:
    """Return the one dose that a title or a source name states."""
    found = {_dose(hit.group()): hit.group() for hit in _DOSE_TEXT.finditer(text.replace("_", " "))}
    if len(found) != 1 or next(iter(found)).endswith("%"):
        return None
    ((value, words),) = found.items()
    return Statement(value, words)


def without_doses(text: str) -> str:
    """Return a text without the doses in it."""
    return _DOSE_TEXT.sub(" ", text)


def _dose(text: str) -> str:
    plain = re.sub(r"[µμ]|micro ?(?=M)", "u", text.strip()).replace(",", ".")
    return re.sub(r"(?<=\d) *(?=[^\d.\s])", " ", plain)


# --- Cell lines

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
    names = sorted(packaged_table("relations")["cell_lines"], key=len, reverse=True)
    forms = (re.sub(r"#+", _any_number, re.escape(name).replace(r"\#", "#")) for name in names)
    joined = "|".join(form.replace(r"\-", "[ -]?") for form in forms)
    return re.compile(rf"(?<![\w.])(?:{joined})(?![\w.]|-\d)", re.IGNORECASE)


def _any_number(signs: re.Match[str]) -> str:
    return rf"\d{{{len(signs.group())},4}}"


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
