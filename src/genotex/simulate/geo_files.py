"""Series matrix and family SOFT files as GEO writes them.

Layouts: https://www.ncbi.nlm.nih.gov/geo/info/soft.html and the series matrix files of GEO's
public server. In a series matrix every text is quoted and a sample's cells are in one
column; in SOFT nothing is quoted and every sample has a section of its own.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from isal import igzip
from numpy.typing import NDArray

_DATE = "Jan 01 2020"
_CONTACT = {
    "contact_name": "Simulated,,Contact",
    "contact_email": "contact@example.org",
    "contact_laboratory": "Laboratory of Simulated Data",
    "contact_department": "Department of Examples",
    "contact_institute": "Example Institute",
    "contact_address": "1 Example Street",
    "contact_city": "Exampleton",
    "contact_zip/postal_code": "00000",
    "contact_country": "Examplia",
}


@dataclass(frozen=True, eq=False)
class PlatformText:
    """The description of a platform in a family SOFT file."""

    accession: str  # as in the ``!Platform_`` lines
    title: str
    manufacturer: str
    technology: str
    table: pl.DataFrame  # the annotation, strings only
    columns: Mapping[str, str]  # what each column of the table holds


@dataclass(frozen=True, eq=False)
class Measurement:
    """What was measured in the samples of a series."""

    series_type: str  # as in the ``!Series_`` lines
    platform: str
    molecule: str  # what was extracted, how it was labelled, and what VALUE means
    label: str
    value: str
    processing: str  # ``!Sample_data_processing``
    ids: tuple[str, ...]  # probes
    values: NDArray[np.float64]  # naN is missing
    decimals: int  # decimal places in the files


@dataclass(frozen=True, eq=False)
class GeoSeries:
    """A series as its submitter would describe it."""

    accession: str  # as in the ``!Series_`` lines
    title: str
    summary: tuple[str, ...]  # one line each
    overall_design: str
    samples: tuple[str, ...]  # GSM accessions
    sample_titles: tuple[str, ...]  # one for each sample
    sources: tuple[str, ...]
    characteristics: tuple[tuple[str, ...], ...]  # rows
    measured: Measurement  # the values and what they mean


def write_gzip(path: Path, text: bytes) -> None:
    """Write `text` compressed, with no time stamp, so that equal texts are equal files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(igzip.compress(text, 1, mtime=0))


def write_series_matrix(folder: Path, series: GeoSeries) -> Path:
    """Write ``<GSE>_series_matrix.txt.gz`` and return its path."""
    lines = [f'!Series_{key}\t"{value}"' for key, value in _series_lines(series, in_matrix=True)]
    lines.append("")
    lines += [
        f"!Sample_{key}\t" + "\t".join(f'"{cell}"' for cell in cells)
        for key, cells in _sample_rows(series)
    ]
    lines.append("!series_matrix_table_begin\n")
    table = io.BytesIO()
    frame = _value_frame(series)
    frame.write_csv(
        table, separator="\t", quote_style="non_numeric", float_precision=series.measured.decimals
    )
    text = "\n".join(lines).encode() + table.getvalue() + b"!series_matrix_table_end\n"
    path = folder / f"{series.accession}_series_matrix.txt.gz"
    write_gzip(path, text)
    return path


def write_family_soft(folder: Path, series: GeoSeries, platform: PlatformText) -> Path:
    """Write ``<GSE>_family.soft.gz``, platform and sample tables included; return its path."""
    out = io.BytesIO()
    out.write(_database_section())
    out.write(_section("SERIES", series.accession, "Series", _series_lines(series)))
    out.write(_platform_section(platform, series.samples))
    rows = _sample_rows(series)
    frame = _value_frame(series)
    for i, sample in enumerate(series.samples):
        # A characteristic that a sample lacks leaves no line in its own section.
        pairs = [(key, cells[i]) for key, cells in rows if cells[i] or key != "characteristics_ch1"]
        out.write(_section("SAMPLE", sample, "Sample", pairs))
        if not series.measured.ids:
            continue
        out.write(f"#ID_REF = \n#VALUE = {series.measured.value}\n!sample_table_begin\n".encode())
        frame.select("ID_REF", VALUE=sample).write_csv(
            out, separator="\t", quote_style="never", float_precision=series.measured.decimals
        )
        out.write(b"!sample_table_end\n")
    path = folder / f"{series.accession}_family.soft.gz"
    write_gzip(path, out.getvalue())
    return path


def _value_frame(series: GeoSeries) -> pl.DataFrame:
    frame = pl.DataFrame(series.measured.values, schema=list(series.samples), nan_to_null=True)
    return frame.insert_column(0, pl.Series("ID_REF", series.measured.ids))


def _series_lines(series: GeoSeries, *, in_matrix: bool = False) -> list[tuple[str, str]]:
    """Return keys and values; the matrix has all samples in one line, SOFT has one each."""
    lines = [
        ("title", series.title),
        ("geo_accession", series.accession),
        ("status", f"Public on {_DATE}"),
        ("submission_date", _DATE),
        ("last_update_date", _DATE),
        *(("summary", line) for line in series.summary),
        ("overall_design", series.overall_design),
        ("type", series.measured.series_type),
        ("contributor", "Simulated,,Contributor"),
    ]
    if in_matrix:
        lines.append(("sample_id", " ".join(series.samples) + " "))
    else:
        lines += [("sample_id", sample) for sample in series.samples]
    lines += _CONTACT.items()
    lines += [
        ("platform_id", series.measured.platform),
        ("platform_taxid", "9606"),
        ("sample_taxid", "9606"),
    ]
    return lines


def _sample_rows(series: GeoSeries) -> list[tuple[str, tuple[str, ...]]]:
    n = len(series.samples)

    def same(text: str) -> tuple[str, ...]:
        return (text,) * n

    return [
        ("title", series.sample_titles),
        ("geo_accession", series.samples),
        ("status", same(f"Public on {_DATE}")),
        ("submission_date", same(_DATE)),
        ("last_update_date", same(_DATE)),
        ("type", same("genomic" if series.measured.molecule == "genomic DNA" else "RNA")),
        ("channel_count", same("1")),
        ("source_name_ch1", series.sources),
        ("organism_ch1", same("Homo sapiens")),
        *(("characteristics_ch1", row) for row in series.characteristics),
        ("molecule_ch1", same(series.measured.molecule)),
        ("extract_protocol_ch1", same("simulated; nothing was extracted")),
        ("label_ch1", same(series.measured.label)),
        ("taxid_ch1", same("9606")),
        ("data_processing", same(series.measured.processing)),
        ("platform_id", same(series.measured.platform)),
        *((key, same(value)) for key, value in _CONTACT.items()),
        ("supplementary_file", same("NONE")),
        ("series_id", same(series.accession)),
        ("data_row_count", same(str(len(series.measured.ids)))),
    ]


def _section(kind: str, name: str, prefix: str, pairs: Sequence[tuple[str, str]]) -> bytes:
    lines = [f"^{kind} = {name}", *(f"!{prefix}_{key} = {value}" for key, value in pairs)]
    return ("\n".join(lines) + "\n").encode()


def _database_section() -> bytes:
    return _section(
        "DATABASE",
        "GeoMiame",
        "Database",
        [
            ("name", "Gene Expression Omnibus (GEO)"),
            ("institute", "NCBI NLM NIH"),
            ("web_link", "http://www.ncbi.nlm.nih.gov/geo"),
            ("email", "geo@ncbi.nlm.nih.gov"),
        ],
    )


def _platform_section(platform: PlatformText, samples: Sequence[str]) -> bytes:
    pairs = [
        ("title", platform.title),
        ("geo_accession", platform.accession),
        ("status", f"Public on {_DATE}"),
        ("submission_date", _DATE),
        ("last_update_date", _DATE),
        ("technology", platform.technology),
        ("distribution", "virtual"),
        ("organism", "Homo sapiens"),
        ("taxid", "9606"),
        ("manufacturer", platform.manufacturer),
        *_CONTACT.items(),
        *(("sample_id", sample) for sample in samples),
        ("data_row_count", str(platform.table.height)),
    ]
    out = io.BytesIO()
    out.write(_section("PLATFORM", platform.accession, "Platform", pairs))
    out.write("".join(f"#{name} = {what}\n" for name, what in platform.columns.items()).encode())
    if platform.columns:
        out.write(b"!platform_table_begin\n")
        platform.table.write_csv(out, separator="\t", quote_style="never")
        out.write(b"!platform_table_end\n")
    return out.getvalue()
