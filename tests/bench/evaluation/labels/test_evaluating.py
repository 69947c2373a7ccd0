"""A prediction against several sets of labels, side by side."""

from pathlib import Path

import pytest

from genotex.bench import (
    Answers,
    Disagreement,
    Label,
    LabelledCase,
    compare_labels,
    evaluate_answers,
    evaluate_folder,
)
from genotex.errors import UsageError
from genotex.layout import InputFolder, OutputFolder
from tests.geo_text import asthma, series_matrix, write_asthma, write_gz

from .labelled import CASE, CONTROL, feature, labelled
from .test_availability import put_flags

TRAIT = feature(0, {CASE: 1, CONTROL: 0})
CONSTANT = feature(1, {"tissue: lung": 1})
GOOD, NONE = Label(True, TRAIT), Label(True)


@pytest.fixture
def cases() -> list[LabelledCase]:
    """Two cases that both sets read alike, two where the benchmark takes a constant row."""
    return [
        *(labelled(n, benchmark=GOOD, reading=GOOD, consensus=GOOD) for n in (1, 2)),
        *(labelled(n, benchmark=Label(True, CONSTANT), reading=NONE) for n in (3, 4)),
    ]


def test_same_prediction_scores_differently_by_set(cases: list[LabelledCase]) -> None:
    predicted = Answers({"Asthma/GSE1": GOOD, "Asthma/GSE2": NONE, "Asthma/GSE3": NONE})
    evaluation = evaluate_answers(cases, predicted)
    assert evaluation.base == "reading"
    assert evaluation.labels == ("reading", "benchmark", "consensus")
    (section,) = evaluation.sections
    by_name = {scores.labels: scores for scores in section.scores}
    exact = {name: scores.figures["trait_exact"] for name, scores in by_name.items()}
    assert exact == {"reading": 0.75, "benchmark": 0.25, "consensus": 0.5}
    assert by_name["benchmark"].difference["trait_exact"] == -0.5
    # The consensus labels two cases; on these two it says what the reading says.
    assert (by_name["consensus"].count, by_name["consensus"].shared) == (2, 2)
    assert set(by_name["consensus"].difference.values()) == {0.0}
    assert by_name["reading"].difference == {}
    assert [one.item for one in evaluation.missing] == ["Asthma/GSE4"]


def test_other_labels_are_scored_as_predictions_unless_they_leave_cases_out(
    cases: list[LabelledCase],
) -> None:
    evaluation = compare_labels(cases)
    (section,) = evaluation.sections
    assert section.scores == ()
    assert list(section.own) == ["benchmark"]
    assert section.own["benchmark"]["trait_exact"] == 0.5
    assert section.own["benchmark"]["gene_flag_accuracy"] == 1.0
    counts = evaluation.disagreements["benchmark"]
    assert (counts[Disagreement.ALIKE], counts[Disagreement.ONE_VALUE]) == (2, 2)


def test_chosen_sets_alone_are_scored_against(cases: list[LabelledCase]) -> None:
    predicted = Answers({"Asthma/GSE1": GOOD})
    evaluation = evaluate_answers(cases, predicted, ["consensus", "benchmark"])
    assert (evaluation.base, evaluation.labels) == ("consensus", ("consensus", "benchmark"))
    (section,) = evaluation.sections
    assert section.scores[1].shared == 2
    with pytest.raises(UsageError, match="known: benchmark, reading, consensus"):
        evaluate_answers(cases, predicted, ["mine"])


def test_predictions_for_other_cases_are_told(cases: list[LabelledCase]) -> None:
    predicted = Answers({"Asthma/GSE1": GOOD, "x": GOOD, "y": NONE}, ("Asthma/GSE1",))
    assert evaluate_answers(cases, predicted).notes == (
        "predictions for cases that are not labelled, not judged: 2 (x, y)",
        "cases predicted in several lines, the last one counts: 1 (Asthma/GSE1)",
    )
    with pytest.raises(UsageError, match="none of the 2 predictions is for a labelled case: 'x'"):
        evaluate_answers(cases, Answers({"x": GOOD, "y": NONE}))


def test_cases_without_any_label_are_refused() -> None:
    with pytest.raises(UsageError, match="no case has a label"):
        compare_labels([labelled(1)])


DISEASE = feature(0, {"disease state: asthma": 1, "disease state: healthy control": 0})
SEX = feature(2, {"Sex: M": 1, "Sex: F": 0})
AGE = feature(1, {"age: 30": 30, "age: 31": 31})


@pytest.fixture
def real() -> list[LabelledCase]:
    """One cohort that both sets read, one that only the benchmark reads; one without a file."""
    whole = Label(True, DISEASE, AGE, SEX)
    arm = Label(True, feature(2, {"Sex: M": 1, "Sex: F": 0}))
    return [
        labelled(1, reading=whole, benchmark=whole),
        labelled(2, reading=Label(True, None, AGE, SEX), benchmark=arm),
        labelled(3, reading=whole, benchmark=whole),
    ]


@pytest.fixture
def folders(tmp_path: Path) -> tuple[InputFolder, OutputFolder]:
    """Raw files of two cohorts, and a prediction by which both are available."""
    raw = tmp_path / "input"
    write_asthma(raw, "GSE1")
    write_asthma(raw, "GSE2")
    output = OutputFolder(tmp_path / "output")
    put_flags(output, "Asthma", GSE1=True, GSE2=True, GSE9=True)
    samples = [f"GSM{n}" for n in range(1, 13)]
    rows = {
        "Asthma": [n % 2 for n in range(12)],
        "Age": [30 + n for n in range(12)],
        "Gender": [int(n % 3 > 0) for n in range(12)],
    }
    text = ",".join(["", *samples]) + "\n"
    text += "".join(",".join([name, *map(str, codes)]) + "\n" for name, codes in rows.items())
    for cohort in ("GSE1", "GSE2"):
        path = output.clinical_csv("Asthma", cohort)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return InputFolder(raw), output


def test_output_folder_is_scored_by_cohort_and_by_sample(
    real: list[LabelledCase], folders: tuple[InputFolder, OutputFolder]
) -> None:
    raw, output = folders
    evaluation = evaluate_folder(real, output, raw=raw)
    filtering, clinical = evaluation.sections
    reading, benchmark = filtering.scores
    assert reading.figures == pytest.approx(
        # Of GSE1 to GSE3 by the reading 1 and 3 are available; 1 and 2 were taken.
        {
            "filtering_precision": 50,
            "filtering_recall": 50,
            "filtering_f1": 50,
            "filtering_accuracy": 100 / 3,
        }
    )
    assert benchmark.figures["filtering_precision"] == 100
    assert filtering.own["benchmark"]["filtering_recall"] == 100
    by_name = {scores.labels: scores.figures for scores in clinical.scores}
    # All of GSE1 is right; GSE2 has no trait by the reading, and by the benchmark its sex is it.
    assert by_name["reading"] == pytest.approx(
        {"trait_alike": 0.5, "age_alike": 1, "gender_alike": 1, "cohort_exact": 0.5}
    )
    # n % 2 and n % 3 > 0 agree for n = 0, 1, 5, 6, 7, 11.
    assert by_name["benchmark"]["trait_alike"] == pytest.approx((1 + 6 / 12) / 2)
    assert clinical.own["benchmark"] == pytest.approx(
        {"trait_alike": 0.5, "age_alike": 1, "gender_alike": 1, "cohort_exact": 0.5}
    )
    assert evaluation.missing == ()
    assert evaluation.notes == (
        "labelled cohorts without a record, counted as not available: 1 (Asthma/GSE3)",
        "cohorts that are not labelled, not judged: 1 (Asthma/GSE9)",
        f"labelled cohorts whose tables are not judged: 1 of 3, not in {raw.root}",
    )


def test_table_that_is_missing_or_damaged_scores_0_and_is_told(
    real: list[LabelledCase], folders: tuple[InputFolder, OutputFolder]
) -> None:
    raw, output = folders
    output.clinical_csv("Asthma", "GSE1").unlink()
    output.clinical_csv("Asthma", "GSE2").write_text("no table")
    evaluation = evaluate_folder(real, output, ["benchmark"], raw)
    _, clinical = evaluation.sections
    assert set(clinical.scores[0].figures.values()) == {0.0}
    assert [(one.task, one.item) for one in evaluation.missing] == [
        ("clinical", "Asthma/GSE1"),
        ("clinical", "Asthma/GSE2"),
    ]


def test_label_of_another_file_is_left_out_and_told(
    real: list[LabelledCase], folders: tuple[InputFolder, OutputFolder]
) -> None:
    raw, output = folders
    rows = [["tissue: lung"] * 12, *asthma()]  # as if the submitter had put a row in front
    text = series_matrix("GSE1", characteristics=rows)
    write_gz(raw.root / "GEO/Asthma/GSE1/GSE1_series_matrix.txt.gz", text)
    (raw.root / "GEO/Asthma/GSE2/GSE2_series_matrix.txt.gz").write_bytes(b"<html>")
    evaluation = evaluate_folder(real, output, ["reading"], raw)
    _, clinical = evaluation.sections
    assert clinical.scores == ()
    told = " ".join(evaluation.notes)
    assert "Asthma/GSE1: not judged by labels 'reading'" in told
    assert "Asthma/GSE2: not judged, " in told


def test_folder_without_preprocessed_cohorts_is_refused(
    real: list[LabelledCase], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="contains no preprocess/"):
        evaluate_folder(real, OutputFolder(tmp_path))
