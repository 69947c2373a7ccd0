"""Sessions for tests: one that the tests of a class share, and others for those that break it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from genotex.agents import Folders, SandboxLimits, Session
from genotex.errors import SessionDeadError
from tests.agents.sandbox.conformance import IMPATIENT, PATIENT, OpenSession, Place


@pytest.fixture
def own_temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made in this test, and nothing else."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def open_session(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenSession]:
    """Opens started sessions, which are closed after the test."""
    opened: list[Session] = []

    def open_one(limits: SandboxLimits = PATIENT, *readable: Path, name: str = "out") -> Session:
        session: Session = request.cls.open_one(Folders(tmp_path / name, readable), limits)
        opened.append(session)
        session.start()
        return session

    yield open_one
    for session in opened:
        session.close()


@pytest.fixture(scope="class")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Folders that the shared session may see, and one that it must not."""
    base = tmp_path_factory.mktemp("place")
    place = Place(base / "cohort", base / "other", base / "out")
    for folder in (place.readable, place.secret):
        folder.mkdir()
    (place.readable / "matrix.txt").write_text("expression")
    (place.readable / "link.txt").symlink_to(place.secret / "key.txt")
    (place.secret / "key.txt").write_text("sk-secret")
    return place


@pytest.fixture(scope="class")
def kept(request: pytest.FixtureRequest, place: Place) -> Iterator[Session]:
    """The session of the class as it is."""
    with request.cls.open_one(Folders(place.writable, (place.readable,)), PATIENT) as session:
        yield session


@pytest.fixture
def session(kept: Session) -> Session:
    """The session of the class; brought back where an earlier test lost it."""
    try:
        kept.execute("pass")
    except SessionDeadError:
        kept.restore(0)
    return kept


@pytest.fixture(scope="class")
def impatient(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Session]:
    """Another of the class, which kills soon after it has interrupted in vain."""
    folder = tmp_path_factory.mktemp("impatient") / "out"
    with request.cls.open_one(Folders(folder), IMPATIENT) as session:
        yield session
