"""A gene-trait association problem: a trait and the condition it is studied under."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from genotex.errors import UsageError
from genotex.layout import trait_folder_name

__all__ = ["ONE_STEP_CONDITIONS", "Problem", "ProblemKind", "condition_named"]

ONE_STEP_CONDITIONS = ("Age", "Gender")
"""Conditions that stand in the trait's own linked table."""


class ProblemKind(StrEnum):
    """How a problem is solved (GenoTEX paper, section 3)."""

    UNCONDITIONAL = "unconditional"
    ONE_STEP = "one-step"
    TWO_STEP = "two-step"


@dataclass(frozen=True)
class Problem:
    """One trait and one condition, by the names of their folders.

    Parameters
    ----------
    trait : str
        The trait; brought into the form of a folder name.
    condition : str or None
        ``Age``, ``Gender``, another trait, or None.

    Raises
    ------
    UsageError
        If a name cannot be a trait name, or trait and condition are the same.
    """

    trait: str
    condition: str | None = None

    def __post_init__(self) -> None:
        """Bring both names into the form of folder names."""
        object.__setattr__(self, "trait", trait_folder_name(self.trait))
        if self.condition is not None:
            object.__setattr__(self, "condition", trait_folder_name(self.condition))
        if self.trait in ONE_STEP_CONDITIONS:
            msg = f"{self.trait} is a covariate, not a trait; give it as the condition"
            raise UsageError(msg)
        if self.trait == self.condition:
            msg = f"{self.trait} cannot be its own condition; choose another or leave it out"
            raise UsageError(msg)

    @property
    def kind(self) -> ProblemKind:
        """Whether the condition is absent, a column of the cohort, or another trait."""
        if self.condition is None:
            return ProblemKind.UNCONDITIONAL
        if self.condition in ONE_STEP_CONDITIONS:
            return ProblemKind.ONE_STEP
        return ProblemKind.TWO_STEP

    @property
    def traits(self) -> tuple[str, ...]:
        """The traits whose cohorts the problem needs: its own, and a condition that is one."""
        if self.kind is ProblemKind.TWO_STEP and self.condition is not None:
            return (self.trait, self.condition)
        return (self.trait,)

    def __str__(self) -> str:
        """Name the problem in words."""
        return self.trait if self.condition is None else f"{self.trait} given {self.condition}"


def condition_named(name: str) -> str | None:
    """Return the condition that a person names: none, age, gender and sex whatever their case."""
    known = {"none": None, "age": "Age", "gender": "Gender", "sex": "Gender"}
    return known.get(name.strip().lower(), name)
