"""A comparison as people and programs read it."""

from __future__ import annotations

import csv
import io
import json

import pytest

from genotex.bench import (
    RunComparison,
    compare_runs,
    comparison_json,
    comparison_texts,
    difference_tables,
    side_by_side_table,
)
from tests.bench.evaluation.some_scores import failed_score, some_scores


@pytest.fixture
def comparison() -> RunComparison:
    worse = some_scores(analysis=(failed_score("Asthma"), *some_scores().analysis[1:]))
    return compare_runs({"good": some_scores(), "worse": worse}, draws=50)


def test_runs_stand_side_by_side_with_intervals_and_their_mean(comparison: RunComparison) -> None:
    table = side_by_side_table(comparison)
    assert table.head == ("figure", "good", "worse", "mean of runs")
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["problems"] == ("4", "4", "-")
    assert rows["success (%)"][0].startswith("75.00 (")
    assert rows["success (%)"][1].startswith("50.00 (")
    assert rows["success (%)"][2].startswith("62.50 (")
    assert rows["filtering: F1 (%)"][0] == "66.67 (66.67 to 66.67)"


def test_differences_have_a_sign_and_say_how_many_items(comparison: RunComparison) -> None:
    (table,) = difference_tables(comparison)
    rows = {row[0]: row[1:] for row in table.rows}
    assert table.title == "worse less good"
    assert rows["success (%)"][0] == "-25.00"
    assert rows["selection: accuracy (%)"] == ("0.00", "0.00 to 0.00", "1.000", "4", "0")
    assert rows["AUROC"][3:] == ("3", "0")
    assert rows["GSEA ES"][3:] == ("2", "1")


def test_a_section_of_one_run_alone_has_a_dash_and_no_mean() -> None:
    chosen = some_scores(analysis=())
    found = compare_runs({"all": some_scores(), "chosen": chosen}, draws=5)
    rows = {row[0]: row[1:] for row in side_by_side_table(found).rows}
    assert rows["problems"] == ("4", f"{len(chosen.selection):,}", "-")
    assert rows["AUROC"][0] != "-" and rows["AUROC"][1:] == ("-", "-")
    shown = {row[0]: row[1:] for row in difference_tables(found)[0].rows}
    assert shown["success (%)"] == ("-", "-", "-", "0", "4")
    alone = side_by_side_table(compare_runs({"one": some_scores()}, draws=5))
    assert alone.head == ("figure", "one") and {len(row) for row in alone.rows} == {2}
    nothing = some_scores(analysis=(), selection=())
    assert side_by_side_table(compare_runs({"one": nothing}, draws=5)).rows[0][1] == "-"


def test_a_difference_that_may_be_of_either_sign_shows_both_signs(
    comparison: RunComparison,
) -> None:
    (table,) = difference_tables(comparison)
    low, _, high = {row[0]: row[2] for row in table.rows}["AUROC"].partition(" to ")
    assert all(end[0] in "+-" or float(end) == 0 for end in (low, high)), (low, high)


def test_json_is_plain_and_shaped_like_an_evaluation(comparison: RunComparison) -> None:
    content = comparison_json(comparison)
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    assert [run["name"] for run in content["runs"]] == ["good", "worse"]
    assert content["runs"][1]["average"]["analysis"]["success"] == 50.0
    assert content["mean"]["average"]["analysis"]["success"] == 62.5
    difference = content["differences"]["worse"]["analysis"]["success"]
    assert difference["difference"] == -25.0 and difference["compared"] == 4
    assert "linked" in content["differences"]["worse"]["preprocessing"]
    assert content["bootstrap"] == {"draws": 50, "seed": 0}
    assert content["notes"] == list(comparison.notes)
    assert content["settings"] == dict(comparison.runs[0].scores.settings)


def test_files_hold_every_figure_over_full_precision(comparison: RunComparison) -> None:
    texts = comparison_texts(comparison)
    assert set(texts) == {
        "comparison.csv", "differences.csv", "comparison.md", "comparison.json",
    }  # fmt: skip
    averages = list(csv.DictReader(io.StringIO(texts["comparison.csv"])))
    assert {row["run"] for row in averages} == {"good", "worse", "mean of runs"}
    differences = list(csv.DictReader(io.StringIO(texts["differences.csv"])))
    success = next(row for row in differences if row["figure"] == "success")
    assert (success["difference"], success["baseline"], success["compared"]) == (
        "-25.0",
        "good",
        "4",
    )
    low, high = comparison.differences["worse"]["analysis"]["success"].interval or (0.0, 0.0)
    assert low < high and (success["ci_low"], success["ci_high"]) == (str(low), str(high))
    assert "## worse less good" in texts["comparison.md"]
