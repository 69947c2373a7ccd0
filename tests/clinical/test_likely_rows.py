"""What is offered where the rules find no groups of a trait."""

import shlex

import pytest

from genotex.clinical import (
    RuleExpert,
    describe_series,
    group_samples,
    likely_groups,
    load_vocabulary,
)

from .conftest import MakeSeries

STATUS = [f"clinical status: {name}" for name in ("sepsis", "trauma", "sepsis", "trauma")] * 3


def test_the_row_with_groups_comes_with_a_command_that_chooses_them(
    make_series: MakeSeries,
) -> None:
    series = make_series(STATUS, [f"age: {n}" for n in range(12)], ["sex: M", "sex: F"] * 6)
    description = describe_series(series)
    text = likely_groups(description)
    assert text.startswith("rows with groups: 'clinical status' (6 sepsis, 6 trauma); choose with")
    assert "age" not in text and "sex" not in text
    words = shlex.split(text)
    case, control = (words[words.index(option) + 1] for option in ("--case", "--control"))
    chosen = group_samples(
        description, series, None, (case,), (control,), procedure="sound",
        vocabulary=load_vocabulary(),
    )  # fmt: skip
    assert [*chosen.values.values()].count(1) == [*chosen.values.values()].count(0) == 6


def test_the_rules_note_it_where_they_find_no_trait(make_series: MakeSeries) -> None:
    reading = RuleExpert().annotate(describe_series(make_series(STATUS)), "Glaucoma")
    assert reading.trait is None
    assert reading.notes[-1].startswith("rows with groups: 'clinical status'")


def test_a_row_that_divides_the_same_groups_further_is_left_out(make_series: MakeSeries) -> None:
    finer = [f"site: {s.split()[-1]} {n % 2}" for n, s in enumerate(STATUS)]
    other = [f"smoking status: {'yes' if n < 5 else 'no'}" for n in range(12)]
    text = likely_groups(describe_series(make_series(STATUS, finer, other)))
    assert "'smoking status' (7 no, 5 yes)" in text and "'site'" not in text


@pytest.mark.parametrize(
    "row",
    [
        ["tissue: blood"] * 12,
        [f"patient: {n}" for n in range(12)],
        ["scan date: 2010", "scan date: 2011"] * 6,
        ["state: rare", *["state: usual"] * 11, ][:12],
        ["state: a", "state: b"] + [None] * 10,
    ],
)  # fmt: skip
def test_rows_without_groups_of_people_are_not_offered(
    make_series: MakeSeries, row: list[str | None]
) -> None:
    assert likely_groups(describe_series(make_series(row))) == ""
