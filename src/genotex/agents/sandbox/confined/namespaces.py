"""Namespaces: a system of its own, in which there is no network and nobody else."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

from .linux import (
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    CLONE_NEWUTS,
    unshare,
)

__all__ = ["ENTRIES"]


def _user() -> str:
    """Enter a user namespace of one's own, as oneself; it is what permits the others."""
    user, group = os.geteuid(), os.getegid()
    unshare(CLONE_NEWUSER)
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
    return f"user {user} alone"


def _mount() -> str:
    unshare(CLONE_NEWNS)
    return ""


def _processes() -> str:
    unshare(CLONE_NEWPID)
    return "sees only its own processes; they all end with the first"


def _network() -> str:
    unshare(CLONE_NEWNET)
    return "one interface, which is down"


def _shared_memory() -> str:
    unshare(CLONE_NEWIPC)
    return ""


def _host_name() -> str:
    unshare(CLONE_NEWUTS)
    socket.sethostname("sandbox")
    return ""


ENTRIES: dict[str, Callable[[], str]] = {
    "user namespace": _user,
    "mount namespace": _mount,
    "process namespace": _processes,
    "network namespace": _network,
    "ipc namespace": _shared_memory,
    "host name": _host_name,
}
"""How to enter each, in order; a process namespace holds the children, not the caller."""
