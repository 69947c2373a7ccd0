"""Which characteristic holds age, and which gender."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from genotex.clinical.candidates import Candidate
from genotex.clinical.encoding import FeatureEncoding
from genotex.clinical.people.age_sex_words import (
    PLAIN,
    STATED,
    age_rank,
    load_words,
    names_groups,
    sex_rank,
)
from genotex.clinical.people.ages import is_bare_number, parse_age_years
from genotex.clinical.people.sexes import parse_sex, sex_legend, text_legend
from genotex.clinical.people.unnamed import ages_without_key, sexes_without_key
from genotex.clinical.words.wording import simple_key

__all__ = ["read_age", "read_gender"]

_MOSTLY = 0.6
_HALF = 0.5
_FEWEST_SAMPLES = 0.25  # of those of the key that tells most
_SHOWN = 3
_LETTER_FOR_FEMALE = re.compile(r"\d\s*\(?f\)?$", re.IGNORECASE)
# Rows whose key does not name the feature come after all that do.
_UNNAMED = 0.5


@dataclass(frozen=True)
class _Found:
    """A candidate that tells the feature: how well, and what each of its cells says."""

    candidate: Candidate
    rank: float
    parsed: dict[str, float]
    why: str
    kind: str

    @property
    def samples(self) -> int:
        return sum(self.candidate.weight.get(cell, 1) for cell in self.parsed)


def read_age(candidates: Iterable[Candidate]) -> FeatureEncoding | None:
    """Return how age is told, or None.

    Parameters
    ----------
    candidates : iterable of Candidate
        Values by key.

    Returns
    -------
    FeatureEncoding or None
        With the parser ``age_years``; None when no key tells a person's age or when all ages are
        the same. `values` lists cells of the same row that tell an age under another key.
    """
    candidates = list(candidates)
    found = [hit for candidate in candidates if (hit := _age_in(candidate))]
    best = _best(found, lambda hit: _others(hit, found, age_rank))
    if best is None:
        return None
    candidate = best.candidate
    others = _others(best, found, age_rank)
    evidence = [
        best.why,
        f"{len(best.parsed)} of {len(candidate.values)} values are ages, "
        f"as {next(iter(best.parsed))!r}",
        *_unread(best),
        *_alternatives(best, found, others),
    ]
    return FeatureEncoding(
        feature="age",
        row=candidate.row,
        key=candidate.key,
        kind="continuous",
        values=_not_as_parsed(best) | others,
        parser="age_years",
        evidence=tuple(evidence),
        sample_field=candidate.sample_field,
        certainty=_certainty("age", best),
        shifted=candidate.elsewhere,
    )


def read_gender(candidates: Iterable[Candidate], text: str = "") -> FeatureEncoding | None:
    """Return how gender is told (female 0, male 1), or None.

    Parameters
    ----------
    candidates : iterable of Candidate
        Values by key.
    text : str
        Title, summary and design of the series, which may explain codes that the key does not.

    Returns
    -------
    FeatureEncoding or None
        With every value listed and the parser ``sex`` for others.
    """
    found = [hit for candidate in candidates if (hit := _sex_in(candidate, text))]
    best = _best(found, lambda hit: _others(hit, found, sex_rank))
    if best is None:
        return None
    candidate = best.candidate
    others = _others(best, found, sex_rank)
    evidence = [best.why]
    legend = sex_legend(candidate.key)
    if legend:
        evidence.append(f"its legend says {legend}")
    evidence += [*_unread(best), *_alternatives(best, found, others)]
    return FeatureEncoding(
        feature="gender",
        row=candidate.row,
        key=candidate.key,
        kind="binary",
        values={cell: best.parsed.get(cell) for cell in candidate.values} | others,
        parser="sex",
        confidence="inferred" if best.kind in ("text", "unnamed") else "explicit",
        evidence=tuple(evidence),
        sample_field=candidate.sample_field,
        certainty=_certainty("gender", best),
        shifted=candidate.elsewhere,
    )


def _age_in(candidate: Candidate) -> _Found | None:
    key = candidate.key
    rank = age_rank(key)
    if rank is None:
        return _unnamed(candidate, ages_without_key(candidate), "for age are ages")
    parsed = _parsed(candidate, parse_age_years)
    if any(_LETTER_FOR_FEMALE.search(value) for value in candidate.values.values()):
        # Beside "45F" the "m" of "45M" is no month.
        parsed = _parsed(candidate, lambda value, key: parse_age_years(value, f"sex {key}"))
    if names_groups(key):
        # "age group: 2" numbers a group; a range or a bound is an age.
        parsed = {c: y for c, y in parsed.items() if not is_bare_number(candidate.values[c])}
    told = [v for v in candidate.values.values() if re.search(r"\d", v)] or list(parsed)
    if len(parsed) < _MOSTLY * len(told):
        return None
    kind = "plain" if rank >= PLAIN - _HALF else "other"
    return _Found(candidate, rank, parsed, f"key {key!r} names an age", kind)


def _not_as_parsed(best: _Found) -> dict[str, float | None]:
    """Return what the row as a whole reads otherwise than the parser reads the cell alone."""
    candidate = best.candidate
    return {
        cell: best.parsed.get(cell)
        for cell, value in candidate.values.items()
        if parse_age_years(value, candidate.key) != best.parsed.get(cell)
    }


def _unnamed(candidate: Candidate, parsed: dict[str, float], what: str) -> _Found | None:
    if not parsed:
        return None
    why = f"values without a key {what}: {next(iter(parsed))!r}"
    return _Found(candidate, _UNNAMED, parsed, why, "unnamed")


def _sex_in(candidate: Candidate, text: str) -> _Found | None:
    key = candidate.key
    rank = sex_rank(key)
    if rank is None:
        return _unnamed(candidate, sexes_without_key(candidate), "for the sex are sexes")
    parsed = _parsed(candidate, parse_sex)
    if parsed:
        kind = "legend" if sex_legend(key) else "plain" if rank >= STATED else "other"
        return _Found(candidate, rank, parsed, f"key {key!r} names the sex", kind)
    legend = text_legend(text)
    parsed = {
        cell: float(legend[value.strip()])
        for cell, value in candidate.values.items()
        if value.strip() in legend
    }
    why = f"key {key!r} names the sex, and the series' text explains its codes: {legend}"
    return _Found(candidate, rank - _HALF, parsed, why, "text") if parsed else None


def _parsed(candidate: Candidate, parse: Callable[[str, str], float | None]) -> dict[str, float]:
    return {
        cell: float(code)
        for cell, value in candidate.values.items()
        if (code := parse(value, candidate.key)) is not None
    }


def _best(found: list[_Found], others: Callable[[_Found], dict[str, float]]) -> _Found | None:
    """Return the nearest key, unless another one tells more than four times as many samples."""
    useful = [hit for hit in found if len(_codes_in_row(hit) | set(others(hit).values())) > 1]
    most = max((hit.samples for hit in useful), default=0)
    enough = [hit for hit in useful if hit.samples >= _FEWEST_SAMPLES * most]
    return max(enough, key=lambda h: (h.rank, h.samples, -(h.candidate.row or 0)), default=None)


def _codes_in_row(hit: _Found) -> set[float]:
    return {code for cell, code in hit.parsed.items() if cell in hit.candidate.in_row}


def _others(
    best: _Found, found: list[_Found], rank: Callable[[str], float | None]
) -> dict[str, float]:
    """Return what other keys for the same thing tell in the same row.

    Submitters change a key halfway ("age: 45", then "age (yrs): 51"): a cell holds one of them, so
    what stands in the row of the chosen key belongs to samples that lack it.
    """
    own = best.candidate
    if own.row is None or not own.key:
        return {}
    return {
        cell: code
        for hit in found
        if hit.candidate.key and simple_key(hit.candidate.key) != simple_key(own.key)
        if rank(hit.candidate.key) is not None and abs(hit.rank - best.rank) <= _HALF
        for cell, code in hit.parsed.items()
        if cell in own.beside
    }


def _unread(best: _Found) -> tuple[str, ...]:
    left = [v for c, v in best.candidate.values.items() if c not in best.parsed]
    if not left:
        return ()
    shown = ", ".join(repr(value) for value in left[:_SHOWN])
    return (f"left missing: {shown}" + (" and others" if len(left) > _SHOWN else ""),)


def _alternatives(best: _Found, found: list[_Found], others: dict[str, float]) -> list[str]:
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


def _certainty(feature: str, best: _Found) -> float:
    return float(load_words()["certainty"][feature][best.kind])
