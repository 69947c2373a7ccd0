"""The files of a simulated study as GEO and the Xena hub give them, with the oddities of real ones.

Series matrix and family SOFT: https://www.ncbi.nlm.nih.gov/geo/info/soft.html and the series matrix
files of GEO's public server. In a series matrix every text is quoted and a sample's cells are in
one column; in SOFT nothing is quoted and every sample has a section of its own.

TCGA: https://xenabrowser.net, hub "TCGA", data sets ``TCGA.<code>.sampleMap``. Sample ids end in
the sample type: 01 primary tumour, 06 metastasis, 11 normal tissue, 20 control cells.
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

from genotex.arrays import Floats
from genotex.simulate.plan import People

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


_TYPE_NAMES = {
    "01": "Primary Tumor",
    "06": "Metastatic",
    "11": "Solid Tissue Normal",
    "20": "Cell Line Control",
}


class _TcgaSamples:
    """The samples of the folder."""

    def __init__(
        self, patients: Sequence[int], kinds: Sequence[str], people: People, site: str
    ) -> None:
        self.patients = tuple(f"TCGA-{site}-{9000 + number:04d}" for number in patients)
        self.kinds = tuple(kinds)
        self.people = people
        self.ids = tuple(f"{p}-{k}" for p, k in zip(self.patients, self.kinds, strict=True))

    @property
    def sequenced(self) -> list[int]:
        """Positions of the samples with RNA-seq: as in every study some patients have none."""
        tumours = [i for i, kind in enumerate(self.kinds) if kind == "01"]
        return [i for i in range(len(self.ids)) if i not in tumours[-2:]]


def draw_tcga_samples(rng: np.random.Generator, tumours: int, site: str = "00") -> _TcgaSamples:
    """Draw patients: all with a tumour, half with normal tissue, two metastases, two controls."""
    patients = list(range(1, tumours + 1))
    normals = sorted(rng.choice(patients, size=max(6, tumours // 2), replace=False).tolist())
    metastases = patients[:2]
    controls = [tumours + 1, tumours + 2]
    numbers = patients + metastases + normals + controls
    kinds = (
        ["01"] * len(patients)
        + ["06"] * len(metastases)
        + ["11"] * len(normals)
        + ["20"] * len(controls)
    )
    age = np.clip(rng.normal(62, 10, tumours + 2), 30, 88).round()
    male = rng.integers(0, 2, tumours + 2)
    place = np.array(numbers) - 1
    group = {"01": "case", "06": "case", "11": "healthy control", "20": "unknown"}
    people = People(
        tuple(group[kind] for kind in kinds),
        age[place],
        male[place],
        np.zeros(len(kinds), dtype=np.int64),
    )
    return _TcgaSamples(numbers, kinds, people, site)


def write_tcga_folder(
    folder: Path,
    code: str,
    disease: str,
    samples: _TcgaSamples,
    symbols: Sequence[str],
    values: Floats,
    rng: np.random.Generator,
) -> set[str]:
    """Write clinicalMatrix, HiSeqV2 and HiSeqV2_PANCAN; return the patients of unknown age."""
    patients = sorted(set(samples.patients))
    unknown = set(rng.choice(patients, size=2, replace=False).tolist())
    prefix = f"TCGA.{code}.sampleMap_"
    clinical = _clinical_table(code, disease, samples, unknown)
    write_gzip(folder / f"{prefix}{code}_clinicalMatrix.gz", _tab_separated(clinical))
    ids = [*symbols, "?", "?", "1-Mar", "7-Sep"]
    odd = np.maximum(rng.normal(4, 2, (4, values.shape[1])), 0.0)
    table = np.vstack([values, odd])
    again = table[:, :1] + rng.normal(0, 0.05, (len(ids), 1))
    kept = samples.sequenced
    table = np.hstack([table[:, kept], np.maximum(again, 0.0)]).round(4)
    header = [samples.ids[i] for i in kept] + [samples.ids[0]]
    centred = (table - table.mean(axis=1, keepdims=True)).round(4)
    write_gzip(folder / f"{prefix}HiSeqV2.gz", _expression_text(ids, header, table))
    write_gzip(folder / f"{prefix}HiSeqV2_PANCAN.gz", _expression_text(ids, header, centred))
    return unknown


def _clinical_table(
    code: str, disease: str, samples: _TcgaSamples, unknown: set[str]
) -> pl.DataFrame:
    people = samples.people
    known = [patient not in unknown for patient in samples.patients]
    stages = ["Stage I", "Stage IIA", "Stage IIB", "Stage IIIA", "[Not Available]"]
    n = len(samples.ids)
    columns = {
        "sampleID": samples.ids,
        "_INTEGRATION": samples.ids,
        "_PATIENT": samples.patients,
        "_cohort": [f"TCGA {disease} ({code})"] * n,
        "_primary_disease": [disease.lower()] * n,
        "age_at_initial_pathologic_diagnosis": [
            f"{age:.0f}" if ok else "[Not Available]"
            for age, ok in zip(people.age, known, strict=True)
        ],
        "bcr_patient_barcode": samples.patients,
        "bcr_sample_barcode": [f"{sample}A" for sample in samples.ids],
        "days_to_birth": [
            f"{-int(age * 365.25) - 90}" if ok else ""
            for age, ok in zip(people.age, known, strict=True)
        ],
        "days_to_death": [str(300 + 11 * i) if i % 4 == 0 else "" for i in range(n)],
        "days_to_initial_pathologic_diagnosis": ["0"] * n,
        "gender": ["MALE" if male else "FEMALE" for male in people.male],
        "histological_type": [f"{disease}- Not Otherwise Specified (NOS)"] * n,
        "pathologic_stage": [stages[i % len(stages)] for i in range(n)],
        "radiation_therapy": ["[Not Applicable]" if i % 9 == 0 else "NO" for i in range(n)],
        "sample_type": [_TYPE_NAMES[kind] for kind in samples.kinds],
        "sample_type_id": samples.kinds,
        "vital_status": ["DECEASED" if i % 4 == 0 else "LIVING" for i in range(n)],
    }
    return pl.DataFrame({name: list(cells) for name, cells in columns.items()})


def _expression_text(ids: Sequence[str], header: Sequence[str], values: Floats) -> bytes:
    # The header repeats a sample id, which a data frame cannot have: it is written by hand.
    out = io.BytesIO()
    out.write(("\t".join(["sample", *header]) + "\n").encode())
    frame = pl.DataFrame(values).insert_column(0, pl.Series("sample", list(ids)))
    frame.write_csv(
        out, separator="\t", include_header=False, quote_style="never", float_precision=4
    )
    return out.getvalue()


def _tab_separated(table: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    table.write_csv(out, separator="\t", quote_style="never")
    return out.getvalue()
