"""Clinical annotations as JSON: written, checked field by field, and loaded from old records."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from genotex.clinical.cells import split_cell
from genotex.clinical.encoding import (
    FEATURES,
    ClinicalAnnotation,
    Confidence,
    Feature,
    FeatureEncoding,
    GeneVerdict,
    SampleField,
)
from genotex.clinical.words.wording import simple_key
from genotex.errors import EncodingFileError
from genotex.formats import Role

_FIELDS = {
    "row", "key", "kind", "values", "roles", "parser", "confidence", "evidence", "sample_field",
    "certainty", "reasons", "shifted", "cautions", "told_by",
}  # fmt: skip
_GENE_FIELDS = {"available", "reason", "evidence", "certainty", "human"}
_OTHER_FIELDS = {
    "notes", "by", "certainty", "runner_up", "left_out", "untold", "characteristics",
    "excluded", "facts",
}  # fmt: skip
_PARSERS = ("age_years", "sex", "number")
_KINDS = ("binary", "continuous")
_SAMPLE_FIELDS = ("characteristics_ch1", "title", "source_name_ch1", "description", "sample")


def annotation_from_json(
    data: Any, *, path: Path | None = None, place: str = ""
) -> ClinicalAnnotation:
    """Return the annotation of JSON data.

    Parameters
    ----------
    data : object
        Output of `annotation_to_json`, perhaps edited.
    path : Path, optional
        File it came from, for messages.
    place : str
        Cohort, for messages.

    Raises
    ------
    EncodingFileError
        If a field is missing, unknown or not of its kind; names the cohort and the field.
    """
    return _Reader(path, place).annotation(data)


class _Reader:
    """Checks fields one by one, so that a message can name the one that is wrong."""

    def __init__(self, path: Path | None, place: str) -> None:
        self._path = path
        self._place = place

    def _error(self, field: str, message: str, hint: str | None = None) -> EncodingFileError:
        where = ".".join(part for part in (self._place, field) if part) or None
        return EncodingFileError(message, path=self._path, field=where, hint=hint)

    def annotation(self, data: Any) -> ClinicalAnnotation:
        fields = self._object(data, "", {"gene", *FEATURES, *_OTHER_FIELDS})
        by = self._text(fields.get("by", "hand"), "by")
        verdict = self._gene(fields.get("gene"))
        trait, age, gender = (self._encoding(fields.get(name), name, by) for name in FEATURES)
        certainty = self._share(fields.get("certainty"), "certainty")
        if trait is not None:
            # Earlier versions wrote it twice.
            certainty = trait.certainty if certainty is None else certainty
            trait = replace(trait, certainty=None)
        return ClinicalAnnotation(
            verdict,
            trait,
            age,
            gender,
            notes=self._texts(fields.get("notes", []), "notes"),
            by=by,
            certainty=certainty,
            runner_up=self._runner_up(fields.get("runner_up")),
            left_out=self._share(fields.get("left_out"), "left_out"),
            unavailable=self._words(fields.get("untold", {}), "untold"),
            excluded=self._words(fields.get("excluded", {}), "excluded"),
            facts={
                name: self._words(values, f"facts.{name}")
                for name, values in self._object(
                    fields.get("facts", {}), "facts", {"pair", "batch"}
                ).items()
            },
        )

    def _gene(self, data: Any) -> GeneVerdict:
        gene = self._object(data, "gene", _GENE_FIELDS)
        return GeneVerdict(
            self._flag(gene.get("available"), "gene.available"),
            self._text(gene.get("reason", ""), "gene.reason"),
            self._texts(gene.get("evidence", []), "gene.evidence"),
            self._share(gene.get("certainty"), "gene.certainty"),
            self._flag(gene.get("human", True), "gene.human"),
        )

    def _flag(self, value: Any, field: str) -> bool:
        if not isinstance(value, bool):
            raise self._error(field, "must be true or false")
        return value

    def _runner_up(self, data: Any) -> FeatureEncoding | None:
        place = ".".join(part for part in (self._place, "runner_up") if part)
        return _Reader(self._path, place)._encoding(data, "trait", "rules")

    def _encoding(self, data: Any, feature: Feature, by: str) -> FeatureEncoding | None:
        if data is None:
            return None
        fields = self._object(data, feature, _FIELDS)
        sample_field = self._choice(
            fields.get("sample_field", "characteristics_ch1"),
            f"{feature}.sample_field",
            _SAMPLE_FIELDS,
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
                feature, "has neither values nor a parser", "list values or name a parser"
            )
        if feature == "gender" or (feature == "trait" and kind == "binary"):
            self._check_binary(values, f"{feature}.values")
        roles = _spelt_as_values(roles, values)
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
            reasons=self._words(fields.get("reasons", {}), f"{feature}.reasons"),
            shifted=self._rows(fields.get("shifted", []), f"{feature}.shifted"),
            cautions=self._texts(fields.get("cautions", []), f"{feature}.cautions"),
            told_by=self._text(fields.get("told_by", by), f"{feature}.told_by"),
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
                raise self._error(place, f"{code!r} is not a code", hint)
        return {cell: None if code is None else float(code) for cell, code in data.items()}

    def _check_binary(self, values: Mapping[str, float | None], field: str) -> None:
        for cell, code in values.items():
            if code not in (None, 0.0, 1.0):
                hint = "binary codes are 0, 1 or null; set kind to continuous for levels"
                place = f"{field}[{cell!r}]"
                raise self._error(place, f"{code:g} is not a binary code", hint)

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

    def _words(self, data: Any, field: str) -> dict[str, str]:
        if not isinstance(data, dict):
            raise self._error(field, f"must be an object, not {_kind(data)}")
        return {name: self._text(text, f"{field}[{name!r}]") for name, text in data.items()}

    def _rows(self, data: Any, field: str) -> tuple[int, ...]:
        whole = isinstance(data, list) and all(type(row) is int and row >= 0 for row in data)
        if not whole:
            raise self._error(field, "must be a list of row numbers from 0")
        return tuple(data)

    def _texts(self, value: Any, field: str) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(line, str) for line in value):
            raise self._error(field, "must be a list of texts")
        return tuple(value)


def _spelt_as_values(roles: Mapping[str, Role], values: Mapping[str, Any]) -> dict[str, Role]:
    """Return roles under the cells that `values` lists, where one of the two has no key."""
    spelt: dict[str, Role] = {}
    for cell, role in roles.items():
        near = [] if cell in values else [value for value in values if _are_the_same(cell, value)]
        own = near[0] if len(near) == 1 and near[0] not in roles else cell
        # Two spellings of one cell must not hide each other.
        spelt[cell if own in spelt else own] = role
    return spelt


def _are_the_same(one: str, other: str) -> bool:
    """Return whether two cells are the same when one of them is written without its key."""
    whole, bare = (
        [simple_key(text) for text in texts]
        for texts in ((one, other), (split_cell(one)[1], split_cell(other)[1]))
    )
    return whole[0] in (whole[1], bare[1]) or bare[0] == whole[1]


def _kind(value: Any) -> str:
    names = {"NoneType": "null", "dict": "an object", "list": "a list", "str": "a text"}
    return names.get(type(value).__name__, type(value).__name__)


_Data = Mapping[str, Any]


def recorded_annotation(data: _Data) -> ClinicalAnnotation:
    """Return the annotation of an evidence record of any version, unchecked.

    Parameters
    ----------
    data : mapping
        Output of `annotation_to_json` of this or an earlier version; fields may be missing.

    Returns
    -------
    ClinicalAnnotation
        For display, not for applying.
    """
    gene = data.get("gene") or {}
    return ClinicalAnnotation(
        GeneVerdict(
            bool(gene.get("available")),
            str(gene.get("reason") or ""),
            tuple(map(str, gene.get("evidence") or ())),
            gene.get("certainty"),
        ),
        _encoding("trait", data.get("trait")),
        _encoding("age", data.get("age")),
        _encoding("gender", data.get("gender")),
        notes=tuple(map(str, data.get("notes") or ())),
        by=str(data.get("by") or ""),
        certainty=data.get("certainty"),
        runner_up=_encoding("trait", data.get("runner_up")),
        left_out=data.get("left_out"),
        unavailable=data.get("untold") or {},
        excluded=data.get("excluded") or {},
        facts=data.get("facts") or {},
    )


def _encoding(feature: Feature, data: _Data | None) -> FeatureEncoding | None:
    if not data:
        return None
    place: SampleField = _among(data.get("sample_field"), get_args(SampleField))
    if data.get("row") is None and place == "characteristics_ch1":
        # Earlier versions recorded TCGA in this way.
        place = "barcode" if feature == "trait" else "clinical_matrix"
    return FeatureEncoding(
        feature=feature,
        row=data.get("row"),
        key=str(data.get("key") or ""),
        kind=data.get("kind") or "binary",
        values=data.get("values") or {},
        roles=data.get("roles") or {},
        confidence=_among(data.get("confidence"), get_args(Confidence)),
        evidence=tuple(map(str, data.get("evidence") or ())),
        sample_field=place,
        certainty=data.get("certainty"),
        reasons=data.get("reasons") or {},
        shifted=tuple(data.get("shifted") or ()),
        cautions=tuple(map(str, data.get("cautions") or ())),
        told_by=str(data.get("told_by") or data.get("by") or "rules"),
    )


def _among(value: Any, known: tuple[Any, ...]) -> Any:
    """Return a value that is known, else the first that is."""
    return value if value in known else known[0]


def annotation_to_json(annotation: ClinicalAnnotation) -> dict[str, Any]:
    """Return an annotation as plain JSON data.

    Parameters
    ----------
    annotation : ClinicalAnnotation
        The annotation.

    Returns
    -------
    dict
        ``gene``, ``trait``, ``age``, ``gender``, ``notes``, ``by``, ``certainty``, ``runner_up``,
        ``left_out``, ``untold``; ``excluded`` and ``facts`` where a person gave them.
    """
    gene = annotation.gene
    return {
        "gene": {
            "available": gene.available,
            "reason": gene.reason,
            "evidence": list(gene.evidence),
            "certainty": rounded(gene.certainty),
            "human": gene.human,
        },
        **{name: _encoding_to_json(encoding) for name, encoding in annotation.features.items()},
        "notes": list(annotation.notes),
        "by": annotation.by,
        "certainty": rounded(annotation.certainty),
        "runner_up": _encoding_to_json(annotation.runner_up),
        "left_out": annotation.left_out,
        "untold": dict(annotation.unavailable),
        **({"excluded": dict(annotation.excluded)} if annotation.excluded else {}),
        **({"facts": dict(annotation.facts)} if annotation.facts else {}),
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
