"""What else the characteristics tell: batches, tissues, donors who gave several samples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from genotex.analysis.confounding import Association, associate_levels
from genotex.analysis.contrast import Contrast

__all__ = ["FactChecks", "SampleFacts", "check_sample_facts", "read_value"]

SampleFacts = Mapping[str, Mapping[str, str | None]]
"""Characteristic -> sample id -> raw value."""

ENOUGH_SAMPLES = 4

_DONOR = re.compile(
    r"(^|[\W_])(donor|patient|subject|individual|participant|person|volunteer|proband|animal|mouse"
    r"|pair|matched[ _]pair|twin([ _]pair)?|couple|family)"
    r"[\s_.#:-]*(id|ids|identifier|identity|no|nr|num|number|code|name|pair)?[\s_.#:]*$",
    re.IGNORECASE,
)
_TECHNICAL = re.compile(
    r"batch|scan|hybridi[sz]|date|plate|\bchip|\bslide|array|\brun\b|lane|flow ?cell|sentrix"
    r"|platform|kit\b|protocol|processing|centre|center|\bsite|hospital|clinic\b|\blab|country"
    r"|cohort|tissue|organ\b|cell ?type|cell ?line|region|location|source",
    re.IGNORECASE,
)
_TCGA_PATIENT = re.compile(r"TCGA-[A-Z0-9]{2}-[A-Z0-9]{4}(?=-|$)", re.IGNORECASE)
_MISSING = frozenset({"", "na", "n/a", "nan", "none", "null", "unknown", "not available", "--"})


@dataclass(frozen=True)
class FactChecks:
    """What the characteristics say about the contrast.

    Attributes
    ----------
    warnings : tuple of str
        What a reader should know.
    record : tuple of dict
        ``key``, ``values``, ``test``, ``p``, ``measure``, ``size``, ``strength`` of each
        characteristic that was tested against the trait.
    batches : tuple of str
        Characteristics that look like batch, date, site or tissue and vary, but for those that
        are adjusted for.
    """

    warnings: tuple[str, ...] = ()
    record: tuple[dict[str, Any], ...] = ()
    batches: tuple[str, ...] = ()


def check_sample_facts(
    facts: SampleFacts,
    samples: Sequence[str],
    contrast: Contrast,
    trait: str,
    adjusted: Collection[str] = (),
    paired: str | None = None,
) -> FactChecks:
    """Look for batches and the like that go with the trait, and for repeated samples.

    A characteristic with 2 to n/3 different values is tested against the trait. One that names
    people is looked through for values that several samples share; so are TCGA barcodes.

    Parameters
    ----------
    facts : mapping
        Characteristics other than trait, age and gender.
    samples : sequence of str
        Sample ids of the linked table.
    contrast : Contrast
        The samples compared.
    trait : str
        Name of the trait.
    adjusted : collection of str
        Characteristics that are adjusted for.
    paired : str, optional
        Characteristic that samples are paired by, which is nothing to warn of then.
    """
    compared = [samples[i] for i in contrast.rows]
    warnings = _repeated_patients(compared) if paired is None else []
    tested: dict[str, Association] = {}
    record = []
    for key, told in facts.items():
        if key == paired:
            continue
        values = [read_value(key, told.get(sample)) for sample in compared]
        if _DONOR.search(key) and not _is_group(values):
            warnings += _repeats(f"characteristic '{key}'", values)
            continue
        known = np.array([value is not None for value in values], dtype=bool)
        levels = [value for value in values if value is not None]
        different = len(set(levels))
        if len(levels) < ENOUGH_SAMPLES or not 2 <= different <= max(2, len(levels) // 3):
            continue
        if len(np.unique(contrast.values[known])) < 2:
            continue
        found = associate_levels(contrast.values[known], levels, contrast.binary)
        tested[key] = found
        record.append(_as_record(key, different, found))
    warnings += _confounded(tested, trait, adjusted)
    batches = tuple(key for key in tested if _TECHNICAL.search(key) and key not in adjusted)
    return FactChecks(tuple(warnings), tuple(record), batches)


def read_value(key: str, raw: str | None) -> str | None:
    """Return the value of a characteristic, None where it is a word for missing."""
    text = "" if raw is None else str(raw).strip()
    if text.lower() in _MISSING:
        return None
    # Arrays of one day make a batch, whatever the minute they were scanned.
    return re.split(r"[T\s]", text)[0] if "date" in key.lower() and text[0].isdigit() else text


def _is_group(values: Iterable[str | None]) -> bool:
    """Tell whether the values name kinds of people ("patient: yes"), not people."""
    different = {value for value in values if value is not None}
    named = sum(any(c.isdigit() for c in value) or len(value) <= 3 for value in different)
    return len(different) < 3 or 2 * named < len(different)


def _repeats(where: str, values: Iterable[str | None]) -> list[str]:
    counts = Counter(value for value in values if value is not None)
    repeated = [count for count in counts.values() if count > 1]
    if not repeated:
        return []
    return [
        f"Paired or repeated samples suspected: {len(repeated)} of the {len(counts)} values of the "
        f"{where} stand for more than one sample each ({sum(repeated)} samples in all). The tests "
        "take samples as independent, so p-values may be too small, or too large for pairs of a "
        "case and a control."
    ]


def _repeated_patients(samples: Sequence[str]) -> list[str]:
    barcodes = [_TCGA_PATIENT.match(sample) for sample in samples]
    return _repeats(
        "patient part of the TCGA barcodes", [b and b.group().upper() for b in barcodes]
    )


def _confounded(
    tested: Mapping[str, Association], trait: str, adjusted: Collection[str]
) -> list[str]:
    warnings, others = [], []
    for key, found in tested.items():
        if not _TECHNICAL.search(key):
            if found.strength in ("strong", "complete") and key not in adjusted:
                others.append(f"'{key}' ({found.text})")
            continue
        # A batch shifts many genes at once, so even part of it in the trait makes false findings.
        if not found.strength:
            continue
        why = (
            "every value occurs on one side only, so the effects of the two cannot be told apart"
            if found.complete
            else "effects of the two are hard to tell apart"
        )
        warnings.append(
            f"{trait} goes with the characteristic '{key}' in this cohort ({found.text}): {why}; "
            f"batch is {'' if key in adjusted else 'not '}adjusted for."
        )
    if others:
        warnings.append(
            f"{trait} also goes with {'; '.join(others)}: where that is no other name of the "
            "trait, its effect is hard to tell apart from the trait's, and it is not adjusted for."
        )
    return warnings


def _as_record(key: str, different: int, found: Association) -> dict[str, Any]:
    return {
        "key": key,
        "values": different,
        "test": found.test,
        "p": found.p if np.isfinite(found.p) else None,
        "measure": found.measure,
        "size": found.size,
        "strength": found.strength,
    }
