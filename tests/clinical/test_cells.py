from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.clinical import Candidate, characteristic_candidates, describe_series
from genotex.features import parse_age_years, parse_number, parse_sex, split_cell, split_pairs

from .conftest import MakeDescription, MakeSeries


def of_key(candidates: Sequence[Candidate], key: str) -> Candidate:
    (found,) = [candidate for candidate in candidates if candidate.key == key]
    return found


def test_counted_samples_decide_where_samples_are_known(make_series: MakeSeries) -> None:
    # Forty different ages in row 1 are more than thirty in row 0, though both look cut at thirty.
    series = make_series(
        [*[f"age: {n}" for n in range(30)], *[f"bmi: {n}" for n in range(40)]],
        [*[f"sex: {n}" for n in range(30)], *[f"age: {n}" for n in range(40, 80)]],
    )
    assert of_key(characteristic_candidates(describe_series(series)), "age").row == 1


def test_few_values_are_most_frequent_where_fewest_others_are(
    make_description: MakeDescription,
) -> None:
    description = make_description(
        ["sex: F", "sex: M", *[f"auc: {n}" for n in range(28)]],
        ["age: 9", "age: 36", None, "sex: F", "sex: M"],
    )
    assert of_key(characteristic_candidates(description), "sex").row == 1


def test_both_values_before_one_value(make_description: MakeDescription) -> None:
    description = make_description(
        ["tissue: blood", "sex: F"], ["sex: F", "sex: M", "tissue: blood", "tissue: skin"]
    )
    assert of_key(characteristic_candidates(description), "sex").row == 1


def test_more_different_ages_mean_more_samples(make_description: MakeDescription) -> None:
    description = make_description(
        [*[f"age: {n}" for n in range(8)], "sex: F"],
        ["sex: F", "sex: M", *[f"age: {n}" for n in range(20)]],
    )
    assert of_key(characteristic_candidates(description), "age").row == 1


def test_of_two_cut_rows_the_one_that_begins_with_the_key(
    make_description: MakeDescription,
) -> None:
    ages = [f"age: {n}" for n in range(40, 69)]
    description = make_description(["type: biopsy", *ages], [*ages[:20], "sex: F", *ages[20:]])
    found = of_key(characteristic_candidates(description), "age")
    assert found.row == 1
    assert found.elsewhere == (0,)
    assert found.other_cells == {"sex: F"}


def test_key_that_fills_several_rows_gives_one_candidate_each(
    make_description: MakeDescription,
) -> None:
    description = make_description(["tissue: skin", "tissue: gut"], ["tissue: T1", "tissue: T2"])
    assert [c.row for c in characteristic_candidates(description)] == [0, 1]


@pytest.mark.parametrize(
    ("text", "number"),
    [("1.72", 1.72), ("1,72", 1.72), ("-0.5", -0.5), ("172 cm", 172), ("3e2", 300), ("<0.1", 0.1),
     ("25.1 kg/m2", 25.1), ("12%", 12), ("none", None), ("", None), ("1.2.3", None), ("4; 5", None),
     ("9e999", None), ("1-2", None)],
)  # fmt: skip
def test_measured_numbers(text: str, number: float | None) -> None:
    assert parse_number(text) == number


def test_cell_is_split_at_its_first_colon_only() -> None:
    assert split_cell("treatment: dose: 5 mg") == ("treatment", "dose: 5 mg")
    assert split_cell("strain, sex: C57BL/6, male") == ("strain, sex", "C57BL/6, male")
    assert split_cell("synovial tissue") == ("", "synovial tissue")


def test_description_is_split_into_pairs() -> None:
    assert split_pairs("Age = 70; Gender: Female; Right Kidney") == [
        ("Age", "70", "Age = 70"),
        ("Gender", "Female", "Gender: Female"),
    ]


@settings(deadline=None)
@given(st.text(), st.text())
def test_no_text_breaks_a_parser(text: str, key: str) -> None:
    age = parse_age_years(text, key)
    assert age is None or 0 <= age <= 125
    assert parse_sex(text, key) in (None, 0, 1)
    number = parse_number(text)
    assert number is None or abs(number) < float("inf")
    split_pairs(text)
