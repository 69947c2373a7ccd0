"""Predictions by case are read as `genotex clinical infer` writes them."""

from pathlib import Path
from typing import Any

import pytest

from genotex.bench.evaluation.labels import read_answers
from genotex.clinical import infer_cases
from genotex.errors import FormatError

from .labelled import TRAIT, label, write_lines


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
