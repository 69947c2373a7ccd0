"""Scores written to files and read back."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from genotex.bench import Scores, read_scores, score_texts, summarise, to_json
from genotex.errors import FormatError
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
    assert list(tables[0].values()) == ["gene", "Asthma", "GSE1", "0.5", "1.0", "0.8", "0.4"]


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
    assert "`mine` against `theirs`. " in text and "bootstrap over the items, 50 draws" in text
    assert "| success (%) | problems with a result that can be read | 75.00 |" in text
    assert "## By kind of problem" in text
    assert "| analysis | not valid JSON | Asthma given Obesity | 1 |" in text
    assert "- Note: 1 problem could not be posed" in text
    assert "metrics: default" in text


def test_same_scores_same_bytes() -> None:
    assert texts() == texts()


def content() -> dict[str, Any]:
    return to_json(some_scores(), summarise(some_scores(), draws=5))


def write(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value))
    return path


def refusal(path: Path) -> str:
    with pytest.raises(FormatError) as error:
        read_scores(path)
    return str(error.value)


def test_scores_that_were_written_are_read_back_the_same(tmp_path: Path) -> None:
    assert read_scores(write(tmp_path / "any.json", content())) == some_scores()


def test_folder_stands_for_the_file_in_it(tmp_path: Path) -> None:
    write(tmp_path / "scores.json", content())
    assert read_scores(tmp_path) == some_scores()


def test_whole_numbers_are_figures_as_well(tmp_path: Path) -> None:
    whole = content()
    whole["selection"][0]["accuracy"] = 100
    assert read_scores(write(tmp_path / "s.json", whole)) == some_scores()


def test_parts_that_other_tools_do_not_write_are_empty(tmp_path: Path) -> None:
    bare = {name: content()[name] for name in ("analysis", "prediction", "reference")}
    scores = read_scores(write(tmp_path / "s.json", bare))
    assert scores.analysis == some_scores().analysis
    assert (scores.filtering, scores.preprocessing, scores.missing) == ((), {}, ())


def test_missing_file_says_where_and_what_to_give(tmp_path: Path) -> None:
    told = refusal(tmp_path)
    assert "scores.json" in told


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        (("analysis", 0, "f1"), "high", 'analysis[0].f1: must be a number, not "high"'),
        (("analysis", 0, "f1"), float("nan"), "analysis[0].f1"),
        (("analysis", 0, "f1"), True, "analysis[0].f1"),
        (("analysis", 0, "f1"), None, "analysis[0].f1"),
        (("analysis", 1, "kind"), "third", "must be 'unconditional', 'one-step' or 'two-step'"),
        (("analysis", 1, "predicted"), -1, "predicted of at least 0, found -1"),
        (("analysis", 0, "f1"), 1e9, "f1 of at least 0 and at most 100, found 1e+09"),
        (("analysis", 0, "auprc"), 1.5, "auprc of at most 1"),
        (("analysis", 1, "trait_kind"), "odd", "must be 'binary' or 'continuous'"),
        (("analysis", 2), "word", "analysis[2]: must be an object"),
        (("filtering",), {}, "filtering: must be a list"),
        (("preprocessing",), [], "preprocessing: must be an object"),
        (("preprocessing", "gene", 0, "cohort"), 5, "a text"),
        (("prediction",), None, "prediction: must be a text"),
        (("notes",), [3], "notes[0]"),
        (("selection", 0, "trait"), "../..", "selection[0]: expected a problem"),
        (("selection", 0, "condition"), "Asthma", "cannot be its own condition"),
        (("analysis", 1, "kind"), "two-step", "the kind one-step of Asthma given Age"),
    ],
)
def test_wrong_field_is_named(
    tmp_path: Path, place: tuple[Any, ...], value: object, told: str
) -> None:
    whole = content()
    inner = whole
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    assert told in refusal(write(tmp_path / "s.json", whole))


def test_same_problem_twice_is_refused(tmp_path: Path) -> None:
    whole = content()
    whole["analysis"].append(whole["analysis"][1])
    assert "Asthma Age only once" in refusal(write(tmp_path / "s.json", whole))


def test_other_json_is_refused(tmp_path: Path) -> None:
    assert "JSON object" in refusal(write(tmp_path / "s.json", [1, 2]))
    assert "prediction" in refusal(write(tmp_path / "s.json", {"significant_genes": {}}))


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(name=st.sampled_from(sorted(content())), value=json_values)
def test_any_value_in_a_field_is_read_or_refused(tmp_path: Path, name: str, value: object) -> None:
    path = write(tmp_path / "s.json", content() | {name: value})
    try:
        scores = read_scores(path)
    except FormatError:
        return
    assert summarise(scores, draws=2).sections.keys() <= summarise(some_scores()).sections.keys()
