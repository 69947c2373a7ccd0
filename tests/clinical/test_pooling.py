"""Rows that say the same of every sample are one answer."""

from dataclasses import replace

from genotex.clinical import RuleExpert, describe_series

from .conftest import MakeSeries

STATE = ["disease: asthma", "disease: asthma", "disease: normal", "disease: normal"]
SAME = ["diagnosis: asthma", "diagnosis: asthma", "diagnosis: normal", "diagnosis: normal"]
OTHER = ["diagnosis: asthma", "diagnosis: normal", "diagnosis: normal", "diagnosis: normal"]


def test_rows_of_the_same_words_pass_a_threshold_together(make_series: MakeSeries) -> None:
    description = describe_series(make_series(STATE, SAME))
    reading = RuleExpert(least_certainty=0.8).annotate(description, "Asthma")
    assert reading.trait is not None and reading.runner_up is None
    assert reading.certainty is not None and reading.certainty > 0.8
    assert any("would give every sample the same code" in line for line in reading.trait.evidence)


def test_rows_that_differ_in_one_sample_stay_two_answers(make_series: MakeSeries) -> None:
    description = describe_series(make_series(STATE, OTHER))
    assert RuleExpert(least_certainty=0.8).annotate(description, "Asthma").trait is None
    reading = RuleExpert().annotate(description, "Asthma")
    assert reading.certainty is not None and reading.certainty < 0.6
    assert reading.runner_up is not None and reading.runner_up.row == 1


def test_levels_written_otherwise_are_the_same_numbers(make_series: MakeSeries) -> None:
    tall = ["height (m): 1.72", "height (m): 1.85", "height (m): 1.74", "height (m): 1.6"]
    again = [cell.replace("height (m)", "height").replace("1.6", "1.60") for cell in tall]
    reading = RuleExpert().annotate(describe_series(make_series(tall, again)), "Height")
    assert reading.trait is not None and reading.runner_up is None


def test_unique_values_alone_do_not_tell_that_rows_agree(make_series: MakeSeries) -> None:
    known = describe_series(make_series(STATE, SAME))
    reading = RuleExpert().annotate(replace(known, cells=None), "Asthma")
    assert reading.certainty is not None and reading.certainty < 0.6
    assert reading.runner_up is not None
