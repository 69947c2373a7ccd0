"""A TCGA folder as it comes from the Xena hub, with the oddities of the real ones.

Names and columns: https://xenabrowser.net, hub "TCGA", data sets ``TCGA.<code>.sampleMap``. Sample
ids end in the sample type: 01 primary tumour, 06 metastasis, 11 normal tissue, 20 control cells.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.simulate.geo_files import write_gzip
from genotex.simulate.plan import People

Floats = NDArray[np.float64]

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
