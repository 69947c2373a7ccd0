import numpy as np
import pytest

from genotex.clinical import (
    FeatureEncoding,
    RuleExpert,
    apply_encoding,
    cells_to_code,
    describe_series,
    is_biased,
)
from genotex.errors import EncodingFileError

from .conftest import MakeSeries

NAN = float("nan")


def age(row: int, key: str = "age") -> FeatureEncoding:
    return FeatureEncoding("age", row, key, "continuous", parser="age_years")


def test_shifted_cells_are_found_by_key_and_reported(make_series: MakeSeries) -> None:
    series = make_series(
        ["gender: male", "gender: female", "age: 33", "gender: male"],
        ["age: 45", "age: 51", "tissue: blood", "age: n/a"],
    )
    encoded = apply_encoding(age(1), series, procedure="sound")
    np.testing.assert_array_equal(encoded.codes, [45, 51, 33, NAN])
    assert encoded.raw == ("age: 45", "age: 51", "age: 33", "age: n/a")
    assert any("shifted" in note and "1 in row 0" in note for note in encoded.notes)


def test_benchmark_reads_one_row_and_the_first_integer(make_series: MakeSeries) -> None:
    series = make_series(["gender: male", "age: 33"], ["age: 45.5", "tissue: T2"])
    encoded = apply_encoding(age(1), series, procedure="benchmark")
    np.testing.assert_array_equal(encoded.codes, [45, 2])
    months = make_series(["age (months): 18 months"])
    assert apply_encoding(age(0), months, procedure="benchmark").codes.tolist() == [18]
    assert apply_encoding(age(0, "age (months)"), months, procedure="sound").codes.tolist() == [1.5]


def test_days_to_birth_become_years(make_series: MakeSeries) -> None:
    series = make_series(["days_to_birth: -16000"])
    encoded = apply_encoding(age(0, "days_to_birth"), series, procedure="sound")
    assert encoded.codes[0] == pytest.approx(43.8, abs=0.01)


def test_listed_values_match_case_and_white_space_aside(make_series: MakeSeries) -> None:
    encoding = FeatureEncoding(
        "trait", 0, "disease", "binary",
        values={"disease: OA": 1, "disease: normal": 0, "disease: RA": 0, "disease: ?": None},
        roles={"disease: OA": "case", "disease: normal": "healthy control",
               "disease: RA": "other disease", "disease: ?": "unknown"},
    )  # fmt: skip
    series = make_series(
        ["disease: OA", "Disease:  oa", "disease: Normal ", "disease: RA", "disease: ?",
         "disease: gout", None]
    )  # fmt: skip
    encoded = apply_encoding(encoding, series, procedure="sound")
    np.testing.assert_array_equal(encoded.codes, [1, 1, 0, 0, NAN, NAN, NAN])
    assert encoded.roles[0] == "case"
    assert encoded.roles[2:4] == ("healthy control", "other disease")
    assert encoded.roles[5] == "unknown"
    assert any("'disease: gout'" in note for note in encoded.notes)
    assert not any("disease: ?" in note for note in encoded.notes)


def test_key_is_found_in_any_case(make_series: MakeSeries) -> None:
    series = make_series(["Smoking Status: COPD", "smoking status: healthy"])
    encoding = FeatureEncoding(
        "trait", 0, "Smoking Status", "binary",
        values={"Smoking Status: COPD": 1, "smoking status: healthy": 0},
    )  # fmt: skip
    encoded = apply_encoding(encoding, series, procedure="sound")
    assert encoded.codes.tolist() == [1, 0]
    assert encoded.roles == ("case", "healthy control")


def test_values_without_any_key(make_series: MakeSeries) -> None:
    series = make_series(["Asthma", "Healthy control", None])
    reading = RuleExpert().annotate(describe_series(series), "Asthma")
    assert reading.trait is not None and reading.trait.key == ""
    encoded = apply_encoding(reading.trait, series, procedure="sound")
    np.testing.assert_array_equal(encoded.codes, [1, 0, NAN])


def test_pairs_in_descriptions(make_series: MakeSeries) -> None:
    series = make_series(
        description=[["Age = 70; Gender = Female", "Keywords = RCC"], [None, "Gender = Male"]]
    )
    encoding = FeatureEncoding(
        "gender", None, "Gender", "binary", parser="sex", sample_field="description"
    )
    encoded = apply_encoding(encoding, series, procedure="sound")
    assert encoded.codes.tolist() == [0, 1]
    assert encoded.raw == ("Gender = Female", "Gender = Male")


def test_row_that_the_series_does_not_have(make_series: MakeSeries) -> None:
    with pytest.raises(EncodingFileError, match=r"age.row: age names row 3.*has 1 rows"):
        apply_encoding(age(3), make_series(["age: 1"]), procedure="sound")


def test_annotated_then_applied_to_a_shifted_series(make_series: MakeSeries) -> None:
    series = make_series(
        ["disease: asthma", "disease: healthy", "sex: F", "disease: asthma"],
        ["sex: M", "sex: F", "disease: healthy", "sex: M"],
    )
    reading = RuleExpert().annotate(describe_series(series), "Asthma")
    assert reading.trait is not None and reading.gender is not None
    trait = apply_encoding(reading.trait, series, procedure="sound")
    assert trait.codes.tolist() == [1, 0, 0, 1]
    gender = apply_encoding(reading.gender, series, procedure="sound")
    assert gender.codes.tolist() == [1, 0, 0, 1]


def test_control_without_a_role_is_healthy_only_by_its_words(make_series: MakeSeries) -> None:
    cells = ["disease: RA", "disease: osteoarthritis", "disease: normal", "disease: group B"]
    encoding = FeatureEncoding(
        "trait", 0, "disease", "binary", values=dict(zip(cells, [1.0, 0.0, 0.0, 0.0], strict=True))
    )
    encoded = apply_encoding(encoding, make_series(cells), procedure="sound")
    assert encoded.roles == ("case", "other disease", "healthy control", "unknown")
    np.testing.assert_array_equal(encoded.codes, [1, 0, 0, 0])


def test_listed_cell_under_another_key_counts_where_the_key_is_lacking(
    make_series: MakeSeries,
) -> None:
    series = make_series(["age: 45", "years: 51", "years: 60"], ["sex: F", "sex: M", "age: 70"])
    encoding = FeatureEncoding(
        "age", 0, "age", "continuous", values={"years: 51": 51, "years: 60": 60}, parser="age_years"
    )
    codes = apply_encoding(encoding, series, procedure="sound").codes
    assert codes.tolist() == [45, 51, 70]  # the third sample has the key itself, in row 1


def test_samples_without_a_cell_have_the_code_of_the_empty_cell(make_series: MakeSeries) -> None:
    series = make_series(["disease: asthma", None, "tissue: blood"])
    values = {"disease: asthma": 1.0, "": 0.0}
    encoding = FeatureEncoding("trait", 0, "disease", "binary", values)
    for procedure, codes in (("sound", [1, 0, 0]), ("benchmark", [1, 0, NAN])):
        found = apply_encoding(encoding, series, procedure=procedure)
        np.testing.assert_array_equal(found.codes, codes)


def test_age_corrected_by_hand_holds_in_both_procedures(make_series: MakeSeries) -> None:
    series = make_series(["age: 45.5", "age: 999", "age: 540"])
    encoding = FeatureEncoding(
        "age", 0, "age", "continuous", values={"age: 999": None, "age: 540": 45}, parser="age_years"
    )
    sound = apply_encoding(encoding, series, procedure="sound").codes
    np.testing.assert_array_equal(sound, [45.5, NAN, 45])
    benchmark = apply_encoding(encoding, series, procedure="benchmark").codes
    np.testing.assert_array_equal(benchmark, [45, NAN, 45])


def test_cells_to_code_are_those_of_the_key_and_others_of_the_row(make_series: MakeSeries) -> None:
    series = make_series(["gender: male", "age: 33", None], ["age: 45", "tissue: blood", "age: 45"])
    assert cells_to_code(age(1), series, "sound") == {
        "age: 45": True,
        "tissue: blood": False,
        "age: 33": True,
    }
    assert cells_to_code(age(1), series, "benchmark") == {"age: 45": True, "tissue: blood": True}
    with pytest.raises(EncodingFileError, match="names row 7"):
        cells_to_code(age(7), series, "sound")


@pytest.mark.parametrize(
    ("values", "biased"),
    [
        ([0, 1] * 5, False),
        ([1] * 10, True),
        ([], True),
        ([np.nan, np.nan], True),
        ([0] * 36 + [1] * 4, False),  # 4 samples, but 10 % of them
        ([0] * 37 + [1] * 4, True),  # 4 samples and less than 10 %
        ([0] * 96 + [1] * 5, False),  # less than 10 %, but 5 samples
        ([1, 2, 3, 3, 3, 3, 3, 3], False),  # more than two values: continuous
        ([0, 1, np.nan, 0, 1], False),
    ],
)
def test_bias_rule_of_the_benchmark(values: list[float], biased: bool) -> None:
    assert is_biased(np.array(values, dtype=float)) is biased
