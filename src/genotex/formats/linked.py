"""The linked table, in memory and on disk: the benchmark's CSV, and a Parquet twin for our use."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
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
from genotex.outside import read_document, read_parquet, unreadable
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
_AGAIN = "run the preprocessing of this cohort again"


def write_linked_csv(path: Path, table: LinkedTable) -> None:
    """Write a linked table, samples x (trait, covariates, genes), as ``<cohort>.csv``."""
    columns = [table.trait, *table.covariates, *table.genes]
    values = np.column_stack([table.trait_values, *table.covariates.values(), table.expression])
    with atomic_write(path) as part, part.open("wb") as handle:
        write_csv_table(handle, table.samples, columns, values)


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
    names = [table.trait, *table.covariates, *table.genes]
    data = {_FEATURE: pl.Series(names, dtype=pl.String)}
    head = [table.trait_values, *table.covariates.values()]
    for i, sample in enumerate(table.samples):
        start = np.array([values[i] for values in head], dtype=np.float64)
        data[sample] = pl.Series(np.concatenate([start, table.expression[i]]).astype(np.float64))
    seal = {} if csv is None else {"csv": _fingerprint(csv)}
    with atomic_write(path) as part:
        with part.open("wb") as handle:
            pl.DataFrame(data).write_parquet(handle, compression="lz4", statistics=False)
        seal["parquet"] = _fingerprint(part)
    _write_seal(path, seal)


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
    frame = read_parquet(content, path=path)
    kinds = frame.dtypes
    if (
        frame.columns[:1] != [_FEATURE]
        or kinds[0] != pl.String
        or any(kind != pl.Float64 for kind in kinds[1:])
        or not frame.height
    ):
        msg = "not a linked table of features x samples"
        raise FormatError(msg, path=path, hint=_AGAIN)
    names = [name or "" for name in frame[_FEATURE].to_list()]
    samples = frame.columns[1:]
    values = np.empty((len(samples), len(names)))
    for i, sample in enumerate(samples):
        values[i] = frame[sample].to_numpy()
    return _assemble(samples, names, values)


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


def _assemble(samples: list[str], columns: list[str], values: NDArray[np.float64]) -> LinkedTable:
    """Split the columns into trait, covariates and genes."""
    places = {name: columns.index(name, 1) for name in COVARIATES if name in columns[1:]}
    taken = {0, *places.values()}
    genes = [i for i in range(len(columns)) if i not in taken]
    in_a_row = bool(genes) and genes[-1] - genes[0] == len(genes) - 1
    picked = slice(genes[0], genes[-1] + 1) if in_a_row else genes
    return LinkedTable(
        trait=columns[0],
        samples=tuple(samples),
        trait_values=values[:, 0].copy(),
        covariates={name: values[:, i].copy() for name, i in places.items()},
        genes=tuple(columns[i] for i in genes),
        expression=np.ascontiguousarray(values[:, picked]),
    )
