"""What else is told of the samples: batches, tissues and donors, for checks of the analysis."""

from __future__ import annotations

import re
from collections.abc import Mapping

from genotex.clinical import ClinicalReading
from genotex.formats import Series

__all__ = ["sample_facts"]

Facts = dict[str, dict[str, str | None]]

_TECHNICAL = (
    r"batch|scan|date|plate|chip|slide|array|lane|\brun\b|site|cent(er|re)|hospital|laborator|"
    r"protocol|\bkit\b|facility"
)
_BODY = r"tissue|organ\b|region|body|location|cell[ _]?type|sample[ _]?type|specimen"
_PERSON = r"donor|patient|subject|individual|participant|person|\bpair\b|family|twin"
_WORTH_KNOWING = re.compile(f"{_TECHNICAL}|{_BODY}|{_PERSON}", re.IGNORECASE)


def sample_facts(series: Series, reading: ClinicalReading) -> Facts:
    """Return the characteristics that may stand behind a difference between groups.

    Kept are keys that name a batch, a place or time of work, a tissue, or a person, unless trait,
    age or gender are read from them, or all samples have the same value.

    Parameters
    ----------
    series : Series
    reading : ClinicalReading
        Tells which keys are taken.

    Returns
    -------
    dict
        Key -> sample id -> value, None where a sample has none.
    """
    features = (reading.trait, reading.age, reading.gender)
    taken = {encoding.key.strip().lower() for encoding in features if encoding is not None}
    found: Facts = {}
    for row in series.characteristics:
        for sample, cell in zip(series.samples, row, strict=True):
            key, colon, value = (cell or "").partition(":")
            key = key.strip()
            if colon and key.lower() not in taken and _WORTH_KNOWING.search(key):
                found.setdefault(key, dict.fromkeys(series.samples))[sample] = value.strip()
    return {key: values for key, values in found.items() if _varies(values)}


def _varies(values: Mapping[str, str | None]) -> bool:
    return len({value for value in values.values() if value}) > 1
