"""A preprocessed cohort as AnnData: what its files hold, with the result of an analysis."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl

from genotex.analysis import counts_of
from genotex.extras import load_extra
from genotex.features import feature_of_column
from genotex.formats import Evidence, LinkedTable
from genotex.io import atomic_write
from genotex.records import as_json

if TYPE_CHECKING:
    from anndata import AnnData

KEY = "genotex"
"""Name of the record in ``uns``."""
_RESERVED = ("_index", "")


def cohort_to_anndata(
    table: LinkedTable, evidence: Evidence, genes: pl.DataFrame | None = None
) -> AnnData:
    """Return a cohort in the form of `read_geo`, with the result of an analysis if it is given.

    ``X``: samples x genes, as analysed; ``obs``: group or level, age, sex and characteristics;
    ``var``: the columns of `genes`, whose first has the symbols; ``uns["genotex"]``: the record.
    """
    anndata = load_extra("anndata", "anndata", "AnnData")
    names = pd.Index(table.genes, name="gene", dtype=object)
    found: AnnData = anndata.AnnData(
        np.ascontiguousarray(table.expression, dtype=np.float64),
        obs=_samples(table, evidence),
        var=pd.DataFrame(index=names) if genes is None else _genes(genes, names),
    )
    found.uns[KEY] = _record(evidence)
    sizes = evidence.counts.get("effective_library_sizes") or {}
    if set(table.samples) <= set(sizes):
        libraries = np.array([sizes[sample] for sample in table.samples], dtype=np.float64)
        counts = counts_of(table.expression, libraries)
        found.layers["counts"] = np.maximum(np.rint(counts), 0.0)
    return found


def _samples(table: LinkedTable, evidence: Evidence) -> pd.DataFrame:
    known = table.trait_values[np.isfinite(table.trait_values)]
    columns: dict[str, Any] = {}
    if set(known.tolist()) <= {0.0, 1.0}:
        words = {0.0: "control", 1.0: "case"}
        groups = [words.get(value) for value in table.trait_values.tolist()]
        columns["group"] = pd.Categorical(groups, categories=["control", "case"])
    else:
        columns[table.trait] = table.trait_values
    for name, values in table.covariates.items():
        feature = feature_of_column(name)
        if feature is not None and feature.levels:
            levels = [feature.cell(value) or None for value in values.tolist()]
            columns[feature.name] = pd.Categorical(levels)
        else:
            columns[name.lower()] = values
    for name, facts in evidence.sample_facts.items():
        cells = [facts.get(sample) or None for sample in table.samples]
        columns.setdefault(name, _typed(pd.Series(cells, dtype=object)))
    named = {name.replace("/", "_"): values for name, values in columns.items()}
    index = pd.Index(table.samples, name="sample", dtype=object)
    kept = {name: values for name, values in named.items() if name not in _RESERVED}
    return pd.DataFrame(kept, index=index).dropna(axis=1, how="all")


def _typed(cells: pd.Series) -> Any:
    """Return numbers where all cells are numbers, else categories."""
    numbers = pd.to_numeric(cells, errors="coerce")
    if numbers.notna().sum() == cells.notna().sum():
        return numbers.to_numpy(dtype=np.float64)
    return pd.Categorical(cells)


def _genes(genes: pl.DataFrame, names: pd.Index) -> pd.DataFrame:
    """Return a row of the result for each gene of the table, missing where it has none."""
    columns: dict[str, Any] = {}
    for values in genes.iter_columns():
        typed: Any = values.to_list()
        if values.dtype.is_numeric():
            typed = values.cast(pl.Float64).fill_null(np.nan).to_numpy()
        columns[values.name.replace("/", "_")] = typed
    frame = pd.DataFrame(columns).set_index(genes.columns[0]).reindex(names)
    for name in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[name]):
            cells = frame[name].astype(object)
            texts = cells.where(cells.notna(), None).map(lambda v: None if v is None else str(v))
            frame[name] = pd.Categorical(texts)
    return frame.dropna(axis=1, how="all")


def _record(evidence: Evidence) -> Mapping[str, Any]:
    """Return the record in the form of `provenance`; `de` reads it."""
    record = {
        "files_read": evidence.files,
        "series": evidence.series,
        "annotation": evidence.reading,
        "mapping": evidence.mapping,
        "counts": evidence.counts,
        "value_kind": evidence.mapping.get("value_kind", ""),
    }
    return {
        **as_json(evidence, "cohort", "trait", "source", "genotex_version"),
        "notes": [*evidence.notes, *evidence.warnings],
        "record": json.dumps(record, ensure_ascii=False, default=str),
    }


def write_h5ad(data: AnnData, path: Path) -> Path:
    """Write AnnData whole or not at all."""
    with atomic_write(path) as part:
        data.write_h5ad(part)
    return path
