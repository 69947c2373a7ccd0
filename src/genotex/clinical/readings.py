"""Readings as JSON, and the encoding file that a person can edit and give back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genotex.clinical.encoding import ClinicalReading, FeatureEncoding
from genotex.clinical.reading_checks import FEATURES, reading_from_json
from genotex.clinical.words.trait_names import tells_name
from genotex.errors import EncodingFileError, UsageError
from genotex.io import atomic_write
from genotex.layout import trait_folder_name

__all__ = [
    "SavedReadings",
    "add_reading",
    "load_readings",
    "reading_to_json",
    "rounded",
    "save_readings",
]

ABOUT = [
    "How samples were read: for each cohort whether it holds gene expression, and where trait, age",
    "and gender stand (null: not available). Edit by hand and give back with --encoding FILE.",
    "trait: what the readings were made for; they are not to be used for another trait.",
    "row: characteristics row, numbered from 0 (null for another sample_field);",
    "key: what stands before the colon; kind: binary or continuous;",
    "values: raw cell -> code (case 1, control 0; female 0, male 1; null is missing);",
    "roles: raw cell -> case, healthy control, other disease or unknown (trait only);",
    "parser: how cells that values does not list are read: age_years, sex, number or null;",
    "confidence: explicit, inferred or arguable; evidence: why, free text;",
    "sample_field: characteristics_ch1, title, source_name_ch1 or description;",
    "certainty: how sure, a number from 0 to 1, or null; reasons: raw cell -> why, free text.",
    "Beside the features: certainty of the trait (0 to 1, null: not measured) and runner_up, the",
    "trait reading that came second; neither changes how samples are coded.",
    "characteristics: where the trait is null, what the samples say, one entry for each key: give",
    "codes to the values of one of them and put it in the place of null behind trait.",
]


def reading_to_json(reading: ClinicalReading) -> dict[str, Any]:
    """Return a reading as plain JSON data.

    Parameters
    ----------
    reading : ClinicalReading
        The reading.

    Returns
    -------
    dict
        ``gene``, ``trait``, ``age``, ``gender``, ``notes``, ``by``, ``certainty``, ``runner_up``,
        ``left_out``, ``untold``.
    """
    gene = reading.gene
    return {
        "gene": {
            "available": gene.available,
            "reason": gene.reason,
            "evidence": list(gene.evidence),
            "certainty": rounded(gene.certainty),
            "human": gene.human,
        },
        **{name: _encoding_to_json(getattr(reading, name)) for name in FEATURES},
        "notes": list(reading.notes),
        "by": reading.by,
        "certainty": rounded(reading.certainty),
        "runner_up": _encoding_to_json(reading.runner_up),
        "left_out": reading.left_out,
        "untold": dict(reading.untold),
    }


def rounded(certainty: float | None) -> float | None:
    """Return a certainty with the digits that mean something, never rounded to 0 or 1."""
    if certainty is None or not 0 < certainty < 1:
        return certainty
    return min(max(round(certainty, 4), 0.0001), 0.9999)


def _encoding_to_json(encoding: FeatureEncoding | None) -> dict[str, Any] | None:
    if encoding is None:
        return None
    return {
        "row": encoding.row,
        "key": encoding.key,
        "kind": encoding.kind,
        "values": dict(encoding.values),
        "roles": dict(encoding.roles),
        "parser": encoding.parser,
        "confidence": encoding.confidence,
        "evidence": list(encoding.evidence),
        "sample_field": encoding.sample_field,
        "certainty": rounded(encoding.certainty),
        "reasons": dict(encoding.reasons),
        "shifted": list(encoding.shifted),
        "cautions": list(encoding.cautions),
        "told_by": encoding.told_by,
    }


@dataclass(frozen=True)
class SavedReadings:
    """What an encoding file holds.

    Attributes
    ----------
    trait : str or None
        Trait that the readings were made for; None when the file does not say.
    readings : mapping of str to ClinicalReading
        Cohort -> reading, in file order.
    """

    trait: str | None
    readings: Mapping[str, ClinicalReading]


def save_readings(
    path: Path,
    readings: Mapping[str, ClinicalReading],
    *,
    trait: str | None = None,
    characteristics: Mapping[str, list[dict[str, Any]]] | None = None,
) -> None:
    """Write readings as an encoding file, whole or not at all.

    Parameters
    ----------
    path : Path
        The file.
    readings : mapping of str to ClinicalReading
        Cohort -> reading.
    trait : str, optional
        Trait that they were made for, written down so that they are not used for another one.
    characteristics : mapping of str to list of dict, optional
        Cohort -> what its samples say (`characteristics_to_edit`), put beside a trait that is not
        available.
    """
    there = characteristics or {}
    cohorts = {
        name: _to_save(reading)
        | ({"characteristics": there[name]} if name in there and reading.trait is None else {})
        for name, reading in readings.items()
    }
    _write(path, trait, cohorts)


def add_reading(
    path: Path,
    cohort: str,
    reading: ClinicalReading,
    *,
    trait: str,
    characteristics: list[dict[str, Any]] | None = None,
    replace: bool = False,
) -> None:
    """Put a reading into an encoding file beside those of other cohorts.

    Parameters
    ----------
    path : Path
        The file; made when missing.
    cohort : str
        The cohort.
    reading : ClinicalReading
        Its reading.
    trait : str
        Trait that it was made for.
    characteristics : list of dict, optional
        As for `save_readings`.
    replace : bool
        Whether a reading of the same cohort may be overwritten.

    Raises
    ------
    UsageError
        If the file holds the cohort already, or readings made for another trait.
    EncodingFileError
        If what is there is no encoding file.
    """
    there = {} if characteristics is None else {cohort: characteristics}
    if not path.exists():
        save_readings(path, {cohort: reading}, trait=trait, characteristics=there)
        return
    saved = load_readings(path)
    if saved.trait is not None and trait_folder_name(saved.trait) != trait_folder_name(trait):
        msg = f"{path} holds readings made for {saved.trait}, not for {trait}; save to another file"
        raise UsageError(msg)
    if cohort in saved.readings and not replace:
        msg = f"{path} holds {cohort} already, perhaps edited; replace it with --force"
        raise UsageError(msg)
    # What others wrote stays as they wrote it.
    cohorts = json.loads(path.read_text(encoding="utf-8-sig"))["cohorts"]
    new = _to_save(reading)
    if there and reading.trait is None:
        new["characteristics"] = characteristics
    _write(path, saved.trait or trait, cohorts | {cohort: new})


def _to_save(reading: ClinicalReading) -> dict[str, Any]:
    """Return a reading without what is true of the name asked for alone."""
    notes = [note for note in reading.notes if not tells_name(note)]
    return reading_to_json(reading) | {"notes": notes}


def _write(path: Path, trait: str | None, cohorts: Mapping[str, Any]) -> None:
    data = {"about": ABOUT, "trait": trait, "cohorts": cohorts}
    text = json.dumps(data, indent=2, ensure_ascii=False)
    with atomic_write(path) as part:
        part.write_text(text + "\n", encoding="utf-8")


def load_readings(path: Path) -> SavedReadings:
    """Read an encoding file.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    SavedReadings
        The trait, None in files that do not name one, and the readings.

    Raises
    ------
    EncodingFileError
        If the file is no encoding file; names the cohort and the field, and what to do.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=_no_repeats)
    except OSError as error:
        msg = f"cannot be opened: {error.strerror or error}"
        raise EncodingFileError(msg, path=path) from error
    except json.JSONDecodeError as error:
        msg = f"is not JSON: {error.msg} (column {error.colno})"
        hint = "check commas and quotes there, or write the file anew with 'show --save'"
        raise EncodingFileError(msg, path=path, line=error.lineno, hint=hint) from error
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        msg = f"is not JSON: {error}"
        raise EncodingFileError(msg, path=path, hint="the file must be UTF-8 JSON") from error
    if not isinstance(data, dict) or not isinstance(data.get("cohorts"), dict):
        hint = "write one with 'genotex clinical show MATRIX --trait T --save FILE'"
        msg = "has no object 'cohorts'"
        raise EncodingFileError(msg, path=path, hint=hint)
    return SavedReadings(
        _trait(data, path),
        {
            cohort: reading_from_json(reading, path=path, place=cohort)
            for cohort, reading in data["cohorts"].items()
        },
    )


def _trait(data: Mapping[str, Any], path: Path) -> str | None:
    trait = data.get("trait")
    if trait is None:
        return None
    if not isinstance(trait, str) or not trait.strip():
        msg = f"must be the name of a trait or null, not {trait!r}"
        hint = "name the trait that the readings were made for, or take the line out"
        raise EncodingFileError(msg, path=path, field="trait", hint=hint)
    return trait.strip()


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            msg = f"{name!r} stands twice in one object; keep one of them"
            raise ValueError(msg)
        found[name] = value
    return found
