"""Other annotation of the samples: batches, tissues, donors and anything else that varies."""

from __future__ import annotations

from collections.abc import Mapping

from genotex.clinical import ClinicalAnnotation
from genotex.formats import Series

__all__ = ["sample_facts", "sample_texts"]

Facts = dict[str, dict[str, str | None]]

_TEXTS = {"title": "title", "source_name": "source_name_ch1"}


def sample_facts(series: Series, reading: ClinicalAnnotation) -> Facts:
    """Return the characteristics that vary, except those that trait, age and gender come from.

    The analysis judges what they mean for the contrast; a user may adjust for any of them.

    Parameters
    ----------
    series : Series
    reading : ClinicalAnnotation
        Names the keys in use.

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


def sample_texts(series: Series, reading: ClinicalAnnotation) -> Facts:
    """Return titles, source names and the raw trait: the texts that may name a pool of people."""
    found: Facts = {}
    for name, field in _TEXTS.items():
        for row in series.sample_fields.get(field, ())[:1]:
            found[name] = dict(zip(series.samples, row, strict=True))
    wanted = None if reading.trait is None else reading.trait.key.strip().lower()
    for row in series.characteristics:
        for sample, cell in zip(series.samples, row, strict=True):
            key, colon, value = (cell or "").partition(":")
            if colon and key.strip().lower() == wanted:
                found.setdefault("trait", dict.fromkeys(series.samples))[sample] = value.strip()
    return found


def _varies(values: Mapping[str, str | None]) -> bool:
    return len({value for value in values.values() if value}) > 1
