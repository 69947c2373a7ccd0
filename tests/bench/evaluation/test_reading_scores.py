"""Scores survive the way through a file, and whatever else lies there is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from genotex.bench.evaluation.score_files import read_scores
from genotex.bench.evaluation.summary import summarise, to_json
from genotex.errors import FormatError
from tests.bench.evaluation.some_scores import some_scores


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
        (("analysis", 0, "f1"), "high", "analysis[0].f1: expected a finite number"),
        (("analysis", 0, "f1"), float("nan"), "analysis[0].f1"),
        (("analysis", 0, "f1"), True, "analysis[0].f1"),
        (("analysis", 0, "f1"), None, "analysis[0].f1"),
        (("analysis", 1, "kind"), "third", "unconditional or one-step or two-step"),
        (("analysis", 1, "predicted"), -1, "a whole number"),
        (("analysis", 1, "trait_kind"), "odd", "binary or continuous or null"),
        (("analysis", 2), "word", "analysis[2]: expected an object"),
        (("filtering",), {}, "filtering: expected a list"),
        (("preprocessing",), [], "preprocessing: expected an object"),
        (("preprocessing", "gene", 0, "cohort"), 5, "a text"),
        (("prediction",), None, "the name of a folder"),
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
