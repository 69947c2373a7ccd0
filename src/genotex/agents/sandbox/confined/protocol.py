"""What passes between the processes of a session: the supervisor's plan, and framed messages."""

from __future__ import annotations

import itertools
import json
import socket
import struct
import sys
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Mechanism:
    """One means of confinement: in force, or why not."""

    name: str  # as in ``Confinement``
    active: bool  # whether it is in force
    detail: str = ""  # what it does here, or why it is not in force


@dataclass(frozen=True)
class SandboxPlan:
    """One confined worker."""

    # The program and its arguments; none for a worker in the forked process itself, which has
    # imported it.
    command: tuple[str, ...]
    # All of its environment, but for the folders of home and temporary files.
    environment: dict[str, str]
    readable: tuple[str, ...]  # folders and files that may be read
    writable: str  # the one folder that may be changed; the working folder, too
    private: str  # folder of this session, removed at the end
    confine: bool  # whether to isolate; limits apply in any case
    avoid: tuple[str, ...]  # mechanisms to do without
    # Limits.
    memory_bytes: int
    disk_bytes: int
    temporary_bytes: int
    processes: int  # most processes and threads
    files: int  # most files and folders in the writable folder, and in ``/tmp``

    def to_json(self) -> str:
        """Return the plan as one line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> SandboxPlan:
        """Read what ``to_json`` wrote."""
        data: dict[str, Any] = json.loads(line)
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        return cls(**values)


_HEADER = struct.Struct("!IB")
_PACKET = 48 * 1024
CLOSED = "closed"
_MOST_BEGUN = 16
_KIND = socket.SOCK_SEQPACKET if sys.platform == "linux" else socket.SOCK_DGRAM
_dumps, _loads = json.dumps, json.loads


class ChannelError(Exception):
    """The other side closed the channel or sent what is no message."""


class Channel:
    """One end of the connection."""

    # `connection`: A connected Unix socket that keeps packets apart.

    def __init__(self, connection: socket.socket, most_bytes: int) -> None:
        self.socket = connection
        self.most_bytes = most_bytes
        self._numbers = itertools.count()
        self._parts: dict[int, list[bytes]] = {}
        self._held = 0

    def send(self, message: dict[str, Any]) -> None:
        """Send a message; waits while the other side is behind."""
        content = _dumps(message).encode("ascii")
        number = next(self._numbers) & 0xFFFFFFFF
        for start in range(0, len(content), _PACKET):
            last = start + _PACKET >= len(content)
            packet = _HEADER.pack(number, last) + content[start : start + _PACKET]
            self.socket.send(packet)

    def receive(self) -> dict[str, Any] | None:
        """Wait for one packet; return the message if it was the last of one."""
        packet = self.socket.recv(_PACKET + _HEADER.size + 1)
        if len(packet) < _HEADER.size:
            raise ChannelError(CLOSED)
        number, last = _HEADER.unpack_from(packet)
        parts = self._parts.setdefault(number, [])
        parts.append(packet[_HEADER.size :])
        self._held += len(packet)
        if len(self._parts) > _MOST_BEGUN:
            del self._parts[next(iter(self._parts))]
        if not last:
            if self._held > self.most_bytes:
                msg = f"a message of more than {self.most_bytes} bytes"
                raise ChannelError(msg)
            return None
        self._parts.pop(number, None)
        self._held = sum(len(part) for kept in self._parts.values() for part in kept)
        return _message(b"".join(parts))

    def close(self) -> None:
        """Close this end."""
        self.socket.close()


def _message(content: bytes) -> dict[str, Any]:
    try:
        message = _loads(content)
    except (ValueError, RecursionError) as error:
        msg = f"what is no JSON: {error}"
        raise ChannelError(msg) from error
    if not isinstance(message, dict):
        msg = "JSON that is no message"
        raise ChannelError(msg)
    return message


def channel_pair(most_bytes: int) -> tuple[Channel, socket.socket]:
    """Return our end of a new connection, and the other end to hand on."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, _KIND)
    for end in (ours, theirs):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * _PACKET)
    return Channel(ours, most_bytes), theirs
