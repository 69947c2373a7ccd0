"""What each problem took, with its share of the cohorts that several problems need.

A cohort is prepared once in a run. What that took is divided equally among the problems that need
its trait, so that all problems together took what the run took, and their mean is the paper's
average for a problem (table 2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from genotex.bench.problems import Problem
from genotex.journal import Entry, Journal

__all__ = ["COSTS", "Amounts", "cohort_entries", "cohort_times", "divide"]

Amounts = Mapping[str, Fraction | None]
"""Amount by the name of its column; None: not known. What is missing was not used."""

COSTS: Mapping[str, int] = {
    "cohort_seconds": 3,
    "tokens_in": 3,
    "tokens_out": 3,
    "tokens_cached": 3,
    "cost": 9,
}
"""Columns of what problems took, and their decimals; cost in US dollars."""


def cohort_entries(journal: Journal) -> dict[tuple[str, str], Entry]:
    """Return the entry of each cohort by trait and cohort; of several attempts the last."""
    entries = (entry for entry in journal.entries if entry["step"] == "cohort")
    return {(entry["trait"], entry["cohort"]): entry for entry in entries}


def cohort_times(journal: Journal) -> dict[tuple[str, str], Amounts]:
    """Return how long each cohort took, by trait and cohort."""
    return {
        name: {"cohort_seconds": Fraction(str(entry["seconds"]))}
        for name, entry in cohort_entries(journal).items()
    }


def divide(
    problems: Sequence[Problem],
    cohorts: Mapping[tuple[str, str], Amounts],
    own: Mapping[Problem, Amounts] | None = None,
) -> dict[Problem, dict[str, str]]:
    """Return the cells of what each problem took.

    Parameters
    ----------
    problems : sequence of Problem
        All of the run.
    cohorts : mapping of (str, str) to Amounts
        What each cohort took, by trait and cohort.
    own : mapping of Problem to Amounts, optional
        What each problem took itself.

    Returns
    -------
    dict of Problem to dict of str to str
        Column -> amount, for the columns that the run knows of; empty where a part is not known.
    """
    needed = {
        trait: sum(trait in problem.traits for problem in problems)
        for problem in problems
        for trait in problem.traits
    }
    of_trait: dict[str, Amounts] = {}
    for (trait, _), amounts in cohorts.items():
        of_trait[trait] = _sum(of_trait.get(trait, {}), amounts)
    told = (*of_trait.values(), *(own or {}).values())
    columns = [name for name in COSTS if any(name in each for each in told)]
    cells = {}
    for problem in problems:
        total = (own or {}).get(problem, {})
        for trait in problem.traits:
            total = _sum(total, of_trait.get(trait, {}), Fraction(1, needed[trait]))
        cells[problem] = {
            name: _text(total.get(name, Fraction(0)), COSTS[name]) for name in columns
        }
    return cells


def _sum(one: Amounts, other: Amounts, part: Fraction = Fraction(1)) -> dict[str, Fraction | None]:
    """Return one and a part of another; what is not known of one of them is not known."""
    both = dict(one)
    for name, amount in other.items():
        have = both.get(name, Fraction(0))
        both[name] = None if have is None or amount is None else have + part * amount
    return both


def _text(amount: Fraction | None, decimals: int) -> str:
    if amount is None:
        return ""
    text = f"{float(amount):.{decimals}f}"
    return text.rstrip("0").rstrip(".")
