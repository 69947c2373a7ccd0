"""TCGA cohorts (trap 23 and 24): barcodes, duplicates, missing words, both expression tables."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from genotex.cohorts import CohortOutcome, PreprocessOptions, preprocess
from genotex.errors import UsageError
from genotex.formats import (
    read_clinical_csv,
    read_cohort_info,
    read_evidence,
    read_gene_csv,
    read_linked,
)
from genotex.layout import OutputFolder
from genotex.procedure import Procedure
from tests.geo_text import GENES, write_asthma

TRAIT = "Liver_Cancer"
NAME = "TCGA_Liver_Cancer_(LIHC)"

# patient, sample codes, age, days to birth, gender
PATIENTS = [
    *((f"AA{i:02d}", ["01", "11"], str(40 + i), str(-15000 - i), "MALE") for i in range(8)),
    *((f"BB{i:02d}", ["01"], str(60 + i), "", "FEMALE") for i in range(8)),
    ("CC00", ["06"], "[Not Available]", "-16000", "[Not Available]"),
    ("CC01", ["20"], "70", "", "MALE"),
]


def barcodes() -> list[str]:
    return [f"TCGA-{code}-0001-{kind}" for code, kinds, *_ in PATIENTS for kind in kinds]


def clinical_text(*, age: str = "age_at_initial_pathologic_diagnosis") -> str:
    lines = [f"sampleID\t_cohort\t{age}\tdays_to_birth\tgender"]
    for code, kinds, years, days, gender in PATIENTS:
        for kind in kinds:
            lines.append(f"TCGA-{code}-0001-{kind}\tTCGA\t{years}\t{days}\t{gender}")
    return "\n".join(lines) + "\n"


def expression_text(*, rows: tuple[str, ...] = tuple(GENES), shift: float = 0.0) -> str:
    samples = [*barcodes(), barcodes()[0]]  # the first sample twice
    lines = ["\t".join(["sample", *samples])]
    for j, name in enumerate(rows):
        values = [f"{5 + shift + (i * 7 + j * 3) % 5:.2f}" for i in range(len(samples))]
        values[-1] = f"{float(values[0]) + 2:.2f}"
        lines.append("\t".join([name, *values]))
    return "\n".join(lines) + "\n"


def write_tcga(root: Path, **clinical: str) -> Path:
    folder = root / "TCGA" / NAME
    folder.mkdir(parents=True)
    (folder / "TCGA.LIHC.sampleMap_LIHC_clinicalMatrix").write_text(clinical_text(**clinical))
    for name, shift in (("HiSeqV2", 0.0), ("HiSeqV2_PANCAN", -5.0)):
        data = gzip.compress(expression_text(shift=shift).encode(), mtime=0)
        (folder / f"TCGA.LIHC.sampleMap_{name}.gz").write_bytes(data)
    return root


def run(source: Path, target: Path, procedure: str = "sound") -> CohortOutcome:
    options = PreprocessOptions(procedure=procedure)
    (outcome,) = preprocess(source, target, traits=["Liver Cancer"], options=options)
    return outcome


@pytest.mark.parametrize("procedure", ["sound", "benchmark"])
def test_trait_by_sample_code(tmp_path: Path, procedure: str) -> None:
    outcome = run(write_tcga(tmp_path / "in"), tmp_path / "out", procedure)
    assert outcome.cohort == "TCGA" and outcome.error is None
    samples, features = read_clinical_csv(
        OutputFolder(tmp_path / "out").clinical_csv(TRAIT, "TCGA")
    )
    trait = dict(zip(samples, features[TRAIT], strict=True))
    assert trait["TCGA-AA00-0001-01"] == 1
    assert trait["TCGA-AA00-0001-11"] == 0
    assert trait["TCGA-CC00-0001-06"] == 1
    other = trait["TCGA-CC01-0001-20"]
    assert other == -1 if procedure == "benchmark" else np.isnan(other)


def test_sound_leaves_other_controls_out_and_is_reported(tmp_path: Path) -> None:
    outcome = run(write_tcga(tmp_path / "in"), tmp_path / "out")
    assert outcome.info is not None and outcome.info.sample_size == len(barcodes()) - 1
    evidence = read_evidence(OutputFolder(tmp_path / "out").evidence(TRAIT, "TCGA"))
    assert evidence.mapping["value_kind"] == "reads"
    assert any("20 and above left out" in note for note in outcome.notes)
    assert any("8 patients gave both tumour and normal" in note for note in outcome.notes)


def test_ages_and_genders_that_are_not_available_are_missing(tmp_path: Path) -> None:
    run(write_tcga(tmp_path / "in"), tmp_path / "out")
    table = read_linked(OutputFolder(tmp_path / "out"), TRAIT, "TCGA")
    i = table.samples.index("TCGA-CC00-0001-06")
    assert np.isnan(table.covariates["Age"][i]) and np.isnan(table.covariates["Gender"][i])
    j = table.samples.index("TCGA-AA03-0001-01")
    assert (table.covariates["Age"][j], table.covariates["Gender"][j]) == (43, 1)


def test_days_to_birth_serve_when_no_column_is_in_years(tmp_path: Path) -> None:
    run(write_tcga(tmp_path / "in", age="not_an_age"), tmp_path / "out")
    output = OutputFolder(tmp_path / "out")
    table = read_linked(output, TRAIT, "TCGA")
    i = table.samples.index("TCGA-CC00-0001-06")
    assert table.covariates["Age"][i] == pytest.approx(43.8, abs=0.05)  # trap 25
    assert read_evidence(output.evidence(TRAIT, "TCGA")).reading["age"]["key"] == "days_to_birth"


@pytest.mark.parametrize(("procedure", "value"), [("sound", 5.0), ("benchmark", 0.0)])
def test_each_procedure_prefers_its_expression_table(
    tmp_path: Path, procedure: str, value: float
) -> None:
    run(write_tcga(tmp_path / "in"), tmp_path / "out", procedure)
    genes = read_gene_csv(OutputFolder(tmp_path / "out").gene_csv(TRAIT, "TCGA"))
    column = genes.samples.index("TCGA-BB00-0001-01")
    first = genes.ids.index("A1BG")
    i = barcodes().index("TCGA-BB00-0001-01")
    assert genes.values[first, column] == pytest.approx(value + (i * 7) % 5)


def test_duplicate_samples_are_averaged_and_counted(tmp_path: Path) -> None:
    outcome = run(write_tcga(tmp_path / "in"), tmp_path / "out")
    genes = read_gene_csv(OutputFolder(tmp_path / "out").gene_csv(TRAIT, "TCGA"))
    assert len(set(genes.samples)) == len(genes.samples) == len(barcodes())
    column = genes.samples.index(barcodes()[0])
    assert genes.values[genes.ids.index("A1BG"), column] == pytest.approx(6.0)  # (5 + 7) / 2
    assert any("averaged" in note for note in outcome.notes)


def test_symbols_that_became_dates_or_question_marks(tmp_path: Path) -> None:
    source = write_tcga(tmp_path / "in")
    text = expression_text(rows=(*GENES, "7-Sep", "1-Mar", "?"))
    path = source / "TCGA" / NAME / "TCGA.LIHC.sampleMap_HiSeqV2.gz"
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    outcome = run(source, tmp_path / "out")
    genes = read_gene_csv(OutputFolder(tmp_path / "out").gene_csv(TRAIT, "TCGA"))
    assert "SEPTIN7" in genes.ids
    assert not {"1-Mar", "7-Sep", "?"} & set(genes.ids)
    assert any("1-Mar" in note for note in outcome.notes)


def test_folder_without_a_clinical_matrix_is_reported(tmp_path: Path) -> None:
    source = write_tcga(tmp_path / "in")
    next((source / "TCGA" / NAME).glob("*clinicalMatrix*")).unlink()
    outcome = run(source, tmp_path / "out")
    assert outcome.info is None and "clinicalMatrix" in str(outcome.error)


def test_folder_without_expression_is_recorded_as_not_available(tmp_path: Path) -> None:
    source = write_tcga(tmp_path / "in")
    for path in (source / "TCGA" / NAME).glob("*HiSeqV2*"):
        path.unlink()
    outcome = run(source, tmp_path / "out")
    assert outcome.info is not None and outcome.info.is_trait_available
    assert not outcome.info.is_gene_available
    assert outcome.why_not_usable == "gene data not available: no *HiSeqV2* file in the folder"
    assert OutputFolder(tmp_path / "out").clinical_csv(TRAIT, "TCGA").exists()


def test_clinical_samples_without_expression_are_counted(tmp_path: Path) -> None:
    source = write_tcga(tmp_path / "in")
    path = next((source / "TCGA" / NAME).glob("*clinicalMatrix*"))
    with path.open("a") as lines:
        lines.write("TCGA-DD00-0001-01\tTCGA\t50\t\tMALE\n")
    outcome = run(source, tmp_path / "out")
    assert any("1 samples without expression left out" in note for note in outcome.notes)
    evidence = read_evidence(OutputFolder(tmp_path / "out").evidence(TRAIT, "TCGA"))
    assert sum(value["samples"] for value in evidence.encoded["trait"]) == len(barcodes())


def test_groups_chosen_by_hand_do_not_fit_tcga(tmp_path: Path) -> None:
    source = write_tcga(tmp_path / "in")
    options = PreprocessOptions(cases=("x",), controls=("y",))
    (outcome,) = preprocess(source, tmp_path / "out", traits=["Liver Cancer"], options=options)
    assert outcome.info is None and "barcode" in str(outcome.error)


def test_pairs_are_counted_among_samples_with_expression(tmp_path: Path) -> None:
    source = write_tcga(tmp_path / "in")
    path = next((source / "TCGA" / NAME).glob("*clinicalMatrix*"))
    with path.open("a") as lines:
        lines.write("TCGA-DD00-0001-01\tTCGA\t50\t\tMALE\nTCGA-DD00-0001-11\tTCGA\t50\t\tMALE\n")
    outcome = run(source, tmp_path / "out")
    assert any("8 patients gave both tumour and normal" in note for note in outcome.notes)


def test_age_in_days_is_noted(tmp_path: Path) -> None:
    run(write_tcga(tmp_path / "in", age="not_an_age"), tmp_path / "out")
    reading = read_evidence(OutputFolder(tmp_path / "out").evidence(TRAIT, "TCGA")).reading
    assert reading["age"]["evidence"] == [
        "column days_to_birth of the clinical matrix: 17 of 26 known, in days"
    ]


@pytest.mark.parametrize("procedure", ["sound", "benchmark"])
def test_trait_that_no_tcga_folder_means_is_recorded_with_the_reason(
    tmp_path: Path, procedure: Procedure
) -> None:
    source, output = write_tcga(tmp_path / "in"), OutputFolder(tmp_path / "out")
    write_asthma(source)
    options = PreprocessOptions(procedure=procedure)
    geo, tcga = preprocess(source, output.root, traits=["Asthma"], options=options)
    assert geo.info is not None and geo.info.is_usable
    assert tcga.error is None and tcga.why_not_usable == (
        "trait not available: no TCGA folder means Asthma: no TCGA study is of it, TCGA studied "
        "cancers only"
    )
    info = read_cohort_info(output.cohort_info("Asthma"))["TCGA"]
    assert (info.is_usable, info.is_gene_available, info.is_trait_available) == (False,) * 3
    assert info.note is None and info.sample_size is None
    assert not output.clinical_csv("Asthma", "TCGA").exists()
    again = preprocess(source, output.root, traits=["Asthma"], options=options)
    assert [outcome.unchanged for outcome in again] == [True, True]


def test_folder_that_comes_later_is_read(tmp_path: Path) -> None:
    source, output = tmp_path / "in", OutputFolder(tmp_path / "out")
    write_asthma(source)
    (source / "GEO" / "Asthma").rename(source / "GEO" / "Liver_Cancer")
    (source / "TCGA" / "TCGA_Thymoma_(THYM)").mkdir(parents=True)
    *_, absent = preprocess(source, output.root, traits=["Liver Cancer"])
    assert "LIHC" in absent.why_not_usable and "there is no folder" in absent.why_not_usable
    write_tcga(source)
    *_, there = preprocess(source, output.root, traits=["Liver Cancer"])
    assert there.info is not None and there.info.is_usable and not there.unchanged


def test_input_without_tcga_records_nothing_of_it(tmp_path: Path) -> None:
    write_asthma(tmp_path / "in")
    outcomes = preprocess(tmp_path / "in", tmp_path / "out", traits=["Asthma"])
    assert [outcome.cohort for outcome in outcomes] == ["GSE1"]


def test_tcga_alone_needs_a_trait(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name the trait"):
        preprocess(write_tcga(tmp_path / "in"), tmp_path / "out")


def test_luad_clinical_matrix_as_published(shared_data: Path, tmp_path: Path) -> None:
    """Real clinical matrix of 706 samples; expression made up for its sample ids."""
    real = shared_data / "tcga" / "TCGA.LUAD.sampleMap_LUAD_clinicalMatrix.gz"
    folder = tmp_path / "in" / "TCGA" / "TCGA_Lung_Adenocarcinoma_(LUAD)"
    folder.mkdir(parents=True)
    (folder / real.name).write_bytes(real.read_bytes())
    with gzip.open(real, "rt") as lines:
        samples = [line.split("\t")[0] for line in lines][1:]
    rows = ["\t".join(["sample", *samples])]
    for j, name in enumerate(GENES):
        rows.append("\t".join([name, *(f"{5 + (i * 7 + j) % 9}" for i in range(len(samples)))]))
    (folder / "TCGA.LUAD.sampleMap_HiSeqV2").write_text("\n".join(rows) + "\n")
    (outcome,) = preprocess(tmp_path / "in", tmp_path / "out", traits=["Lung Adenocarcinoma"])
    assert outcome.info is not None and outcome.info.is_usable
    assert outcome.info.sample_size == 706
    table = read_linked(OutputFolder(tmp_path / "out"), "Lung_Adenocarcinoma", "TCGA")
    i = table.samples.index("TCGA-05-4244-01")  # first row of the file: 70 years, MALE
    assert (table.covariates["Age"][i], table.covariates["Gender"][i]) == (70, 1)
    normal = sum(s.endswith("-11") for s in samples)
    assert (table.trait_values == 0).sum() == normal
