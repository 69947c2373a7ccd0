"""The TCGA folder has the oddities of the real ones."""

import csv
import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from genotex.simulate import SimulatedStudy


@pytest.fixture(scope="module")
def folder(study: SimulatedStudy) -> Path:
    return study.folder / "TCGA" / "TCGA_Simulated_Carcinoma_(SIMC)"


def rows_of(path: Path) -> list[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines, delimiter="\t"))


def test_sample_codes_and_a_duplicate_sample_id(folder: Path) -> None:
    header = rows_of(folder / "TCGA.SIMC.sampleMap_HiSeqV2.gz")[0]
    assert header[0] == "sample"
    counts = Counter(sample[-2:] for sample in header[1:])
    assert set(counts) == {"01", "06", "11", "20"}
    assert counts["11"] >= 5
    assert max(Counter(header).values()) == 2


def test_clinical_matrix_covers_all_samples_and_has_gaps(folder: Path) -> None:
    header, *rows = rows_of(folder / "TCGA.SIMC.sampleMap_SIMC_clinicalMatrix.gz")
    table = {name: [row[i] for row in rows] for i, name in enumerate(header)}
    assert set(table["gender"]) == {"MALE", "FEMALE"}
    assert "[Not Available]" in table["age_at_initial_pathologic_diagnosis"]
    days = [int(cell) for cell in table["days_to_birth"] if cell]
    assert max(days) < -20 * 365
    expression = rows_of(folder / "TCGA.SIMC.sampleMap_HiSeqV2.gz")[0][1:]
    assert set(expression) < set(table["sampleID"])


def test_pancan_table_is_the_other_one_centred_by_gene(folder: Path) -> None:
    plain = rows_of(folder / "TCGA.SIMC.sampleMap_HiSeqV2.gz")
    centred = rows_of(folder / "TCGA.SIMC.sampleMap_HiSeqV2_PANCAN.gz")
    assert [row[0] for row in plain] == [row[0] for row in centred]
    assert {"?", "1-Mar", "7-Sep"} <= {row[0] for row in plain}
    values, shifted = (np.array([r[1:] for r in x[1:]], dtype=float) for x in (plain, centred))
    assert values.min() >= 0
    np.testing.assert_allclose(
        values - values.mean(axis=1, keepdims=True), shifted, rtol=0, atol=1e-4
    )
