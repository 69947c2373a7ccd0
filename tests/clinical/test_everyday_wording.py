"""Single rows in everyday wording, with the codes that were expected before the rules were run."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import CodesOf

CASES = Path(__file__).parent / "own_cases" / "everyday.jsonl"
FLOOR = 0.88


def test_share_right_of_everyday_wording(codes_of: CodesOf) -> None:
    lines = CASES.read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    wrong = [
        case
        for case in cases
        if codes_of(
            case["trait"], case["key"], case["values"], title=case["title"], summary=case["summary"]
        )
        != case["codes"]
    ]
    assert len(cases) > 100
    assert 1 - len(wrong) / len(cases) >= FLOOR, [case["trait"] for case in wrong]
