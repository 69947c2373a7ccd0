"""Commands in the order in which they are used; earlier names of options, still understood."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

__all__ = ["ORDER", "InOrderOfUse", "also_called"]

ORDER = (
    *("fetch", "verify", "describe"),
    *("solve", "preprocess", "clinical", "analyze", "report", "enrich"),
    *("agent", "sandbox"),
    *("problems", "bench", "evaluate", "compare", "evaluate-labels", "apply-labels"),
    *("demo", "simulate"),
)
"""As the help lists them, a line for each of its panels."""


class InOrderOfUse(TyperGroup):
    """Commands and groups of commands mixed; Typer puts all groups behind."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names by `ORDER`; one that is not in it comes last."""
        places = {name: place for place, name in enumerate(ORDER)}
        return sorted(self.commands, key=lambda name: places.get(name, len(ORDER)))


def also_called(**names: str) -> dict[str, Any]:
    """Return settings of a command whose options have other names too, which its help leaves out.

    Parameters
    ----------
    **names : str
        The name that is shown, by the other one; both without dashes: ``out="output"``.
    """
    return {"token_normalize_func": lambda name: names.get(name, name)}
