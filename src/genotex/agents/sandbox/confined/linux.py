"""Linux calls that the standard library lacks; privileges given up and limits that it enforces."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
import signal
import sys
from pathlib import Path

ON_LINUX = sys.platform == "linux"

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

_BY_MACHINE = {
    "x86_64": {"pivot_root": 155, "capset": 126, "keyctl": 250},
    "aarch64": {"pivot_root": 41, "capset": 91, "keyctl": 219},
}
_EVERYWHERE = {
    "mount_setattr": 442,
    "landlock_create_ruleset": 444,
    "landlock_add_rule": 445,
    "landlock_restrict_self": 446,
}
NUMBERS = {**_EVERYWHERE, **_BY_MACHINE.get(platform.machine(), {})}
"""System call numbers of this machine; a machine we do not know lacks some of them."""

_libc = ctypes.CDLL(None, use_errno=True)


def kernel_release() -> tuple[int, int]:
    """Return major and minor number of the running kernel."""
    major, minor = os.uname().release.split(".")[:2]
    return int(major), int("".join(digit for digit in minor if digit.isdigit()) or 0)


def system_call(name: str, *arguments: object) -> int:
    """Call the kernel by name; integers are passed as machine words, the rest as it is."""
    if not ON_LINUX or name not in NUMBERS:
        raise OSError(38, f"{name} is not known on {sys.platform} {platform.machine()}")
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return _checked(_libc.syscall(ctypes.c_long(NUMBERS[name]), *words), name)


def unshare(flags: int) -> None:
    """Leave the namespaces that the flags name for new ones."""
    _checked(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Mount `source` on `target`."""
    result = _libc.mount(
        source.encode("utf-8", "surrogateescape"),
        target.encode("utf-8", "surrogateescape"),
        kind.encode(),
        ctypes.c_ulong(flags),
        data.encode(),
    )
    _checked(result, f"mount {target}")


def umount(target: str, flags: int) -> None:
    """Unmount `target`."""
    _checked(_libc.umount2(target.encode("utf-8", "surrogateescape"), flags), f"umount {target}")


def prctl(option: int, *arguments: int) -> int:
    """Change a property of this process (``PR_...``)."""
    words = [ctypes.c_ulong(a) for a in (*arguments, 0, 0, 0, 0)[:4]]
    return _checked(_libc.prctl(ctypes.c_int(option), *words), f"prctl {option}")


def _checked(result: int, what: str) -> int:
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return int(result)


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


def end_first_when_memory_is_full() -> None:
    """Be the first that the kernel ends when the machine runs out of memory."""
    Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def hide_from_others() -> None:
    """Hide this process, its memory and open files from other processes of the same user."""
    prctl(_PR_SET_DUMPABLE, 0)


def show_to_others() -> None:
    """Undo ``hide_from_others`` in a forked copy, as starting a program does."""
    prctl(_PR_SET_DUMPABLE, 1)


def no_new_privileges() -> str:
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


RESERVE_BYTES = 64 * 2**20
"""What a worker keeps back to report with when the code has used up its memory."""

_FILES = 1024
_SIGNALS = 1024
"""Queued signals and timers of the user, in the user namespace where there is one."""
_LEAST_PID_MAX = 301
_PID_MAX_IS_PER_NAMESPACE = (6, 14)
_COUNTS_ARE_PER_NAMESPACE = (5, 14)


def bound_each_process(memory: int, file: int) -> str:
    """Bound private memory, file size and open files of this process and those it starts."""
    # ``RLIMIT_DATA`` counts what a process may write to and does not share, so that an allocation
    # too many fails with ``MemoryError``; address space alone (``RLIMIT_AS``) would forbid
    # libraries that reserve more than they use.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _lower(resource.RLIMIT_NOFILE, _FILES, _FILES)
    _lower(resource.RLIMIT_FSIZE, file, file)
    _lower(resource.RLIMIT_DATA, memory, memory + RESERVE_BYTES)
    resource.setrlimit(resource.RLIMIT_MSGQUEUE, (0, 0))
    if hasattr(resource, "RLIMIT_SIGPENDING"):
        # A timer of POSIX holds a queued signal, and kernel memory that no process shows.
        _lower(resource.RLIMIT_SIGPENDING, _SIGNALS, _SIGNALS)
    return "memory of each process, size of each file, open files, timers"


def _lower(which: int, soft: int, hard: int) -> None:
    _, highest = resource.getrlimit(which)
    if highest != resource.RLIM_INFINITY:
        soft, hard = min(soft, highest), min(hard, highest)
    resource.setrlimit(which, (soft, hard))


def bound_number_of_processes(most: int) -> str:
    """Bound the processes and threads of this process namespace and its user namespace."""
    # A little above what is permitted, so that the supervisor sees who passes it and ends it.
    bound = max(most + most // 4, _LEAST_PID_MAX)
    kept = []
    if kernel_release() >= _PID_MAX_IS_PER_NAMESPACE:
        # An older kernel would change the bound of the whole machine.
        Path("/proc/sys/kernel/pid_max").write_text(str(bound), encoding="ascii")
        kept.append("by the process namespace")
    if kernel_release() >= _COUNTS_ARE_PER_NAMESPACE and os.geteuid() != 0:
        # An older kernel would count all that the user runs; root is never counted.
        _lower(resource.RLIMIT_NPROC, bound, bound)
        kept.append("by the user namespace")
    if not kept:
        raise OSError(errno.ENOSYS, "needs Linux 6.14; the supervisor counts instead")
    return f"{bound} processes and threads, {' and '.join(kept)}"
