"""A Python plug-in as a method: an entry point of the group ``genotex.methods``."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from genotex.bench.problems import Problem
from genotex.bench.runs.methods.method import Context

__all__ = ["GROUP", "EntryPointMethod", "entry_point_methods"]

GROUP = "genotex.methods"


def entry_point_methods() -> dict[str, EntryPoint]:
    """Return what is installed, by name; nothing of it is imported."""
    return {found.name: found for found in entry_points(group=GROUP)}


@dataclass(frozen=True)
class EntryPointMethod:
    """Calls a function, or the method ``solve`` of a class, with problem and context.

    Attributes
    ----------
    name, value : str
        Of the entry point; it is imported in the process of the problem only.
    """

    name: str
    value: str

    def solve(self, problem: Problem, context: Context) -> None:
        """Import the plug-in and let it answer."""
        found = EntryPoint(self.name, self.value, GROUP).load()
        plug_in = found() if isinstance(found, type) else found
        getattr(plug_in, "solve", plug_in)(problem, context)
