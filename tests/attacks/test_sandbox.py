"""Generated code writes what is its own: all else in a record is refused, or doubted."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from genotex.agents import CellResult, Session
from genotex.agents.audit import auditing
from tests.agents.sandbox import test_attacks
from tests.agents.team.misbehaving.all_cases import CASES
from tests.agents.team.misbehaving.case import Case
from tests.agents.team.misbehaving.runs import Hasty, Places, prepared_places
from tests.agents.team.misbehaving.test_misbehaving import ENDS
from tests.attacks.attempt import CANARY
from tests.attacks.sandbox import ATTACKS, ELSEWHERE, OF_RECORDS

NAMES = {case.name for case in CASES}


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    with prepared_places(tmp_path_factory.mktemp("records")) as places:
        yield places


@pytest.mark.parametrize("case", OF_RECORDS, ids=lambda case: case.name)
def test_record(
    case: Case, places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = places.of(case.place).run(case.notebook, case.moments)
    case.check(ended)
    ENDS[case.outcome](ended)
    assert not [*places.root.rglob(CANARY), *tmp_path.rglob(CANARY)]


@pytest.mark.parametrize(
    ("audit", "told"),
    [
        ("import os\nos._exit(0)", "session"),
        ("bytearray(1 << 33)", "MemoryError"),
        ("while True: pass", "Stopped"),
        ("print('found nothing')", "report.json"),
    ],
)
def test_audit_that_does_not_end_is_a_doubt(
    audit: str, told: str, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute, place = Hasty.execute, places.of("symbols")

    def instead(self: Session, code: str, *, seconds: float | None = None) -> CellResult:
        return execute(self, audit if auditing.__name__ in code else code, seconds=seconds)

    monkeypatch.setattr(Hasty, "execute", instead)
    ended = place.run("cohort", [])
    (doubt,) = [flag for flag in ended.record.flags if "did not come to its end" in flag]
    assert told in doubt
    assert not (ended.place.out / "preprocess/Asthma/evidence/GSE1.json").exists()


@pytest.mark.parametrize("attempt", ELSEWHERE)
def test_attempt_is_tested_elsewhere(attempt: str) -> None:
    place, name = ELSEWHERE[attempt]
    module, _, inside = place.partition(":")
    if module == "misbehaving":
        assert name in NAMES
    else:
        found = importlib.import_module(module)
        assert inspect.isfunction(getattr(getattr(found, inside) if inside else found, name))


def test_the_table_names_all_attacks_that_once_got_through() -> None:
    named = {name for place, name in ELSEWHERE.values() if place == ATTACKS}
    tests = {name for name in vars(test_attacks) if name.startswith("test_")}
    assert tests - named == {"test_libraries_that_lock_their_own_files_go_on"}
    assert len(set(ELSEWHERE.values())) == len(ELSEWHERE)
