"""Scoring arithmetic and the record on disk."""

import json
from pathlib import Path

import pytest

from genotex.errors import FormatError, UsageError
from genotex.simulate import SimulatedStudy, Truth, load_truth, score_against_truth

TRUTH = Truth(1, "T", "C", "X", {"T": ("A", "B", "D", "E"), "C": ("F",)}, {}, {}, {})


@pytest.mark.parametrize(
    ("genes", "expected"),
    [
        ([], (0, 4, 0.0)),
        (["A", "B"], (2, 4, 0.0)),
        (["A", "B", "Z"], (2, 4, 1 / 3)),
        (["A", "A", "Z", "Z"], (1, 4, 0.5)),
        (["Y", "Z"], (0, 4, 1.0)),
        (["A", "B", "D", "E"], (4, 4, 0.0)),
    ],
)
def test_score(genes: list[str], expected: tuple[int, int, float]) -> None:
    assert score_against_truth(TRUTH, genes) == pytest.approx(expected)


def test_score_of_another_trait() -> None:
    assert score_against_truth(TRUTH, ["F", "A"], trait="C") == (1, 1, 0.5)


def test_score_of_an_unknown_trait() -> None:
    with pytest.raises(UsageError, match="nothing was planted for 'Gout'; the study has T, C"):
        score_against_truth(TRUTH, [], trait="Gout")


def test_record_comes_back_as_it_was(study: SimulatedStudy) -> None:
    assert load_truth(study.folder) == study.truth
    assert load_truth(study.truth_file) == study.truth


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no such file"),
        ("{", "not valid JSON"),
        ("[]", "expected a JSON object"),
        ('{"format": "something else"}', "not the record of a simulated study"),
        ('{"format": "genotex simulated study", "seed": 1}', "trait: is missing"),
    ],
)
def test_file_that_is_no_record(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "truth.json").write_text(text)
    with pytest.raises(FormatError, match=message):
        load_truth(tmp_path / "truth.json")


def test_record_is_plain_json(study: SimulatedStudy) -> None:
    document = json.loads(study.truth_file.read_text())
    assert document["trait"] == "Simulated_Arthritis"
    assert len(document["planted"]["Simulated_Arthritis"]) == 30
