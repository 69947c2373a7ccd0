"""Landlock: which files the generated code may open, and no signals to processes outside.

Source: kernel documentation, userspace-api/landlock.rst. Rights are those up to ABI 7.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

from .linux import system_call
from .protocol import Mechanism

_READ = {"execute": 0, "read_file": 2, "read_dir": 3}
_CHANGE = {
    "write_file": 1,
    "remove_dir": 4,
    "remove_file": 5,
    "make_char": 6,
    "make_dir": 7,
    "make_reg": 8,
    "make_sock": 9,
    "make_fifo": 10,
    "make_block": 11,
    "make_sym": 12,
}
_SINCE = {2: ("refer", 13), 3: ("truncate", 14), 5: ("ioctl_dev", 15)}
_FILE_ONLY = ("execute", "read_file", "write_file", "truncate", "ioctl_dev")
_NEVER_MADE = ("make_char", "make_block")
_BIND_AND_CONNECT_TCP = 0b11
_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11
_FILES_SINCE, _TCP_SINCE, _SIGNALS_SINCE = 3, 4, 6
_VERSION_QUESTION = 1
_PATH_BENEATH = 1


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("handled_files", ctypes.c_uint64),
        ("handled_network", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def _abi() -> int:
    """Return the version of Landlock that the kernel speaks."""
    return system_call("landlock_create_ruleset", None, 0, _VERSION_QUESTION)


def restrict(readable: Iterable[str], writable: Iterable[str], devices: Iterable[str]) -> int:
    """Allow this process, and all that it starts, these paths and no others."""
    version = _abi()
    rights = _rights(version)
    everything = sum(1 << bit for bit in rights.values())
    reading = sum(1 << bit for bit in _READ.values())
    writing = sum(1 << bit for name, bit in rights.items() if name not in _NEVER_MADE)
    ruleset = _create(version, everything)
    try:
        files = sum(1 << bit for name, bit in rights.items() if name in _FILE_ONLY)
        for path in readable:
            _allow(ruleset, path, reading, files)
        for path in writable:
            _allow(ruleset, path, writing, files)
        for path in devices:
            _allow(ruleset, path, files & writing, files)
        system_call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)
    return version


def in_force(version: int) -> list[Mechanism]:
    """Return what an ABI is able to hold, and from which kernel on it could hold the rest."""
    files = Mechanism("landlock files", True, f"ABI {version}")
    signals = Mechanism("landlock signals", True, f"ABI {version}")
    if version < _FILES_SINCE:
        why = f"ABI {version} lets files be cut to nothing (Linux 6.2); the rest is in force"
        files = Mechanism(files.name, False, why)
    if version < _SIGNALS_SINCE:
        signals = Mechanism(signals.name, False, f"ABI {version}; needs Linux 6.12")
    return [files, signals]


def _rights(version: int) -> dict[str, int]:
    later = dict(named for since, named in _SINCE.items() if version >= since)
    return {**_READ, **_CHANGE, **later}


def _create(version: int, files: int) -> int:
    wanted = _Ruleset(
        files,
        _BIND_AND_CONNECT_TCP if version >= _TCP_SINCE else 0,
        _SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS if version >= _SIGNALS_SINCE else 0,
    )
    # An older kernel knows a shorter structure and refuses a longer one.
    words = 3 if version >= _SIGNALS_SINCE else 2 if version >= _TCP_SINCE else 1
    return system_call("landlock_create_ruleset", ctypes.byref(wanted), words * 8, 0)


def _allow(ruleset: int, path: str, rights: int, files: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        allowed = rights if Path(path).is_dir() else rights & files
        rule = _PathBeneath(allowed, handle)
        system_call("landlock_add_rule", ruleset, _PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(handle)
