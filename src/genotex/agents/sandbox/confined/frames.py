"""Messages over a pair of Unix sockets: JSON in packets, each of which arrives whole or not at all.

A signal may end a cell between any two steps of Python, so a message that needs several packets
carries its number in each, and one that was broken off is thrown away by the reader.
"""

from __future__ import annotations

import itertools
import json
import socket
import struct
import sys
from typing import Any

__all__ = ["CLOSED", "Channel", "ChannelError", "channel_pair"]

_HEADER = struct.Struct("!IB")
_PACKET = 48 * 1024
CLOSED = "closed"
_MOST_BEGUN = 16
_KIND = socket.SOCK_SEQPACKET if sys.platform == "linux" else socket.SOCK_DGRAM
_dumps, _loads = json.dumps, json.loads


class ChannelError(Exception):
    """The other side closed the channel or sent what is no message."""


class Channel:
    """One end of the connection.

    Parameters
    ----------
    connection : socket.socket
        A connected Unix socket that keeps packets apart.
    most_bytes : int
        Longest message to accept.
    """

    def __init__(self, connection: socket.socket, most_bytes: int) -> None:
        self.socket = connection
        self.most_bytes = most_bytes
        self._numbers = itertools.count()
        self._parts: dict[int, list[bytes]] = {}
        self._held = 0

    def send(self, message: dict[str, Any]) -> None:
        """Send a message; waits while the other side is behind.

        Raises
        ------
        OSError
            If the other side is gone.
        """
        content = _dumps(message).encode("ascii")
        number = next(self._numbers) & 0xFFFFFFFF
        for start in range(0, len(content), _PACKET):
            last = start + _PACKET >= len(content)
            packet = _HEADER.pack(number, last) + content[start : start + _PACKET]
            self.socket.send(packet)

    def receive(self) -> dict[str, Any] | None:
        """Wait for one packet; return the message if it was the last of one.

        Raises
        ------
        ChannelError
            If the other side is gone, or what came is no message.
        BlockingIOError
            If nothing is there and the socket does not wait.
        """
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
