"""Options that do nothing beside others are refused, not passed over in silence."""

from __future__ import annotations

from collections.abc import Sequence

from genotex.errors import UsageError

__all__ = ["refuse_idle"]


def refuse_idle(idle: Sequence[str], beside: str) -> None:
    """Refuse options that would do nothing.

    Parameters
    ----------
    idle : sequence of str
        Those that were given, as they are written; may be empty.
    beside : str
        Beside what they would do nothing.

    Raises
    ------
    UsageError
        If there is one.
    """
    if idle:
        does, it = ("does", "it") if len(idle) == 1 else ("do", "them")
        msg = f"{', '.join(idle)} {does} nothing beside {beside}; leave {it} out"
        raise UsageError(msg)
