"""Which characteristic holds age, and which gender."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from genotex.clinical.candidates import Candidate
from genotex.clinical.encoding import FeatureEncoding
from genotex.clinical.values import parse_age_years, parse_sex, sex_legend, simple_key

__all__ = ["read_age", "read_gender"]

_AGE_KEY = re.compile(
    r"(?:^|[^a-z])age(?:s|d|in|yrs?|years?|mos?|months?|baseline|at|_)?(?![a-z])|^age(?!n)[a-z]*$"
)
_NO_AGE = re.compile(
    r"onset|menarche|menopause|gestat|passage|stage|embryo|group of|first|debut|smok|mother|father|"
    r"matern|patern|parent|time since|post.?mortem|debut|start|initiation|cell|culture|bone age|"
    r"diagnosis of|disease duration|dosage|average|percentage|lineage|accelerat|epigenetic|mouse|"
    r"persistent|censored|fetal|methylation|predicted|z.?score"
)
_PREFERRED_AGE = re.compile(r"^(?:patient |donor |subject )?age\b")
_SEX_KEY = re.compile(
    r"(?:^|[^a-z])(?:sexe?|gender|sex|males?|females?)(?![a-z])|gender|^sex[_ ]?\w*$"
)
_NO_SEX = re.compile(
    r"history|orientation|partner|matern|mother|father|parent|match|hormone|steroid|percent|"
    r"\bsexual|activity|of mouse|recipient sex|proportion"
)
_MOSTLY = 0.6
_FEWEST_CODES = 2


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
        the same.
    """
    best = _best(candidates, _is_age_key, parse_age_years, _PREFERRED_AGE)
    if best is None:
        return None
    candidate, parsed = best
    evidence = (
        f"key {candidate.key!r} names an age",
        f"{len(parsed)} of {len(candidate.values)} values are ages, as {next(iter(parsed))!r}",
        *_shift(candidate),
    )
    return FeatureEncoding(
        feature="age",
        row=candidate.row,
        key=candidate.key,
        kind="continuous",
        parser="age_years",
        evidence=evidence,
        sample_field=candidate.sample_field,
    )


def read_gender(candidates: Iterable[Candidate]) -> FeatureEncoding | None:
    """Return how gender is told (female 0, male 1), or None.

    Parameters
    ----------
    candidates : iterable of Candidate
        Values by key.

    Returns
    -------
    FeatureEncoding or None
        With every value listed and the parser ``sex`` for others.
    """
    best = _best(candidates, _is_sex_key, parse_sex, None)
    if best is None:
        return None
    candidate, parsed = best
    evidence = [f"key {candidate.key!r} names the sex"]
    legend = sex_legend(candidate.key)
    if legend:
        evidence.append(f"its legend says {legend}")
    return FeatureEncoding(
        feature="gender",
        row=candidate.row,
        key=candidate.key,
        kind="binary",
        values={cell: parsed.get(cell) for cell in candidate.values},
        parser="sex",
        evidence=(*evidence, *_shift(candidate)),
        sample_field=candidate.sample_field,
    )


def _is_age_key(key: str) -> bool:
    plain = simple_key(key).replace("_", " ").replace(".", " ")
    return bool(_AGE_KEY.search(plain)) and not _NO_AGE.search(plain)


def _is_sex_key(key: str) -> bool:
    plain = simple_key(key).replace("_", " ").replace(".", " ")
    return bool(_SEX_KEY.search(plain)) and not _NO_SEX.search(plain)


def _shift(candidate: Candidate) -> tuple[str, ...]:
    if not candidate.elsewhere:
        return ()
    rows = ", ".join(map(str, candidate.elsewhere))
    return (f"cells are shifted: values of this key stand in row {rows} too",)


def _best(
    candidates: Iterable[Candidate],
    wanted: Callable[[str], bool],
    parse: Callable[[str, str], float | None],
    preferred: re.Pattern[str] | None,
) -> tuple[Candidate, dict[str, float]] | None:
    found = []
    for candidate in candidates:
        if not candidate.key or not wanted(candidate.key):
            continue
        parsed = {
            cell: code
            for cell, value in candidate.values.items()
            if (code := parse(value, candidate.key)) is not None
        }
        here = {code for cell, code in parsed.items() if cell in candidate.in_row}
        told = [v for v in candidate.values.values() if re.search(r"\d", v)] or list(parsed)
        if len(here) < _FEWEST_CODES or (preferred and len(parsed) < _MOSTLY * len(told)):
            continue
        samples = sum(candidate.weight.get(cell, 1) for cell in parsed)
        first = bool(preferred and preferred.search(simple_key(candidate.key)))
        found.append((first, min(samples, 1_000_000), -(candidate.row or 0), candidate, parsed))
    if not found:
        return None
    # The plainest key wins, then the one that tells most samples, then the first row.
    top = max(found, key=lambda entry: entry[:3])
    return top[3], top[4]
