"""What judgements mean in a record, and the order of their grounds."""

from __future__ import annotations

from typing import get_args

import pytest

from genotex.clinical.trait.judgement import (
    UNKNOWN,
    Ground,
    Judgement,
    Meaning,
    best_ground,
    leave_open,
)
from genotex.formats import Role


@pytest.mark.parametrize("meaning", get_args(Meaning))
def test_every_meaning_has_a_role_that_records_know(meaning: Meaning) -> None:
    assert Judgement(meaning, Ground.NOTHING, "").role in get_args(Role)


def test_control_without_known_health_is_coded_0_though_its_role_is_unknown() -> None:
    judged = Judgement("control without known health", Ground.BY_COMPANY, "occurs with cases")
    assert (judged.role, judged.code) == ("unknown", 0.0)
    assert not judged.is_open


def test_missing_value_stays_closed_to_its_company_and_an_unknown_one_is_open() -> None:
    missing = Judgement("missing", Ground.NOTHING, "missing")
    assert (missing.role, missing.code, missing.is_open) == ("unknown", None, False)
    assert UNKNOWN.is_open
    assert leave_open("may be either").is_open
    assert leave_open("may be either").code is None


def test_the_more_direct_ground_ranks_higher() -> None:
    grounds = [Ground.BROADER, Ground.NAMED, Ground.HEALTHY, Ground.INCLUDED, Ground.CONTEXT]
    assert sorted(grounds, reverse=True) == [
        Ground.NAMED, Ground.INCLUDED, Ground.BROADER, Ground.CONTEXT, Ground.HEALTHY
    ]  # fmt: skip


def test_best_ground_of_no_judgements_is_nothing() -> None:
    named = Judgement("case", Ground.NAMED, "")
    assert best_ground([UNKNOWN, named]) is Ground.NAMED
    assert best_ground([]) is Ground.NOTHING
