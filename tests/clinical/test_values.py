import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.clinical import parse_age_years, parse_number, parse_sex, split_cell
from genotex.clinical.cells import split_pairs


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
