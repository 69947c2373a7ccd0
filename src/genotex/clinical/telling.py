"""How a reading is put into words: places, groups, roles, certainties, notes, reasons."""

from __future__ import annotations

from collections.abc import Mapping

from genotex.clinical.encoding import ClinicalReading, FeatureEncoding
from genotex.clinical.texts.sample_texts import FIELD_NAMES
from genotex.clinical.values import split_cell
from genotex.clinical.words.wording import simple_key

__all__ = [
    "inferred_from",
    "tell_certainty",
    "tell_groups",
    "tell_meaning",
    "tell_notes",
    "tell_place",
    "tell_reasons",
    "tell_role",
    "tell_shifted",
    "tell_shown",
    "why_left_out",
    "why_no_trait",
]

_LINES: Mapping[str, str] = {str(field): name for field, name in FIELD_NAMES.items()}
_OF_TCGA = {"barcode": "the sample barcodes", "clinical_matrix": "the clinical matrix"}
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


def tell_meaning(certainty: float) -> str:
    """Return what a certainty promises: "readings marked 98 % are right about 98 times in 100".

    Parameters
    ----------
    certainty : float
        0 to 1.
    """
    figure = tell_certainty(certainty)
    times = {"> 99 %": "more than 99 times", "< 1 %": "less than once"}.get(
        figure, f"about {100 * certainty:.0f} times"
    )
    return f"readings marked {figure} are right {times} in 100"


def tell_role(role: str, code: float | None) -> str:
    """Return what a value makes of a sample, without saying more of its health than is known.

    Parameters
    ----------
    role : str
        Role of the value; "healthy control" is also who is only said not to have the trait.
    code : float or None
        Its code.
    """
    if code is None:
        return ""
    return {"healthy control": "control", "unknown": "control, health unknown"}.get(role, role)


def tell_shown(raw: str | None, key: str) -> str:
    """Return a raw cell without the key that all cells of its feature share.

    Parameters
    ----------
    raw : str or None
        Raw cell; None for samples without one.
    key : str
        The key of the feature.
    """
    shown = raw or ""
    for sign in (":", "="):
        name, found, value = shown.partition(sign)
        if found and key and simple_key(name) == simple_key(key) and value.strip():
            return value.strip()
    return shown or "(empty)"


def tell_place(row: int | None, key: str, sample_field: str) -> str:
    """Return where a feature stands: "row 2, key 'diagnosis'" or "the sample titles".

    Parameters
    ----------
    row, key, sample_field
        As in a `FeatureEncoding`.
    """
    if sample_field in _OF_TCGA:
        line = _OF_TCGA[sample_field]
        return f"{line}, column {key!r}" if key else line
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


def why_left_out(reading: ClinicalReading) -> str:
    """Return in short why the trait's first reading was left out; empty where none was.

    Parameters
    ----------
    reading : ClinicalReading
        A reading whose trait may be None.
    """
    if reading.left_out is None or reading.trait is not None:
        return ""
    nearest, asked = reading.runner_up, f"you asked for {100 * reading.left_out:g} %"
    if nearest is None or nearest.certainty is None:
        return f"left out: how surely it is read was never measured, {asked}"
    return f"left out: {tell_certainty(nearest.certainty)}, {asked}"


def why_no_trait(reading: ClinicalReading) -> str:
    """Return why the trait is not available, with the best reading that was left out.

    Parameters
    ----------
    reading : ClinicalReading
        A reading whose trait is None.
    """
    nearest = reading.runner_up
    if nearest is None:
        return reading.untold.get("trait", "no characteristic tells it")
    short = why_left_out(reading)
    if short:
        return f"{tell_place(nearest.row, nearest.key, nearest.sample_field)}, was {short}"
    return f"no characteristic tells it surely enough; the nearest is {_of(nearest)}"


def _of(encoding: FeatureEncoding) -> str:
    place = tell_place(encoding.row, encoding.key, encoding.sample_field)
    return f"{place} ({tell_groups(encoding.values, encoding.roles)})"


def tell_notes(reading: ClinicalReading) -> tuple[str, ...]:
    """Return what a reader should know of a reading: its notes, and what its fields say.

    Parameters
    ----------
    reading : ClinicalReading
        What was read.
    """
    encodings = (e for e in (reading.trait, reading.age, reading.gender) if e is not None)
    return (*(f"{e.feature}: {line}" for e in encodings for line in _cautions(e)), *reading.notes)


def _cautions(encoding: FeatureEncoding) -> tuple[str, ...]:
    mark = inferred_from(encoding.sample_field)
    quoted = _quotes(encoding) if encoding.feature == "trait" and not encoding.key else ""
    return (
        *((f"{mark}{quoted}",) if mark else ()),
        *tell_shifted(encoding),
        *encoding.cautions,
    )


def tell_shifted(encoding: FeatureEncoding) -> tuple[str, ...]:
    """Return that cells have slipped to other rows, where they have."""
    if not encoding.shifted:
        return ()
    rows = ", ".join(map(str, encoding.shifted))
    return (f"cells are shifted: values of this key stand in row {rows} too",)


def _quotes(encoding: FeatureEncoding) -> str:
    cells = {code: cell for cell, code in reversed(list(encoding.values.items()))}
    found = [repr(cells[code]) for code in (1.0, 0.0) if code in cells]
    return f": {', '.join(found)}" if found else ""


def tell_reasons(encoding: FeatureEncoding) -> list[str]:
    """Return each reason for a value once, with the group that it makes: "case: 'OA' names it".

    Parameters
    ----------
    encoding : FeatureEncoding
        What was read.
    """
    told = {
        f"{'control' if _is_open_control(encoding, cell) else encoding.roles.get(cell, 'unknown')}"
        f": {why}": None
        for cell, why in encoding.reasons.items()
    }
    return list(told)


def _is_open_control(encoding: FeatureEncoding, cell: str) -> bool:
    return encoding.values.get(cell) == 0 and encoding.roles.get(cell, "unknown") == "unknown"
