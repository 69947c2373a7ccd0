"""The part of a reference that is scored where somebody names problems, as after a sample run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from genotex.bench.problems import Problem

__all__ = ["ChosenPart"]


@dataclass(frozen=True)
class ChosenPart:
    """Some problems and the cohorts that they need; all of them where none were named.

    Attributes
    ----------
    problems : frozenset of Problem or None
        None: all that the reference holds.
    """

    problems: frozenset[Problem] | None

    def has_problem(self, problem: Problem) -> bool:
        """Tell whether a problem is scored."""
        return self.problems is None or problem in self.problems

    def has_trait(self, trait: str) -> bool:
        """Tell whether the cohorts of a trait are scored."""
        return self.problems is None or trait in self._traits

    def note(self) -> str:
        """Say what is scored; empty where it is everything."""
        if self.problems is None:
            return ""
        problems, traits = len(self.problems), len(self._traits)
        return (
            f"only {problems:,} problem{'' if problems == 1 else 's'} and the cohorts of "
            f"{traits:,} trait{'' if traits == 1 else 's'} were asked for; the rest of the "
            "reference does not count"
        )

    @cached_property
    def _traits(self) -> frozenset[str]:
        return frozenset(trait for problem in self.problems or () for trait in problem.traits)
