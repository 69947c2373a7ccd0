"""The first cell of every notebook: the toolkit and the task."""

from __future__ import annotations

from genotex.agents.task import Task

__all__ = ["set_up_code"]


def set_up_code(task: Task) -> str:
    """Return the code that every notebook starts with, the same whoever writes the rest."""
    fields = "".join(
        f"    {name}={value!r},\n"
        for name, value in task.to_json().items()
        if value not in (None, "")
    )
    return f"from genotex.agents.toolkit import *\n\ntask = Task(\n{fields})\n"
