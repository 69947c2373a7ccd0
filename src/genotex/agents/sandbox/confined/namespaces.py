"""Namespaces without network and other processes, and a private root folder."""

from __future__ import annotations

import codecs
import ctypes
import os
import platform
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .linux import (
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    CLONE_NEWUTS,
    kernel_release,
    mount,
    system_call,
    umount,
    unshare,
)

# In a new user namespace the interpreter's own files may be out of reach.
codecs.lookup("ascii")


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


_NOSUID, _NODEV, _NOEXEC, _BIND, _REC, _PRIVATE = 0x2, 0x4, 0x8, 0x1000, 0x4000, 0x40000
_ATTR_RDONLY, _ATTR_NOSUID, _ATTR_NODEV = 0x1, 0x2, 0x4
_AT_FDCWD, _AT_RECURSIVE, _DETACH = -100, 0x8000, 2
_DEVICES = ("null", "zero", "full", "random", "urandom")
_PEOPLE = {
    "passwd": "sandbox:x:{user}:{group}:sandbox:/tmp:/bin/sh\n",
    "group": "sandbox:x:{group}:\n",
    "hosts": "127.0.0.1 localhost sandbox\n",
}


class _Attributes(ctypes.Structure):
    _fields_ = (
        ("set", ctypes.c_uint64),
        ("clear", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("user_namespace", ctypes.c_uint64),
    )


@dataclass(frozen=True)
class PrivateRoot:
    """The tree to be."""

    base: str  # an empty folder to build it on
    # Folders and files to show as they are; a symbolic link from one to another is repeated.
    readable: tuple[str, ...]
    writable: str  # the one folder that may be changed
    temporary_bytes: int  # size of ``/tmp``, and of ``/dev/shm``
    files: int  # most files in each of them

    def enter(self, *, own_processes: bool) -> str:
        """Build the tree and make it the root of this process."""
        # Without it an old kernel would have to be trusted with the mounts below a folder.
        _set_attributes_of_nothing()
        mount("none", "/", "", _REC | _PRIVATE)
        mount("root", self.base, "tmpfs", _NOSUID | _NODEV, "mode=755,size=1m")
        self._memory("/tmp")
        self._memory("/dev/shm")
        for path in sorted({*self.readable, self.writable}, key=lambda p: p.count("/")):
            self._show(path)
        self._devices()
        self._people()
        proc = self._processes() if own_processes else "no /proc: no processes of its own"
        # The last change to the tree itself; what is mounted on it keeps its own attributes.
        _set_attributes(self.base, _ATTR_RDONLY, recursive=False)
        os.chdir(self.base)
        system_call("pivot_root", b".", b".")
        umount(".", _DETACH)
        os.chdir("/")
        return proc

    def _inside(self, path: str) -> Path:
        return Path(self.base + path)

    def _memory(self, path: str) -> None:
        folder = self._inside(path)
        folder.mkdir(parents=True, exist_ok=True)
        options = f"mode=1777,size={self.temporary_bytes},nr_inodes={self.files}"
        mount("memory", str(folder), "tmpfs", _NOSUID | _NODEV, options)

    def _show(self, path: str) -> None:
        source, target = Path(path), self._inside(path)
        if source.is_symlink() and self._is_shown(source.resolve()):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(source.readlink())
            return
        if source.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()
        mount(path, str(target), "", _BIND | _REC)
        unchanged = 0 if path == self.writable else _ATTR_RDONLY
        _set_attributes(str(target), unchanged | _ATTR_NOSUID | _ATTR_NODEV, recursive=True)

    def _is_shown(self, path: Path) -> bool:
        return any(path.is_relative_to(shown) for shown in self.readable)

    def _devices(self) -> None:
        for name in _DEVICES:
            target = self._inside(f"/dev/{name}")
            target.touch()
            mount(f"/dev/{name}", str(target), "", _BIND)
        self._inside("/dev/fd").symlink_to("/proc/self/fd")

    def _people(self) -> None:
        """Write the user and group files: only the code itself, not the accounts of the machine."""
        self._inside("/etc").mkdir(exist_ok=True)
        for name, line in _PEOPLE.items():
            text = line.format(user=os.geteuid(), group=os.getegid())
            self._inside(f"/etc/{name}").write_text(text, encoding="ascii")

    def _processes(self) -> str:
        proc = self._inside("/proc")
        proc.mkdir()
        try:
            mount("proc", str(proc), "proc", _NOSUID | _NODEV | _NOEXEC)
        except OSError as error:
            return f"no /proc: {error}"
        # Root's own number may write to /proc/sys even without capabilities.
        _set_attributes(str(proc), _ATTR_RDONLY, recursive=False)
        return "own /proc, which cannot be changed"


def _set_attributes(path: str, wanted: int, *, recursive: bool) -> None:
    attributes = _Attributes(wanted, 0, 0, 0)
    flags = _AT_RECURSIVE if recursive else 0
    name = path.encode("utf-8", "surrogateescape")
    size = ctypes.sizeof(attributes)
    system_call("mount_setattr", _AT_FDCWD, name, flags, ctypes.byref(attributes), size)


def _set_attributes_of_nothing() -> None:
    if kernel_release() < (5, 12):
        raise OSError(38, f"needs Linux 5.12; this is {platform.release()}")
