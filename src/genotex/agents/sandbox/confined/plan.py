"""What the supervisor is told: how to confine, and which limits to keep."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Mechanism", "Plan"]


@dataclass(frozen=True)
class Mechanism:
    """One means of confinement: in force, or why not.

    Parameters
    ----------
    name : str
        As in ``Confinement``.
    active : bool
        Whether it is in force.
    detail : str
        What it does here, or why it is not in force.
    """

    name: str
    active: bool
    detail: str = ""


@dataclass(frozen=True)
class Plan:
    """One confined kernel.

    Parameters
    ----------
    command : tuple of str
        The program and its arguments; none for a kernel in the forked process itself, which has
        imported it.
    environment : dict of str to str
        All of its environment, but for the folders of home and temporary files.
    readable : tuple of str
        Folders and files that may be read.
    writable : str
        The one folder that may be changed; the working folder, too.
    private : str
        Folder of this session, removed at the end.
    confine : bool
        Whether to put up walls; limits are kept in any case.
    avoid : tuple of str
        Mechanisms to do without.
    memory_bytes, disk_bytes, temporary_bytes : int
        Limits.
    processes : int
        Most processes and threads.
    """

    command: tuple[str, ...]
    environment: dict[str, str]
    readable: tuple[str, ...]
    writable: str
    private: str
    confine: bool
    avoid: tuple[str, ...]
    memory_bytes: int
    disk_bytes: int
    temporary_bytes: int
    processes: int

    def to_json(self) -> str:
        """Return the plan as one line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Plan:
        """Read what ``to_json`` wrote."""
        data: dict[str, Any] = json.loads(line)
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        return cls(**values)
