"""How a workflow says where it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None, str], None]
"""Called at the start of a stage, and after each of its steps: the stage, the number of steps done,
how many there are (None: not known), and what was done last."""


def silent(stage: str, done: int, total: int | None, last: str) -> None:
    """Show nothing."""
