"""Bounds that the kernel keeps for each process, and for the process namespace."""

from __future__ import annotations

import errno
import os
import resource
from pathlib import Path

from .linux import kernel_release

__all__ = ["RESERVE_BYTES", "bound_each_process", "bound_number_of_processes"]

RESERVE_BYTES = 64 * 2**20
"""What the kernel keeps back to report with when the code has used up its memory."""

_FILES = 1024
_LEAST_PID_MAX = 301
_PID_MAX_IS_PER_NAMESPACE = (6, 14)
_COUNTS_ARE_PER_NAMESPACE = (5, 14)


def bound_each_process(memory: int, file: int) -> str:
    """Bound private memory, file size and open files of this process and those it starts.

    ``RLIMIT_DATA`` counts what a process may write to and does not share, so that an allocation
    too many fails with ``MemoryError``; address space alone (``RLIMIT_AS``) would forbid libraries
    that reserve more than they use.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _lower(resource.RLIMIT_NOFILE, _FILES, _FILES)
    _lower(resource.RLIMIT_FSIZE, file, file)
    _lower(resource.RLIMIT_DATA, memory, memory + RESERVE_BYTES)
    resource.setrlimit(resource.RLIMIT_MSGQUEUE, (0, 0))
    return "memory of each process, size of each file, open files"


def _lower(which: int, soft: int, hard: int) -> None:
    _, highest = resource.getrlimit(which)
    if highest != resource.RLIM_INFINITY:
        soft, hard = min(soft, highest), min(hard, highest)
    resource.setrlimit(which, (soft, hard))


def bound_number_of_processes(most: int) -> str:
    """Bound the processes and threads of this process namespace and its user namespace.

    A little above what is permitted, so that the watch sees who passes it and ends the session.

    Raises
    ------
    OSError
        If the kernel has no such bound for a namespace.
    """
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
        raise OSError(errno.ENOSYS, "needs Linux 6.14; the watch counts instead")
    return f"{bound} processes and threads, {' and '.join(kept)}"
