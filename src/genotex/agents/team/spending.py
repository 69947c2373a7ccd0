"""What the cohorts and problems of a run of agents took: time, tokens, money."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from genotex.agents.models import PriceSnapshot, UsageLedger
from genotex.agents.team.folder import TeamFolder
from genotex.agents.team.notebook_record import NotebookRecord
from genotex.agents.team.one_notebook import book_calls
from genotex.bench.problems import Problem
from genotex.bench.runs.summary import Amounts, cohort_times, divide
from genotex.formats.journal import Journal, read_journal

__all__ = ["problem_costs"]

_COLUMNS = {
    "tokens_in": "input_tokens",
    "tokens_out": "output_tokens",
    "tokens_cached": "cached_tokens",
    "cost": "cost_usd",
}


def problem_costs(
    problems: Sequence[Problem],
    notebooks: Sequence[NotebookRecord],
    folder: TeamFolder,
    journal: Journal,
    prices: PriceSnapshot,
) -> dict[Problem, dict[str, str]]:
    """Return the cells of what each problem took (see `shares.divide`).

    Calls of attempts that were put aside count: they were paid for.

    Parameters
    ----------
    problems : sequence of Problem
    notebooks : sequence of NotebookRecord
        All of the run.
    folder : TeamFolder
    journal : Journal
        That of the run.
    prices : PriceSnapshot
    """
    times = cohort_times(journal)
    cohorts: dict[tuple[str, str], Amounts] = {}
    own: dict[Problem, Amounts] = {}
    for record in notebooks:
        spent = _amounts(record, folder, prices)
        task = record.task
        if task.kind == "statistics":
            own[task.problem] = spent
        else:
            key = (task.trait, task.cohort)
            cohorts[key] = {**spent, **times.get(key, {})}
    return divide(problems, cohorts, own)


def _amounts(record: NotebookRecord, folder: TeamFolder, prices: PriceSnapshot) -> Amounts:
    tries = UsageLedger(prices)
    for path in folder.put_aside(record.task):
        book_calls(read_journal(path), tries)
    totals = [tries.total().to_json()]
    if record.usage:
        totals.append(record.usage["total"])
    return {name: _exact(totals, key) for name, key in _COLUMNS.items()}


def _exact(totals: Sequence[Mapping[str, Any]], key: str) -> Fraction | None:
    if any(total[key]["unknown_calls"] for total in totals):
        return None
    return sum((Fraction(Decimal(total[key]["known"])) for total in totals), start=Fraction(0))
