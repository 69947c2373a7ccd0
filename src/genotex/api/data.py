"""Expression in memory or in files, of any kind, as what a design is fitted to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl

from genotex.analysis import DesignData
from genotex.api.choices import as_path
from genotex.api.provenance import recorded, table_provenance
from genotex.clinical import AS_IN_FILE, REVIEW
from genotex.cohorts import OwnTables, read_own_tables
from genotex.errors import UsageError
from genotex.extras import load_extra
from genotex.formats.own_tables.anndata_files import open_h5ad
from genotex.options import Scale
from genotex.workflows import KEY, DesignInput

if TYPE_CHECKING:
    from anndata import AnnData

TABLE_OPTIONS = ("platform", "scale", "gene_table", "name")
"""Options of reading tables of one's own."""


def _is_anndata(data: object) -> bool:
    """Return whether an object is AnnData, without importing anndata."""
    return type(data).__module__.split(".")[0] == "anndata" and hasattr(data, "obs")


def as_pandas(table: pl.DataFrame, index: str) -> pd.DataFrame:
    """Return a table with one of its columns as index; missing numbers are NaN."""
    columns: dict[str, Any] = {}
    for name in table.columns:
        values = table[name]
        if values.dtype.is_float():
            columns[name] = values.fill_null(np.nan).to_numpy()
        elif values.dtype.is_numeric() and values.null_count():
            columns[name] = values.cast(pl.Float64).fill_null(np.nan).to_numpy()
        else:
            columns[name] = values.to_list()
    names = pd.Index(columns.pop(index), name=index, dtype=object)
    return pd.DataFrame(columns, index=names)


def gather_data(data: Any, samples: Any, options: Mapping[str, Any], used: str) -> DesignInput:
    """Return AnnData, data frames or files as what a design is fitted to.

    Columns that group, age and sex were read from are left out of it, unless they occur in `used`:
    they would be reported as confounded with what they are.
    """
    if isinstance(data, DesignData):
        return DesignInput(data, data.table)
    data = _with_record(data)
    if _is_anndata(data) and recorded(data):
        if options:
            msg = f"{', '.join(options)} has no effect on what genotex has read already"
            raise UsageError(msg)
        return _of_cohort(data, samples, used)
    return DesignInput.of_tables(read_own_tables(data, samples, **_own_options(options)))


def _with_record(data: Any) -> Any:
    """Return an AnnData file that genotex wrote as what it holds, all else as it is."""
    if not isinstance(data, str | Path) or as_path(data).suffix.lower() != ".h5ad":
        return data
    path = as_path(data)
    if not path.is_file():
        return path
    with open_h5ad(path) as stored:
        return stored.to_memory() if recorded(stored) else path


def _own_options(options: Mapping[str, Any]) -> dict[str, Any]:
    chosen = {name: value for name, value in options.items() if value is not None}
    for name in ("platform", "gene_table"):
        if isinstance(chosen.get(name), str):
            chosen[name] = as_path(chosen[name])
    return chosen


def _of_cohort(data: AnnData, samples: Any, used: str) -> DesignInput:
    """Return a cohort that genotex read; `samples` are columns or a table to add."""
    record = recorded(data)
    table = _polars(data.obs if samples is None else _joined(data.obs, samples))
    found = DesignData(
        str(record.get("cohort", "data")),
        tuple(map(str, data.var_names)),
        tuple(map(str, data.obs_names)),
        _dense(data.X),
        table.drop([name for name in _sources(record, table.columns) if name not in used]),
        record.get("counts") or {},
        record.get("value_kind", ""),
        record.get("measures") or {},
    )
    notes = tuple(map(str, record.get("notes", ())))
    if record.get("source") != "tables" or "counts" not in data.layers:
        return DesignInput(found, table, notes, _to_review(notes), record)
    # Genes with few counts are left out when the design is known.
    tables = OwnTables(
        found.name,
        found.genes,
        found.samples,
        found.expression,
        table,
        found.counts,
        notes,
        (),
        dict(record),
        _dense(data.layers["counts"]),
    )
    return DesignInput(found, table, notes, _to_review(notes), record, tables)


def _to_review(notes: Sequence[str]) -> tuple[str, ...]:
    """Return the notes that the groups are uncertain, which a result warns of."""
    return tuple(note for note in notes if note.startswith(f"{REVIEW}, trait"))


def _sources(record: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """Return the columns that group, age and sex were read from, and texts of single samples."""
    annotation = record.get("annotation") or {}
    keys = [(annotation.get(name) or {}).get("key") for name in ("trait", "age", "gender")]
    taken = {
        "title",
        "source",
        "exclude",
        "certainty",
        "why",
        *(str(key).casefold() for key in keys if key),
    }
    given = {"group", "age", "sex"}
    plain = {name: name.removesuffix(AS_IN_FILE).casefold() for name in columns}
    return [name for name, own in plain.items() if own in taken and name not in given]


def _dense(values: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    if hasattr(values, "toarray"):
        values = values.toarray()
    return np.ascontiguousarray(np.asarray(values), dtype=np.float64)


def _joined(obs: pd.DataFrame, samples: Any) -> pd.DataFrame:
    """Return the samples' own columns with those of another table, which replace them."""
    table = (
        pd.DataFrame(samples.to_dict(as_series=False))
        if isinstance(samples, pl.DataFrame)
        else samples
    )
    if isinstance(table, str | Path):
        msg = "samples must be a data frame where the data are AnnData; read the file with pandas"
        raise UsageError(msg)
    if not set(obs.index) <= set(table.index):
        keyed = [name for name in table.columns if set(obs.index) <= set(table[name])]
        if not keyed:
            lost = [name for name in obs.index if name not in set(table.index)]
            shown = ", ".join(map(str, lost[:10]))
            msg = f"{len(lost)} samples are not in the sample table: {shown}"
            raise UsageError(msg)
        table = table.set_index(keyed[0])
    table = table.loc[obs.index]
    kept = [name for name in obs.columns if name not in table.columns]
    joined: pd.DataFrame = pd.concat([obs[kept], table], axis=1)
    return joined


def _polars(table: pd.DataFrame) -> pl.DataFrame:
    """Return sample columns as numbers and texts; categories are texts."""
    columns = []
    for name in table.columns:
        values = table[name]
        if isinstance(values, pd.DataFrame):
            msg = f"the samples have several columns called {name!r}; rename all but one"
            raise UsageError(msg)
        if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
            numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
            columns.append(pl.Series(str(name), numbers).fill_nan(None))
            continue
        texts = [None if pd.isna(value) else str(value) for value in values]
        columns.append(pl.Series(str(name), texts, dtype=pl.String))
    return pl.DataFrame(columns)


def read_tables(
    expression: Any,
    samples: Any = None,
    *,
    platform: str | Path | None = None,
    scale: Scale = "auto",
    gene_table: str | Path | None = None,
    name: str | None = None,
) -> AnnData:
    """Read an expression table and a sample table of one's own.

    Genes or samples in rows, ids of genes or probes, scale and separators are recognised; what was
    recognised is in ``uns["genotex"]["notes"]``.

    Parameters
    ----------
    expression : path, data frame or AnnData
        Text (csv, tsv, also compressed), ``.xlsx``, ``.parquet``, ``.h5ad``, or a data frame.
    samples : path or data frame, optional
        A row for each sample, one column with the names that the expression table uses.
    platform : path, optional
        Annotation of probes: a GPL table, SOFT, or any table with probes and genes.
    scale : {"auto", "log2", "linear", "counts"}
        Scale of the values as given; recognised by default.
    gene_table : path, optional
        The genes; the packaged table by default.
    name : str, optional
        Name of the cohort; by default that of the expression file.

    Returns
    -------
    AnnData
        ``X``: log2 expression, samples x genes; ``obs``: the sample table; ``layers["counts"]``:
        counts, where the table holds them.

    Raises
    ------
    FormatError
        If a file cannot be read, holds text where numbers belong, or no sample matches.
    UsageError
        If a kind of file is unknown, or an option does not fit.
    """
    anndata = load_extra("anndata", "anndata", "AnnData")
    tables = read_own_tables(
        expression,
        samples,
        **_own_options(
            {"platform": platform, "scale": scale, "gene_table": gene_table, "name": name}
        ),
    )
    obs = as_pandas(tables.sample_table, "sample")
    obs.columns = [str(name).replace("/", "_") for name in obs.columns]
    genes = pd.DataFrame(index=pd.Index(tables.genes, name="gene", dtype=object))
    found: AnnData = anndata.AnnData(
        tables.expression, obs=obs.dropna(axis=1, how="all"), var=genes
    )
    if tables.raw_counts is not None:
        found.layers["counts"] = tables.raw_counts
    found.uns[KEY] = table_provenance(tables)
    return found
