"""Cases that are right stay right with another disease, other controls, more values, other keys."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.clinical import vary_cases as script

from genotex.clinical import load_vocabulary

CASES = Path(__file__).parent / "own_cases"
FLOOR = {
    "disease renamed": 0.9,
    "abbreviations explained in the summary": 0.95,
    "controls in other words": 0.95,
    "cells of another key in the row": 0.95,
    "patients with another disease added": 0.95,
    "contrast in the titles alone": 0.95,
}


@pytest.fixture(scope="module")
def right_cases() -> list[dict[str, object]]:
    """Own cases of human gene expression that are right as they are."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(CASES.glob("set_*.jsonl"))]
    cases = [json.loads(line) for text in texts for line in text.splitlines()]
    expert = script.experts()["packaged"]
    return [
        case
        for case in cases
        if case["labels"]["reading"]["is_gene_available"]
        and script.is_right(script.unvaried(case), expert)
    ]


@pytest.mark.parametrize("kind", FLOOR)
def test_variants_stay_right(right_cases: list[dict[str, object]], kind: str) -> None:
    vocabulary, expert = load_vocabulary(), script.experts()["packaged"]
    varied = [script.vary(case, kind, 1, vocabulary) for case in right_cases]
    right = [script.is_right(variant, expert) for variant in varied if variant is not None]
    assert right
    assert sum(right) / len(right) >= FLOOR[kind]


def test_same_seed_gives_the_same_variants(right_cases: list[dict[str, object]]) -> None:
    vocabulary = load_vocabulary()
    first, second = (
        [script.vary(case, "disease renamed", 7, vocabulary) for case in right_cases[:20]]
        for _ in range(2)
    )
    assert first == second
