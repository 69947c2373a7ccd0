"""Applying an encoding to the samples of a series."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import GROUP_WORDS, NO_CELL, ClinicalAnnotation, FeatureEncoding
from genotex.clinical.trait.value_judge import control_role
from genotex.clinical.words.vocabulary import Vocabulary
from genotex.errors import EncodingFileError
from genotex.features import (
    feature_named,
    parse_age_years,
    parse_number,
    parser_named,
    simple_key,
    split_cell,
    split_pairs,
)
from genotex.formats import Role, Series
from genotex.procedure import Procedure

_SHOWN_CELLS = 5

_Cell = str | None


@dataclass(frozen=True, eq=False)
class EncodedFeature:
    """One feature of all samples."""

    codes: NDArray[np.float64]
    """Shape (n,). Codes in sample order; NaN is missing."""
    roles: tuple[Role, ...]
    """Role of each sample; "unknown" throughout unless the feature is a binary trait."""
    raw: tuple[_Cell, ...]
    """The cell that each code was read from."""
    notes: tuple[str, ...]
    """Shifted cells, and values that no rule covers."""


def nothing_encoded(samples: int) -> EncodedFeature:
    """Return a feature that no sample has."""
    unknown: Role = "unknown"
    return EncodedFeature(np.full(samples, np.nan), (unknown,) * samples, (None,) * samples, ())


def apply_encoding(
    encoding: FeatureEncoding,
    series: Series,
    *,
    procedure: Procedure | str,
    vocabulary: Vocabulary | None = None,
) -> EncodedFeature:
    """Code a feature for every sample of a series.

     `procedure`: ``sound`` finds values by key in every characteristics row, sample
    by sample. ``benchmark`` reads the one row and takes the first integer of a cell as age.
    `vocabulary`: Decides the role of controls that have none; the packaged one by default. Raises
    EncodingFileError if the encoding names a row that the series does not have.
    """
    if encoding.sample_field == "sample":
        return _by_sample(encoding, series)
    procedure = Procedure(procedure)
    cells, notes = _cells(encoding, series, procedure)
    lookup = _Lookup(encoding, procedure, vocabulary)
    codes = np.full(len(series.samples), np.nan)
    roles: list[Role] = []
    unlisted: Counter[str] = Counter()
    for number, cell in enumerate(cells):
        code, role, known = lookup.read(cell)
        roles.append(role)
        if code is not None:
            codes[number] = code
        elif cell is not None and not known:
            unlisted[cell] += 1
    if unlisted:
        notes.append(_unlisted_note(encoding, unlisted))
    return EncodedFeature(codes, tuple(roles), tuple(cells), tuple(notes))


def _by_sample(encoding: FeatureEncoding, series: Series) -> EncodedFeature:
    """Code samples one by one; the raw value of each is the word of its group, or its number."""
    codes = [encoding.values.get(sample) for sample in series.samples]
    roles = [encoding.roles.get(sample, "unknown") for sample in series.samples]
    raw = [code_word(encoding, code, role) for code, role in zip(codes, roles, strict=True)]
    values = np.array([np.nan if code is None else code for code in codes], dtype=np.float64)
    return EncodedFeature(values, tuple(roles), tuple(raw), ())


def without_samples(
    feature: EncodedFeature, series: Series, excluded: Container[str]
) -> EncodedFeature:
    """Return a feature that is missing for some samples, which a person excluded."""
    out = np.array([sample in excluded for sample in series.samples], dtype=bool)
    return replace(
        feature,
        codes=np.where(out, np.nan, feature.codes),
        roles=tuple("unknown" if o else r for o, r in zip(out, feature.roles, strict=True)),
        raw=tuple(None if o else cell for o, cell in zip(out, feature.raw, strict=True)),
    )


def code_word(encoding: FeatureEncoding, code: float | None, role: Role) -> str | None:
    """Return what a sheet writes for a code: the word of its group, or a number."""
    if code is None:
        return None
    if encoding.feature != "trait" and (feature := feature_named(encoding.feature)):
        return feature.cell(code)
    return GROUP_WORDS[role] if encoding.kind == "binary" else f"{code:.10g}"


def encode_cell(
    encoding: FeatureEncoding, cell: _Cell, procedure: Procedure | str = Procedure.SOUND
) -> float | None:
    """Return the code of one cell as a procedure has it."""
    return encode_with_role(encoding, cell, procedure)[0]


def encode_with_role(
    encoding: FeatureEncoding,
    cell: _Cell,
    procedure: Procedure | str = Procedure.SOUND,
    vocabulary: Vocabulary | None = None,
) -> tuple[float | None, Role]:
    """Return code and role of one cell as a procedure has them."""
    return _Lookup(encoding, Procedure(procedure), vocabulary).read(cell)[:2]


def row_and_map(
    encoding: FeatureEncoding | None,
    description: SeriesDescription,
    procedure: Procedure | str = Procedure.SOUND,
) -> dict[str, Any] | None:
    """Return the row of an encoding and the code of each of its raw cells, None without a row."""
    if encoding is None or encoding.row is None:
        return None
    wanted = simple_key(encoding.key)
    codes = {
        cell: encode_cell(encoding, cell, procedure)
        if simple_key(split_cell(cell)[0]) == wanted or cell in encoding.values
        else None
        for cell in (c or NO_CELL for c in description.characteristics[encoding.row])
        if cell != NO_CELL or cell in encoding.values
    }
    return {"row": encoding.row, "map": codes}


def cells_to_code(
    place: FeatureEncoding, series: Series, procedure: Procedure | str
) -> dict[str, bool]:
    """Return the different cells that an encoding of this place may have to code.

    `place`: Where the feature is; its values are ignored. `procedure`: As for `apply_encoding`.
    Returns cell -> whether it is a sample's first choice. The others are in the row (or those that
    it is shifted to) under another key, or on another line of the same field, and count only where
    an encoding lists them. Raises EncodingFileError if the series does not have the row.
    """
    found = _cells(replace(place, values={}), series, Procedure(procedure))[0]
    if place.sample_field == "characteristics_ch1":
        rows = series.characteristics
        lines = [rows[number] for number in (place.row or 0, *place.shifted) if number < len(rows)]
    else:
        lines = [] if place.key else list(series.sample_fields.get(place.sample_field, ()))
    others = {cell: False for line in lines for cell in line if cell is not None}
    return others | {cell: True for cell in found if cell is not None}


class _Lookup:
    """Codes cells: listed values first, then white space and case aside, then the parser."""

    def __init__(
        self, encoding: FeatureEncoding, procedure: Procedure, vocabulary: Vocabulary | None = None
    ) -> None:
        self._encoding = encoding
        self._vocabulary = vocabulary
        self._first_integer = procedure.first_integer_age
        self._relaxed = {simple_key(cell): cell for cell in reversed(list(encoding.values))}

    def read(self, cell: _Cell) -> tuple[float | None, Role, bool]:
        """Return code, role, and whether the encoding covers the cell."""
        encoding = self._encoding
        if cell is None and NO_CELL not in encoding.values:
            return None, "unknown", True
        cell = cell or NO_CELL
        listed = cell if cell in encoding.values else self._relaxed.get(simple_key(cell))
        if listed is not None:
            code = encoding.values[listed]
            if self._first_integer and code is not None and self._is_parsed_age(cell, code):
                code = self._parse(cell)
            return code, encoding.roles.get(listed) or self._role(code, cell), True
        code = self._parse(cell)
        return code, self._role(code, cell), code is not None

    def _is_parsed_age(self, cell: str, code: float) -> bool:
        """Return whether a listed age is the result of the parser, not a correction."""
        key, value = _key_and_value(self._encoding, cell)
        return self._encoding.parser == "age_years" and code == parse_age_years(value, key)

    def _role(self, code: float | None, cell: str) -> Role:
        """Return the role of a cell that the encoding gives none: by its code and its words."""
        encoding = self._encoding
        if encoding.feature != "trait" or encoding.kind != "binary" or code is None:
            return "unknown"
        key, value = _key_and_value(encoding, cell)
        return "case" if code == 1 else control_role(value, key, self._vocabulary)

    def _parse(self, cell: str) -> float | None:
        encoding = self._encoding
        key, value = _key_and_value(encoding, cell)
        if encoding.parser == "age_years" and self._first_integer:
            hit = re.search(r"\d+", value)
            return float(hit[0]) if hit and len(hit[0]) < 16 else None
        if encoding.parser == "number":
            return parse_number(value)
        parse = parser_named(encoding.parser) if encoding.parser else None
        return parse(value, key) if parse is not None else None


def _key_and_value(encoding: FeatureEncoding, cell: str) -> tuple[str, str]:
    if encoding.sample_field == "description" and encoding.key:
        pairs = split_pairs(cell)
        return pairs[0][:2] if pairs else ("", cell)
    if encoding.sample_field != "characteristics_ch1":
        return "", cell
    return split_cell(cell)


def _cells(
    encoding: FeatureEncoding, series: Series, procedure: Procedure
) -> tuple[list[_Cell], list[str]]:
    """Return the cell of each sample that holds the feature, and notes."""
    if encoding.sample_field != "characteristics_ch1":
        return _cells_of_field(encoding, series), []
    rows = series.characteristics
    if encoding.row is None or not 0 <= encoding.row < len(rows):
        msg = f"{encoding.feature} names row {encoding.row}, but the series has {len(rows)} rows"
        hint = "rows are numbered from 0"
        raise EncodingFileError(msg, path=series.path, field=f"{encoding.feature}.row", hint=hint)
    own = rows[encoding.row]
    if not procedure.finds_values_by_key or not encoding.key:
        return list(own), []
    return _cells_by_key(encoding, encoding.row, series)


def _cells_by_key(
    encoding: FeatureEncoding, own: int, series: Series
) -> tuple[list[_Cell], list[str]]:
    """Find each sample's cell under the key, else a listed cell of the row under another key."""
    key = encoding.key
    listed = {simple_key(cell) for cell in encoding.values}
    rows = series.characteristics
    order = [own, *(n for n in range(len(rows)) if n != own)]
    cells: list[_Cell] = []
    moved: Counter[int] = Counter()
    wanted = simple_key(key)
    for sample in range(len(series.samples)):
        found = None
        for number in order:
            cell = rows[number][sample]
            if cell is not None and simple_key(split_cell(cell)[0]) == wanted:
                found = cell
                moved[number] += number != own
                break
        else:
            near = (rows[n][sample] for n in (own, *encoding.shifted) if n < len(rows))
            found = next((cell for cell in near if cell and simple_key(cell) in listed), None)
        cells.append(found)
    shifted = {number: count for number, count in sorted(moved.items()) if count}
    if not shifted:
        return cells, []
    where = ", ".join(f"{count} in row {number}" for number, count in shifted.items())
    total = sum(shifted.values())
    return cells, [
        f"characteristics are shifted: {key!r} of {total} samples found outside row {own} ({where})"
    ]


def _cells_of_field(encoding: FeatureEncoding, series: Series) -> list[_Cell]:
    rows = series.sample_fields.get(encoding.sample_field, ())
    if encoding.sample_field == "description" and encoding.key:
        return [_pair(encoding.key, [row[n] for row in rows]) for n in range(len(series.samples))]
    # A sample's cell on the line that the encoding lists, else on the first line.
    cells = [[row[n] for row in rows] for n in range(len(series.samples))]
    return [next((c for c in each if c in encoding.values), (*each, None)[0]) for each in cells]


def _pair(key: str, cells: list[_Cell]) -> _Cell:
    wanted = simple_key(key)
    return next(
        (
            piece
            for cell in cells
            for name, _, piece in split_pairs(cell or "")
            if simple_key(name) == wanted
        ),
        None,
    )


def _unlisted_note(encoding: FeatureEncoding, unlisted: Counter[str]) -> str:
    shown = ", ".join(repr(cell) for cell, _ in unlisted.most_common(_SHOWN_CELLS))
    more = f" and {len(unlisted) - _SHOWN_CELLS} more" if len(unlisted) > _SHOWN_CELLS else ""
    return (
        f"{encoding.feature}: {unlisted.total()} samples left missing, "
        f"their values are not encoded: {shown}{more}"
    )


def is_biased(values: NDArray[np.float64]) -> bool:
    """Return whether a variable is distributed too unevenly to be studied.

    Exactly two values make it binary: biased when the rarer one has fewer than 5 samples and less
    than 10 % of them. One value only is biased. Anything else is continuous and fine.

    `values`: shape (n,). The variable; NaN is left out.
    """
    levels, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    if len(levels) < 2:
        return True
    if len(levels) > 2:
        return False
    return bool(counts.min() < 5 and counts.min() < 0.1 * counts.sum())


@dataclass(frozen=True)
class AnnotationRow:
    """One line of the table that shows how a series was annotated."""

    feature: str
    """``trait``, ``age`` or ``gender``."""
    row: int | None
    """Characteristics row; None when another sample field or nothing holds the feature."""
    key: str
    """Key as in the file, or the name of the sample field."""
    raw: str | None
    """Raw cell; None for samples without one."""
    code: float | None
    """Its code; None is missing."""
    role: str
    """Role of a trait value; empty for other features."""
    samples: int
    """How many samples have it."""
    evidence: str
    """Why this value has its code, in words; empty where only the key shows it."""


def annotation_rows(
    annotation: ClinicalAnnotation, series: Series, procedure: Procedure | str = Procedure.SOUND
) -> list[AnnotationRow]:
    """Return an annotation as plain rows: one for each raw value of each feature.

    `procedure`: ``sound`` or ``benchmark``. A feature that is not available has no rows.
    """
    procedure = Procedure(procedure)
    found = [encoding for encoding in annotation.features.values() if encoding is not None]
    return [
        row
        for encoding in found
        for row in _feature_rows(encoding, series, procedure, annotation.excluded)
    ]


def _feature_rows(
    encoding: FeatureEncoding, series: Series, procedure: Procedure, excluded: Container[str]
) -> Iterable[AnnotationRow]:
    encoded = apply_encoding(encoding, series, procedure=procedure)
    encoded = without_samples(encoded, series, excluded)
    groups: dict[tuple[str | None, float | None, str], int] = {}
    for raw, code, role in zip(encoded.raw, encoded.codes.tolist(), encoded.roles, strict=True):
        known = None if code != code else code
        group = (raw, known, role if encoding.feature == "trait" else "")
        groups[group] = groups.get(group, 0) + 1
    key = encoding.key or encoding.sample_field
    relaxed = {simple_key(cell): why for cell, why in encoding.reasons.items()}
    for (raw, code, shown), samples in groups.items():
        text = relaxed.get(simple_key(raw or ""), "")
        yield AnnotationRow(encoding.feature, encoding.row, key, raw, code, shown, samples, text)
