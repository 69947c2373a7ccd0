"""Where an AnnData object comes from: a record that survives its file formats."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pandas as pd

import genotex
from genotex.clinical import annotation_to_json
from genotex.cohorts import OwnTables, PreparedCohort
from genotex.errors import FormatError, UsageError
from genotex.formats import CountsRecord, Measures, Series, sha256
from genotex.layout import CohortName, TraitName
from genotex.options import ValueKind
from genotex.outside import parse_json
from genotex.records import Shape, TypedDict, checked
from genotex.workflows import KEY

if TYPE_CHECKING:
    from anndata import AnnData

_SAMPLE_FIELDS = (
    "title",
    "source_name_ch1",
    "characteristics_ch1",
    "description",
    "organism_ch1",
    "taxid_ch1",
    "molecule_ch1",
    "library_strategy",
    "platform_id",
)
"""What the annotation of samples uses."""
_SERIES_FIELDS = (
    "geo_accession",
    "title",
    "summary",
    "overall_design",
    "type",
    "pubmed_id",
    "platform_id",
    "sample_taxid",
    "platform_taxid",
)


def provenance(
    prepared: PreparedCohort, series: Series | None, notes: tuple[str, ...]
) -> dict[str, Any]:
    """Return the record of a cohort: a few plain values, and all of it as JSON text.

    Lists of records and empty values cannot be written to an h5ad file, JSON text can.
    """
    genes = prepared.genes
    digests = {path.name: sha256(path) for path, _ in prepared.files}
    record: dict[str, Any] = {
        "files_read": [
            {
                "name": path.name,
                "size": path.stat().st_size,
                "used_for": purpose,
                "sha256": digests[path.name],
            }
            for path, purpose in prepared.files
        ],
        "series": prepared.series,
        "annotation": annotation_to_json(prepared.reading),
        "mapping": {} if genes is None else {"id_kind": str(genes.id_kind), **genes.counts},
        "value_kind": prepared.value_kind,
        "counts": prepared.counts,
        "distributions": prepared.distributions,
        "measures": prepared.measures,
    }
    if series is not None:
        record["header"] = _header(series)
    summary: dict[str, Any] = {
        "cohort": prepared.cohort,
        "trait": prepared.trait,
        "source": prepared.source,
        "genotex_version": genotex.__version__,
        "platform": prepared.series.get("platform", ""),
        "title": prepared.series.get("title", ""),
        "scale": "" if genes is None else genes.scale,
        "files": digests,
        "notes": [*prepared.notes, *notes],
        "record": json.dumps(record, ensure_ascii=False),
    }
    certainty = prepared.reading.certainty
    return summary if certainty is None else {**summary, "trait_certainty": certainty}


def table_provenance(tables: OwnTables) -> dict[str, Any]:
    """Return the record of tables of one's own, in the form of `provenance`."""
    record = {
        "tables": tables.record,
        "counts": dict(tables.counts),
        "value_kind": tables.kind,
        "measures": tables.measures,
    }
    return {
        "cohort": tables.name,
        "trait": "",
        "source": "tables",
        "genotex_version": genotex.__version__,
        "notes": [*tables.notes, *tables.warnings],
        "record": json.dumps(record, ensure_ascii=False, default=str),
    }


def recorded(data: AnnData) -> dict[str, Any]:
    """Return the whole record of an AnnData object; empty where it was not made by genotex."""
    found = data.uns.get(KEY)
    if not isinstance(found, Mapping) or "record" not in found:
        return {}
    summary = {name: value for name, value in found.items() if name != "record"}
    place = f"uns[{KEY!r}]"
    try:
        content = parse_json(str(found["record"]), words="is not JSON")
    except FormatError as error:
        raise FormatError(error.message, field=f"{place}.record", hint=error.hint) from error
    if not isinstance(content, dict):
        msg = "must be an object"
        raise FormatError(msg, field=f"{place}.record")
    if content.get("counts") == {}:
        del content["counts"]
    found = {**summary, **content}
    names = {name: str(found[name]) for name in ("cohort", "trait", "source") if name in found}
    _check_header(checked(_UsedRecord, {**content, **names}, place=place).header, place)
    return found


class _Header(TypedDict):
    """The header of a series."""

    samples: list[str]
    series_fields: dict[str, list[str | None]]
    sample_fields: dict[str, list[list[str | None]]]


@dataclass(frozen=True)
class _UsedRecord:
    """What is used of the record; all else in it is for people."""

    cohort: CohortName = "data"
    trait: TraitName | Literal[""] = ""
    source: str = ""
    annotation: dict[str, Any] = field(default_factory=dict)
    counts: Annotated[dict[str, Any], Shape(CountsRecord)] = field(default_factory=dict)
    value_kind: ValueKind = ""
    measures: Measures = field(default_factory=dict)
    header: Annotated[dict[str, Any], Shape(_Header)] | None = None


def _check_header(header: Mapping[str, Any] | None, place: str) -> None:
    """Refuse a header whose lines do not have a cell for each sample."""
    if header is None:
        return
    samples = len(header["samples"])
    for name, rows in header["sample_fields"].items():
        if any(len(row) != samples for row in rows):
            msg = f"must have {samples} cells in each line"
            raise FormatError(msg, field=f"{place}.header.sample_fields.{name}")


def _header(series: Series) -> dict[str, Any]:
    return {
        "samples": list(series.samples),
        "series_fields": {
            name: list(series.series_fields[name])
            for name in _SERIES_FIELDS
            if name in series.series_fields
        },
        "sample_fields": {
            name: [list(row) for row in series.sample_fields[name]]
            for name in _SAMPLE_FIELDS
            if name in series.sample_fields
        },
    }


def recorded_series(data: Any) -> tuple[Series, str]:
    """Return the header of the series that an AnnData object was read from, and its name."""
    if not hasattr(data, "obs") or not hasattr(data, "uns"):
        msg = (
            f"a {type(data).__name__} cannot be annotated; give what read_geo returned, or the "
            "folder of a GEO series"
        )
        raise UsageError(msg)
    record = recorded(data)
    if "header" not in record:
        return _series_of(data.obs), "samples"
    header = record["header"]
    place = {sample: number for number, sample in enumerate(header["samples"])}
    kept = [place[name] for name in data.obs_names if name in place]
    if len(kept) < data.n_obs:
        foreign = [name for name in data.obs_names if name not in place]
        msg = f"samples that are not in {record['cohort']}: {', '.join(foreign[:10])}"
        raise UsageError(msg)
    series = Series(
        Path(str(record["cohort"])),
        tuple(header["samples"][i] for i in kept),
        {name: tuple(values) for name, values in header["series_fields"].items()},
        {
            name: tuple(tuple(row[i] for i in kept) for row in rows)
            for name, rows in header["sample_fields"].items()
        },
    )
    return series, str(record["cohort"])


def _series_of(obs: pd.DataFrame) -> Series:
    """Return the columns of samples from elsewhere as characteristics."""
    rows = []
    for name in obs.columns:
        cells = obs[name].astype(object).where(obs[name].notna(), None)
        rows.append(tuple(None if cell is None else f"{name}: {cell}" for cell in cells))
    fields: dict[str, tuple[tuple[str | None, ...], ...]] = {"characteristics_ch1": tuple(rows)}
    fields["organism_ch1"] = (("Homo sapiens",) * len(obs),)
    return Series(Path("samples"), tuple(map(str, obs.index)), {}, fields)
