"""Labelled cases are read with every field checked."""

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.bench.evaluation.labels import (
    FEATURES,
    FeatureLabel,
    case_from_json,
    label_sets,
    labelled_by,
    of_traits,
    read_labelled_cases,
)
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
