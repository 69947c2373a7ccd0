"""How certain a series and each of its samples are, and what is left for review."""

import json
from pathlib import Path

import pytest

from genotex.clinical import (
    RuleExpert,
    annotation_from_json,
    annotation_to_json,
    describe_series,
    infer_cases,
    sheet_rows,
)

from ..conftest import MakeDescription, MakeSeries

ROW = ["disease state: asthma", "disease state: healthy control", "disease state: unclear"]
VAGUE = ["outcome: asthma", "outcome: none", "outcome: trauma"]


def test_value_that_says_nothing_is_less_certain_than_its_neighbours(
    make_description: MakeDescription,
) -> None:
    found = RuleExpert().annotate(make_description(ROW, title="Asthma in adults"), "Asthma").trait
    assert found is not None
    sure = found.certainties
    assert sure[ROW[2]] < min(sure[ROW[0]], sure[ROW[1]])
    assert sure[""] < sure[ROW[0]]


def test_not_available_is_uncertain_where_the_series_has_no_texts(
    make_description: MakeDescription,
) -> None:
    row = ["disease state: non-metastatic prostate cancer", "disease state: healthy"]
    found = RuleExpert().annotate(make_description(row, title=""), "Height")
    told = RuleExpert().annotate(
        make_description(row, title="Prostate tumours and healthy tissue " * 40), "Height"
    )
    assert found.trait is told.trait is None
    assert found.certainty is not None and told.certainty is not None
    assert found.certainty < told.certainty


def test_uncertain_annotation_is_left_for_review_and_a_certain_one_is_not(
    make_description: MakeDescription,
) -> None:
    found = RuleExpert().annotate(make_description(VAGUE, title=""), "Asthma")
    assert "certain that the groups are in row 0, key 'outcome'" in found.review["trait"]
    sure = RuleExpert().annotate(make_description(ROW[:2], title="Asthma in adults"), "Asthma")
    assert not sure.review


def test_certainty_of_cells_survives_a_file_and_is_in_the_answer(
    make_description: MakeDescription, tmp_path: Path
) -> None:
    found = RuleExpert().annotate(make_description(ROW, title="Asthma in adults"), "Asthma")
    again = annotation_from_json(json.loads(json.dumps(annotation_to_json(found))))
    assert found.trait is not None and again.trait is not None
    assert again.trait.certainties == pytest.approx(dict(found.trait.certainties), abs=1e-3)
    case = {
        "id": "a",
        "trait": "Asthma",
        "background": {"title": "Asthma in adults"},
        "sample_characteristics": {"0": ROW},
    }
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(case))
    (line,) = infer_cases(path)
    assert set(json.loads(line)["cell_certainties"]) == {"", *ROW}


def test_sheet_states_how_certain_each_sample_is(make_series: MakeSeries) -> None:
    series = make_series(["outcome: asthma", "outcome: none", None])
    description = describe_series(series)
    rows = sheet_rows(description, series, RuleExpert().annotate(description, "Asthma"))
    assert "0" < rows[2]["certainty"] < rows[0]["certainty"] < "1"
