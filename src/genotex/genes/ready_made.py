"""The packaged gene table's lookups, built once for all processes forked from this one.

They are built in a process of their own: the threads of polars do not survive a fork, so they must
not start in a process that others are forked from. The result is plain data of this package.
"""

from __future__ import annotations

import marshal
import os
import warnings
from contextlib import suppress

from genotex.genes.table import GeneTable, take_over

__all__ = ["begin", "finish"]

_under_way: list[tuple[int, int]] = []
"""Id of the process, and the pipe for its answer."""


def begin() -> None:
    """Start building the lookups in the background."""
    come, go = os.pipe()
    with warnings.catch_warnings():
        # Newer Pythons warn of threads: those of libraries are idle and hold no locks.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            with os.fdopen(go, "wb") as answer:
                answer.write(marshal.dumps(GeneTable.load().look_ups()))
        finally:
            os._exit(0)
    os.close(go)
    _under_way.append((child, come))


def finish() -> None:
    """Adopt the lookups; if building failed, each process builds its own as usual."""
    child, come = _under_way.pop()
    with os.fdopen(come, "rb") as answer, suppress(EOFError, ValueError, TypeError):
        take_over(marshal.loads(answer.read()))
    os.waitpid(child, 0)
