"""The packaged gene table's look-ups, made once for all processes that are forked from this one.

They are made beside, in a process of their own: the threads of the table engine do not outlive a
fork, so they must not have begun in a process that others are forked from. What comes back is plain
text, and of the package alone.
"""

from __future__ import annotations

import marshal
import os
import warnings
from contextlib import suppress

from genotex.genes.table import GeneTable, take_over

__all__ = ["begin", "finish"]

_under_way: list[tuple[int, int]] = []
"""Number of the process, and where its answer comes."""


def begin() -> None:
    """Have the look-ups made beside whatever comes next."""
    come, go = os.pipe()
    with warnings.catch_warnings():
        # Newer Pythons warn of threads: those of libraries wait and hold nothing.
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
    """Take the look-ups over; where they were not made, each process makes its own as usual."""
    child, come = _under_way.pop()
    with os.fdopen(come, "rb") as answer, suppress(EOFError, ValueError, TypeError):
        take_over(marshal.loads(answer.read()))
    os.waitpid(child, 0)
