"""Where written code runs: the session protocol, its local implementation, its walls."""

from genotex.sandbox.checking import Check, CheckedSandbox, check_sandbox
from genotex.sandbox.confinement import Confinement, Mechanism, Protection, SandboxPolicy
from genotex.sandbox.local import local_session
from genotex.sandbox.nursery import Nursery
from genotex.sandbox.session import CellResult, CellStatus, Folders, Limits, Output, Session

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
