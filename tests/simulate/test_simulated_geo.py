"""The GEO files are what GEO would have written."""

import gzip

import numpy as np
import pytest

from genotex.layout import InputFolder
from genotex.simulate import SimulatedStudy
from tests.simulate.plain_geo import by_key, geo_path, read_matrix, read_soft_sections

ARTHRITIS = "Simulated_Arthritis"
GEO_COHORTS = [
    (ARTHRITIS, "GSE90000001"),
    (ARTHRITIS, "GSE90000002"),
    (ARTHRITIS, "GSE90000003"),
    (ARTHRITIS, "GSE90000004"),
    ("Simulated_Diabetes", "GSE90000005"),
    ("Simulated_Carcinoma", "GSE90000006"),
]


def test_folder_is_an_input_folder(study: SimulatedStudy) -> None:
    layout = InputFolder(study.folder)
    assert layout.traits() == [ARTHRITIS, "Simulated_Carcinoma", "Simulated_Diabetes"]
    cohorts = layout.geo_cohorts(ARTHRITIS)
    assert [cohort.cohort for cohort in cohorts] == [c for t, c in GEO_COHORTS if t == ARTHRITIS]
    assert all(len(c.matrices) == 1 and len(c.family_soft) == 1 for c in cohorts)
    (tcga,) = layout.tcga_folders()
    assert tcga.clinical and tcga.expression and tcga.expression_pancan


@pytest.mark.parametrize(("trait", "accession"), GEO_COHORTS)
def test_series_matrix_and_family_soft_agree(
    study: SimulatedStudy, trait: str, accession: str
) -> None:
    matrix = read_matrix(geo_path(study.folder, trait, accession, "matrix"))
    sections = read_soft_sections(geo_path(study.folder, trait, accession, "soft"))
    kinds = [kind for kind, *_ in sections]
    assert kinds[:3] == ["DATABASE", "SERIES", "PLATFORM"]
    assert set(kinds[3:]) == {"SAMPLE"}
    assert [name for kind, name, *_ in sections if kind == "SAMPLE"] == matrix.samples
    assert matrix.samples == matrix.sample["geo_accession"][0]
    assert len(matrix.series["summary"]) == 2
    for column, (_, _, lines, table) in enumerate(sections[3:]):
        assert table[0] == ["ID_REF", "VALUE"]
        assert [row[0] for row in table[1:]] == matrix.ids
        soft_values = np.array([float(row[1]) if row[1] else np.nan for row in table[1:]])
        np.testing.assert_array_equal(soft_values, matrix.values[:, column])
        found = [line.split(" = ", 1)[1] for line in lines if "characteristics" in line]
        rows = matrix.sample["characteristics_ch1"]
        assert found == [row[column] for row in rows if row[column]]
    probes = [row[0] for row in sections[2][3][1:]]
    assert probes == matrix.ids


def test_series_matrix_is_quoted_as_geo_quotes(study: SimulatedStudy) -> None:
    path = geo_path(study.folder, ARTHRITIS, "GSE90000002", "matrix")
    lines = gzip.decompress(path.read_bytes()).decode().split("\n")
    begin = lines.index("!series_matrix_table_begin")
    assert lines[0].startswith('!Series_title\t"')
    assert lines[begin - 1].startswith("!Sample_")
    assert lines[begin + 1].startswith('"ID_REF"\t"GSM')
    assert lines[begin + 2].startswith('"ILMN_')
    assert '"' not in lines[begin + 2].split("\t", 1)[1]
    assert lines[-2:] == ["!series_matrix_table_end", ""]


def test_one_platform_is_linear_and_the_other_logged_with_gaps(study: SimulatedStudy) -> None:
    first = read_matrix(geo_path(study.folder, ARTHRITIS, "GSE90000001", "matrix"))
    second = read_matrix(geo_path(study.folder, ARTHRITIS, "GSE90000002", "matrix"))
    assert np.nanpercentile(first.values, 99) > 1000
    assert np.nanpercentile(second.values, 99) < 16
    assert 0 < np.isnan(second.values).mean() < 0.01
    assert first.series["platform_id"] != second.series["platform_id"]


def test_platform_tables_have_several_probes_controls_and_multi_gene_probes(
    study: SimulatedStudy,
) -> None:
    soft = read_soft_sections(geo_path(study.folder, ARTHRITIS, "GSE90000001", "soft"))
    header, *rows = soft[2][3]
    cells = [row[header.index("Gene Symbol")] for row in rows]
    ids = [row[0] for row in rows]
    own = [cell for cell in cells if cell and "///" not in cell]
    assert ids[0] == "1007_s_at"
    assert len(own) > 1.8 * len(set(own))
    assert sum(" /// " in cell for cell in cells) >= 2
    assert all(not cell for cell, i in zip(cells, ids, strict=True) if i.startswith("AFFX-"))
    assert set(study.truth.planted[ARTHRITIS]) <= set(own)


@pytest.mark.parametrize("accession", ["GSE90000001", "GSE90000002", "GSE90000003"])
def test_characteristics_agree_with_the_truth(study: SimulatedStudy, accession: str) -> None:
    matrix = read_matrix(geo_path(study.folder, ARTHRITIS, accession, "matrix"))
    truth = study.truth.cohorts[accession].samples
    words = {"simulated arthritis": "case", "joint trauma": "other disease"}
    columns = zip(*matrix.sample["characteristics_ch1"], strict=True)
    for sample, cells in zip(matrix.samples, columns, strict=True):
        found = {key.lower(): value for key, value in by_key(list(cells)).items()}
        state = " ".join(found["disease state"].lower().split())
        assert words.get(state, state) == truth[sample]["group"]
        sex = found.get("gender", found.get("sex"))
        code = None if sex is None else int(sex.lower().startswith("m"))
        assert code == truth[sample]["gender"]
        age = found.get("age", found.get("age (years)", "")).removesuffix(" years").rstrip("y")
        assert (None if age == "n/a" else float(age)) == truth[sample]["age"]


def test_shifted_cohort_has_ages_in_the_row_of_sex(study: SimulatedStudy) -> None:
    matrix = read_matrix(geo_path(study.folder, ARTHRITIS, "GSE90000003", "matrix"))
    rows = matrix.sample["characteristics_ch1"]
    keys = [{cell.split(":")[0] for cell in row} for row in rows]
    assert keys[1] == {"Sex", "age"}
    assert keys[2] == {"age", "disease state"}
    assert keys[3] == {"disease state", ""}
    truth = study.truth.cohorts["GSE90000003"].samples
    unknown = {sample for sample, known in truth.items() if known["gender"] is None}
    shifted = {s for s, cell in zip(matrix.samples, rows[1], strict=True) if "age" in cell}
    assert shifted == unknown
    assert len(shifted) >= 2


def test_batch_is_balanced_in_one_cohort_and_confounded_in_the_other(study: SimulatedStudy) -> None:
    def late_share(accession: str, group: str) -> float:
        samples = study.truth.cohorts[accession].samples.values()
        batches = [sample["batch"] for sample in samples if sample["group"] == group]
        return batches.count(2) / len(batches)

    assert late_share("GSE90000001", "case") == late_share("GSE90000001", "healthy control") == 0.5
    gap = late_share("GSE90000002", "case") - late_share("GSE90000002", "healthy control")
    assert 0.3 < gap < 0.6


def test_rejected_cohorts_give_a_reason(study: SimulatedStudy) -> None:
    truth = study.truth
    assert truth.usable_cohorts(ARTHRITIS) == ["GSE90000001", "GSE90000002", "GSE90000003"]
    assert truth.usable_cohorts("Simulated_Carcinoma") == ["TCGA"]
    treated = read_matrix(geo_path(study.folder, ARTHRITIS, "GSE90000004", "matrix"))
    states = treated.sample["characteristics_ch1"][1]
    assert set(states) == {"disease state: simulated arthritis"}
    other = read_matrix(geo_path(study.folder, "Simulated_Carcinoma", "GSE90000006", "matrix"))
    assert other.series["type"] == ["Methylation profiling by genome tiling array"]
    assert all(c.reason for c in truth.cohorts.values() if not c.usable)
