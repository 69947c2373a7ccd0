"""The conformance suite on this machine's own sessions."""

from __future__ import annotations

from genotex.agents import Folders, SandboxLimits, Session, local_session
from tests.agents.sandbox.conformance_limits import Ends, IsBounded, IsBoundedTogether, IsStopped
from tests.agents.sandbox.conformance_output import GivesOut, PlaysTricks
from tests.agents.sandbox.conformance_state import Closes, KeepsState


class OnThisMachine:
    @staticmethod
    def open_one(folders: Folders, limits: SandboxLimits) -> Session:
        return local_session(folders, limits)


class TestKeepsState(OnThisMachine, KeepsState): ...


class TestCloses(OnThisMachine, Closes): ...


class TestGivesOut(OnThisMachine, GivesOut): ...


class TestPlaysTricks(OnThisMachine, PlaysTricks): ...


class TestIsStopped(OnThisMachine, IsStopped): ...


class TestEnds(OnThisMachine, Ends): ...


class TestIsBounded(OnThisMachine, IsBounded): ...


class TestIsBoundedTogether(OnThisMachine, IsBoundedTogether): ...
