"""Privileges given up before foreign code runs."""

from __future__ import annotations

import ctypes
import errno
import signal
from pathlib import Path

from .linux import prctl, system_call

__all__ = [
    "be_as_others",
    "die_with_parent",
    "drop_capabilities",
    "first_to_go",
    "keep_orphans",
    "keep_to_oneself",
    "no_new_ones",
]

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_SECUREBITS = 1, 4, 24, 28
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
_CAPABILITY_VERSION_3 = 0x20080522
_ROOT_IS_NOBODY_SPECIAL = 0b11101111
"""NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE with their locks; KEEP_CAPS locked off."""
_KEYCTL_JOIN_SESSION_KEYRING = 1


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent dies."""
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def keep_orphans() -> None:
    """Become the parent of processes below whose own parent has ended, so that none is lost."""
    prctl(_PR_SET_CHILD_SUBREAPER, 1)


def first_to_go() -> None:
    """Be the first that the kernel ends when the machine runs out of memory."""
    Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def keep_to_oneself() -> None:
    """Let nobody of the same user look into this process, its memory and its open files."""
    prctl(_PR_SET_DUMPABLE, 0)


def be_as_others() -> None:
    """Undo ``keep_to_oneself`` in a forked copy, as starting a program does."""
    prctl(_PR_SET_DUMPABLE, 1)


def no_new_ones() -> str:
    """Let no program that is started gain privileges (setuid files); no keyring of the user."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)
    try:
        system_call("keyctl", _KEYCTL_JOIN_SESSION_KEYRING, None)
    except OSError as error:
        if error.errno != errno.ENOSYS:
            return f"setuid files give nothing; the user's keyring stays ({error})"
    return "setuid files give nothing; an empty keyring"


def drop_capabilities() -> str:
    """Give up every capability for good, root's as well."""
    dropped = 0
    for number in range(64):
        try:
            prctl(_PR_CAPBSET_DROP, number)
        except OSError as error:
            # EINVAL is past the last one; EPERM is an ordinary user, who has none to give.
            if error.errno in (errno.EINVAL, errno.EPERM):
                break
            raise
        dropped += 1
    if dropped:
        prctl(_PR_SET_SECUREBITS, _ROOT_IS_NOBODY_SPECIAL)
    prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    system_call("capset", ctypes.byref(header), ctypes.byref(nothing))
    return "none left"
