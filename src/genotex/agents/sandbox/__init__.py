"""Where written code runs: the session protocol, its local implementation, its walls."""

from genotex.agents.sandbox.checking import Check, CheckedSandbox, check_sandbox
from genotex.agents.sandbox.confinement import Confinement, Mechanism, Protection, SandboxPolicy
from genotex.agents.sandbox.local import local_session
from genotex.agents.sandbox.nursery import Nursery
from genotex.agents.sandbox.session import CellResult, CellStatus, Folders, Limits, Output, Session

__all__ = [
    "CellResult",
    "CellStatus",
    "Check",
    "CheckedSandbox",
    "Confinement",
    "Folders",
    "Limits",
    "Mechanism",
    "Nursery",
    "Output",
    "Protection",
    "SandboxPolicy",
    "Session",
    "check_sandbox",
    "local_session",
]
