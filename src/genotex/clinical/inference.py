"""Clinical inference as a command does it: many cases from a file, or one series as a table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genotex.clinical.applying import apply_encoding, encode_cell
from genotex.clinical.description import SeriesDescription, description_from_case
from genotex.clinical.encoding import ClinicalReading, FeatureEncoding
from genotex.clinical.experts import Expert, RuleExpert
from genotex.clinical.readings import rounded
from genotex.clinical.telling import tell_reasons, tell_shifted
from genotex.clinical.values import split_cell
from genotex.clinical.words.wording import simple_key
from genotex.errors import FormatError, UsageError
from genotex.formats import Series, read_json_lines, read_text_lines
from genotex.layout import Procedure

__all__ = [
    "CASE_FIELDS",
    "ReadingRow",
    "count_cases",
    "infer_cases",
    "reading_table",
    "row_and_map",
]

CASE_FIELDS = (
    "id",
    "trait",
    "cohort",
    "background",
    "sample_characteristics",
    "first_ids",
    "annotation_columns",
    "annotation_preview",
)
"""What a solver may see of a case; everything else in the line is dropped before it is read."""


def infer_cases(
    cases: Path, expert: Expert | None = None, procedure: Procedure = "sound"
) -> Iterator[str]:
    """Read the cases of a JSON Lines file, one output line each.

    Parameters
    ----------
    cases : Path
        JSON Lines, plain or gzip.
    expert : Expert, optional
        Who reads them; `RuleExpert` by default.
    procedure : str
        ``benchmark`` takes the first integer of a cell as age.

    Yields
    ------
    str
        A JSON object without line end: ``id``, ``is_gene_available``, and ``trait``, ``age``,
        ``gender`` as null or ``{"row", "map": {raw value: code or null}}``; ``certainty`` of the
        trait (null: not measured), its ``runner_up`` as null or ``{"row", "map"}``;
        ``certainties`` of gene expression, age and gender; ``keys`` of the features and ``roles``
        of the trait's cells; ``evidence`` says why.

    Raises
    ------
    FormatError
        If a line is no case, or has the id of another; it names the line and the field.
    """
    expert = expert or RuleExpert()
    lines: dict[str, int] = {}
    for number, case in _read_lines(cases):
        first = lines.setdefault(case["id"], number)
        if first != number:
            msg = f"{case['id']!r} is the id of line {first} already"
            hint = "answers are told apart by their ids"
            raise FormatError(msg, path=cases, line=number, field="id", hint=hint)
        try:
            description = description_from_case(case)
        except FormatError as error:
            raise error.at(cases, number) from error
        try:
            reading = expert.read(description, case["trait"])
        except UsageError as error:
            raise FormatError(str(error), path=cases, line=number, field="trait") from error
        yield json.dumps(
            _prediction(case["id"], description, reading, procedure), ensure_ascii=False
        )


def count_cases(cases: Path) -> int:
    """Return how many lines of a JSON Lines file hold something.

    Raises
    ------
    FormatError
        If the file cannot be read.
    """
    return sum(1 for line in read_text_lines(cases) if line.strip())


def _read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, case in read_json_lines(path, "a case"):
        for name in ("id", "trait"):
            if not isinstance(case.get(name), str) or not case[name].strip():
                msg = "must be a text"
                raise FormatError(msg, path=path, line=number, field=name)
        yield number, {name: case[name] for name in CASE_FIELDS if name in case}


def _prediction(
    case_id: str, description: SeriesDescription, reading: ClinicalReading, procedure: Procedure
) -> dict[str, Any]:
    features = {"trait": reading.trait, "age": reading.age, "gender": reading.gender}
    return {
        "id": case_id,
        "is_gene_available": reading.gene.available,
        **{name: row_and_map(e, description, procedure) for name, e in features.items()},
        "certainty": rounded(reading.certainty),
        "runner_up": row_and_map(reading.runner_up, description, procedure),
        "certainties": {
            "gene": reading.gene.certainty,
            "age": reading.age.certainty if reading.age else None,
            "gender": reading.gender.certainty if reading.gender else None,
        },
        "keys": {name: e.key for name, e in features.items() if e},
        "roles": dict(reading.trait.roles) if reading.trait else {},
        "evidence": {
            "gene": [reading.gene.reason, *reading.gene.evidence],
            **{name: _evidence(e) if e else [] for name, e in features.items()},
        },
    }


def _evidence(encoding: FeatureEncoding) -> list[str]:
    return [*encoding.evidence, *tell_shifted(encoding), *tell_reasons(encoding)]


def row_and_map(
    encoding: FeatureEncoding | None,
    description: SeriesDescription,
    procedure: Procedure = "sound",
) -> dict[str, Any] | None:
    """Return the row of an encoding and the code of each of its raw cells, None without a row."""
    if encoding is None or encoding.row is None:
        return None
    wanted = simple_key(encoding.key)
    codes = {
        cell: encode_cell(encoding, cell, procedure)
        if simple_key(split_cell(cell)[0]) == wanted or cell in encoding.values
        else None
        for cell in description.characteristics[encoding.row]
        if cell is not None
    }
    return {"row": encoding.row, "map": codes}


@dataclass(frozen=True)
class ReadingRow:
    """One line of the table that shows how a series was read.

    Attributes
    ----------
    feature : str
        ``trait``, ``age`` or ``gender``.
    row : int or None
        Characteristics row; None when another sample field or nothing holds the feature.
    key : str
        Key as in the file, or the name of the sample field.
    raw : str or None
        Raw cell; None for samples without one.
    code : float or None
        Its code; None is missing.
    role : str
        Role of a trait value; empty for other features.
    samples : int
        How many samples have it.
    evidence : str
        Why this value has its code, in words; empty where only the key tells.
    """

    feature: str
    row: int | None
    key: str
    raw: str | None
    code: float | None
    role: str
    samples: int
    evidence: str


def reading_table(
    reading: ClinicalReading, series: Series, procedure: Procedure = "sound"
) -> list[ReadingRow]:
    """Return how a series was read as plain rows: one for each raw value of each feature.

    Parameters
    ----------
    reading : ClinicalReading
        What an expert said.
    series : Series
        The series.
    procedure : str
        ``sound`` or ``benchmark``.

    Returns
    -------
    list of ReadingRow
        A feature that is not available has no rows.
    """
    encodings = (reading.trait, reading.age, reading.gender)
    return [row for e in encodings if e for row in _feature_rows(e, series, procedure)]


def _feature_rows(
    encoding: FeatureEncoding, series: Series, procedure: Procedure
) -> Iterable[ReadingRow]:
    encoded = apply_encoding(encoding, series, procedure=procedure)
    groups: dict[tuple[str | None, float | None, str], int] = {}
    for raw, code, role in zip(encoded.raw, encoded.codes.tolist(), encoded.roles, strict=True):
        known = None if code != code else code
        group = (raw, known, role if encoding.feature == "trait" else "")
        groups[group] = groups.get(group, 0) + 1
    key = encoding.key or encoding.sample_field
    relaxed = {simple_key(cell): why for cell, why in encoding.reasons.items()}
    for (raw, code, shown), samples in groups.items():
        text = relaxed.get(simple_key(raw or ""), "")
        yield ReadingRow(encoding.feature, encoding.row, key, raw, code, shown, samples, text)
