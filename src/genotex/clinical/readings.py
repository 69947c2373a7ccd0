"""Readings as JSON, and the encoding file that a person can edit and give back."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from genotex.clinical.encoding import (
    ClinicalReading,
    Confidence,
    FeatureEncoding,
    GeneVerdict,
    SampleField,
)
from genotex.errors import EncodingFileError
from genotex.formats.cohort_record import Role
from genotex.layout import atomic_write

__all__ = [
    "SavedReadings",
    "load_readings",
    "reading_from_json",
    "reading_to_json",
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
    "certainty: how sure, a number from 0 to 1, or null.",
    "Beside the features: certainty of the trait (0 to 1, null: not measured) and runner_up, the",
    "trait reading that came second; neither changes how samples are coded.",
]

_FEATURES: tuple[Literal["trait", "age", "gender"], ...] = ("trait", "age", "gender")
_FIELDS = {
    "row", "key", "kind", "values", "roles", "parser", "confidence", "evidence", "sample_field",
    "certainty"
}  # fmt: skip
_PARSERS = ("age_years", "sex", "number")
_KINDS = ("binary", "continuous")


def reading_to_json(reading: ClinicalReading) -> dict[str, Any]:
    """Return a reading as plain JSON data.

    Parameters
    ----------
    reading : ClinicalReading
        The reading.

    Returns
    -------
    dict
        ``gene``, ``trait``, ``age``, ``gender``, ``notes``, ``by``, ``certainty``, ``runner_up``.
    """
    gene = reading.gene
    return {
        "gene": {
            "available": gene.available,
            "reason": gene.reason,
            "evidence": list(gene.evidence),
        },
        **{name: _encoding_to_json(getattr(reading, name)) for name in _FEATURES},
        "notes": list(reading.notes),
        "by": reading.by,
        "certainty": reading.certainty,
        "runner_up": _encoding_to_json(reading.runner_up),
    }


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
        "certainty": encoding.certainty,
    }


def reading_from_json(data: Any, *, path: Path | None = None, place: str = "") -> ClinicalReading:
    """Return the reading of JSON data.

    Parameters
    ----------
    data : object
        What `reading_to_json` gave, perhaps edited.
    path : Path, optional
        File it came from, for messages.
    place : str
        Cohort, for messages.

    Raises
    ------
    EncodingFileError
        If a field is missing, unknown or not of its kind; names the cohort and the field.
    """
    return _Reader(path, place).reading(data)


class _Reader:
    """Checks fields one by one, so that a message can name the one that is wrong."""

    def __init__(self, path: Path | None, place: str) -> None:
        self._path = path
        self._place = place

    def _error(self, field: str, message: str, hint: str | None = None) -> EncodingFileError:
        where = ".".join(part for part in (self._place, field) if part) or None
        return EncodingFileError(message, path=self._path, field=where, hint=hint)

    def reading(self, data: Any) -> ClinicalReading:
        fields = self._object(
            data, "", {"gene", *_FEATURES, "notes", "by", "certainty", "runner_up"}
        )
        gene = self._object(fields.get("gene"), "gene", {"available", "reason", "evidence"})
        if not isinstance(gene.get("available"), bool):
            field = "gene.available"
            raise self._error(field, "must be true or false")
        verdict = GeneVerdict(
            gene["available"],
            self._text(gene.get("reason", ""), "gene.reason"),
            self._texts(gene.get("evidence", []), "gene.evidence"),
        )
        trait, age, gender = (self._encoding(fields.get(name), name) for name in _FEATURES)
        return ClinicalReading(
            verdict,
            trait,
            age,
            gender,
            notes=self._texts(fields.get("notes", []), "notes"),
            by=self._text(fields.get("by", "hand"), "by"),
            certainty=self._share(fields.get("certainty"), "certainty"),
            runner_up=self._runner_up(fields.get("runner_up")),
        )

    def _runner_up(self, data: Any) -> FeatureEncoding | None:
        place = ".".join(part for part in (self._place, "runner_up") if part)
        return _Reader(self._path, place)._encoding(data, "trait")

    def _encoding(
        self, data: Any, feature: Literal["trait", "age", "gender"]
    ) -> FeatureEncoding | None:
        if data is None:
            return None
        fields = self._object(data, feature, _FIELDS)
        sample_field = self._choice(
            fields.get("sample_field", "characteristics_ch1"),
            f"{feature}.sample_field",
            get_args(SampleField),
        )
        kind = self._choice(
            fields.get("kind", "continuous" if feature == "age" else "binary"),
            f"{feature}.kind",
            _KINDS,
        )
        values = self._codes(fields.get("values", {}), f"{feature}.values")
        roles = self._roles(fields.get("roles", {}), feature)
        parser = fields.get("parser")
        if parser is not None:
            parser = self._choice(parser, f"{feature}.parser", _PARSERS)
        elif not values:
            raise self._error(
                feature, "says neither values nor a parser", "list values or name a parser"
            )
        if feature == "gender" or (feature == "trait" and kind == "binary"):
            self._check_binary(values, f"{feature}.values")
        self._check_agreement(values, roles, feature)
        return FeatureEncoding(
            feature=feature,
            row=self._row(fields.get("row"), feature, sample_field),
            key=self._text(fields.get("key", ""), f"{feature}.key"),
            kind=kind,
            values=values,
            roles=roles,
            parser=parser,
            confidence=self._choice(
                fields.get("confidence", "explicit"), f"{feature}.confidence", get_args(Confidence)
            ),
            evidence=self._texts(fields.get("evidence", []), f"{feature}.evidence"),
            sample_field=sample_field,
            certainty=self._share(fields.get("certainty"), f"{feature}.certainty"),
        )

    def _object(self, data: Any, field: str, allowed: set[str]) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise self._error(field, f"must be an object, not {_kind(data)}")
        unknown = sorted(set(data) - allowed)
        if unknown:
            hint = f"fields: {', '.join(sorted(allowed))}"
            raise self._error(".".join(p for p in (field, unknown[0]) if p), "unknown field", hint)
        return data

    def _row(self, row: Any, feature: str, sample_field: str) -> int | None:
        field = f"{feature}.row"
        if row is None and sample_field != "characteristics_ch1":
            return None
        if isinstance(row, bool) or not isinstance(row, int) or row < 0:
            raise self._error(field, f"must be a row number from 0, not {row!r}")
        return row

    def _share(self, value: Any, field: str) -> float | None:
        if value is None:
            return None
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (number and 0 <= value <= 1):
            raise self._error(field, f"must be a number from 0 to 1 or null, not {value!r}")
        return float(value)

    def _codes(self, data: Any, field: str) -> dict[str, float | None]:
        if not isinstance(data, dict):
            raise self._error(field, f"must be an object, not {_kind(data)}")
        for cell, code in data.items():
            number = isinstance(code, int | float) and not isinstance(code, bool)
            if code is not None and not (number and math.isfinite(code)):
                hint = "a code is a number, or null for missing"
                place = f"{field}[{cell!r}]"
                raise self._error(place, f"{code!r} is no code", hint)
        return {cell: None if code is None else float(code) for cell, code in data.items()}

    def _check_binary(self, values: Mapping[str, float | None], field: str) -> None:
        for cell, code in values.items():
            if code not in (None, 0.0, 1.0):
                hint = "binary codes are 0, 1 or null; set kind to continuous for levels"
                place = f"{field}[{cell!r}]"
                raise self._error(place, f"{code:g} is no binary code", hint)

    def _roles(self, data: Any, feature: str) -> dict[str, Role]:
        field = f"{feature}.roles"
        if not isinstance(data, dict):
            raise self._error(field, f"must be an object, not {_kind(data)}")
        return {
            cell: self._choice(role, f"{field}[{cell!r}]", get_args(Role))
            for cell, role in data.items()
        }

    def _check_agreement(
        self, values: Mapping[str, float | None], roles: Mapping[str, Role], feature: str
    ) -> None:
        expected = {"case": 1.0, "healthy control": 0.0, "other disease": 0.0}
        for cell, role in roles.items():
            field = f"{feature}.roles[{cell!r}]"
            if cell not in values:
                raise self._error(field, "has a role but no code", "list the same cells in values")
            if role in expected and values[cell] is not None and values[cell] != expected[role]:
                hint = "cases are 1, both kinds of controls 0"
                raise self._error(field, f"role {role!r} with code {values[cell]:g}", hint)

    def _choice(self, value: Any, field: str, allowed: tuple[Any, ...]) -> Any:
        if value not in allowed:
            hint = f"one of: {', '.join(map(str, allowed))}"
            raise self._error(field, f"{value!r} is not known", hint)
        return value

    def _text(self, value: Any, field: str) -> str:
        if not isinstance(value, str):
            raise self._error(field, f"must be a text, not {_kind(value)}")
        return value

    def _texts(self, value: Any, field: str) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(line, str) for line in value):
            raise self._error(field, "must be a list of texts")
        return tuple(value)


def _kind(value: Any) -> str:
    names = {"NoneType": "null", "dict": "an object", "list": "a list", "str": "a text"}
    return names.get(type(value).__name__, type(value).__name__)


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
    path: Path, readings: Mapping[str, ClinicalReading], *, trait: str | None = None
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
    """
    cohorts = {name: reading_to_json(reading) for name, reading in readings.items()}
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
