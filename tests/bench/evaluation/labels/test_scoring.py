"""Predictions against labels: figures worked out by hand, and those of the shared script."""

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.bench import (
    FeatureLabel,
    Label,
    agreement,
    case_figures,
    labelled_by,
    read_answers,
    read_labelled_cases,
    score_cases,
)

from .labelled import CASE, CONTROL, feature, write_lines

TRAIT = feature(0, {CASE: 1, CONTROL: 0})


@pytest.mark.parametrize(
    ("label", "predicted", "row", "values"),
    [
        (None, None, True, 1.0),
        (None, TRAIT, False, 0.0),
        (TRAIT, None, False, 0.0),
        (TRAIT, feature(1, {CASE: 1, CONTROL: 0}), False, 0.0),
        (TRAIT, feature(0, {CASE: 1, CONTROL: 0, "more": 1}), True, 1.0),
        (TRAIT, feature(0, {CASE: 1}), True, 0.5),
        (TRAIT, feature(0, {CASE: 0, CONTROL: 1}), True, 0.0),
        (TRAIT, feature(0, {CASE: 1, CONTROL: None}), True, 0.5),
        (feature(0, {"age: NA": None}), feature(0, {}), True, 1.0),  # not listed is missing
        (feature(0, {"age: 45": 45.0}), feature(0, {"age: 45": 45.05}), True, 1.0),
        (feature(0, {"age: 45": 45.0}), feature(0, {"age: 45": 45.06}), True, 0.0),
        (feature(3, {}), feature(3, {"a": 1}), True, 1.0),
    ],
)
def test_agreement_of_one_feature(
    label: FeatureLabel | None, predicted: FeatureLabel | None, row: bool, values: float
) -> None:
    assert agreement(label, predicted) == (row, values)


def test_figures_of_four_cases_worked_out_by_hand() -> None:
    age = feature(1, {"age: 45": 45, "age: 51": 51})
    labels = {
        "a": Label(True, TRAIT, age),
        "b": Label(True, TRAIT),
        "c": Label(True),
        "d": Label(False),
    }
    predicted = {
        "a": Label(True, TRAIT, feature(1, {"age: 45": 45, "age: 51": None})),  # half of the ages
        "b": Label(True, feature(2, {CASE: 1, CONTROL: 0})),  # another row
        "c": Label(True, None, age),  # an age where there is none
        # d is missing, which says: nothing available
    }
    figures = case_figures(list(score_cases(labels, predicted).values()))
    assert figures == pytest.approx(
        {
            "gene_flag_accuracy": 1.0,
            "no_gene_F1": 1.0,
            "available_F1": 1.0,  # a and b on both sides
            "not_available_F1": 1.0,  # c and d
            "trait_row_accuracy": 3 / 4,
            "trait_value_score": 3 / 4,
            "trait_exact": 3 / 4,
            "age_row_accuracy": 3 / 4,  # a, b, d
            "age_value_score": (0.5 + 1 + 0 + 1) / 4,
            "age_exact": 2 / 4,  # b, d
            "gender_row_accuracy": 1.0,
            "gender_value_score": 1.0,
            "gender_exact": 1.0,
            "whole_case_exact": 1 / 4,  # d
        },
        abs=1e-15,
    )


def test_missing_predictions_count_as_nothing_available() -> None:
    labels = {"a": Label(True, TRAIT), "b": Label(True), "c": Label(False)}
    figures = case_figures(list(score_cases(labels, {}).values()))
    assert figures["gene_flag_accuracy"] == pytest.approx(1 / 3)
    assert figures["no_gene_F1"] == pytest.approx(2 * 1 / (2 * 1 + 2))  # c found, a and b false
    assert figures["available_F1"] == 0.0
    assert figures["not_available_F1"] == pytest.approx(2 * 2 / (2 * 2 + 1))  # b and c, a false
    assert figures["trait_exact"] == pytest.approx(2 / 3)
    assert figures["whole_case_exact"] == pytest.approx(1 / 3)


CODES = st.dictionaries(st.sampled_from("abc"), st.none() | st.floats(-5, 5), max_size=3)
FEATURE = st.none() | st.builds(FeatureLabel, st.integers(0, 2), CODES)
LABEL = st.builds(Label, st.booleans(), FEATURE, FEATURE, FEATURE)
LABELS = st.dictionaries(st.sampled_from("pqrs"), LABEL, min_size=1)


@given(LABELS)
def test_labels_score_1_against_themselves(labels: dict[str, Label]) -> None:
    figures = case_figures(list(score_cases(labels, labels).values()))
    exact = [value for name, value in figures.items() if not name.endswith("_F1")]
    assert exact == [1.0] * len(exact)
    # F1 of an answer that never occurs is 0 by the rules.
    assert all(figures[name] in (0.0, 1.0) for name in figures)


@given(LABELS, LABELS, st.data())
def test_order_of_cases_changes_nothing(
    labels: dict[str, Label], predicted: dict[str, Label], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(list(labels)))
    one = case_figures(list(score_cases(labels, predicted).values()))
    shuffled = score_cases({name: labels[name] for name in order}, predicted)
    assert case_figures(list(shuffled.values())) == pytest.approx(one, abs=1e-12)


@given(LABELS, LABELS)
def test_figures_lie_between_0_and_1(labels: dict[str, Label], predicted: dict[str, Label]) -> None:
    figures = case_figures(list(score_cases(labels, predicted).values()))
    assert all(0 <= value <= 1 for value in figures.values())


def test_figures_are_those_of_the_shared_script(shared_data: Path, tmp_path: Path) -> None:
    script = shared_data.parent / "tools" / "score_clinical.py"
    cases = shared_data / "clinical" / "cases_dev.jsonl.gz"
    if not script.is_file() or not cases.is_file():
        pytest.skip("the script or its cases are not at hand")
    # The script as it is, but for the digits that it prints.
    exact = tmp_path / "score.py"
    exact.write_text(script.read_text().replace("{v:.3f}", "{v:.17g}"))
    answers = write_lines(tmp_path / "answers.jsonl", _of_benchmark(cases))
    loaded, predicted = read_labelled_cases(cases), read_answers(answers).by_id
    for name in ("reading", "benchmark", "consensus"):
        command = [sys.executable, str(exact), str(cases), str(answers), "--labels", name]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        told = dict(line.split() for line in run.stdout.splitlines())
        labels = labelled_by(loaded, name)
        figures = case_figures(list(score_cases(labels, predicted).values()))
        assert int(told.pop("cases")) == len(labels)
        assert told.pop("labels") == name
        assert {key: float(value) for key, value in told.items()} == pytest.approx(
            figures, abs=1e-12
        )


def _of_benchmark(cases: Path) -> list[dict[str, Any]]:
    """Return the benchmark's labels as predictions; every seventh is missing."""
    with gzip.open(cases, "rt", encoding="utf-8") as handle:
        data = [json.loads(line) for line in handle]
    return [{"id": c["id"], **c["labels"]["benchmark"]} for n, c in enumerate(data) if n % 7]
