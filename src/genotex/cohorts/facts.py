"""What else is told of the samples: batches, tissues, donors and whatever else varies."""

from __future__ import annotations

from collections.abc import Mapping

from genotex.clinical import ClinicalReading
from genotex.formats import Series

__all__ = ["sample_facts"]

Facts = dict[str, dict[str, str | None]]


def sample_facts(series: Series, reading: ClinicalReading) -> Facts:
    """Return the characteristics that vary, but for those that trait, age and gender come from.

    What they mean for the contrast is for the analysis to say; a user may adjust for any of them.

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
            if colon and key.lower() not in taken:
                found.setdefault(key, dict.fromkeys(series.samples))[sample] = value.strip()
    return {key: values for key, values in found.items() if _varies(values)}


def _varies(values: Mapping[str, str | None]) -> bool:
    return len({value for value in values.values() if value}) > 1
