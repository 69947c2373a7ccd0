"""Real series as NCBI published them; golden values from the benchmark's own notebook.

GSE55457 with the GPL96 table of 2009 and gene_info of January 2020 was run once through the
published steps: the numbers here are those of that run and of the recorded notebook.
"""

import shutil
from pathlib import Path

import numpy as np
import pytest

from genotex.cohorts import PreprocessOptions, preprocess
from genotex.formats import read_evidence, read_gene_csv, read_linked_csv
from genotex.layout import OutputFolder


@pytest.fixture(scope="module")
def osteoarthritis(
    shared_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, OutputFolder]:
    folders = {}
    for procedure in ("sound", "benchmark"):
        target = tmp_path_factory.mktemp(procedure)
        table = shared_data / "genes" / "Homo_sapiens.gene_info.2020-01.gz"
        preprocess(
            shared_data / "input",
            target,
            traits=["Osteoarthritis"],
            options=PreprocessOptions(
                procedure=procedure, gene_table=table if procedure == "benchmark" else None
            ),
        )
        folders[procedure] = OutputFolder(target)
    return folders


def test_gse55457_trait_age_and_gender_as_recorded(osteoarthritis: dict[str, OutputFolder]) -> None:
    for output in osteoarthritis.values():
        reading = read_evidence(output.evidence("Osteoarthritis", "GSE55457")).reading
        rows = [reading[name]["row"] for name in ("trait", "age", "gender")]
        assert rows == [2, 1, 0]
        table = read_linked_csv(output.linked_csv("Osteoarthritis", "GSE55457"))
        assert len(table.samples) == 33 and table.trait_values.sum() == 10
        age, gender = table.covariates["Age"], table.covariates["Gender"]
        for sample, values in (("GSM1337304", (0, 61, 1)), ("GSM1337327", (1, 77, 0))):
            i = table.samples.index(sample)
            assert (table.trait_values[i], age[i], gender[i]) == values


def test_gse55457_genes_of_the_benchmark_procedure(osteoarthritis: dict[str, OutputFolder]) -> None:
    output = osteoarthritis["benchmark"]
    mapping = read_evidence(output.evidence("Osteoarthritis", "GSE55457")).mapping
    assert mapping["rows"] == 22_283
    assert mapping["rows_with_symbol"] == 20_995
    assert mapping["genes_mapped"] == 13_192
    assert mapping["genes"] == 12_988
    genes = read_gene_csv(output.gene_csv("Osteoarthritis", "GSE55457"))
    assert genes.samples[:3] == ("GSM1337304", "GSM1337305", "GSM1337306")
    for symbol, values in (("A2M", [9714.1, 9137.0, 10259.8]), ("TP53", [719.7, 645.3, 553.6])):
        row = genes.values[genes.ids.index(symbol)]
        np.testing.assert_allclose(row[:3], values, atol=0.051)


def test_gse55457_roles_separate_rheumatoid_arthritis_from_healthy(
    osteoarthritis: dict[str, OutputFolder],
) -> None:
    roles = read_evidence(osteoarthritis["sound"].evidence("Osteoarthritis", "GSE55457")).roles
    counts = {role: list(roles.values()).count(role) for role in set(roles.values())}
    assert counts == {"case": 10, "healthy control": 10, "other disease": 13}


def test_sound_puts_mas5_values_on_the_log2_scale(osteoarthritis: dict[str, OutputFolder]) -> None:
    output = osteoarthritis["sound"]
    assert read_evidence(output.evidence("Osteoarthritis", "GSE55457")).mapping["scale"] == "linear"
    table = read_linked_csv(output.linked_csv("Osteoarthritis", "GSE55457"))
    assert np.nanmax(table.expression) < 20


def test_gse55235_with_inconsistent_spellings(osteoarthritis: dict[str, OutputFolder]) -> None:
    table = read_linked_csv(osteoarthritis["sound"].linked_csv("Osteoarthritis", "GSE55235"))
    assert len(table.samples) == 30 and table.trait_values.sum() == 10
    assert not table.covariates


def one_cohort(tmp_path: Path, trait: str, cohort: str, *files: Path) -> Path:
    folder = tmp_path / "input" / "GEO" / trait / cohort
    folder.mkdir(parents=True)
    for path in files:
        shutil.copy(path, folder / path.name)
    return tmp_path / "input"


def preprocess_one(source: Path, tmp_path: Path):  # type: ignore[no-untyped-def]
    (outcome,) = preprocess(source, tmp_path / "output")
    return outcome


def test_gse157103_rna_seq_with_an_empty_table(shared_data: Path, tmp_path: Path) -> None:
    matrix = shared_data / "traps" / "GSE157103_series_matrix.txt.gz"
    outcome = preprocess_one(one_cohort(tmp_path, "COVID-19", "GSE157103", matrix), tmp_path)
    assert outcome.error is None
    assert not outcome.info.is_gene_available and outcome.info.is_trait_available
    assert any("gene data not available" in note for note in outcome.notes)


def test_gse83521_circular_rna_is_no_gene_expression(shared_data: Path, tmp_path: Path) -> None:
    traps = shared_data / "traps"
    files = [traps / "GSE83521_series_matrix.txt.gz", traps / "GSE83521_family.soft.gz"]
    source = one_cohort(tmp_path, "Stomach_Cancer", "GSE83521", *files)
    outcome = preprocess_one(source, tmp_path)
    assert not outcome.info.is_gene_available
    assert any("circ" in note.lower() for note in outcome.notes)


def test_gse30528_with_the_table_of_a_platform_that_covers_its_probes(
    shared_data: Path, tmp_path: Path
) -> None:
    matrix = shared_data / "traps" / "GSE30528_series_matrix.txt.gz"
    gpl96 = shared_data / "input" / "GEO" / "Osteoarthritis" / "GSE55457" / "GPL96.txt.gz"
    source = one_cohort(tmp_path, "Diabetic_Kidney_Disease", "GSE30528", matrix, gpl96)
    outcome = preprocess_one(source, tmp_path)
    assert outcome.info.is_usable and outcome.info.sample_size == 22


def test_gse781_from_a_family_soft_alone(shared_data: Path, tmp_path: Path) -> None:
    soft = shared_data / "traps" / "GSE781_family.soft.gz"
    source = one_cohort(tmp_path, "Kidney_Clear_Cell_Carcinoma", "GSE781", soft)
    outcome = preprocess_one(source, tmp_path)
    assert outcome.info.is_usable and outcome.info.sample_size == 17
    assert outcome.info.has_age and outcome.info.has_gender
    evidence = read_evidence(
        OutputFolder(tmp_path / "output").evidence("Kidney_Clear_Cell_Carcinoma", "GSE781")
    )
    assert evidence.series["platform"] == "GPL96"
