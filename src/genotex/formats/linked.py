"""The linked table, in memory and on disk: the benchmark's CSV, and a Parquet twin for our use."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.errors import FormatError
from genotex.features import table_features
from genotex.formats.csv_tables import parse_csv_header, read_csv_table, write_csv_table
from genotex.formats.json_files import read_json_object
from genotex.formats.lines import LineReader
from genotex.formats.tables import first_repeated
from genotex.io import atomic_write
from genotex.layout import OutputFolder
from genotex.outside import check_parquet, read_document, read_parquet, unreadable
from genotex.records import Sha256, checked


@dataclass(frozen=True, eq=False)
class LinkedTable:
    """Samples x (trait, covariates, genes) of one cohort."""

    trait: str
    """Name of the trait column (the trait folder name)."""
    samples: tuple[str, ...]
    """Sample ids."""
    trait_values: NDArray[np.float64]
    """Shape (n,). 0 control / 1 case, or the measured level."""
    covariates: Mapping[str, NDArray[np.float64]]
    """Shape (n,). ``Age`` (years) and ``Gender`` (female 0, male 1), as far as the cohort has them,
    in this order; in an unfilled table a value may be NaN."""
    genes: tuple[str, ...]
    """Official symbols in table order."""
    expression: NDArray[np.float64]
    """Shape (n, p). Samples x genes; NaN is missing and occurs only in an unfilled table."""

    def take(self, keep: NDArray[np.bool_]) -> LinkedTable:
        """Return the table of some of its samples; `keep` has shape (n,)."""
        if keep.all():
            return self
        return replace(
            self,
            samples=tuple(s for s, k in zip(self.samples, keep, strict=True) if k),
            trait_values=self.trait_values[keep],
            covariates={name: values[keep] for name, values in self.covariates.items()},
            expression=self.expression[keep],
        )


_log = logging.getLogger(__name__)

COVARIATES = tuple(feature.column for feature in table_features())
_FEATURE = "feature"
_LARGE = 1 << 28
"""Bytes of expression that are not copied whole to be read or written."""
_AGAIN = "run the preprocessing of this cohort again"


def write_linked_csv(
    path: Path, table: LinkedTable, gaps: NDArray[np.float64] | None = None
) -> None:
    """Write a linked table, samples x (trait, covariates, genes), as ``<cohort>.csv``.

    `gaps`: What to write for a missing value of each gene; an empty cell by default.
    """
    columns = [table.trait, *table.covariates, *table.genes]
    head = np.column_stack([table.trait_values, *table.covariates.values()])

    def rows(part: slice) -> NDArray[np.float64]:
        genes = table.expression[part]
        if gaps is not None:
            genes = np.where(np.isnan(genes), gaps, genes)
        return np.column_stack([head[part], genes])

    with atomic_write(path) as part, part.open("wb") as handle:
        write_csv_table(handle, table.samples, columns, rows)


def read_linked_csv(path: Path | str) -> LinkedTable:
    """Read a linked table from any source: the first column after the index is the trait."""
    path = Path(path)
    table = read_csv_table(path)
    return _assemble(table.rows, table.columns, table.values)


def read_linked_header(path: Path | str) -> list[str]:
    """Return the column names of a linked CSV: trait, covariates, genes."""
    path = Path(path)
    with LineReader(path) as reader:
        return parse_csv_header((reader.next_line() or "").encode(), path)


def write_linked_parquet(path: Path, table: LinkedTable, *, csv: Path | None = None) -> None:
    """Write the Parquet twin: features x samples, missing values kept.

    Genes as rows make a file of few columns, which is read an order of magnitude faster than one
    of 20,000.

    A small JSON file next to it also holds the SHA-256 of the Parquet file: a damaged one can
    crash the process inside polars, so its digest is compared before it is opened.

    `path`: Replaced whole or not at all. `table`: the unfilled table. `csv`: the filled table that
    was just written. Its size and SHA-256 are stored with the Parquet file, so that `read_linked`
    knows that the two belong together; else it reads the CSV.
    """
    if (repeated := first_repeated([_FEATURE, *table.samples])) is not None:
        msg = f"sample {repeated} occurs twice in the linked table"
        raise FormatError(msg, path=path, hint="average the samples of one id first")
    head = np.column_stack([table.trait_values, *table.covariates.values()])
    # Rows of a large table stay where they are in memory.
    frame = pl.concat(
        (
            _features([table.trait, *table.covariates], table.samples, head),
            _features(table.genes, table.samples, table.expression),
        ),
        rechunk=table.expression.nbytes <= _LARGE,
    )
    seal = {} if csv is None else {"csv": _fingerprint(csv)}
    with atomic_write(path) as part:
        with part.open("wb") as handle:
            frame.write_parquet(handle, compression="lz4", statistics=False)
        seal["parquet"] = _fingerprint(part)
    _write_seal(path, seal)


def _features(
    names: Sequence[str], samples: Sequence[str], values: NDArray[np.float64]
) -> pl.DataFrame:
    columns = zip(samples, np.asarray(values, dtype=np.float64), strict=True)
    data = {_FEATURE: pl.Series(names, dtype=pl.String)}
    return pl.DataFrame(data | {sample: pl.Series(row) for sample, row in columns})


def seal_linked(path: Path, csv: Path) -> None:
    """Write the digests of a Parquet twin and of its filled table, as they are now."""
    _write_seal(path, {"csv": _fingerprint(csv), "parquet": _fingerprint(path)})


def _write_seal(parquet: Path, seal: Mapping[str, Any]) -> None:
    with atomic_write(_seal_path(parquet)) as part:
        part.write_text(json.dumps(seal, indent=1) + "\n", encoding="utf-8")


def remove_linked_parquet(path: Path) -> None:
    """Remove the Parquet twin and its digests, if they exist."""
    path.unlink(missing_ok=True)
    _seal_path(path).unlink(missing_ok=True)


def table_digests(output: OutputFolder, trait: str, cohort: str) -> dict[str, str]:
    """Return the SHA-256 of both forms of a linked table as they were written, if there are any."""
    seal = _seal(output.linked_parquet(trait, cohort))
    return {form: found["sha256"] for form, found in seal.items() if "sha256" in found}


def check_linked_parquet(
    output: OutputFolder, trait: str, cohort: str, digests: Mapping[str, str]
) -> None:
    """Refuse a cohort whose unfilled table is gone, damaged, or not the recorded one.

    `digests`: as `table_digests` returned when it was written; nothing is checked where it is
    empty.
    """
    path, wanted = output.linked_parquet(trait, cohort), digests.get("parquet")
    if wanted is None:
        return
    if not path.is_file():
        msg = "the table with the missing values of this cohort is gone"
        raise FormatError(msg, path=path, hint=_AGAIN)
    if _fingerprint(path)["sha256"] != wanted:
        msg = "the Parquet file is damaged, or is not the table of this cohort"
        raise FormatError(msg, path=path, hint=_AGAIN)


def _seal_path(parquet: Path) -> Path:
    """Return the path of a Parquet twin's digests."""
    return parquet.with_name(f"{parquet.name}.json")


def read_linked_parquet(path: Path | str) -> LinkedTable:
    """Read the Parquet twin of a linked table."""
    path = Path(path)
    try:
        content = read_document(path, "unpacked")
    except OSError as error:
        msg = f"cannot be read as Parquet: {error.strerror or error}"
        raise FormatError(msg, path=path, hint=_AGAIN) from error
    if _seal(path).get("parquet") != _digest(content):
        msg = "the Parquet file is damaged or was not written by genotex"
        raise FormatError(msg, path=path, hint=_AGAIN)
    width, frames = _frames(content, path)
    samples = list[str]()
    place, head, expression = _Places(()), np.empty((0, 0)), np.empty((0, 0))
    for frame in frames:
        if not samples:
            names = _features_of(frame, path)
            frame = frame.drop(_FEATURE)
            place = _Places(names)
            head = np.empty((width - 1, len(place.head)))
            expression = np.empty((width - 1, len(place.genes)))
        if any(kind != pl.Float64 for kind in frame.dtypes):
            raise _no_table(path)
        for i, column in enumerate(frame.iter_columns(), len(samples)):
            values = column.to_numpy()
            head[i], expression[i] = values[place.head], values[place.picked]
        samples += frame.columns
    return place.table(samples, head, expression)


def _frames(content: bytes, path: Path) -> tuple[int, Iterator[pl.DataFrame]]:
    """Return the number of columns of a Parquet file, and the columns, of a large one in parts."""
    if len(content) <= _LARGE:
        frame = read_parquet(content, path=path)
        return frame.width, iter([frame])
    names = check_parquet(BytesIO(content), path).names
    at_once = max(2, _LARGE * len(names) // len(content))
    parts = (names[at : at + at_once] for at in range(0, len(names), at_once))
    return len(names), (read_parquet(content, path=path, columns=part) for part in parts)


def _features_of(frame: pl.DataFrame, path: Path) -> list[str]:
    """Return the names of the rows, which the first column holds."""
    if frame.columns[:1] != [_FEATURE] or frame.dtypes[0] != pl.String or not frame.height:
        raise _no_table(path)
    return [name or "" for name in frame[_FEATURE].to_list()]


def _no_table(path: Path) -> FormatError:
    return FormatError("not a linked table of features x samples", path=path, hint=_AGAIN)


def read_linked(output: OutputFolder, trait: str, cohort: str) -> LinkedTable:
    """Read the linked table of a cohort, missing values not filled where we know them.

    `output`: the output folder. `trait`, `cohort`: which one. Returns from the Parquet twin if it
    was written for exactly this CSV, byte by byte; else from the CSV, which was edited or made
    elsewhere: its filled values then count as measured. Which file is newer does not matter, since
    copying a folder changes that. Ignoring a twin is logged as a warning.
    """
    path = output.linked_csv(trait, cohort)
    twin = output.linked_parquet(trait, cohort)
    if not path.is_file():
        msg = "this cohort has no linked table"
        hint = "preprocess it first; an unusable cohort gets none"
        raise FormatError(msg, path=path, hint=hint)
    if twin.is_file():
        if _belongs_to(twin, path):
            return read_linked_parquet(twin)
        _log.warning(
            "%s: the unfilled values in %s were not written together with this file, which may have"
            " been edited since; reading the CSV, whose filled values count as measured (%s to"
            " distinguish them)",
            path,
            twin,
            _AGAIN,
        )
    return read_linked_csv(path)


def linked_files(output: OutputFolder, trait: str, cohort: str) -> tuple[Path, ...]:
    """Return the paths of all files that `read_linked` may read, whether they exist or not."""
    twin = output.linked_parquet(trait, cohort)
    return output.linked_csv(trait, cohort), twin, _seal_path(twin)


def _belongs_to(twin: Path, csv: Path) -> bool:
    """Return whether the twin was written for a CSV with exactly this content."""
    kept = _seal(twin).get("csv")
    return kept is not None and kept == _fingerprint(csv)


def _seal(parquet: Path) -> dict[str, Any]:
    """Return the digests of a twin, empty if they are missing or unreadable."""
    path = _seal_path(parquet)
    try:
        return {name: asdict(found) for name, found in _read_seal(path).items()}
    except FormatError:
        return {}


@dataclass(frozen=True)
class _Fingerprint:
    """Size and digest of a file."""

    size: int
    sha256: Sha256


def _read_seal(path: Path) -> dict[str, _Fingerprint]:
    return checked(dict[str, _Fingerprint], read_json_object(path), extra="forbid", path=path)


def _fingerprint(path: Path) -> dict[str, Any]:
    """Return size and SHA-256 of a file (0.05 s for 60 MB)."""
    try:
        with path.open("rb") as handle:
            digest = hashlib.file_digest(handle, "sha256").hexdigest()
            return {"size": handle.tell(), "sha256": digest}
    except OSError as error:
        raise unreadable(path, error) from error


def _digest(content: bytes) -> dict[str, Any]:
    return {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}


class _Places:
    """Where trait, covariates and genes are among the columns of a linked table."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = columns
        self._covariates = {n: columns.index(n, 1) for n in COVARIATES if n in columns[1:]}
        self.head = [0, *self._covariates.values()]
        taken = set(self.head)
        self.genes = [i for i in range(len(columns)) if i not in taken]
        genes = self.genes
        in_a_row = bool(genes) and genes[-1] - genes[0] == len(genes) - 1
        self.picked = slice(genes[0], genes[-1] + 1) if in_a_row else genes

    def table(
        self, samples: Sequence[str], head: NDArray[np.float64], expression: NDArray[np.float64]
    ) -> LinkedTable:
        """Return the table with the values of `head` (n, 1 + covariates) and of the genes."""
        trait, *covariates = (column.copy() for column in head.T)
        return LinkedTable(
            trait=self.columns[0],
            samples=tuple(samples),
            trait_values=trait,
            covariates=dict(zip(self._covariates, covariates, strict=True)),
            genes=tuple(self.columns[i] for i in self.genes),
            expression=expression,
        )


def _assemble(
    samples: Sequence[str], columns: Sequence[str], values: NDArray[np.float64]
) -> LinkedTable:
    """Split the columns into trait, covariates and genes."""
    place = _Places(columns)
    expression = np.ascontiguousarray(values[:, place.picked])
    return place.table(samples, values[:, place.head], expression)
