"""AnnData, in memory or as ``.h5ad``: values, names of genes, and annotation of the samples."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import polars as pl

from genotex.errors import FileLimitError, FormatError, UsageError
from genotex.extras import load_extra
from genotex.formats.own_tables.frames import table_of_frame
from genotex.formats.own_tables.table_file import TableFile, TableFormat
from genotex.outside import current_limits, open_hdf5

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anndata import AnnData

    from genotex.outside.arrays import Shapes

_COUNT_LAYERS = ("counts", "raw_counts", "count")
_AGAIN = "write it again with anndata"


def is_anndata(source: Any) -> bool:
    """Return whether a source is an AnnData object or file, by its attributes or name."""
    if isinstance(source, str | Path):
        return Path(source).suffix.lower() == ".h5ad"
    return all(hasattr(source, name) for name in ("obs", "var", "X", "layers", "obs_names"))


def read_anndata(source: Any, *, counts: bool = True) -> tuple[TableFile, TableFile]:
    """Read AnnData as a table of genes x samples, and its ``obs`` as a sample table.

    `source`: Samples x genes. `counts`: prefer a layer of counts to ``X``.
    """
    if isinstance(source, str | Path):
        path = Path(source)
        with open_h5ad(path) as stored:
            return _tables(stored, path.name, path, counts=counts)
    label = "the AnnData object"
    try:
        _refuse_single_cells(int(source.shape[0]), int(source.shape[1]), None)
    except FileLimitError as error:
        msg = f"{label} {error}"
        raise UsageError(msg) from error
    data = source.to_memory() if source.isbacked else source
    return _tables(data, label, None, counts=counts)


def _tables(
    data: Any, label: str, path: Path | None, *, counts: bool
) -> tuple[TableFile, TableFile]:
    found = _values(data, label, path, counts=counts)
    values, var, place = _in_base_2(data, *found)
    names = [str(name) for name in data.obs.index]
    described = table_of_frame(var, label, numbers=False)
    text = [i for i, title in enumerate(described.header) if i == 0 or _describes(title, var)]
    columns = [described.columns.to_series(i).alias(f"c{j}") for j, i in enumerate(text)]
    matrix = pl.from_numpy(
        np.asarray(values, dtype=np.float64).T,
        schema=[f"c{j}" for j in range(len(text), len(text) + len(names))],
        orient="row",
    ).with_columns(pl.all().fill_nan(None))
    header = (*(described.header[i] for i in text), *names)
    frame = pl.DataFrame(columns).hstack(matrix)
    obs = table_of_frame(data.obs, f"obs of {label}", numbers=False)
    first = str(data.obs.index.name or "sample")
    obs = replace(obs, header=(first, *obs.header[1:]), form="AnnData", path=path)
    return TableFile(path, label, f"AnnData, {place}", header, frame, 1), obs


@contextmanager
def open_h5ad(path: Path) -> Iterator[_StoredAnnData]:
    """Open an AnnData file that was checked; only what is asked for is read, from the open file."""
    if not path.is_file():
        msg = f"{path} does not exist"
        raise UsageError(msg)

    def first(shapes: Shapes) -> None:
        _refuse_single_cells(_length(shapes, "obs"), _length(shapes, "var"), path)

    with open_hdf5(path, first=first, kind="an AnnData file") as file:
        yield _StoredAnnData(file, path)


def _length(shapes: Shapes, name: str) -> int:
    """Return how many rows a table of the file has, by its columns."""
    columns = (shape for key, shape in shapes.items() if key.rpartition("/")[0] == name)
    return max((shape[0] for shape in columns if shape), default=0)


class _StoredAnnData:
    """The parts of an AnnData file that are used, each read when it is asked for.

    `file`: Open, and checked by `open_hdf5`.
    """

    def __init__(self, file: Any, path: Path) -> None:
        self._file, self._path = file, path
        missing = [name for name in ("obs", "var") if name not in file]
        if missing:
            self._refuse(f"it has no {' and no '.join(missing)}")

    def _refuse(self, why: object) -> NoReturn:
        reason = (str(why).splitlines() or [type(why).__name__])[0]
        msg = f"is not an AnnData file that can be read: {reason}"
        raise FormatError(msg, path=self._path, hint=_AGAIN)

    def _element(self, name: str) -> Any:
        io = load_extra("anndata.io", "anndata", self._path.name)
        try:
            return io.read_elem(self._file[name])
        # The library raises whatever a damaged file makes it raise.
        except Exception as error:
            self._refuse(error)

    def _frame(self, name: str) -> Any:
        import pandas as pd

        found = self._element(name)
        if not isinstance(found, pd.DataFrame):
            self._refuse(f"{name} is not a table, or was written by anndata before 0.7")
        return found

    def _matrix(self, name: str, columns: int) -> Any:
        """Return samples x genes, whose shape and indices are those that they should be."""
        found = self._element(name)
        shape = getattr(found, "shape", None)
        if shape != (len(self.obs), columns):
            self._refuse(f"{name} has the shape {shape}, not {(len(self.obs), columns)}")
        if hasattr(found, "check_format"):
            try:
                # An index beyond the end would be written to any place in memory.
                found.check_format(full_check=True)
            except ValueError as error:
                self._refuse(f"{name}: {error}")
        return found

    @cached_property
    def obs(self) -> Any:
        """The samples, a pandas data frame."""
        return self._frame("obs")

    @cached_property
    def var(self) -> Any:
        """The genes, a pandas data frame."""
        return self._frame("var")

    @cached_property
    def X(self) -> Any:
        """The values, None where there are none."""
        return self._matrix("X", len(self.var)) if "X" in self._file else None

    @cached_property
    def layers(self) -> _Layers:
        """The layers by name."""
        return _Layers(self)

    @cached_property
    def raw(self) -> _Raw | None:
        """The values before genes were chosen and scaled."""
        return _Raw(self) if "raw/X" in self._file and "raw/var" in self._file else None

    @cached_property
    def uns(self) -> Mapping[str, Any]:
        """Of the unstructured annotation what is used: how scanpy transformed, genotex's record."""
        names = [name for name in ("log1p", "genotex") if f"uns/{name}" in self._file]
        return {name: self._element(f"uns/{name}") for name in names}

    def to_memory(self) -> AnnData:
        """Return values, layers, samples, genes, and the record of genotex as AnnData."""
        layers = {name: self.layers[name] for name in self.layers.names}
        make = load_extra("anndata", "anndata", self._path.name).AnnData
        return make(self.X, obs=self.obs, var=self.var, layers=layers, uns=dict(self.uns))


class _Layers:
    """The layers of a file, read one at a time."""

    def __init__(self, data: _StoredAnnData) -> None:
        self._data = data
        self.names = tuple(data._file.get("layers", ()))

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, name: str) -> Any:
        return self._data._matrix(f"layers/{name}", len(self._data.var))


class _Raw:
    """``raw`` of a file."""

    def __init__(self, data: _StoredAnnData) -> None:
        self.var = data._frame("raw/var")
        self.X = data._matrix("raw/X", len(self.var))


def _refuse_single_cells(samples: int, genes: int, path: Path | None) -> None:
    """Refuse as many samples as only single cells can be."""
    what = (
        f"holds {samples:,} x {genes:,} values, which looks like single cells: add up the counts "
        "of each person and cell type first (pseudobulk)"
    )
    current_limits().check("samples_x_genes", samples * genes, what, path)


def _in_base_2(data: Any, values: Any, var: Any, place: str) -> tuple[Any, Any, str]:
    """Bring what scanpy's log1p made, a natural logarithm unless a base is stated, to base 2."""
    logged = not place.startswith("layer") and "log1p" in data.uns
    if logged and np.nanmin(values, initial=0.0) >= 0:
        base = (data.uns["log1p"] or {}).get("base") or np.e
        if base != 2:
            return values * np.log2(float(base)), var, f"{place}, log1p brought to base 2"
    return values, var, place


def _values(data: Any, label: str, path: Path | None, *, counts: bool) -> tuple[Any, Any, str]:
    """Return the values, their annotation of genes, and which values they are."""

    def dense(values: Any, place: str) -> Any:
        return _dense(values, place, label, path)

    layer = next((name for name in _COUNT_LAYERS if name in data.layers), None)
    if counts and layer is not None:
        place = f"layer {layer!r}"
        found = dense(data.layers[layer], place)
        _refuse_negative(found, data, place, label, path)
        return found, data.var, place
    values = None if data.X is None else dense(data.X, "X")
    if data.raw is not None and (values is None or np.nanmin(values, initial=0.0) < 0):
        # X is often scaled for plots, and raw is what it was before.
        return dense(data.raw.X, "raw.X"), data.raw.var, "raw.X"
    if values is None:
        if not len(data.layers):
            _refuse("has neither X nor layers", label, path)
        name = next(iter(data.layers))
        return dense(data.layers[name], f"layer {name!r}"), data.var, f"layer {name!r}"
    return values, data.var, "X"


def _refuse_negative(values: Any, data: Any, place: str, label: str, path: Path | None) -> None:
    negative = np.argwhere(values < 0)
    if len(negative):
        row, column = map(int, negative[0])
        gene, sample = data.var.index[column], data.obs.index[row]
        msg = (
            f"has negative counts: {gene} in {sample} of {place} is {values[row, column]:g}; "
            "correct it, or state another scale to read X"
        )
        _refuse(msg, label, path)


def _refuse(message: str, label: str, path: Path | None) -> NoReturn:
    if path is None:
        msg = f"{label} {message}"
        raise UsageError(msg)
    raise FormatError(message, path=path)


def _dense(values: Any, place: str, label: str, path: Path | None) -> Any:
    found = values.toarray() if hasattr(values, "toarray") else np.asarray(values)
    if found.dtype.kind not in "biuf":
        kind = "complex numbers" if found.dtype.kind == "c" else "no numbers"
        _refuse(f"holds {kind} in {place} (type {found.dtype})", label, path)
    return found


def _describes(title: str, var: Any) -> bool:
    """Return whether a column of ``var`` is text, such as gene symbols."""
    return title in var.columns and getattr(var[title].dtype, "kind", "O") == "O"


def _refuse_alone(path: Path, _numbers: bool) -> NoReturn:
    msg = f"{path.name} is AnnData; give it as the expression table, without a sample table"
    raise UsageError(msg)


FORMATS = (TableFormat((".h5ad",), _refuse_alone, ".h5ad", rank=3, holds_samples=True),)
