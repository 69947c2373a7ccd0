"""A whole run of the team: every cohort once, then every problem."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

from genotex.agents.code_shelf import CodeShelf
from genotex.agents.rules.model import register_rules
from genotex.agents.sandbox import SandboxPolicy
from genotex.agents.task import Task
from genotex.agents.team.folder import (
    InputDigests,
    NotebookRecord,
    TeamFolder,
    problem_record,
    write_limits,
)
from genotex.agents.team.journal import Router
from genotex.agents.team.notebooks import MakeSession, RunResources, book_calls
from genotex.agents.team.plan import TeamPlan, WorkList
from genotex.agents.team.sessions import FolderLedger, LiveSessions, NoModels, local_sessions
from genotex.agents.team.stage import NotebookSpread, Progress, Stage
from genotex.bench.runs.cohort_stage import Basis
from genotex.bench.runs.problem_record import ProblemRecord
from genotex.bench.runs.run_folder import begin_or_resume
from genotex.bench.runs.summary import (
    Amounts,
    RunSummary,
    cohort_times,
    divide,
    summarise,
    write_outcomes,
)
from genotex.errors import UsageError
from genotex.formats import read_json_object, write_json
from genotex.io import is_no_space, no_space
from genotex.journal import Journal, open_journal, read_journal
from genotex.layout import OutputFolder
from genotex.models import (
    Budget,
    PriceSnapshot,
    SpendingLimits,
    UsageLedger,
    prices_of,
    role_models,
)
from genotex.parallel import Executor
from genotex.problems import Problem

_COLUMNS = {
    "tokens_in": "input_tokens",
    "tokens_out": "output_tokens",
    "tokens_cached": "cached_tokens",
    "cost": "cost_usd",
}


def _problem_costs(
    problems: Sequence[Problem],
    notebooks: Sequence[NotebookRecord],
    folder: TeamFolder,
    journal: Journal,
    prices: PriceSnapshot,
) -> dict[Problem, dict[str, str]]:
    """Return the cells of what each problem took (see `shares.divide`).

    Calls of attempts that were put aside count: they were paid for.
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


MakeRouter = Callable[[UsageLedger, Budget | None], Router]


@dataclass(frozen=True)
class TeamFinished:
    """A run as far as it came."""

    notebooks: tuple[NotebookRecord, ...]  # In the order of the work; those not begun are missing
    # In the order of the run's list; unfinished ones are missing.
    problems: tuple[ProblemRecord, ...]
    usage: UsageLedger  # Of all calls, also those before the run was resumed
    stopped: str = ""  # Why it stopped before its end; empty if it did not
    summary: RunSummary | None = None  # None until all problems are finished
    solved_now: int = 0  # How many of the problems were not finished before


def run_team(
    plan: TeamPlan,
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    limits: SpendingLimits | None = None,
    retry: bool = False,
    progress: Progress | None = None,
    make_router: MakeRouter | None = None,
    make_session: MakeSession | None = None,
) -> TeamFinished:
    """Run the team, or resume a run that was interrupted.

    The final content of ``preprocess/`` and ``regress/`` does not depend on interruptions; an
    answered call is not made again.

    Parameters
    ----------
    plan : TeamPlan
    jobs : int
        Notebooks at the same time.
    executor : Executor, optional
        Where notebooks are done, in place of this machine; models' keys are those of the workers.
    limits : SpendingLimits, optional
        What may be spent in all; those of the plan's models by default.
    retry : bool
        Rerun notebooks that failed.
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
        If an isolation mechanism that the plan requires cannot be enabled.
    NoSpaceError
        If the disk is full where the run cannot even record that; it can be resumed.
    """
    register_rules()
    work, limits = plan.work(), limits or plan.models.limits
    # A missing key, or a limit that cannot be kept, is reported before anything is written.
    nothing_yet = UsageLedger(_prices(plan.folder, plan))
    Budget(limits, nothing_yet)
    if make_router is None and executor is None:
        role_models(plan.models, nothing_yet)
    with plan.folder.hold():
        begin_or_resume(plan.folder, plan.settings())
        write_limits(plan.folder.limits, limits)
        spread = NotebookSpread(plan, limits, jobs, executor)
        with _told_of_a_full_disk():
            make_router = make_router or partial(role_models, plan.models)
            return _run(spread, work, make_router, make_session, progress or Progress(), retry)


@contextmanager
def _told_of_a_full_disk() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if is_no_space(error):
            raise no_space(error) from error
        raise


def _run(
    spread: NotebookSpread,
    work: WorkList,
    make_router: MakeRouter,
    make_session: MakeSession | None,
    progress: Progress,
    retry: bool,
) -> TeamFinished:
    plan = spread.plan
    folder, prices = plan.folder, _prices(plan.folder, plan)
    prices.write(folder.prices)
    ledger = _ledger(folder, prices) if spread.executor is None else FolderLedger(folder, prices)
    with (
        open_journal(folder.journal) as journal,
        local_sessions(plan.sandbox, plan.switches, spread.jobs) as local,
    ):
        spent = max((entry.get("elapsed", 0.0) for entry in journal.entries), default=0.0)
        budget = Budget(spread.limits, ledger, spent_time=spent)
        sessions = LiveSessions(make_session or local)
        inputs = InputDigests(folder.inputs, Basis(plan.cohorts))
        resources = RunResources(
            folder,
            plan.work_settings,
            make_router(ledger, budget) if spread.executor is None else NoModels(),
            prices,
            sessions,
            CodeShelf(),
            inputs.of,
            audits_here=plan.sandbox is SandboxPolicy.OFF,
        )
        stage = Stage(resources, journal, ledger, budget, sessions, progress, spread=spread)
        try:
            stage.begin(work, retry=retry)
            inputs.save()
            stage.do(work.cohorts)
            _order_cohorts(folder.output, work.cohorts)
            if not stage.stopped:
                stage.do(stage.ready(work.problems))
        finally:
            with _unless_disk_is_full():
                if stage.did_anything:
                    journal.add({"step": "pause", "elapsed": round(budget.time, 3)})
                inputs.save()
                write_json(folder.usage, ledger.to_json())
        return _finished(plan, stage, work.all, journal, ledger)


@contextmanager
def _unless_disk_is_full() -> Iterator[None]:
    """Go without what is written at a stop if there is no room for it."""
    try:
        yield
    except OSError as error:
        if not is_no_space(error):
            raise


def _ledger(folder: TeamFolder, prices: PriceSnapshot) -> UsageLedger:
    """Return the usage of a run so far."""
    ledger = UsageLedger(prices)
    for path in folder.notebook_journals():
        book_calls(read_journal(path), ledger)
    return ledger


def _prices(folder: TeamFolder, plan: TeamPlan) -> PriceSnapshot:
    """Return the prices of the day on which the run began; unknown ones may be stated later."""
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
        costs = _problem_costs(plan.problems, notebooks, plan.folder, journal, ledger.prices)
        write_outcomes(plan.folder, problems, summary, costs)
    stopped = stage.stopped or _left(asked - len(problems))
    return TeamFinished(notebooks, problems, ledger, stopped, summary, stage.solved_now)


def _left(number: int) -> str:
    several = f"{number} problems are unfinished"
    return {0: "", 1: "1 problem is unfinished"}.get(number, several)


def _order_cohorts(output: OutputFolder, tasks: Sequence[Task]) -> None:
    """Bring the records of each trait's cohorts into the order of the work, however it went."""
    for trait in dict.fromkeys(task.trait for task in tasks):
        path = output.cohort_info(trait)
        if not path.is_file():
            continue
        found = read_json_object(path)
        wanted = [task.cohort for task in tasks if task.trait == trait and task.cohort in found]
        names = [*wanted, *(name for name in found if name not in wanted)]
        if names != list(found):
            write_json(path, {name: found[name] for name in names})
