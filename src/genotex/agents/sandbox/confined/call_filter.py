"""The system call filter: no sockets to anywhere, no new namespaces, no looking into processes.

A second fence behind namespaces and Landlock, and the only one against the network where a
container forbids namespaces. A filter sees numbers, not what pointers lead to: so a call is refused
by its number or by a flag, and never by a path or an address.

Source: kernel documentation, userspace-api/seccomp_filter.rst; numbers from ``asm/unistd_64.h``
(x86_64) and ``asm-generic/unistd.h`` (aarch64).
"""

from __future__ import annotations

import ctypes
import errno
import platform
import socket
import struct

from .linux import prctl

REFUSED = {
    # name: (x86_64, aarch64); None where the machine has no such call
    "connect": (42, 203),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semctl": (66, 191),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgctl": (71, 187),
    "msgrcv": (70, 188),
    "msgsnd": (69, 189),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
    "personality": (135, 92),
    "modify_ldt": (154, None),
    "iopl": (172, None),
    "ioperm": (173, None),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "acct": (163, 89),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "vmsplice": (278, 75),
}
"""Calls that no analysis needs. Memory that no process shows (``memfd_create``, ``shmget``, pages
given to a pipe by ``vmsplice``) would get past the limits; ``io_uring`` opens sockets that no
filter sees."""

REFUSED_WITHOUT_OWN_ROOT = {"sendmsg": (46, 211), "sendmmsg": (307, 269)}
"""They pass open files on: a socket inside another is in no process, and counted only where the
session has a network of its own."""

IGNORED = {
    "sync": (162, 81),
    "syncfs": (306, 267),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "sync_file_range": (277, 84),
    "flock": (73, 32),
}
"""What these calls report as done. Nothing in a session must outlive a power cut: what is taken
from it is brought to the disk by the program outside. So it waits for no disk, and keeps no other
program's disk busy. A lock on an input file would keep other programs from it; libraries that lock
their own files (HDF5, SQLite) go on as if they had, and nothing outside notices."""

IGNORED_WITHOUT_OWN_ROOT = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "lchown": (94, None),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
}
"""Changes of a file's permissions, owner and times, which Landlock does not see. Where the user's
other files can be named at all, these calls do nothing and report success: copying a file
makes them on the way, and would fail."""

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_SOCKET, _SOCKETPAIR = (41, 198), (53, 199)
_CLONE, _CLONE3, _IOCTL, _PRLIMIT = (56, 220), (435, 435), (16, 29), (302, 261)
_FCNTL, _SETSOCKOPT = (72, 25), (54, 208)
_SET_LOCKS = (6, 7, 37, 38)
"""``F_SETLK``, ``F_SETLKW`` and the same of open file descriptions."""
_LEASE_NOTICE_PIPE_SIZE = (1024, 1026, 1031)
_BUFFER_SIZES = (7, 8, 32, 33)
"""``SO_SNDBUF``, ``SO_RCVBUF`` and what root has in their place."""
_NEW_NAMESPACES = 0x7E020000
_TYPE_INTO_TERMINAL = (0x5412, 0x541C)
_SECOND_ABI_OF_X86 = 0x40000000

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_ALLOW, _KILL, _ERROR, _NO_ERROR = 0x7FFF0000, 0x80000000, 0x00050000, 0
_LOAD, _AND = 0x20, 0x54
_EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16

Step = tuple[int, int, int, int]


def filter_program(machine: str, *, own_root: bool) -> list[Step]:
    """Return the filter for a machine as instructions (code, jump if true, if false, value)."""
    if machine not in _MACHINES:
        raise OSError(errno.ENOSYS, f"no system call numbers for {machine}")
    column, architecture = _MACHINES[machine]
    steps: list[Step] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine == "x86_64":
        steps += [(_AT_LEAST, 0, 1, _SECOND_ABI_OF_X86), _refuse(errno.ENOSYS)]
    refused = REFUSED if own_root else REFUSED | REFUSED_WITHOUT_OWN_ROOT
    for numbers in refused.values():
        if (number := numbers[column]) is not None:
            steps += [(_EQUAL, 0, 1, number), _refuse(errno.EPERM)]
    ignored = IGNORED if own_root else IGNORED | IGNORED_WITHOUT_OWN_ROOT
    for numbers in ignored.values():
        if (number := numbers[column]) is not None:
            steps += [(_EQUAL, 0, 1, number), _refuse(_NO_ERROR)]
    # Without clone3, the C library uses clone, whose flags can be checked.
    steps += [(_EQUAL, 0, 1, _CLONE3[column]), _refuse(errno.ENOSYS)]
    steps += _when(_CLONE[column], _flag_of_clone())
    steps += _when(_IOCTL[column], _typing_into_a_terminal())
    steps += _when(_PRLIMIT[column], _own_bounds())
    steps += _when(_FCNTL[column], _no_locks_and_leases())
    steps += _when(_SETSOCKOPT[column], _buffers_as_they_are())
    steps += _when(_SOCKET[column], _sockets_between_own_processes())
    steps += _when(_SOCKETPAIR[column], _sockets_between_own_processes())
    return [*steps, (_RETURN, 0, 0, _ALLOW)]


def _refuse(number: int) -> Step:
    return (_RETURN, 0, 0, _ERROR | number)


def _when(number: int, steps: list[Step]) -> list[Step]:
    """Run steps, which all end in a return, only for one call."""
    return [(_EQUAL, 0, len(steps), number), *steps]


def _argument(position: int) -> Step:
    # The lower half of a 64-bit word on these little-endian machines; the kernel reads no more.
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * position)


def _flag_of_clone() -> list[Step]:
    return [
        _argument(0),
        (_ANY_BIT, 0, 1, _NEW_NAMESPACES),
        _refuse(errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _typing_into_a_terminal() -> list[Step]:
    steps = [_argument(1)]
    for request in _TYPE_INTO_TERMINAL:
        steps += [(_EQUAL, 0, 1, request), _refuse(errno.EPERM)]
    return [*steps, (_RETURN, 0, 0, _ALLOW)]


def _no_locks_and_leases() -> list[Step]:
    """Locks are reported as held; leases, notices and larger pipes are refused."""
    steps = [_argument(1)]
    for command in _SET_LOCKS:
        steps += [(_EQUAL, 0, 1, command), _refuse(_NO_ERROR)]
    for command in _LEASE_NOTICE_PIPE_SIZE:
        steps += [(_EQUAL, 0, 1, command), _refuse(errno.EPERM)]
    return [*steps, (_RETURN, 0, 0, _ALLOW)]


def _buffers_as_they_are() -> list[Step]:
    """Buffers of sockets, which are counted at their default size, keep it without an error."""
    steps = [_argument(1), (_EQUAL, 1, 0, socket.SOL_SOCKET), (_RETURN, 0, 0, _ALLOW), _argument(2)]
    for option in _BUFFER_SIZES:
        steps += [(_EQUAL, 0, 1, option), _refuse(_NO_ERROR)]
    return [*steps, (_RETURN, 0, 0, _ALLOW)]


def _own_bounds() -> list[Step]:
    """Bounds of the calling process, which is number 0; not of others of the same user."""
    return [_argument(0), (_EQUAL, 1, 0, 0), _refuse(errno.EPERM), (_RETURN, 0, 0, _ALLOW)]


def _sockets_between_own_processes() -> list[Step]:
    """Only Unix stream sockets, which need ``connect`` to reach another program."""
    return [
        _argument(0),
        (_EQUAL, 1, 0, int(socket.AF_UNIX)),
        _refuse(errno.EACCES),
        _argument(1),
        (_AND, 0, 0, 0xF),
        (_EQUAL, 2, 0, int(socket.SOCK_STREAM)),
        (_EQUAL, 1, 0, int(socket.SOCK_SEQPACKET)),
        _refuse(errno.EACCES),
        (_RETURN, 0, 0, _ALLOW),
    ]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def restrict(*, own_root: bool) -> str:
    """Put the filter on this process and all that it starts; return what is in force."""
    steps = filter_program(platform.machine(), own_root=own_root)
    code = b"".join(struct.pack("HBBI", *step) for step in steps)
    program = _Program(len(steps), code)
    prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(program))
    more = "" if own_root else "; permissions, owners and times of files stay"
    return f"sockets only between own processes, no doors of the kernel{more}"
