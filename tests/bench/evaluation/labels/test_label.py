"""Labelled cases and predictions, read from JSON Lines files."""

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.bench import (
    FEATURES,
    FeatureLabel,
    case_from_json,
    label_sets,
    labelled_by,
    of_traits,
    read_answers,
    read_labelled_cases,
)
from genotex.clinical import infer_cases
from genotex.errors import FormatError, UsageError

from .labelled import AGE, CASE, CONTROL, GENDER, TRAIT, case, label, write_lines


@pytest.mark.parametrize("name", ["cases.jsonl", "cases.jsonl.gz"])
def test_cases_are_read_plain_and_gzipped(tmp_path: Path, name: str) -> None:
    whole = label(TRAIT, AGE, GENDER) | {"confidence": "explicit", "why": "passed over"}
    lines = [case(1, reading=whole, benchmark=label()), case(2, reading=label(gene=False))]
    first, second = read_labelled_cases(write_lines(tmp_path / name, lines))
    assert (first.id, first.trait, first.cohort) == ("Asthma/GSE1", "Asthma", "GSE1")
    assert first.labels["reading"].trait == FeatureLabel(0, {CASE: 1.0, CONTROL: 0.0})
    assert first.labels["reading"].age == FeatureLabel(
        1, {"age: 45": 45.0, "age: 51.5": 51.5, "age: NA": None}
    )
    assert first.labels["reading"].confidence == "explicit"
    assert first.labels["reading"].is_available
    assert not first.labels["benchmark"].is_available
    assert not second.labels["reading"].is_gene_available


def test_set_of_labels_that_is_null_does_not_label_the_case() -> None:
    assert list(case_from_json(case(1, reading=label(), consensus=None)).labels) == ["reading"]


def test_name_of_a_trait_with_an_apostrophe_becomes_its_folder() -> None:
    assert case_from_json(case(1, "Crohn's Disease", reading=label())).trait == "Crohns_Disease"


@pytest.mark.parametrize(
    ("change", "place", "what"),
    [
        ({"id": 3}, "id", "must be a text"),
        ({"trait": "  "}, "trait", "must be a text"),
        ({"trait": "../up"}, "trait", "cannot be a trait name"),
        ({"cohort": None}, "cohort", "must be a text"),
        ({"labels": None}, "labels", "not null"),
        ({"labels": {"mine": []}}, "labels.mine", "must be an object"),
        ({"labels": {"mine": {"trait": None}}}, "labels.mine.is_gene_available", "is missing"),
    ],
)
def test_wrong_case_is_named_with_its_field(
    tmp_path: Path, change: dict[str, Any], place: str, what: str
) -> None:
    path = write_lines(tmp_path / "cases.jsonl", [case(1, reading=label()), case(2) | change])
    with pytest.raises(FormatError, match=what) as error:
        read_labelled_cases(path)
    assert (error.value.path, error.value.line, error.value.field) == (path, 2, place)


@pytest.mark.parametrize(
    ("change", "place", "what"),
    [
        ({"is_gene_available": "yes"}, "is_gene_available", "true or false"),
        ({"trait": [0]}, "trait", "null or an object"),
        ({"trait": {}}, "trait.row", "counted from 0, not None"),
        ({"age": {"row": -1, "map": {}}}, "age.row", "counted from 0, not -1"),
        ({"age": {"row": True, "map": {}}}, "age.row", "counted from 0"),
        ({"gender": {"row": 2, "map": "numeric"}}, "gender.map", "an object of codes"),
        ({"trait": {"row": 0, "map": {"a": "1"}}}, "trait.map", "the code of 'a'"),
        ({"trait": {"row": 0, "map": {"a": True}}}, "trait.map", "a number or null, not True"),
        ({"trait": {"row": 0, "map": {"a": float("nan")}}}, "trait.map", "not nan"),
        ({"trait": {"row": 0, "map": {"a": 10**400}}}, "trait.map", "a number or null"),
        ({"confidence": "certain"}, "confidence", "one of explicit, inferred, arguable"),
    ],
)
def test_wrong_label_is_named_with_its_field(change: dict[str, Any], place: str, what: str) -> None:
    with pytest.raises(FormatError, match=what) as error:
        case_from_json(case(1, reading=label() | change))
    assert error.value.field == f"labels.reading.{place}"


@pytest.mark.parametrize("second", [case(1, reading=label()), case(1) | {"id": "another"}])
def test_case_that_is_labelled_twice_is_refused(tmp_path: Path, second: dict[str, Any]) -> None:
    path = write_lines(tmp_path / "cases.jsonl", [case(1, reading=label()), second])
    with pytest.raises(FormatError, match="already labelled in line 1") as error:
        read_labelled_cases(path)
    assert error.value.line == 2


def test_file_without_a_case_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="contains no case"):
        read_labelled_cases(write_lines(tmp_path / "cases.jsonl", []))


def test_unknown_set_of_labels_is_refused_naming_those_there() -> None:
    cases = [case_from_json(case(1, benchmark=label())),
             case_from_json(case(2, benchmark=label(), reading=label()))]  # fmt: skip
    assert label_sets(cases) == ("benchmark", "reading")
    assert list(labelled_by(cases, "reading")) == ["Asthma/GSE2"]
    with pytest.raises(UsageError, match="no case has labels 'mine'; known: benchmark, reading"):
        labelled_by(cases, "mine")


def test_cases_of_some_traits_are_chosen_by_any_spelling() -> None:
    cases = [case_from_json(case(1)), case_from_json(case(2, "Crohns_Disease"))]
    assert [c.cohort for c in of_traits(cases, ["Crohn's Disease"])] == ["GSE2"]
    assert len(of_traits(cases, None)) == 2
    with pytest.raises(UsageError, match="no labelled case has the trait 'Gout'"):
        of_traits(cases, ["Asthma", "Gout"])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(["is_gene_available", "trait", "age", "gender", "confidence"])


@given(st.dictionaries(FIELDS, JSON | st.fixed_dictionaries({"row": JSON, "map": JSON})))
def test_whatever_a_label_holds_only_a_format_error_comes_out(data: dict[str, Any]) -> None:
    try:
        found = case_from_json(case(1, reading=label() | data))
    except FormatError as error:
        assert error.field is not None and error.field.startswith("labels.reading.")
    else:
        codes = [
            code
            for f in FEATURES
            if (one := found.labels["reading"].feature(f))
            for code in one.map.values()
        ]
        assert all(code is None or math.isfinite(code) for code in codes)


def test_what_infer_writes_is_read(tmp_path: Path) -> None:
    rows = {"0": ["disease: asthma", "disease: healthy"], "1": ["age: 45", "age: 51"]}
    asked = {"id": "a", "trait": "Asthma", "cohort": "GSE1", "sample_characteristics": rows}
    cases = write_lines(tmp_path / "cases.jsonl", [asked])
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(infer_cases(cases)))
    (answer,) = read_answers(path).by_id.values()
    assert answer.trait is not None and answer.age is not None
    assert (answer.trait.row, answer.trait.map) == (
        0,
        {"disease: asthma": 1, "disease: healthy": 0},
    )
    assert answer.age.map == {"age: 45": 45, "age: 51": 51}


def test_what_is_left_out_is_not_available(tmp_path: Path) -> None:
    lines = [{"id": "a", "is_gene_available": True, "confidence": 0.9}, {"id": "b", "trait": TRAIT}]
    answers = read_answers(write_lines(tmp_path / "answers.jsonl.gz", lines)).by_id
    assert answers["a"].is_gene_available and answers["a"].trait is None
    assert answers["b"].trait is not None and not answers["b"].is_gene_available


def test_last_of_several_predictions_counts_and_is_told(tmp_path: Path) -> None:
    lines = [{"id": "a"} | label(TRAIT), {"id": "b"} | label(), {"id": "a"} | label()]
    answers = read_answers(write_lines(tmp_path / "answers.jsonl", lines))
    assert answers.by_id["a"].trait is None
    assert answers.repeated == ("a",)


@pytest.mark.parametrize(
    ("line", "place", "what"),
    [
        ({"trait": None}, "id", "id of a case"),
        ({"id": "b", "labels": {}}, None, "has none of is_gene_available, trait, age, gender"),
        ({"id": "b", "trait": {"row": 0, "map": {"x": "case"}}}, "trait.map", "the code of 'x'"),
        ({"id": "b", "is_gene_available": None}, "is_gene_available", "true or false, not null"),
    ],
)
def test_line_that_is_no_prediction_is_named(
    tmp_path: Path, line: dict[str, Any], place: str | None, what: str
) -> None:
    path = write_lines(tmp_path / "answers.jsonl", [{"id": "a"} | label(), line])
    with pytest.raises(FormatError, match=what) as error:
        read_answers(path)
    assert (error.value.line, error.value.field) == (2, place)
