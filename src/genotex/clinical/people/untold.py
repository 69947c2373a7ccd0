"""Why age or gender is not available: nothing names it, it does not vary, or it cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from genotex.clinical.candidates import Candidate
from genotex.clinical.encoding import FeatureEncoding
from genotex.clinical.people.age_sex_words import age_rank, sex_rank
from genotex.clinical.people.ages import parse_age_years
from genotex.clinical.people.sexes import parse_sex

__all__ = ["why_untold"]

_SHOWN = 3


def why_untold(
    candidates: Sequence[Candidate],
    age: FeatureEncoding | None,
    gender: FeatureEncoding | None,
    *,
    beyond: bool = True,
) -> dict[str, str]:
    """Return why age and gender are not available, for those that are not.

    Parameters
    ----------
    candidates : sequence of Candidate
        Values by key.
    age, gender : FeatureEncoding or None
        What was read.
    beyond : bool
        Whether texts of samples were looked at, too.

    Returns
    -------
    dict of str to str
        ``age``, ``gender`` -> why, in words; a feature that was read has none.
    """
    nowhere = "no key and no text about the samples tells it" if beyond else "no key tells it"
    found = {}
    if age is None:
        found["age"] = _why(candidates, age_rank, parse_age_years) or nowhere
    if gender is None:
        found["gender"] = _why(candidates, sex_rank, parse_sex) or nowhere
    return found


def _why(
    candidates: Sequence[Candidate],
    rank: Callable[[str], float | None],
    parse: Callable[[str, str], float | None],
) -> str | None:
    named = [c for c in candidates if rank(c.key) is not None]
    best = max(named, key=lambda c: rank(c.key) or 0.0, default=None)
    if best is None:
        return None
    place = f"row {best.row}, key {best.key!r}"
    values = list(dict.fromkeys(best.values.values()))
    known = [value for value in values if parse(value, best.key) is not None]
    if known and len({parse(value, best.key) for value in known}) == 1:
        return f"it does not vary: {place}, says {known[0]!r} wherever it says anything"
    shown = ", ".join(map(repr, values[:_SHOWN]))
    return f"{place}, cannot be read: {shown}"
