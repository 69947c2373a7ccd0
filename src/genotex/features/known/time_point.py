"""Time points: "24 h", "day 7", "baseline", "post-treatment"."""

from __future__ import annotations

import re
from collections import Counter

from genotex.features.feature import (
    MISSING,
    Placed,
    SampleFeature,
    SeriesTexts,
    Statement,
    only_statement,
)
from genotex.features.plain_text import plain_key

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


def _time_from_key(key: str, value: str) -> Statement | None:
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
    numbers: dict[str | None, str] = {}
    if not _NO_TIME.search(plain):
        for form in _FREE:
            for hit in form.finditer(plain):
                numbers[f"{_unit(hit)} {_number(hit['n'])}"] = hit.group()
    if numbers:
        return only_statement(numbers)
    return only_statement({_in_words(hit): hit.group() for hit in _WORD_TIME.finditer(plain)})


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


_MOST_TIMES = 0.6
"""Larger shares of different numbers are measurements, such as times of survival."""
_FEWEST_SAMPLES = 5


def _repeat(found: Placed) -> bool:
    """Return whether values repeat, as those of time points do and measurements do not."""
    different = Counter(statement.value for statement in found.values())
    return bool(found) and (
        len(found) < _FEWEST_SAMPLES or len(different) <= _MOST_TIMES * len(found)
    )


def _find(texts: SeriesTexts) -> Placed:
    """Return the time points, but not measurements under such keys."""
    return texts.gather(_time_from_key, time_from_text, _repeat)


TIME_POINT = SampleFeature(
    name="time point",
    label="Time point",
    scale="levels",
    find=_find,
    other_names=("timepoint", "time"),
    mixture="Samples of several time points",
)
