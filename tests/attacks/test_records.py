"""Records of someone else, and of generated code, are data: nothing in them is run or followed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from genotex.errors import GenotexError
from tests.attacks.attempt import CANARY, Attempt
from tests.attacks.doors import build_worlds
from tests.attacks.records import ATTEMPTS


def _named(door: object) -> str:
    """Return the name of a door with what it is asked."""
    asked = getattr(door, "keywords", {})
    return " ".join([getattr(door, "func", door).__qualname__, *asked.values()])


DOORS = {(each.world, _named(each.door)): each for each in ATTEMPTS}
"""An attempt by each door of each folder."""


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("worlds")
    build_worlds(root)
    return root


@pytest.fixture
def folder(attempt: Attempt, worlds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the folder of an attempt."""
    monkeypatch.chdir(tmp_path)
    return shutil.copytree(worlds / attempt.world, tmp_path / "folder")


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.name)
def test_attempt(attempt: Attempt, folder: Path, tmp_path: Path) -> None:
    attempt.change(folder)
    try:
        told, raised = attempt.door(folder), False
    except GenotexError as error:
        told, raised = str(error), True
    assert attempt.told in " ".join(told.split())
    assert attempt.outcome == "refused" or not raised
    assert not list(tmp_path.rglob(CANARY))


@pytest.mark.parametrize("attempt", DOORS.values(), ids=map(" by ".join, DOORS))
def test_what_was_not_changed_is_opened(attempt: Attempt, folder: Path) -> None:
    told = attempt.door(folder)
    assert attempt.outcome == "ignored" or attempt.told not in " ".join(told.split())


def test_the_table_is_of_many_different_attempts() -> None:
    names = [attempt.name for attempt in ATTEMPTS]
    assert len(set(names)) == len(names) >= 110
