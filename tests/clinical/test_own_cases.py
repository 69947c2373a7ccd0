"""Cases of our own by class of wording, as they are and with other rows, keys and control words."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from genotex.clinical import RuleExpert, description_from_case, row_and_map

FOLDER = Path(__file__).parent / "own_cases"
FLOOR = {
    "all-affected": 0.76,
    "codes": 0.70,
    "genotype": 0.64,
    "key-names-trait": 0.51,
    "not-expression": 0.82,
    "patients-by-stage": 0.74,
    "plain-words": 0.57,
    "several-keys": 0.75,
    "synonyms": 0.50,
    "tumours": 0.62,
    "wrong-codes": 0.37,
}
"""Share of each class that is right, as measured; less is a step back."""
FEWEST = 50
OTHER_WORDS = {
    "control": "unaffected",
    "controls": "unaffected",
    "healthy": "normal",
    "HC": "CTRL",
    "normal": "healthy",
    "Control": "CTRL",
    "ctrl": "control",
}
DISTRACTORS = (
    ["batch: 1", "batch: 2"],
    ["rin: 7.1", "rin: 8.4", "rin: 9.0"],
    ["tissue bank: North", "tissue bank: South"],
)


@cache
def own_cases() -> tuple[dict[str, Any], ...]:
    """Both sets, then a variant of each case."""
    paths = sorted(FOLDER.glob("set_*.jsonl"))
    texts = [path.read_text(encoding="utf-8") for path in paths]
    cases = [json.loads(line) for text in texts for line in text.splitlines()]
    rng = random.Random(20261123)
    return (*cases, *(varied(case, rng) for case in cases))


def varied(case: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Give a case other words for controls, keys in capitals, another row and another order."""
    rows = [list(case["sample_characteristics"][n]) for n in sorted_rows(case)]
    labels = case["labels"]["reading"]
    loud = rng.random() < 0.5
    renamed = {cell: reworded(cell, loud=loud) for row in rows for cell in row if cell is not None}
    if len(set(renamed.values())) < len(renamed):  # two values would become one
        renamed = {cell: cell for cell in renamed}
    order = list(range(len(rows)))
    rng.shuffle(order)
    place = {old: new for new, old in enumerate(order)}
    changed = {
        name: label
        and {
            "row": place[label["row"]],
            "map": {renamed[cell]: code for cell, code in label["map"].items()},
        }
        for name, label in ((name, labels[name]) for name in ("trait", "age", "gender"))
    }
    shuffled = [[cell and renamed[cell] for cell in rows[old]] for old in order]
    characteristics = dict(enumerate([*shuffled, rng.choice(DISTRACTORS)]))
    return {
        **case,
        "id": f"{case['id']}-varied",
        "sample_characteristics": {str(n): row for n, row in characteristics.items()},
        "labels": {"reading": {**labels, **changed}},
    }


def sorted_rows(case: Mapping[str, Any]) -> list[str]:
    return sorted(case["sample_characteristics"], key=int)


def reworded(cell: str, *, loud: bool) -> str:
    key, colon, value = cell.partition(":")
    if not colon:
        return cell
    words = re.split(r"(\W+)", value)
    other = "".join(OTHER_WORDS.get(word, word) for word in words)
    return f"{key.upper() if loud else key}:{other}"


def is_right(case: dict[str, Any]) -> bool:
    """Whether gene verdict and trait are those of the label."""
    description = description_from_case(case)
    annotation = RuleExpert().annotate(description, case["trait"])
    label = case["labels"]["reading"]
    if annotation.gene.available != label["is_gene_available"]:
        return False
    if not label["is_gene_available"]:
        return True
    found = row_and_map(annotation.trait, description)
    wanted = label["trait"]
    if wanted is None or found is None:
        return wanted is None and found is None
    codes = found["map"]
    return found["row"] == wanted["row"] and all(
        codes.get(cell) == code for cell, code in wanted["map"].items()
    )


def of_class(wording: str) -> Iterator[dict[str, Any]]:
    return (case for case in own_cases() if case["class"] == wording)


@pytest.mark.parametrize("wording", sorted(FLOOR))
def test_share_right_of_a_class_of_wording(wording: str) -> None:
    right = [is_right(case) for case in of_class(wording)]
    assert len(right) >= FEWEST
    assert sum(right) / len(right) >= FLOOR[wording]


def test_every_case_has_a_class() -> None:
    assert {case["class"] for case in own_cases()} == FLOOR.keys()
