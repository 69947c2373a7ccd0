"""A whole run of the team: every cohort once, then every problem; stopped and gone on with."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from genotex.agents.code_shelf import CodeShelf
from genotex.agents.models import Budget, Limits, PriceSnapshot, UsageLedger, prices_of, role_models
from genotex.agents.rules_by_name import register_rules
from genotex.agents.task import Task
from genotex.agents.team.folder import TeamFolder
from genotex.agents.team.kept_limits import write_limits
from genotex.agents.team.notebook_record import NotebookRecord
from genotex.agents.team.one_notebook import Bench, MakeSession, book_calls
from genotex.agents.team.outcomes import order_cohorts, problem_record
from genotex.agents.team.plan import TeamPlan
from genotex.agents.team.recorded_model import Router
from genotex.agents.team.sessions import LiveSessions, local_sessions
from genotex.agents.team.spending import problem_costs
from genotex.agents.team.stage import Progress, Stage
from genotex.bench.runs.cohort_stage import Basis
from genotex.bench.runs.problem_record import ProblemRecord
from genotex.bench.runs.run_folder import begin_or_resume
from genotex.bench.runs.summary import RunSummary, summarise, write_outcomes
from genotex.errors import UsageError
from genotex.formats import write_json
from genotex.formats.journal import Journal, open_journal, read_journal

__all__ = ["MakeRouter", "TeamFinished", "run_team"]

MakeRouter = Callable[[UsageLedger, Budget | None], Router]


@dataclass(frozen=True)
class TeamFinished:
    """A run as far as it came.

    Attributes
    ----------
    notebooks : tuple of NotebookRecord
        In the order of the work; those not begun are missing.
    problems : tuple of ProblemRecord
        In the order of the run's list; those not at their end are missing.
    usage : UsageLedger
        Of all calls, also those before the run was resumed.
    stopped : str
        Why it stopped before its end; empty if it did not.
    summary : RunSummary or None
        None until all problems are at their end.
    solved_now : int
        How many of the problems were not finished before.
    """

    notebooks: tuple[NotebookRecord, ...]
    problems: tuple[ProblemRecord, ...]
    usage: UsageLedger
    stopped: str = ""
    summary: RunSummary | None = None
    solved_now: int = 0


def run_team(
    plan: TeamPlan,
    *,
    jobs: int = 1,
    limits: Limits | None = None,
    retry: bool = False,
    progress: Progress | None = None,
    make_router: MakeRouter | None = None,
    make_session: MakeSession | None = None,
) -> TeamFinished:
    """Run the team, or go on with a run that was interrupted.

    What lies in ``preprocess/`` and ``regress/`` at the end does not depend on interruptions; an
    answered call is not made again.

    Parameters
    ----------
    plan : TeamPlan
    jobs : int
        Notebooks side by side.
    limits : Limits, optional
        What may be spent in all; those of the plan's models by default.
    retry : bool
        Do notebooks anew that failed.
    progress : Progress, optional
    make_router : callable, optional
        The models, in place of those that the plan names.
    make_session : callable, optional
        The sessions, in place of those of this machine.

    Raises
    ------
    UsageError
        If the folder holds another run, or one that is going on; or a key is missing.
    ConfinementError
        If a wall that the plan requires cannot be put up.
    """
    register_rules()
    folder, work = plan.folder, plan.work()
    limits = limits or plan.models.limits
    # A missing key, and a limit that cannot be held, are told before anything is written.
    nothing_yet = UsageLedger(_prices(folder, plan))
    Budget(limits, nothing_yet)
    if make_router is None:
        make_router = _router_of(plan)
        make_router(nothing_yet, None)
    progress = progress or Progress()
    with folder.hold():
        begin_or_resume(folder, plan.settings())
        write_limits(folder.limits, limits)
        prices = _prices(folder, plan)
        prices.write(folder.prices)
        ledger = UsageLedger(prices)
        for path in folder.notebook_journals():
            book_calls(read_journal(path), ledger)
        with (
            open_journal(folder.journal) as journal,
            local_sessions(plan.sandbox, plan.switches, jobs) as local,
        ):
            budget = Budget(limits, ledger, spent_time=_spent_time(journal))
            sessions = LiveSessions(make_session or local)
            bench = Bench(
                folder,
                plan.switches,
                make_router(ledger, budget),
                ledger.prices,
                sessions,
                CodeShelf(),
                plan.models.temperature,
                plan.models.max_output,
                plan.agent,
            )
            basis = Basis(plan.cohorts)
            stage = Stage(bench, journal, ledger, budget, sessions, progress, basis, jobs=jobs)
            try:
                stage.begin(work, retry=retry)
                stage.do(work.cohorts)
                order_cohorts(folder.output, work.cohorts)
                if not stage.stopped:
                    stage.do(stage.ready(work.problems))
            finally:
                if stage.did_anything:
                    journal.add({"step": "pause", "elapsed": round(budget.time, 3)})
                write_json(folder.usage, ledger.to_json())
            return _finished(plan, stage, work.all, journal, ledger)


def _router_of(plan: TeamPlan) -> MakeRouter:
    return lambda ledger, budget: role_models(plan.models, ledger, budget, os.environ)


def _prices(folder: TeamFolder, plan: TeamPlan) -> PriceSnapshot:
    """Return the prices of the day on which the run began, or begins; unknown ones may be stated.

    Raises
    ------
    UsageError
        If a price is stated that is another one than the run counts with.
    """
    if not folder.prices.is_file():
        return prices_of(plan.models, datetime.now(UTC).date())
    kept = PriceSnapshot.read(folder.prices)
    stated = {name: price for name, price in plan.models.prices.items() if name in kept.prices}
    for name, price in stated.items():
        if kept.prices[name] != price and name not in kept.unknown():
            msg = (
                f'[price."{name}"] is not the price that the run counts with since it began, see '
                f"{folder.prices}; take it out of the settings"
            )
            raise UsageError(msg)
    return replace(kept, prices={**kept.prices, **stated})


def _spent_time(journal: Journal) -> float:
    return max((entry.get("elapsed", 0.0) for entry in journal.entries), default=0.0)


def _finished(
    plan: TeamPlan, stage: Stage, tasks: Sequence[Task], journal: Journal, ledger: UsageLedger
) -> TeamFinished:
    notebooks = tuple(stage.records[task] for task in tasks if task in stage.records)
    records = [problem_record(each) for each in notebooks if each.task.kind == "statistics"]
    problems = tuple(each for each in records if each is not None)
    asked = sum(task.kind == "statistics" for task in tasks)
    summary = None
    if len(problems) == asked:
        summary = summarise(problems, journal, plan.cohorts)
        costs = problem_costs(plan.problems, notebooks, plan.folder, journal, ledger.prices)
        write_outcomes(plan.folder, problems, summary, costs)
    stopped = stage.stopped or _left(asked - len(problems))
    return TeamFinished(notebooks, problems, ledger, stopped, summary, stage.solved_now)


def _left(number: int) -> str:
    several = f"{number} problems are not at their end"
    return {0: "", 1: "1 problem is not at its end"}.get(number, several)
