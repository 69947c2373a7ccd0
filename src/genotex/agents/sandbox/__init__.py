"""The sandbox for generated code: session protocol, local implementation, isolation mechanisms."""

from genotex.agents.sandbox.check import (
    CheckedSandbox,
    SandboxCheck,
    check_sandbox,
    is_isolated_here,
)
from genotex.agents.sandbox.confined.protocol import Mechanism
from genotex.agents.sandbox.local import local_session
from genotex.agents.sandbox.processes import ForkServer
from genotex.agents.sandbox.session import (
    CellResult,
    CellStatus,
    Confinement,
    Folders,
    Output,
    Protection,
    SandboxLimits,
    SandboxPolicy,
    Session,
)

__all__ = [
    "CellResult",
    "CellStatus",
    "CheckedSandbox",
    "Confinement",
    "Folders",
    "ForkServer",
    "Mechanism",
    "Output",
    "Protection",
    "SandboxCheck",
    "SandboxLimits",
    "SandboxPolicy",
    "Session",
    "check_sandbox",
    "is_isolated_here",
    "local_session",
]
