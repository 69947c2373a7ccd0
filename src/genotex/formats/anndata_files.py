"""AnnData, in memory or as ``.h5ad``: values, names of genes, and annotation of the samples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from genotex.errors import FormatError, UsageError
from genotex.formats.table_files import TableFile
from genotex.formats.table_frames import table_of_frame

__all__ = ["is_anndata", "read_anndata"]

_COUNT_LAYERS = ("counts", "raw_counts", "count")
_MOST_VALUES = 200_000_000
_NO_LIBRARY = (
    "files of AnnData (.h5ad) need the package anndata, which is not installed: install it with "
    "'pip install anndata', or write the table as .csv or .parquet"
)


def is_anndata(source: Any) -> bool:
    """Return whether a source is an AnnData object or file, by its attributes or name."""
    if isinstance(source, str | Path):
        return Path(source).suffix.lower() == ".h5ad"
    return all(hasattr(source, name) for name in ("obs", "var", "X", "layers", "obs_names"))


def read_anndata(source: Any, *, counts: bool = True) -> tuple[TableFile, TableFile]:
    """Read AnnData as a table of genes x samples, and its ``obs`` as a sample table.

    Parameters
    ----------
    source : path or AnnData
        Samples x genes.
    counts : bool
        Prefer a layer of counts to ``X``.

    Raises
    ------
    FormatError
        If the file is no AnnData.
    UsageError
        If anndata is not installed, or it holds too many values to be bulk expression.
    """
    path = Path(source) if isinstance(source, str | Path) else None
    data = source if path is None else _opened(path)
    label = path.name if path is not None else "the AnnData object"
    _refuse_cells(data, label)
    if path is not None and data.isbacked:
        data = data.to_memory()
    values, var, place = _in_base_2(data, *_values(data, counts=counts))
    names = [str(name) for name in data.obs_names]
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


def _opened(path: Path) -> Any:
    try:
        import anndata
    except ImportError as error:
        raise UsageError(_NO_LIBRARY) from error
    if not path.is_file():
        msg = f"{path} does not exist"
        raise UsageError(msg)
    try:
        return anndata.read_h5ad(path, backed="r")
    # The library raises whatever a damaged file makes it raise.
    except Exception as error:
        msg = f"is not an AnnData file that can be read: {str(error).splitlines()[0]}"
        raise FormatError(msg, path=path) from error


def _refuse_cells(data: Any, label: str) -> None:
    """Refuse as many samples as only single cells can be."""
    samples, genes = data.shape
    if samples * genes > _MOST_VALUES:
        msg = (
            f"{label} holds {samples:,} x {genes:,} values, which looks like single cells: add up "
            "the counts of each person and cell type first (pseudobulk)"
        )
        raise UsageError(msg)


def _in_base_2(data: Any, values: Any, var: Any, place: str) -> tuple[Any, Any, str]:
    """Bring what scanpy's log1p made, a natural logarithm unless a base is stated, to base 2."""
    logged = not place.startswith("layer") and "log1p" in data.uns
    if logged and np.nanmin(values, initial=0.0) >= 0:
        base = (data.uns["log1p"] or {}).get("base") or np.e
        if base != 2:
            return values * np.log2(float(base)), var, f"{place}, log1p brought to base 2"
    return values, var, place


def _values(data: Any, *, counts: bool) -> tuple[Any, Any, str]:
    """Return the values, their annotation of genes, and which values they are."""
    layer = next((name for name in _COUNT_LAYERS if name in data.layers), None)
    if counts and layer is not None:
        return _dense(data.layers[layer]), data.var, f"layer {layer!r}"
    values = None if data.X is None else _dense(data.X)
    if data.raw is not None and (values is None or np.nanmin(values, initial=0.0) < 0):
        # X is often scaled for plots, and raw is what it was before.
        return _dense(data.raw.X), data.raw.var, "raw.X"
    if values is None:
        if not data.layers:
            msg = "the AnnData has neither X nor layers"
            raise UsageError(msg)
        name = next(iter(data.layers))
        return _dense(data.layers[name]), data.var, f"layer {name!r}"
    return values, data.var, "X"


def _dense(values: Any) -> Any:
    return values.toarray() if hasattr(values, "toarray") else np.asarray(values)


def _describes(title: str, var: Any) -> bool:
    """Return whether a column of ``var`` is text, such as gene symbols."""
    return title in var.columns and getattr(var[title].dtype, "kind", "O") == "O"
