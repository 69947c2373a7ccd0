"""How the trait was read, in words: where, which groups, and why it is not available."""

from __future__ import annotations

from collections.abc import Mapping

from genotex.clinical.encoding import ClinicalReading, FeatureEncoding
from genotex.clinical.values import split_cell

__all__ = [
    "MEANING_OF_CERTAINTY",
    "inferred_from",
    "tell_certainty",
    "tell_groups",
    "tell_place",
    "why_no_trait",
]

MEANING_OF_CERTAINTY = "of a hundred decisions with the same figure about so many are right"

_LINES = {
    "title": "sample titles",
    "source_name_ch1": "source names",
    "description": "sample descriptions",
}
_MOST_VALUES = 3
_LONGEST_VALUE = 40


def inferred_from(sample_field: str) -> str:
    """Return the mark of what was read outside the characteristics; empty for these.

    Parameters
    ----------
    sample_field : str
        A `FeatureEncoding.sample_field`.
    """
    line = _LINES.get(sample_field)
    return f"inferred from the {line}" if line else ""


def tell_certainty(certainty: float) -> str:
    """Return a certainty in whole percents, never rounded to what is beyond doubt.

    Parameters
    ----------
    certainty : float
        0 to 1.
    """
    if certainty > 0.995:
        return "> 99 %"
    return "< 1 %" if certainty < 0.005 else f"{100 * certainty:.0f} %"


def tell_place(row: int | None, key: str, sample_field: str) -> str:
    """Return where a feature stands: "row 2, key 'diagnosis'" or "the sample titles".

    Parameters
    ----------
    row, key, sample_field
        As in a `FeatureEncoding`.
    """
    line = f"row {row}" if row is not None else f"the {_LINES.get(sample_field, sample_field)}"
    return f"{line}, key {key!r}" if key else line


def tell_groups(values: Mapping[str, float | None], roles: Mapping[str, str]) -> str:
    """Return the groups of a reading in one line: "case: 'OA'; control: 'normal', 'RA'".

    Parameters
    ----------
    values : mapping of str to float or None
        Raw cell -> code; empty where the numbers in the cells are the codes.
    roles : mapping of str to str
        Raw cell -> role; empty for a measured level.
    """
    if not values:
        return "a measured level, one number for each sample"
    groups: dict[str, list[str]] = {}
    for cell, code in sorted(values.items(), key=lambda item: -_rank(item[1])):
        groups.setdefault(_group(code, roles), []).append(_quoted(split_cell(cell)[1]))
    return "; ".join(f"{name}: {_few(found)}" for name, found in groups.items())


def _rank(code: float | None) -> float:
    return float("-inf") if code is None else code


def _group(code: float | None, roles: Mapping[str, str]) -> str:
    if code is None:
        return "missing"
    if not roles:
        return f"{code:g}"
    return "case" if code == 1 else "control"


def _quoted(value: str) -> str:
    return repr(value if len(value) <= _LONGEST_VALUE else value[: _LONGEST_VALUE - 1] + "…")


def _few(values: list[str]) -> str:
    shown = ", ".join(dict.fromkeys(values[:_MOST_VALUES]))
    more = len(values) - _MOST_VALUES
    return f"{shown} and {more} more" if more > 0 else shown


def why_no_trait(reading: ClinicalReading) -> str:
    """Return why the trait is not available, with the best reading that was left out.

    Parameters
    ----------
    reading : ClinicalReading
        A reading whose trait is None.
    """
    # What was read and left out for its low certainty is noted by who left it out.
    noted = [n.removeprefix("trait: ") for n in reading.notes if n.startswith("trait: ")]
    nearest = reading.runner_up
    if noted:
        return "; ".join(noted)
    if nearest is None:
        return "no characteristic tells it"
    return f"no characteristic tells it surely enough; the nearest is {_of(nearest)}"


def _of(encoding: FeatureEncoding) -> str:
    place = tell_place(encoding.row, encoding.key, encoding.sample_field)
    return f"{place} ({tell_groups(encoding.values, encoding.roles)})"
