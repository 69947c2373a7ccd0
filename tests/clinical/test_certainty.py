"""How sure a reading is, what came second, and what a least certainty does."""

import json
from pathlib import Path
from typing import Any

import pytest

from genotex.clinical import (
    ClinicalAnnotation,
    FeatureEncoding,
    GeneVerdict,
    RuleExpert,
    annotation_from_json,
    annotation_to_json,
    certainty_text,
    describe_series,
    groups_text,
    infer_cases,
    place_text,
    rule_expert,
    why_no_trait,
)
from genotex.errors import EncodingFileError, UsageError

from .conftest import MakeDescription, MakeSeries

NAMED = ["disease state: asthma", "disease state: healthy control"]
VAGUE = ["group: patient", "group: control"]
TITLE = "Asthma in adults"


def test_runner_up_is_the_encoding_that_came_second(make_description: MakeDescription) -> None:
    reading = RuleExpert().annotate(make_description(VAGUE, NAMED, title=TITLE), "Asthma")
    assert reading.trait is not None and reading.trait.row == 1
    assert reading.runner_up is not None and reading.runner_up.row == 0
    assert reading.certainty is not None and reading.runner_up.certainty is not None
    assert 1 > reading.certainty > reading.runner_up.certainty > 0


def test_trait_less_certain_than_required_is_not_available(
    make_description: MakeDescription,
) -> None:
    description = make_description(VAGUE, NAMED, title=TITLE)
    certainty = RuleExpert().annotate(description, "Asthma").certainty
    assert certainty is not None
    reading = RuleExpert(least_certainty=(certainty + 1) / 2).annotate(description, "Asthma")
    assert reading.trait is None
    assert reading.runner_up is not None and reading.runner_up.row == 1
    assert reading.left_out == (certainty + 1) / 2
    assert reading.runner_up.certainty == certainty
    assert why_no_trait(reading) == (
        f"row 1, key 'disease state', was left out: {certainty_text(certainty)}, "
        f"you asked for {100 * reading.left_out:g} %"
    )
    assert (
        RuleExpert(least_certainty=certainty / 2).annotate(description, "Asthma").trait is not None
    )


def test_titles_have_a_certainty_and_are_left_out_below_the_least(make_series: MakeSeries) -> None:
    titles = [["asthma patient", "asthma patient", "healthy control", "healthy control"]]
    description = describe_series(make_series(title=TITLE, **{"source_name_ch1": titles}))
    found = rule_expert("sound").annotate(description, "Asthma")
    assert found.trait is not None and found.certainty is not None
    strict = rule_expert("sound", least_certainty=(1 + found.certainty) / 2)
    left_out = strict.annotate(description, "Asthma")
    assert left_out.trait is None and left_out.runner_up is not None
    assert left_out.runner_up.sample_field == "source_name_ch1"


def test_benchmark_reads_characteristics_alone(make_series: MakeSeries) -> None:
    titles = [["asthma patient", "asthma patient", "healthy control", "healthy control"]]
    description = describe_series(make_series(title=TITLE, **{"source_name_ch1": titles}))
    assert rule_expert("sound").annotate(description, "Asthma").trait is not None
    assert rule_expert("benchmark").annotate(description, "Asthma").trait is None


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf")])
def test_certainty_that_is_none(value: float) -> None:
    with pytest.raises(UsageError, match="is not a certainty"):
        rule_expert("sound", least_certainty=value)


def test_answer_of_a_case_has_certainty_and_runner_up(tmp_path: Path) -> None:
    case = {
        "id": "a",
        "trait": "Asthma",
        "background": {"title": TITLE},
        "sample_characteristics": {"0": VAGUE, "1": NAMED},
    }
    silent = case | {"id": "b", "sample_characteristics": {"0": ["batch: 1", "batch: 2"]}}
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(case) + "\n" + json.dumps(silent) + "\n")
    told, untold = (json.loads(line) for line in infer_cases(path))
    assert told["trait"]["row"] == 1 and 0 < told["certainty"] < 1
    assert told["runner_up"] == {"row": 0, "map": {"group: patient": 1, "group: control": 0}}
    assert untold["trait"] is None and untold["runner_up"] is None
    assert 0 < untold["certainty"] <= 1


ENCODING = FeatureEncoding("trait", 2, "status", "binary", {"status: OA": 1.0, "status: no": 0.0})
READING = ClinicalAnnotation(
    GeneVerdict(True, "human"), ENCODING, None, None, certainty=0.9, runner_up=ENCODING
)


def test_certainty_and_runner_up_survive_a_file() -> None:
    again = annotation_from_json(json.loads(json.dumps(annotation_to_json(READING))))
    assert again.certainty == 0.9
    assert again.runner_up == ENCODING


def test_file_of_before_certainty_loads() -> None:
    data = annotation_to_json(READING)
    del data["certainty"], data["runner_up"]
    again = annotation_from_json(data)
    assert again.certainty is None and again.runner_up is None
    assert again.trait == ENCODING


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("certainty", 2, r"GSE1\.certainty: must be at most 1, not 2"),
        ("certainty", True, r"GSE1\.certainty"),
        ("certainty", "high", r"GSE1\.certainty"),
        ("runner_up", [], r"GSE1\.runner_up.*must be an object"),
        (
            "runner_up",
            {"row": -1, "parser": "number"},
            r"GSE1\.runner_up\.row: must be at least 0, not -1",
        ),
    ],
)
def test_edited_certainty_or_runner_up_with_a_mistake(field: str, value: Any, message: str) -> None:
    with pytest.raises(EncodingFileError, match=message):
        annotation_from_json(annotation_to_json(READING) | {field: value}, place="GSE1")


@pytest.mark.parametrize(
    ("certainty", "words"),
    [(1.0, "> 99 %"), (0.996, "> 99 %"), (0.99, "99 %"), (0.424, "42 %"), (0.001, "< 1 %")],
)
def test_certainty_in_words_is_never_0_or_100_percent(certainty: float, words: str) -> None:
    assert certainty_text(certainty) == words


def test_place_in_words() -> None:
    assert place_text(3, "group", "characteristics_ch1") == "row 3, key 'group'"
    assert place_text(3, "", "characteristics_ch1") == "row 3"
    assert place_text(None, "", "title") == "the sample titles"
    assert place_text(None, "Age", "description") == "the sample descriptions, key 'Age'"


def test_groups_in_one_line() -> None:
    values = {"d: OA": 1.0, "d: RA": 0.0, "d: ": None, "d: no": 0.0}
    roles = dict.fromkeys(values, "unknown")
    assert groups_text(values, roles) == "case: 'OA'; control: 'RA', 'no'; missing: ''"
    many = {f"d: {n}": 0.0 for n in range(9)}
    assert groups_text(many, dict.fromkeys(many, "other disease")).endswith("'2' and 6 more")
    assert groups_text({"x: low": 0.0, "x: high": 1.0}, {}) == "1: 'high'; 0: 'low'"
    assert "measured level" in groups_text({}, {})
