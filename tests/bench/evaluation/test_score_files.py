"""Files of an evaluation: a spreadsheet reads the CSV, a person the Markdown."""

from __future__ import annotations

import csv
import io
import json
import math

from genotex.bench.evaluation.score_files import score_texts
from genotex.bench.evaluation.scores import Scores
from genotex.bench.evaluation.summary import summarise
from tests.bench.evaluation.some_scores import some_scores


def texts(scores: Scores | None = None) -> dict[str, str]:
    scores = scores or some_scores()
    return score_texts(scores, summarise(scores, draws=50))


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_each_item_has_its_line_over_full_precision() -> None:
    analysis = rows(texts()["analysis.csv"])
    assert [row["condition"] for row in analysis] == ["", "Age", "Obesity", ""]
    assert float(analysis[0]["f1"]) == 100 / 3
    assert analysis[3]["auroc"] == ""
    assert analysis[1]["kind"] == "one-step"


def test_tables_stand_in_one_file_under_their_names() -> None:
    tables = rows(texts()["preprocessing.csv"])
    assert [row["table"] for row in tables] == ["gene", "gene", "linked"]
    assert [row["csc"] for row in tables] == ["0.4", "1.0", "0.0"]


def test_averages_of_all_and_of_each_kind() -> None:
    averages = rows(texts()["averages.csv"])
    success = {row["kind"]: float(row["average"]) for row in averages if row["figure"] == "success"}
    assert success == {"all": 75.0, "unconditional": 100.0, "one-step": 100.0, "two-step": 0.0}
    auroc = next(row for row in averages if row["figure"] == "auroc" and row["kind"] == "all")
    assert math.isclose(float(auroc["average"]), 2 / 3)
    assert float(auroc["ci_low"]) < 2 / 3 < float(auroc["ci_high"])
    assert (auroc["scored"], auroc["undefined"]) == ("3", "1")


def test_task_without_items_has_a_file_with_its_header() -> None:
    analysis = texts(Scores("mine", "theirs", tasks=("analysis",)))["analysis.csv"]
    assert analysis.startswith("trait,condition,kind,success") and analysis.count("\n") == 1


def test_json_file_comes_last_and_can_be_read() -> None:
    written = texts()
    assert list(written)[-1] == "scores.json"
    assert json.loads(written["scores.json"])["average"]["analysis"]["success"] == 75.0


def test_markdown_has_every_table_and_what_was_missing() -> None:
    text = texts()["scores.md"]
    assert "| success (%) | problems with a result that can be read | 75.00 |" in text
    assert "## By kind of problem" in text
    assert "| analysis | not valid JSON | Asthma given Obesity | 1 |" in text
    assert "- Note: 1 problem could not be posed" in text
    assert "metrics: default" in text


def test_same_scores_same_bytes() -> None:
    assert texts() == texts()
