"""Which walls there are, what each holds off, and which of them are up."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from genotex.agents.sandbox.confined.plan import Mechanism
from genotex.errors import ConfinementError

__all__ = ["Confinement", "Mechanism", "Protection", "SandboxPolicy"]


class SandboxPolicy(StrEnum):
    """What to do where a machine lacks a means of confinement."""

    REQUIRE = "require"
    """Refuse to run code unless every protection is in force."""
    BEST = "best"
    """Use what the machine has, and record what it lacks."""
    OFF = "off"
    """No walls: code runs with the rights of the user; limits are kept."""


class Protection(StrEnum):
    """What is protected from written code."""

    FILES = "files"
    NETWORK = "network"
    SOCKETS = "sockets of other programs"
    PROCESSES = "other processes"
    ENVIRONMENT = "environment"
    PRIVILEGES = "privileges"
    RESOURCES = "memory, disk, processes"
    ENDING = "ends as a whole"


_HELD_BY: dict[Protection, tuple[tuple[str, ...], ...]] = {
    # Any one of the groups is enough; all of a group must be up.
    Protection.FILES: (("own root", "capabilities"), ("landlock files", "call filter")),
    Protection.NETWORK: (("network namespace", "capabilities"), ("call filter",)),
    Protection.SOCKETS: (("own root", "network namespace", "capabilities"), ("call filter",)),
    Protection.PROCESSES: (("process namespace",), ("landlock signals", "call filter")),
    Protection.ENVIRONMENT: (("clean environment",),),
    Protection.PRIVILEGES: (("no new privileges", "capabilities"),),
    Protection.RESOURCES: (("bounds", "watch"),),
    Protection.ENDING: (("process namespace",), ("watch",)),
}
_ADVICE = {
    Protection.FILES: (
        "allow user namespaces (sysctl user.max_user_namespaces; on Ubuntu "
        "kernel.apparmor_restrict_unprivileged_userns=0), or use Linux 6.2 or newer with Landlock"
    ),
    Protection.PROCESSES: "allow user namespaces, or use Linux 6.12 or newer with Landlock",
}
_ADVICE_ELSE = "use Linux on x86_64 or aarch64 with seccomp, or allow user namespaces"


@dataclass(frozen=True)
class Confinement:
    """Which walls are up around a session.

    Parameters
    ----------
    policy : SandboxPolicy
        What was asked.
    mechanisms : tuple of Mechanism
        Each means of confinement: in force, or why not.
    """

    policy: SandboxPolicy
    mechanisms: tuple[Mechanism, ...] = ()

    def is_active(self, name: str) -> bool:
        """Tell whether a mechanism is in force."""
        return any(m.name == name and m.active for m in self.mechanisms)

    def holds(self, protection: Protection) -> bool:
        """Tell whether something is protected by what is in force."""
        return any(all(map(self.is_active, group)) for group in _HELD_BY[protection])

    @property
    def missing(self) -> tuple[Protection, ...]:
        """What is not protected."""
        return tuple(p for p in Protection if not self.holds(p))

    def check(self) -> None:
        """Refuse to go on where the policy requires what is missing.

        Raises
        ------
        ConfinementError
            With what is missing, why, and what to do.
        """
        if self.policy is not SandboxPolicy.REQUIRE or not self.missing:
            return
        reasons = "; ".join(f"{m.name}: {m.detail}" for m in self.mechanisms if not m.active)
        advice = "; ".join(f"for {p}: {_ADVICE.get(p, _ADVICE_ELSE)}" for p in self.missing)
        msg = (
            f"this machine cannot protect {', '.join(self.missing)} from written code ({reasons}). "
            f"What to do: {advice}. Or take --sandbox best, which uses what there is and records it"
        )
        raise ConfinementError(msg)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data, for a run's record."""
        return {
            "policy": str(self.policy),
            "protected": {str(p): self.holds(p) for p in Protection},
            "mechanisms": [asdict(m) for m in self.mechanisms],
        }
