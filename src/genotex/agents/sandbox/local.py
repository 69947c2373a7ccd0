"""A session on this machine."""

from __future__ import annotations

from genotex.agents.sandbox.confinement import SandboxPolicy
from genotex.agents.sandbox.local_kernel import LocalKernel
from genotex.agents.sandbox.nursery import Nursery
from genotex.agents.sandbox.replaying import ReplayingSession
from genotex.agents.sandbox.session import Folders, Limits

__all__ = ["local_session"]


def local_session(
    folders: Folders,
    limits: Limits | None = None,
    policy: SandboxPolicy = SandboxPolicy.REQUIRE,
    *,
    avoid: tuple[str, ...] = (),
    nursery: Nursery | None = None,
) -> ReplayingSession:
    """Return a session whose kernels run behind the walls of this machine, not yet started.

    Parameters
    ----------
    folders : Folders
        What the code may read, and the one folder that it may write.
    limits : Limits, optional
        What it may use.
    policy : SandboxPolicy
        What to do where a wall is missing.
    avoid : tuple of str
        Mechanisms to do without, as if this machine lacked them: to see what the others hold.
    nursery : Nursery, optional
        Starts kernels that have imported the libraries; without one each imports them itself.
    """
    kept = limits or Limits()
    return ReplayingSession(lambda: LocalKernel(folders, kept, policy, avoid, nursery), folders)
