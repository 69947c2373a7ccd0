"""A reference folder made of labels."""

from pathlib import Path

import numpy as np
import pytest

from genotex.bench import Label, LabelledCase, apply_labels, evaluate_folder
from genotex.errors import UsageError
from genotex.formats import read_clinical_csv, read_cohort_info
from genotex.layout import InputFolder, OutputFolder
from tests.geo_text import series_matrix, write_asthma, write_gz

from .labelled import feature, labelled

DISEASE = feature(0, {"disease state: asthma": 1, "disease state: healthy control": 0})
SEX = feature(2, {"Sex: M": 1, "Sex: F": 0})
CUT = feature(1, {"age: 30": 30, "age: 31": 31})


@pytest.fixture
def cases() -> list[LabelledCase]:
    return [
        labelled(1, reading=Label(True, DISEASE, CUT, SEX), benchmark=Label(True)),
        labelled(2, reading=Label(True, None, CUT, SEX), benchmark=Label(True, SEX)),
        labelled(3, reading=Label(False, DISEASE), benchmark=Label(True, DISEASE)),
        labelled(4, reading=Label(True, feature(7, {"a": 1})), benchmark=Label(True)),
        labelled(5, reading=Label(True, DISEASE)),
    ]


@pytest.fixture
def raw(tmp_path: Path) -> InputFolder:
    for number in (1, 2, 3, 4):
        write_asthma(tmp_path / "input", f"GSE{number}")
    return InputFolder(tmp_path / "input")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text("any")
    return path


def test_tables_and_records_say_what_the_labels_say(
    cases: list[LabelledCase], raw: InputFolder, source: Path, tmp_path: Path
) -> None:
    output = OutputFolder(tmp_path / "verified")
    applied = apply_labels(cases, "reading", raw, output, source)
    assert (applied.traits, applied.cohorts, applied.tables, applied.not_at_hand) == (1, 4, 2, 1)
    (note,) = applied.notes
    assert note.startswith("Asthma/GSE4: no table, ") and "names row 7" in note

    samples, features = read_clinical_csv(output.clinical_csv("Asthma", "GSE1"))
    assert samples == tuple(f"GSM{n}" for n in range(1, 13))
    assert features["Asthma"].tolist() == [n % 2 for n in range(12)]
    assert features["Age"].tolist() == [30 + n for n in range(12)]
    assert features["Gender"].tolist() == [int(n % 3 > 0) for n in range(12)]
    assert not output.clinical_csv("Asthma", "GSE2").exists()
    assert list(read_clinical_csv(output.clinical_csv("Asthma", "GSE3"))[1]) == ["Asthma"]

    infos = read_cohort_info(output.cohort_info("Asthma"))
    assert list(infos) == ["GSE1", "GSE2", "GSE3", "GSE4"]
    first = infos["GSE1"]
    assert first.is_usable and first.is_available and first.is_biased is False
    assert (first.has_age, first.has_gender, first.sample_size) == (True, True, 12)
    assert first.note == "labels 'reading', before linking with expression"
    for cohort, genes, trait in (("GSE2", True, False), ("GSE3", False, True)):
        info = infos[cohort]
        assert (info.is_gene_available, info.is_trait_available) == (genes, trait)
        assert not info.is_available and not info.is_usable
        assert (info.is_biased, info.sample_size, info.note) == (None, None, None)
    # What the label says holds without the file; whether there are enough of both, nobody knows.
    assert infos["GSE4"].is_available and not infos["GSE4"].is_usable


def test_one_sided_trait_is_not_usable_and_unlisted_values_are_told(
    source: Path, tmp_path: Path
) -> None:
    states = ["asthma"] * 40 + ["healthy"] * 2 + ["unsure"] * 3
    rows = [[f"disease state: {state}" for state in states]]
    folder = tmp_path / "input/GEO/Asthma/GSE1"
    write_gz(folder / "GSE1_series_matrix.txt.gz", series_matrix("GSE1", characteristics=rows))
    trait = feature(0, {"disease state: asthma": 1, "disease state: healthy": 0})
    output = OutputFolder(tmp_path / "verified")
    case = labelled(1, reading=Label(True, trait))
    apply_labels([case], "reading", InputFolder(tmp_path / "input"), output, source)
    info = read_cohort_info(output.cohort_info("Asthma"))["GSE1"]
    assert info.is_available and info.is_biased and not info.is_usable
    assert info.sample_size == 42
    assert info.note is not None and "3 samples with a value that the label does not" in info.note
    codes = read_clinical_csv(output.clinical_csv("Asthma", "GSE1"))[1]["Asthma"]
    assert np.isnan(codes[42:]).all()


def test_reference_scores_perfectly_against_its_own_labels(
    cases: list[LabelledCase], raw: InputFolder, source: Path, tmp_path: Path
) -> None:
    output = OutputFolder(tmp_path / "verified")
    apply_labels(cases[:3], "reading", raw, output, source)
    filtering, clinical = evaluate_folder(cases[:3], output, ["reading"], raw).sections
    assert set(filtering.scores[0].figures.values()) == {100.0}
    assert set(clinical.scores[0].figures.values()) == {1.0}


def test_second_time_gives_the_same_bytes_and_removes_what_no_longer_holds(
    cases: list[LabelledCase], raw: InputFolder, source: Path, tmp_path: Path
) -> None:
    output = OutputFolder(tmp_path / "verified")
    apply_labels(cases, "reading", raw, output, source)
    before = {p: p.read_bytes() for p in sorted(output.root.rglob("*")) if p.is_file()}
    stale = output.clinical_csv("Asthma", "GSE2")
    stale.write_text("stale")
    apply_labels(cases, "reading", raw, output, source)
    after = {p: p.read_bytes() for p in sorted(output.root.rglob("*")) if p.is_file()}
    assert after == before


def test_folder_that_holds_something_else_is_left_alone(
    cases: list[LabelledCase], raw: InputFolder, source: Path, tmp_path: Path
) -> None:
    output = OutputFolder(tmp_path / "verified")
    apply_labels(cases, "reading", raw, output, source)
    with pytest.raises(UsageError, match="was made from other labels"):
        apply_labels(cases, "benchmark", raw, output, source)
    source.write_text("other cases")
    with pytest.raises(UsageError, match="was made from other labels"):
        apply_labels(cases, "reading", raw, output, source)
    with pytest.raises(UsageError, match="is not empty and was not made from labels"):
        apply_labels(cases, "reading", raw, OutputFolder(raw.root), source)
    with pytest.raises(UsageError, match="is a file"):
        apply_labels(cases, "reading", raw, OutputFolder(source), source)


def test_input_without_a_labelled_cohort_is_refused(
    cases: list[LabelledCase], raw: InputFolder, source: Path, tmp_path: Path
) -> None:
    output = tmp_path / "verified"
    with pytest.raises(UsageError, match="none of the 1 cohorts labelled by 'reading' is in"):
        apply_labels(cases[4:], "reading", raw, OutputFolder(output), source)
    assert not output.exists()
