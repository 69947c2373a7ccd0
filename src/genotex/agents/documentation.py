"""What prompts say of the toolkit, and the cell that begins every notebook."""

from __future__ import annotations

from collections.abc import Sequence
from pprint import pformat

from genotex.agents.task import NotebookKind, Task

__all__ = ["documentation", "set_up_code"]


def documentation(kind: NotebookKind, functions: Sequence[str] | None = None) -> str:
    """Return the documentation of the toolkit's functions."""
    return "(the toolkit's functions)"


def set_up_code(task: Task) -> str:
    """Return the cell that begins a notebook: the toolkit, and the task."""
    fields = pformat(task.to_json(), sort_dicts=False)
    return (
        "from genotex.agents.task import Task\n"
        "from genotex.agents.toolkit import *\n"
        f"\ntask = Task.from_json({fields})\n"
    )
