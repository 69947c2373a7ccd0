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
    each = (_recorded(feature, candidate, text) for candidate in candidates)
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
        # Those that the parser alone would read otherwise.
        values = {
            cell: best.parsed.get(cell)
            for cell, value in candidate.values.items()
            if parse_age_years(value, candidate.key) != best.parsed.get(cell)
        }
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


def _recorded(feature: SampleFeature, candidate: Candidate, text: str) -> _Recorded | None:
    rank = feature.rank(candidate.key)
    if rank is None:
        return _unnamed(feature, candidate)
    return _sex_in(candidate, rank, text) if feature.levels else _age_in(candidate, rank)


def _unnamed(feature: SampleFeature, candidate: Candidate) -> _Recorded | None:
    """Return a row whose key names no age or sex, where nearly all its values are some."""
    key, sexes = candidate.key, bool(feature.levels)
    of_person = candidate.sample_field == "characteristics_ch1" and _is_of_person_key(key)
    alone = not sexes and _are_years_alone(candidate)

    def is_told(value: str) -> bool:
        if alone or named_part(value, "", lambda name: feature.rank(name) is not None) is not None:
            return True
        # A letter alone is no sex: an "M" may be anything.
        spelt = _SPELT_SEX.search(value.casefold()) if of_person and sexes else None
        return bool(spelt) or (of_person and not sexes and _speaks_of_age(value))

    told = {cell: value for cell, value in candidate.values.items() if is_told(value)}
    parsed = _parsed(told, key, _read_sex if sexes else _read_age)
    known = [value for value in candidate.values.values() if not _is_gap(value)]
    if not parsed or len(parsed) < _NEARLY_ALL * len(known) or names_another(key):
        return None
    what = "the sex are sexes" if sexes else "age are ages"
    why = f"values without a key for {what}: {next(iter(parsed))!r}"
    return _Recorded(candidate, _UNNAMED, parsed, why, "unnamed")


def _age_in(candidate: Candidate, rank: float) -> _Recorded | None:
    key, values = candidate.key, candidate.values
    # Next to "45F" the "m" of "45M" is no month.
    beside_sex = any(_LETTER_FOR_FEMALE.search(value) for value in values.values())
    read, named = (parse_age_years, f"sex {key}") if beside_sex else (_read_age, key)
    parsed = _parsed(values, named, read)
    if names_groups(key):
        # "age group: 2" numbers a group; a range or a bound is an age.
        parsed = {c: y for c, y in parsed.items() if not is_bare_number(values[c])}
    with_digits = [v for v in values.values() if re.search(r"\d", v)] or list(parsed)
    if len(parsed) < _MOSTLY * len(with_digits):
        return None
    kind = "plain" if rank >= PLAIN - _HALF else "other"
    return _Recorded(candidate, rank, parsed, f"key {key!r} names an age", kind)


def _sex_in(candidate: Candidate, rank: float, text: str) -> _Recorded | None:
    key = candidate.key
    parsed = _parsed(candidate.values, key, _read_sex)
    if parsed:
        kind = "legend" if sex_legend(key) else "plain" if rank >= STATED else "other"
        return _Recorded(candidate, rank, parsed, f"key {key!r} names the sex", kind)
    legend = text_legend(text)
    parsed = _parsed(candidate.values, key, lambda value, _: legend.get(value.strip()))
    why = f"key {key!r} names the sex, and the series' text explains its codes: {legend}"
    return _Recorded(candidate, rank - _HALF, parsed, why, "text") if parsed else None


def _parsed(values: Mapping[str, str], key: str, parse: _Parse) -> dict[str, float]:
    read = {cell: parse(value, key) for cell, value in values.items()}
    return {cell: float(code) for cell, code in read.items() if code is not None}


def _best(
    found: list[_Recorded], others: Callable[[_Recorded], dict[str, float]]
) -> _Recorded | None:
    """Return the nearest key, unless another one has more than four times as many samples."""
    codes = [{x for cell, x in hit.parsed.items() if cell in hit.candidate.in_row} for hit in found]
    both = zip(found, codes, strict=True)
    useful = [hit for hit, here in both if len(here | set(others(hit).values())) > 1]
    most = max((hit.samples for hit in useful), default=0)
    enough = [hit for hit in useful if hit.samples >= _FEWEST_SAMPLES * most]
    return max(enough, key=lambda h: (h.rank, h.samples, -(h.candidate.row or 0)), default=None)


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
