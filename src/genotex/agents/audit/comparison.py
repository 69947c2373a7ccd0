"""What generated code left, compared with what the raw files give: fields, records and tables.

The fields of a record that are its own are listed for each notebook. All other fields are written
by the host: computed again from the raw files, or filled in. What generated code wrote there is
never adopted, and a doubt where it is another value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from genotex.agents.task import NotebookKind
from genotex.agents.toolkit.features import BY
from genotex.bench.runs.problem_record import ErrorClass
from genotex.clinical import (
    FEATURES,
    ClinicalAnnotation,
    Feature,
    FeatureEncoding,
    GeneVerdict,
    annotation_to_json,
)
from genotex.cohorts.linking import JudgedCohort
from genotex.errors import FormatError, MethodFailedError
from genotex.formats import LinkedTable
from genotex.outside import check_parquet


def reject(what: str) -> NoReturn:
    """Reject what a session left."""
    raise MethodFailedError(ErrorClass.BAD_OUTPUT, what)


def reject_oversized(path: Path, most_rows: int, most_columns: int) -> None:
    """Reject a Parquet file with more cells than there can be: a small file may unpack to any size.

    Only its metadata is read.
    """
    try:
        with path.open("rb") as handle:
            shape = check_parquet(handle, path)
    except OSError as error:
        reject(f"{path.name} cannot be read as Parquet: {error}")
    except FormatError as error:
        reject(f"{path.name} cannot be read as Parquet: {error.message}")
    rows, columns = shape.rows, len(shape.names)
    if rows > most_rows or columns > most_columns:
        reject(
            f"{path.name} has {rows} rows and {columns} columns; expected are at most {most_rows} "
            f"and {most_columns}"
        )


WITHIN = 1e-6
"""How far apart two numbers may be, relative to the larger one."""


def records_agree(one: object, other: object) -> bool:
    """Return whether two JSON values are the same; numbers may differ by rounding."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(records_agree(one[k], other[k]) for k in other)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(records_agree, one, other))
    if isinstance(one, float) and isinstance(other, float):
        both_missing = math.isnan(one) and math.isnan(other)
        return both_missing or math.isclose(one, other, rel_tol=WITHIN)
    return one == other


@dataclass(frozen=True, eq=False)
class SavedTables:
    """The two files of a linked table."""

    filled: LinkedTable  # The CSV file
    # The Parquet file, in which missing values are not filled; None where it is missing.
    unfilled: LinkedTable | None


@dataclass(frozen=True)
class Differences:
    """Differences between a saved table and the expected one."""

    # lacking, surplus: ``samples``, ``genes`` or ``covariates``, and those that only one of
    # the two has.
    lacking: tuple[tuple[str, tuple[str, ...]], ...]
    surplus: tuple[tuple[str, tuple[str, ...]], ...]
    # Genes with a different value anywhere, of those that both have; the same of single values.
    genes: int
    of_genes: int
    values: int
    of_values: int
    largest: float  # The largest of these differences

    @property
    def none(self) -> bool:
        """Whether the tables are the same."""
        return not (self.lacking or self.surplus or self.values)

    @property
    def absent_or_other_genes(self) -> int:
        """How many genes only one of the two has, or with other values."""
        sets = (*self.lacking, *self.surplus)
        return self.genes + sum(len(names) for kind, names in sets if kind == "genes")

    def words(self) -> tuple[str, ...]:
        """Return each kind of difference in a sentence."""
        sentences = [_named("it lacks {} of the raw files", *found) for found in self.lacking]
        sentences += [
            _named("it has {} that the raw files do not give", *found) for found in self.surplus
        ]
        if self.values:
            sentences.append(
                f"{self.values} of {self.of_values} expression values, in {self.genes} of "
                f"{self.of_genes} genes, are not those that the raw files give; they differ by up "
                f"to {self.largest:.3g}"
            )
        return tuple(sentences)


def _named(sentence: str, kind: str, names: Sequence[str]) -> str:
    return sentence.format(f"{len(names)} {kind}") + f", such as {names[0]}"


def differences(saved: SavedTables, expected: JudgedCohort) -> Differences:
    """Compare the saved tables with those expected of a cohort.

    Values are compared wherever both have the sample and the gene: the filled ones with the filled
    ones, and gaps with gaps.
    """
    assert expected.filled is not None and expected.unfilled is not None
    pairs = {
        "samples": (saved.filled.samples, expected.filled.samples),
        "genes": (saved.filled.genes, expected.filled.genes),
        "covariates": (tuple(saved.filled.covariates), tuple(expected.filled.covariates)),
    }
    other = _apart(saved.filled, expected.filled)
    if saved.unfilled is not None:
        gaps = _apart(saved.unfilled, expected.unfilled)
        other = np.where(np.isnan(gaps) | (gaps > other), gaps, other)
    wrong = np.isnan(other) | (other > 0)
    known = other[np.isfinite(other)]
    return Differences(
        lacking=_only_in(pairs, 1),
        surplus=_only_in(pairs, 0),
        genes=int(wrong.any(axis=0).sum()),
        of_genes=wrong.shape[1],
        values=int(wrong.sum()),
        of_values=wrong.size,
        largest=float(known.max(initial=0.0)),
    )


def _only_in(
    pairs: dict[str, tuple[tuple[str, ...], tuple[str, ...]]], side: int
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return what one side alone has, by kind."""
    found = []
    for kind, both in pairs.items():
        there = frozenset(both[1 - side])
        if names := tuple(name for name in both[side] if name not in there):
            found.append((kind, names))
    return tuple(found)


def _apart(one: LinkedTable, other: LinkedTable) -> NDArray[np.float64]:
    """Return how far values are apart, samples x genes of both; 0 within rounding, NaN at a gap."""
    samples, genes = set(other.samples), set(other.genes)
    rows = [s for s in one.samples if s in samples]
    columns = [g for g in one.genes if g in genes]
    a, b = _part(one, rows, columns), _part(other, rows, columns)
    apart = np.abs(a - b)
    apart[(np.isnan(a) & np.isnan(b)) | np.isclose(a, b, rtol=1e-6, atol=1e-9)] = 0.0
    return apart


def _part(table: LinkedTable, rows: list[str], columns: list[str]) -> NDArray[np.float64]:
    if (tuple(rows), tuple(columns)) == (table.samples, table.genes):
        return table.expression
    row = {name: i for i, name in enumerate(table.samples)}
    column = {name: j for j, name in enumerate(table.genes)}
    return table.expression[np.ix_([row[s] for s in rows], [column[g] for g in columns])]


_FEATURES = tuple(
    f"reading.{feature}.{field}"
    for feature in ("trait", "age", "gender")
    for field in (
        "row",
        "key",
        "kind",
        "values",
        "roles",
        "parser",
        "sample_field",
        "shifted",
        "evidence",
    )
)
_READING = (*_FEATURES, "reading.gene.available", "reading.gene.reason", "reading.untold")

OWN_FIELDS: Mapping[NotebookKind, tuple[str, ...]] = {
    # Of the evidence: how features are coded, and which columns name the genes of rows.
    "geo": (*_READING, "mapping.id_column", "mapping.gene_column"),
    # The same, and which study was taken.
    "tcga": (*_READING, "series.title"),
    # Of the answer: which cohort, model and covariates, and the list itself.
    "statistics": (
        "cohort.id",
        "method.options.model",
        "method.options.covariates",
        "significant_genes",
        "cv_performance",
    ),
}
"""By dotted names. Of ``cohort_info.json`` the flags and the number of samples are checked with the
table; of the tables themselves, all that the raw files give."""


def own_part(kind: NotebookKind, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with the fields of generated code alone."""
    part: dict[str, Any] = {}
    for name in OWN_FIELDS[kind]:
        *above, last = name.split(".")
        source: Any = record
        for each in above:
            source = source.get(each) if isinstance(source, Mapping) else None
        if isinstance(source, Mapping) and last in source:
            place = part
            for each in above:
                place = place.setdefault(each, {})
            place[last] = source[last]
    return part


def own_reading(kind: NotebookKind, reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return an annotation as JSON with what generated code decides, and nothing else of it."""
    part: dict[str, Any] = own_part(kind, {"reading": reading}).get("reading", {})

    def empty(name: Feature) -> FeatureEncoding | None:
        return None if reading.get(name) is None else FeatureEncoding(name, None, "", "binary")

    features = (empty("trait"), empty("age"), empty("gender"))
    whole = annotation_to_json(ClinicalAnnotation(GeneVerdict(False, ""), *features, by=BY))
    for name, decided in part.items():
        by_code = {"told_by": BY} if name in FEATURES else {}
        whole[name] = {**whole[name], **decided, **by_code}
    return whole


_FLAGGED = {
    "roles": "roles of samples",
    "sample_facts": "other characteristics",
    "counts": "counts",
    "options.control_roles": "controls",
}
"""Fields that the comparison with the raw files has words of its own for."""


def not_adopted(
    kind: NotebookKind, said: Mapping[str, Any], is_so: Mapping[str, Any], flags: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the flags of a record with those of fields that are not its own and differ."""
    names = (
        name
        for name in _others(said, is_so, OWN_FIELDS[kind])
        if not any(flag.startswith(f"the {_FLAGGED.get(name, '-')} in its") for flag in flags)
    )
    return (*flags, *(f"{name} is not for generated code to write: not adopted" for name in names))


_PARTS = ("reading", "options", "mapping", "series", "linking", "cohort", "method")
"""Records within a record, whose fields are named one by one."""


def _others(
    said: Mapping[str, Any], is_so: Mapping[str, Any], own: tuple[str, ...], above: str = ""
) -> Iterator[str]:
    """Yield the names of fields that differ and are not its own."""
    for field in dict.fromkeys([*said, *is_so]):
        name, one, other = f"{above}{field}", said.get(field), is_so.get(field)
        if name in own:
            continue
        inside = name in _PARTS if not above else above.count(".") == 1
        if inside and isinstance(one, Mapping) and isinstance(other, Mapping):
            yield from _others(one, other, own, f"{name}.")
        elif not (_agree(name, one, other) or (_is_empty(one) and _is_empty(other))):
            yield name


def _agree(name: str, one: Any, other: Any) -> bool:
    """Return whether two values agree; generated code may have read fewer files than the host."""
    if name == "files" and isinstance(one, list) and isinstance(other, list):
        return all(each in other for each in one)
    return records_agree(one, other) or (name == "series.platform_title" and _is_empty(one))


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {}, ())
