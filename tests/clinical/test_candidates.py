from collections.abc import Sequence

from genotex.clinical import characteristic_candidates, describe_series
from genotex.clinical.cells import Candidate

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


def test_few_values_stand_most_where_fewest_others_do(make_description: MakeDescription) -> None:
    description = make_description(
        ["sex: F", "sex: M", *[f"auc: {n}" for n in range(28)]],
        ["age: 9", "age: 36", None, "sex: F", "sex: M"],
    )
    assert of_key(characteristic_candidates(description), "sex").row == 1


def test_both_values_before_one_value(make_description: MakeDescription) -> None:
    description = make_description(
        ["tissue: blood", "sex: F"],
        ["sex: F", "sex: M", "tissue: blood", "tissue: skin"],
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
