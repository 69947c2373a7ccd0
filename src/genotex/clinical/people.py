"""Which characteristic records age and which gender, or why none does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from genotex.clinical.cells import Candidate
from genotex.clinical.encoding import Feature, FeatureEncoding
from genotex.clinical.texts.people import age_in_text, sex_in_text
from genotex.clinical.words.vocabulary import load_vocabulary
from genotex.features import (
    PLAIN,
    STATED,
    SampleFeature,
    age_rank,
    is_bare_number,
    load_words,
    named_part,
    names_another,
    names_groups,
    parse_age_years,
    parse_sex,
    sex_legend,
    sex_rank,
    simple_key,
    simplify,
    spelt_sexes,
    table_features,
    text_legend,
    unit_words,
)
from genotex.formats import Parser

_NEARLY_ALL = 0.9
_SPEAKS_OF_AGE = re.compile(r"\bold\b|\bage[sd]?\b|\by\.?/?o\b")
_YEARS = re.compile(rf"\d\s*-?(?:{unit_words('years')})(?![^\W\d_])")
_ONLY_YEARS = re.compile(rf"\d{{1,3}}\s*-?(?:{unit_words('years')})")
_FEWEST_AGES = 4
_SPELT_SEX = re.compile(rf"(?<![^\W\d_])(?:{spelt_sexes()})(?![^\W\d_])")


_Rank = Callable[[str], float | None]
_Parse = Callable[[str, str], float | None]


def _read_age(value: str, key: str) -> float | None:
    """Read a cell that is an age, or a text of several parts with one age among them."""
    years = parse_age_years(value, key)
    return age_in_text(value) if years is None else years


def _read_sex(value: str, key: str) -> float | None:
    """Read a cell that is a sex, or a text of several parts with one sex among them."""
    sex = parse_sex(value, key)
    if sex is None and _is_of_person_key(key):
        return sex_in_text(f"{key}: {value}")
    return sex


def _without_key(
    candidate: Candidate, rank: _Rank, parse: _Parse, speaks: Callable[[str], bool]
) -> dict[str, float]:
    """Return the ages or sexes of a row whose key names none, if nearly all its values are some."""
    found = {
        cell: float(code)
        for cell, value in candidate.values.items()
        if named_part(value, "", lambda name: rank(name) is not None) is not None or speaks(value)
        if (code := parse(value, candidate.key)) is not None
    }
    known = [value for value in candidate.values.values() if not _is_gap(value)]
    enough = len(found) >= _NEARLY_ALL * len(known)
    return found if enough and not names_another(candidate.key) else {}


def _speaks_of_age(value: str) -> bool:
    """Return whether a value is marked as an age: "age 45", "45-year-old", "male, 45 y"."""
    value = value.casefold()
    spelt = _SPELT_SEX.search(value)
    rest = value if spelt is None else value[: spelt.start()] + value[spelt.end() :]
    number = spelt is not None and re.fullmatch(r"[\s,;/_-]*\d{1,3}[\s,;/_-]*", rest)
    return bool(_SPEAKS_OF_AGE.search(value) or (spelt and _YEARS.search(value)) or number)


def _are_years_alone(candidate: Candidate) -> bool:
    """Return whether a row without a key holds years and nothing else: "6 years", "9 years"."""
    if candidate.key:
        return False
    values = [v.casefold().strip() for v in candidate.values.values() if not _is_gap(v)]
    years = sum(_ONLY_YEARS.fullmatch(value) is not None for value in values)
    return _FEWEST_AGES <= years == len(values)


def _is_of_a_person(candidate: Candidate) -> bool:
    """Return whether values under a key may describe the patient: no key, or "patient", "donor"."""
    return candidate.sample_field == "characteristics_ch1" and _is_of_person_key(candidate.key)


def _is_of_person_key(key: str) -> bool:
    words = re.findall(r"[^\W_]+", key.casefold())
    allowed = {*load_words()["person_keys"]}
    named = age_rank(key) is not None or sex_rank(key) is not None
    return named or all(word in allowed for word in words)


def _is_gap(value: str) -> bool:
    """Return whether a value means that nothing is known: of anything, or of an age or a sex."""
    plain = simplify(value)
    if not plain:
        # No English letter or digit: a sign, unless it is a word in another script.
        return not any(sign.isalnum() for sign in value)
    return plain in load_vocabulary().missing or plain in load_words()["missing"]


_MOSTLY = 0.6
_HALF = 0.5
_FEWEST_SAMPLES = 0.25  # of those of the most complete key
_SHOWN = 3
_LETTER_FOR_FEMALE = re.compile(r"\d\s*\(?f\)?$", re.IGNORECASE)
# Rows whose key does not name the feature come after all that do.
_UNNAMED = 0.5


@dataclass(frozen=True)
class _Recorded:
    """A candidate that records the feature: how well, and the value of each cell."""

    candidate: Candidate
    rank: float
    parsed: dict[str, float]
    why: str
    kind: str

    @property
    def samples(self) -> int:
        return sum(self.candidate.weight.get(cell, 1) for cell in self.parsed)


def find_person_feature(
    feature: SampleFeature, candidates: Iterable[Candidate], text: str = ""
) -> FeatureEncoding | None:
    """Return how age, or sex (female 0, male 1), is recorded, or None."""
    # None when no key has a person's values, or all are the same. `values` lists the cells that the
    # parser alone reads otherwise (of sexes all), and those of the same row under another key.
    each = (_sex_in(c, text) if feature.levels else _age_in(c) for c in candidates)
    found = [hit for hit in each if hit is not None]
    best = _best(found, lambda hit: _others(hit, found, feature.rank))
    if best is None:
        return None
    candidate = best.candidate
    others = _others(best, found, feature.rank)
    if feature.levels:
        values = {cell: best.parsed.get(cell) for cell in candidate.values}
        legend = sex_legend(candidate.key)
        shown = (f"its legend: {legend}",) if legend else ()
    else:
        values = _not_as_parsed(best)
        shown = (
            f"{len(best.parsed)} of {len(candidate.values)} values are ages, "
            f"as {next(iter(best.parsed))!r}",
        )
    return FeatureEncoding(
        feature=cast(Feature, feature.encoded),
        row=candidate.row,
        key=candidate.key,
        kind=feature.kind,
        values=values | others,
        parser=cast(Parser, feature.parser),
        confidence="inferred"
        if feature.levels and best.kind in ("text", "unnamed")
        else "explicit",
        evidence=(best.why, *shown, *_unread(best), *_alternatives(best, found, others)),
        sample_field=candidate.sample_field,
        certainty=float(load_words()["certainty"][feature.encoded][best.kind]),
        shifted=candidate.elsewhere,
    )


def _age_in(candidate: Candidate) -> _Recorded | None:
    key = candidate.key
    rank = age_rank(key)
    if rank is None:
        alone, of_person = _are_years_alone(candidate), _is_of_a_person(candidate)
        ages = _without_key(
            candidate, age_rank, _read_age, lambda v: alone or (of_person and _speaks_of_age(v))
        )
        return _unnamed(candidate, ages, "for age are ages")
    parsed = _parsed(candidate, _read_age)
    if any(_LETTER_FOR_FEMALE.search(value) for value in candidate.values.values()):
        # Next to "45F" the "m" of "45M" is no month.
        parsed = _parsed(candidate, lambda value, key: parse_age_years(value, f"sex {key}"))
    if names_groups(key):
        # "age group: 2" numbers a group; a range or a bound is an age.
        parsed = {c: y for c, y in parsed.items() if not is_bare_number(candidate.values[c])}
    with_digits = [v for v in candidate.values.values() if re.search(r"\d", v)] or list(parsed)
    if len(parsed) < _MOSTLY * len(with_digits):
        return None
    kind = "plain" if rank >= PLAIN - _HALF else "other"
    return _Recorded(candidate, rank, parsed, f"key {key!r} names an age", kind)


def _not_as_parsed(best: _Recorded) -> dict[str, float | None]:
    """Return the cells whose value in the row differs from that of the parser alone."""
    candidate = best.candidate
    return {
        cell: best.parsed.get(cell)
        for cell, value in candidate.values.items()
        if parse_age_years(value, candidate.key) != best.parsed.get(cell)
    }


def _unnamed(candidate: Candidate, parsed: dict[str, float], what: str) -> _Recorded | None:
    if not parsed:
        return None
    why = f"values without a key {what}: {next(iter(parsed))!r}"
    return _Recorded(candidate, _UNNAMED, parsed, why, "unnamed")


def _sex_in(candidate: Candidate, text: str) -> _Recorded | None:
    key = candidate.key
    rank = sex_rank(key)
    if rank is None:
        # A letter alone is none: an "M" may be anything.
        of_person = _is_of_a_person(candidate)
        sexes = _without_key(
            candidate,
            sex_rank,
            _read_sex,
            lambda value: of_person and _SPELT_SEX.search(value.casefold()) is not None,
        )
        return _unnamed(candidate, sexes, "for the sex are sexes")
    parsed = _parsed(candidate, _read_sex)
    if parsed:
        kind = "legend" if sex_legend(key) else "plain" if rank >= STATED else "other"
        return _Recorded(candidate, rank, parsed, f"key {key!r} names the sex", kind)
    legend = text_legend(text)
    parsed = {
        cell: float(legend[value.strip()])
        for cell, value in candidate.values.items()
        if value.strip() in legend
    }
    why = f"key {key!r} names the sex, and the series' text explains its codes: {legend}"
    return _Recorded(candidate, rank - _HALF, parsed, why, "text") if parsed else None


def _parsed(candidate: Candidate, parse: _Parse) -> dict[str, float]:
    return {
        cell: float(code)
        for cell, value in candidate.values.items()
        if (code := parse(value, candidate.key)) is not None
    }


def _best(
    found: list[_Recorded], others: Callable[[_Recorded], dict[str, float]]
) -> _Recorded | None:
    """Return the nearest key, unless another one has more than four times as many samples."""
    useful = [hit for hit in found if len(_codes_in_row(hit) | set(others(hit).values())) > 1]
    most = max((hit.samples for hit in useful), default=0)
    enough = [hit for hit in useful if hit.samples >= _FEWEST_SAMPLES * most]
    return max(enough, key=lambda h: (h.rank, h.samples, -(h.candidate.row or 0)), default=None)


def _codes_in_row(hit: _Recorded) -> set[float]:
    return {code for cell, code in hit.parsed.items() if cell in hit.candidate.in_row}


def _others(best: _Recorded, found: list[_Recorded], rank: _Rank) -> dict[str, float]:
    """Return the values of other keys for the same thing in the same row."""
    # Submitters change a key halfway ("age: 45", then "age (yrs): 51"): a cell holds one of them,
    # so a cell in the row of the chosen key belongs to samples that lack it.
    own = best.candidate
    if own.row is None or not own.key:
        return {}
    return {
        cell: code
        for hit in found
        if hit.candidate.key and simple_key(hit.candidate.key) != simple_key(own.key)
        if rank(hit.candidate.key) is not None and abs(hit.rank - best.rank) <= _HALF
        for cell, code in hit.parsed.items()
        if cell in own.other_cells
    }


def _unread(best: _Recorded) -> tuple[str, ...]:
    left = [v for c, v in best.candidate.values.items() if c not in best.parsed]
    if not left:
        return ()
    shown = ", ".join(repr(value) for value in left[:_SHOWN])
    return (f"left missing: {shown}" + (" and others" if len(left) > _SHOWN else ""),)


def _alternatives(best: _Recorded, found: list[_Recorded], others: dict[str, float]) -> list[str]:
    lines = []
    if others:
        lines.append(f"the same under another key in this row: {next(iter(others))!r}")
    keys = [
        f"{hit.candidate.key!r} (row {hit.candidate.row})"
        for hit in found
        if hit is not best and hit.candidate.key and hit.candidate.row != best.candidate.row
    ]
    if keys:
        lines.append(f"preferred to {', '.join(keys[:_SHOWN])}")
    return lines


def why_not_available(
    candidates: Sequence[Candidate],
    found: Mapping[str, FeatureEncoding | None],
    *,
    beyond: bool = True,
) -> dict[str, str]:
    """Return why age and gender are not available, for those that are not."""
    nowhere = f"not recorded under any key{' or in any sample text' if beyond else ''}"
    return {
        feature.encoded: _why(candidates, feature.rank, feature.parse) or nowhere
        for feature in table_features()
        if found[feature.encoded] is None
    }


def _why(candidates: Sequence[Candidate], rank: _Rank, parse: _Parse) -> str | None:
    named = [c for c in candidates if rank(c.key) is not None]
    best = max(named, key=lambda c: rank(c.key) or 0.0, default=None)
    if best is None:
        return None
    place = f"row {best.row}, key {best.key!r}"
    values = list(dict.fromkeys(best.values.values()))
    known = [value for value in values if parse(value, best.key) is not None]
    if known and len({parse(value, best.key) for value in known}) == 1:
        return f"it does not vary: {place}, is {known[0]!r} wherever it is recorded"
    shown = ", ".join(map(repr, values[:_SHOWN]))
    return f"{place}, cannot be read: {shown}"
