"""Labels applied to samples, and clinical tables scored against them."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.bench import Label
from genotex.bench.evaluation.labels.clinical_tables import (
    CodedFeature,
    CodedTable,
    CodingScore,
    code_samples,
    coding_figures,
    score_coding,
    table_of_file,
    table_of_labels,
)
from genotex.errors import FormatError
from genotex.formats import Series, write_clinical_csv

from .labelled import CASE, CONTROL, feature

NAN = float("nan")
ROWS = (
    (CASE, CONTROL, "Disease:  ASTHMA", None),
    ("age: 45", "age: 51", "age: 60.5", "age: NA"),
    ("sex: F", "sex: M", "sex: M", "sex: F"),
)
SAMPLES = ("GSM1", "GSM2", "GSM3", "GSM4")
SERIES = Series(Path("GSE1.txt"), SAMPLES, {}, {"characteristics_ch1": ROWS})
TRAIT = feature(0, {CASE: 1, CONTROL: 0})
AGE = feature(1, {"age: 45": 45, "age: 51": 51, "age: 60.5": 60.5, "age: NA": None})
GENDER = feature(2, {"sex: F": 0, "sex: M": 1})
WHOLE = Label(True, TRAIT, AGE, GENDER)


def codes_of(label: Label) -> dict[str, list[float]]:
    return {name: found.codes.tolist() for name, found in code_samples(label, SERIES).items()}


def test_label_codes_every_sample_of_its_rows() -> None:
    coded = codes_of(WHOLE)
    # Case and blanks aside the third sample is a case; an empty cell is missing.
    assert coded["trait"][:3] == [1, 0, 1] and np.isnan(coded["trait"][3])
    assert coded["age"][:3] == [45, 51, 60.5] and np.isnan(coded["age"][3])
    assert coded["gender"] == [0, 1, 1, 0]


def test_value_beyond_a_cut_list_is_read_by_the_parser_that_fits_the_listed_ones() -> None:
    cut = Label(True, TRAIT, feature(1, {"age: 45": 45, "age: 51": 51}))
    age = code_samples(cut, SERIES)["age"]
    assert age.codes[:3].tolist() == [45, 51, 60.5]
    assert age.known.tolist() == [True, True, True, False]  # "age: NA" is not listed


def test_value_that_no_parser_reads_as_the_label_does_is_not_known() -> None:
    old = Label(True, TRAIT, feature(1, {"age: 45": 0, "age: 51": 1}))  # groups, no years
    age = code_samples(old, SERIES)["age"]
    assert age.known.tolist() == [True, True, False, False]
    assert np.isnan(age.codes[2:]).all()


def test_feature_without_any_code_is_not_available() -> None:
    assert code_samples(Label(True, feature(0, {CASE: None, CONTROL: None})), SERIES) == {}


@pytest.mark.parametrize(
    ("label", "what"),
    [
        (Label(True, feature(3, {CASE: 1})), "names row 3, but the file has 3 rows"),
        (Label(True, feature(2, {CASE: 1})), "none of the values .* is in row 2"),
    ],
)
def test_label_of_another_file_is_refused(label: Label, what: str) -> None:
    with pytest.raises(FormatError, match=what) as error:
        code_samples(label, SERIES)
    assert error.value.field == "trait"


def score(label: Label, predicted: CodedTable | None) -> CodingScore:
    return score_coding("Asthma", "GSE1", code_samples(label, SERIES), SAMPLES, predicted)


def table(samples: tuple[str, ...] = SAMPLES, **codes: list[float]) -> CodedTable:
    values = {name: np.array(found) for name, found in codes.items()}
    return CodedTable(samples, values)  # type: ignore[arg-type]


def test_share_of_samples_coded_alike_worked_out_by_hand() -> None:
    predicted = table(trait=[1, 1, 1, NAN], age=[45, 51.05, 60.6, NAN], gender=[0, 1, 1, 0])
    assert score(WHOLE, predicted) == CodingScore("Asthma", "GSE1", 4, 0.75, 0.75, 1.0, False)


def test_samples_are_matched_by_name_and_lacking_ones_are_missing() -> None:
    predicted = table(("GSM3", "GSM1", "GSM9"), trait=[1, 1, 0], gender=[1, 0, 1])
    found = score(WHOLE, predicted)
    assert found.trait_alike == 0.75  # GSM2 lacks; GSM4 is missing on both sides
    assert found.gender_alike == 0.5
    assert found.age_alike == 0.0  # the label has an age, the prediction none


def test_feature_that_neither_side_has_is_right_and_one_of_a_side_alone_is_wrong() -> None:
    label = Label(True, TRAIT)
    assert score(label, table(trait=[1, 0, 1, NAN])).exact
    assert score(label, table(trait=[1, 0, 1, NAN], age=[45, 51, 60, 1])).age_alike == 0.0


def test_missing_table_scores_0_where_the_label_has_a_trait() -> None:
    assert score(Label(True, TRAIT), None) == CodingScore("Asthma", "GSE1", 4, 0, 0, 0, False)


@pytest.mark.parametrize(("predicted", "right"), [(None, 1.0), (table(trait=[1, 1, 0, 0]), 0.0)])
def test_where_no_row_tells_the_trait_there_should_be_no_table(
    predicted: CodedTable | None, right: float
) -> None:
    found = score(Label(True, None, AGE), predicted)
    assert found == CodingScore("Asthma", "GSE1", 4, right, None, None, right == 1.0)


def test_sample_whose_code_is_not_known_is_not_judged() -> None:
    label = Label(True, TRAIT, feature(1, {"age: 45": 0, "age: 51": 1}))
    predicted = table(trait=[1, 0, 1, NAN], age=[0, 0, 7, 7])
    assert score(label, predicted).age_alike == 0.5


def test_means_over_cohorts_leave_out_what_is_not_defined() -> None:
    scores = [score(WHOLE, None), score(Label(True), None), score(WHOLE, _of(WHOLE))]
    assert coding_figures(scores) == pytest.approx(
        {"trait_alike": 2 / 3, "age_alike": 0.5, "gender_alike": 0.5, "cohort_exact": 2 / 3}
    )
    assert coding_figures([score(Label(True), None)]) == {"trait_alike": 1.0, "cohort_exact": 1.0}


def _of(label: Label) -> CodedTable:
    return table_of_labels(code_samples(label, SERIES), SAMPLES)


def test_label_scores_1_against_itself() -> None:
    assert score(WHOLE, _of(WHOLE)) == CodingScore("Asthma", "GSE1", 4, 1.0, 1.0, 1.0, True)


CELLS = st.lists(st.sampled_from([0.0, 1.0, NAN]), min_size=4, max_size=4)


@given(CELLS, st.permutations(range(4)))
def test_order_of_the_predicted_samples_changes_nothing(
    codes: list[float], order: list[int]
) -> None:
    coded = {"trait": CodedFeature(np.array([1, 0, 1, NAN]), np.ones(4, dtype=bool))}
    shuffled = table(tuple(SAMPLES[n] for n in order), trait=[codes[n] for n in order])
    one, other = (
        score_coding("Asthma", "GSE1", coded, SAMPLES, predicted)  # type: ignore[arg-type]
        for predicted in (table(trait=codes), shuffled)
    )
    assert one == other
    # An independent count, sample by sample.
    alike = sum(c == wanted or (np.isnan(c) and np.isnan(wanted))
                for c, wanted in zip(codes, [1, 0, 1, NAN], strict=True))  # fmt: skip
    assert one.trait_alike == alike / 4


@pytest.mark.parametrize("name", ["Asthma", "asthma", "Disease"])
def test_table_of_any_tool_is_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / "GSE1.csv"
    features = {name: np.array([1.0, 0]), "Age": np.array([40.0, NAN]), "Gender": np.full(2, NAN)}
    write_clinical_csv(path, ["GSM1", "GSM2"], features)
    found = table_of_file(path, "Asthma")
    assert found.samples == ("GSM1", "GSM2")
    assert list(found.codes) == ["trait", "age"]  # gender is told of no sample
    assert found.codes["trait"].tolist() == [1, 0]
