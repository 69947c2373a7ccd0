"""Where written code runs: the session protocol, its local implementation, its walls."""

from genotex.sandbox.confinement import Confinement, Mechanism, Protection, SandboxPolicy
from genotex.sandbox.local import local_session
from genotex.sandbox.session import CellResult, CellStatus, Folders, Limits, Output, Session

__all__ = [
    "CellResult",
    "CellStatus",
    "Confinement",
    "Folders",
    "Limits",
    "Mechanism",
    "Output",
    "Protection",
    "SandboxPolicy",
    "Session",
    "local_session",
]
