"""The Linux calls that the standard library lacks, by number and through ``ctypes``."""

from __future__ import annotations

import ctypes
import os
import platform
import sys

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
