"""A problem as a person at the screen names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genotex.bench.problems import Problem

__all__ = ["ask"]


def ask(trait: str, condition: str) -> Problem:
    """Return the problem a user asked for by name."""
    from genotex.bench.problems import Problem, condition_named

    return Problem(trait, condition_named(condition))
