"""Other characteristics of the samples: batches, tissues, donors of several samples."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from genotex.analysis.designs.contrast import Contrast
from genotex.analysis.hidden.confounding import (
    CONFOUNDED_P,
    Association,
    associate_measured,
    associate_named,
)
from genotex.arrays import Flags, Floats

SampleFacts = Mapping[str, Mapping[str, str | None]]
"""Characteristic -> sample id -> raw value."""


ENOUGH_SAMPLES = 4
MIN_PAIRS = 3
"""Fewer pairs than this leave too few degrees of freedom for a test."""
DETECTED, INDEPENDENT = "detected", "none"
TECHNICAL_REPLICATE = "technical replicate"
"""The value of ``--pair`` that is not a characteristic: people detected by expression."""
MOST_CODES = 4
_CODE = r"[A-Za-z]{1,12}|[A-Za-z]{0,6}\d"
_CODED = (
    re.compile(rf"(?P<stem>.*\w)[\s_./:-]+(?P<code>{_CODE})", re.ASCII),  # P7_T, 12 tumour
    re.compile(r"(?P<stem>.*\d)(?P<code>[A-Za-z]{1,2})", re.ASCII),  # 03-212A
    re.compile(rf"(?P<code>{_CODE})[\s_./:-]+(?P<stem>\w.*)", re.ASCII),  # T_P7
    re.compile(r"(?P<code>[A-Za-z]{1,2})(?P<stem>\d.*)", re.ASCII),  # N12
)

_PERSON = "donor|patient|subject|individual|participant|person|volunteer|proband|animal|mouse"
_SEVERAL = r"pair|matched[ _]pair|twin([ _]pair)?|couple|family"
_DONOR = re.compile(
    rf"(^|[\W_])((?P<person>{_PERSON})|{_SEVERAL})"
    r"[\s_.#:-]*(id|ids|identifier|identity|no|nr|num|number|code|name|pair)?[\s_.#:]*$",
    re.IGNORECASE,
)
_TECHNICAL = re.compile(
    r"batch|scan|hybridi[sz]|date|plate|\bchip|\bslide|array|\brun\b|lane|flow ?cell|sentrix"
    r"|platform|kit\b|protocol|processing|centre|center|\bsite|hospital|clinic\b|\blab|country"
    r"|cohort|tissue|organ\b|cell ?type|cell ?line|region|location|source",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(^|[\W_])(id|ids|identifier|number|no|nr|code|barcode|label|name|title|sample|accession)"
    r"($|[\W_])",
    re.IGNORECASE,
)
_TCGA_PATIENT = re.compile(r"TCGA-[A-Z0-9]{2}-[A-Z0-9]{4}(?=-|$)", re.IGNORECASE)
_MISSING = frozenset({"", "na", "n/a", "nan", "none", "null", "unknown", "not available", "--"})


@dataclass(frozen=True)
class FactChecks:
    """Associations of the characteristics with the contrast."""

    warnings: tuple[str, ...] = ()  # What a reader should know
    # ``key``, ``values``, ``test``, ``p``, ``measure``, ``size``, ``strength`` of each
    # characteristic that was tested against the trait
    record: tuple[dict[str, Any], ...] = ()
    # Characteristics that look like batch, date, site or tissue and vary, but for those that are
    # adjusted for
    batches: tuple[str, ...] = ()
    repeated: bool = False  # Whether some people seem to have given several samples
    relations: tuple[dict[str, Any], ...] = ()  # What texts state on the samples compared


def check_sample_facts(
    facts: SampleFacts,
    samples: Sequence[str],
    contrast: Contrast,
    trait: str,
    adjusted: Collection[str] = (),
    paired: str | None = None,
) -> FactChecks:
    """Find batches and the like that are confounded with the trait, and repeated samples."""
    # A characteristic with 2 to n/3 different values is tested against the trait as groups, one of
    # more numbers as a measurement. One that looks technical, or is adjusted for, is also tested by
    # the values that it repeats. One that names people is searched for values that several samples
    # share; so are TCGA barcodes.
    compared = [samples[i] for i in contrast.rows]
    blocked = paired == DETECTED
    pairs = [facts.get(paired or "", {}).get(sample) for sample in compared]
    tcga = [tcga_patient(sample) for sample in compared]
    warnings = []
    if paired is None or blocked:
        warnings = _repeats("patient part of the TCGA barcodes", "patient", tcga, blocked)
    tested: dict[str, Association] = {}
    record = []
    for key, recorded in facts.items():
        if key == paired:
            continue
        values = [read_value(key, recorded.get(sample)) for sample in compared]
        if _DONOR.search(key) and not _is_group(values):
            if not _held(values, pairs):
                warnings += _repeats(f"characteristic '{key}'", key, values, blocked)
            continue
        found = _associate(key, values, contrast, by_values=is_technical(key) or key in adjusted)
        if found is not None:
            tested[key] = found
            record.append(_as_record(key, len({*values} - {None}), found))
    repeated = bool(warnings)
    warnings += _confounded(tested, trait, adjusted)
    batches = tuple(key for key in tested if is_technical(key) and key not in adjusted)
    return FactChecks(tuple(warnings), tuple(record), batches, repeated)


def _associate(
    key: str, values: Sequence[str | None], contrast: Contrast, *, by_values: bool
) -> Association | None:
    known = np.array([value is not None for value in values], dtype=bool)
    levels = [value for value in values if value is not None]
    different, trait = len(set(levels)), contrast.values[known]
    if len(levels) < ENOUGH_SAMPLES or different < 2 or len(np.unique(trait)) < 2:
        return None
    if different <= max(2, len(levels) // 3):
        return associate_named(contrast, known, levels)
    tests = []
    numbers = read_numbers(levels)
    if numbers is not None and not _is_label(key, numbers):
        tests.append(associate_measured(contrast, known, numbers))
    if by_values and (repeated := _associate_repeated(contrast, known, levels)):
        tests.append(repeated)
    return min(tests, key=lambda found: found.p, default=None)


def _associate_repeated(
    contrast: Contrast, known: Flags, levels: Sequence[str]
) -> Association | None:
    """Test the values that occur more than once: a single sample is always on one side."""
    counts = Counter(levels)
    several = known.copy()
    several[known] = [counts[level] > 1 for level in levels]
    names = [level for level in levels if counts[level] > 1]
    different = len(np.unique(contrast.values[several]))
    if len(names) < ENOUGH_SAMPLES or len(set(names)) < 2 or different < 2:
        return None
    found = associate_named(contrast, several, names)
    # Few samples of each value are on one side by chance, too.
    return replace(found, complete=found.complete and found.p < CONFOUNDED_P)


def is_technical(key: str) -> bool:
    """Return whether a characteristic is named like a batch, date, site or tissue."""
    return _TECHNICAL.search(key) is not None


def read_numbers(levels: Sequence[str]) -> Floats | None:
    """Return values as numbers; None when one of them is not a number, or all are the same."""
    try:
        numbers = np.array([float(level) for level in levels], dtype=np.float64)
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() and len(np.unique(numbers)) > 1 else None


def _is_label(key: str, numbers: Floats) -> bool:
    """Return whether numbers only name the samples, which are often numbered group by group."""
    distinct = len(np.unique(numbers)) == len(numbers)
    whole = bool((numbers == np.round(numbers)).all())
    return distinct and whole and _LABEL.search(key) is not None


def donor_of(facts: SampleFacts, sample: str) -> str | None:
    """Return the person whom characteristics, or a TCGA barcode, name; None where none does."""
    for key, recorded in facts.items():
        if _DONOR.search(key) and not _is_group(list(recorded.values())):
            value = read_value(key, recorded.get(sample))
            if value is not None:
                return value
    return tcga_patient(sample)


def person_keys(facts: SampleFacts) -> list[str]:
    """Return the characteristics that name single people, or the copies of one sample."""
    found = []
    for key, recorded in facts.items():
        named = _DONOR.search(key)
        if named and named["person"] and not _is_group(list(recorded.values())):
            found.append(key)
    return [*found, *(key for key in facts if key.strip().lower() == TECHNICAL_REPLICATE)]


def tcga_patient(sample: str) -> str | None:
    """Return the patient part of a TCGA barcode, in capitals; None for any other name."""
    found = _TCGA_PATIENT.match(sample)
    return found.group().upper() if found else None


def shared_stems(values: Sequence[str | None]) -> list[str | None] | None:
    """Return what values share before (or after) a short code, None where they share nothing."""
    # Returns the shared part of each value, itself where it has no code. At least three people must
    # have two samples each, every code must occur with several people and at most once with each,
    # and there are at most four codes.
    best: list[str | None] | None = None
    most = 0
    for form in _CODED:
        found = [None if value is None else form.fullmatch(value.strip()) for value in values]
        codes = Counter(match["code"].lower() for match in found if match)
        stems = [
            match["stem"] if match else value for match, value in zip(found, values, strict=True)
        ]
        people = Counter(match["stem"] for match in found if match)
        repeated = sum(count for count in people.values() if count > 1)
        several = sum(count > 1 for count in people.values())
        pairs = {(match["stem"], match["code"].lower()) for match in found if match}
        fine = (
            2 <= len(codes) <= MOST_CODES
            and several >= MIN_PAIRS
            and len(pairs) == sum(codes.values())
            and min(codes.values()) > 1
            and 2 * repeated >= sum(codes.values())
        )
        if fine and repeated > most:
            best, most = stems, repeated
    return best


_NUMBERED = re.compile(r"\S*\d\S*")
FILL_WAYS = {"value": "as it is", "last": "without its last letter", "common": "the part in common"}
"""How a column names people: word -> in words."""


def names_people(key: str) -> bool:
    """Return whether a characteristic is named like people: donor, patient number, pair."""
    return _DONOR.search(key) is not None


def people_from(cells: Sequence[str], way: str) -> list[str]:
    """Return whom cells name in one of the `FILL_WAYS`; empty where nothing is in common.

    Where whole cells share nothing but a code, their last words with a digit may.
    """
    values = [cell.strip() for cell in cells]
    if way == "last":
        return [value[:-1].rstrip(" _.-") for value in values]
    if way != "common":
        return values
    stems = shared_stems([value or None for value in values])
    if stems is None:
        words = [_NUMBERED.findall(value) for value in values]
        stems = shared_stems([found[-1] if found else None for found in words])
    return [stem or "" for stem in stems or [""] * len(values)]


def read_value(key: str, raw: str | None) -> str | None:
    """Return the value of a characteristic, None where it is a word for missing."""
    text = "" if raw is None else str(raw).strip()
    if text.lower() in _MISSING:
        return None
    # Arrays of one day make a batch, regardless of the minute of the scan.
    return re.split(r"[T\s]", text)[0] if "date" in key.lower() and text[0].isdigit() else text


def _is_group(values: Iterable[str | None]) -> bool:
    """Return whether the values name kinds of people ("patient: yes"), not people."""
    different = {value for value in values if value is not None}
    named = sum(any(c.isdigit() for c in value) or len(value) <= 3 for value in different)
    return len(different) < 3 or 2 * named < len(different)


def _repeats(where: str, key: str, values: Sequence[str | None], blocked: bool) -> list[str]:
    """Return a warning of values that several samples share."""
    known = [value for value in values if value is not None]
    stems = shared_stems(known) if len(set(known)) == len(known) else None
    counts = Counter(stems or known)
    repeated = [count for count in counts.values() if count > 1]
    if not repeated:
        return []
    effect = (
        f"Samples are blocked on the people detected by expression; --pair '{key}' is safer."
        if blocked
        else "The tests take samples as independent, so p-values may be too small, or too large "
        "for pairs of a case and a control."
    )
    return [
        f"Paired or repeated samples suspected: {len(repeated)} of the {len(counts)} values of the "
        f"{where} occur in more than one sample each ({sum(repeated)} samples in all). {effect}"
    ]


def _held(values: Sequence[str | None], pairs: Sequence[str | None]) -> bool:
    """Return whether all people with several samples have these in one pair or block."""
    known = [value for value in values if value is not None]
    stems = shared_stems(values) if len(set(known)) == len(known) else None
    of_person: dict[str, set[str | None]] = {}
    for person, pair in zip(stems or values, pairs, strict=True):
        if person is not None:
            of_person.setdefault(person, set()).add(pair)
    return any(pairs) and all(len(found) == 1 for found in of_person.values())


def _confounded(
    tested: Mapping[str, Association], trait: str, adjusted: Collection[str]
) -> list[str]:
    warnings, others = [], []
    for key, found in tested.items():
        technical = is_technical(key)
        if not technical and key not in adjusted:
            # Of many measurements some are associated with the trait in a few samples by chance.
            by_chance = found.measure in ("AUC", "rho") and found.p >= CONFOUNDED_P
            if found.strength in ("strong", "complete") and not by_chance:
                others.append(f"'{key}' ({found.text})")
            continue
        # A batch shifts many genes at once, so even part of it in the trait makes false findings.
        if not found.strength:
            continue
        why = "effects of the two are hard to separate"
        if found.complete:
            one_side = found.measure == "Cramer's V"
            side = "every value occurs on one side only, so " if one_side else ""
            why = f"{side}the effects of the two cannot be separated"
        warnings.append(
            f"{trait} is confounded with the characteristic '{key}' in this cohort ({found.text}): "
            f"{why}; '{key}' is {'' if key in adjusted else 'not '}adjusted for."
        )
    if others:
        warnings.append(
            f"{trait} is also associated with {'; '.join(others)}: unless that is another name of "
            "the trait, its effect is hard to separate from the trait's. It is not adjusted for."
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
