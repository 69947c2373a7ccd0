"""The team of agents with the built-in rules against the pipeline without agents, cohort by cohort.

    python -m benchmarks team_overhead [--repeat N] [--small]

Both prepare the same cohort from raw files to the linked table, one after the other, in turn; the
median of each counts. The team plans, writes, runs in a session behind all walls, reviews, and
keeps a journal; the structured agent answers one question and runs the pipeline. The cohorts
are one of real size (see array_cohort.py) and those of a simulated study; --small leaves the large
one out. Ends with 1 where the tables differ.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.cohorts.array_cohort import ACCESSION, TRAIT, cached_cohort
from genotex.agents.code_shelf import CodeShelf
from genotex.agents.rules import geo
from genotex.agents.rules.model import register_rules
from genotex.agents.sandbox import SandboxPolicy
from genotex.agents.switches import Agent, Switches, WorkSettings
from genotex.agents.task import Task
from genotex.agents.team.folder import TeamFolder
from genotex.agents.team.notebooks import MakeSession, RunResources, do_notebook
from genotex.agents.team.plan import WRITTEN
from genotex.agents.team.sessions import local_sessions
from genotex.cohorts import preprocess
from genotex.models import ModelSettings, UsageLedger, prices_of, role_models
from genotex.simulate import simulate_study

STUDY = "Simulated_Arthritis"
SWITCHES = Switches()
Side = Callable[[Path, Task, MakeSession], None]


def directly(target: Path, task: Task, sessions: MakeSession) -> None:
    """Prepare a cohort by the pipeline without agents."""
    source = task.input_folder.parents[2]
    preprocess(source, target, traits=[task.trait], cohorts=[task.cohort])


def by_team(target: Path, task: Task, sessions: MakeSession) -> None:
    """Have a cohort prepared by the team."""
    do_notebook(task, bench(target, sessions, "team"))


def structured(target: Path, task: Task, sessions: MakeSession) -> None:
    """Have a cohort prepared by the structured agent."""
    do_notebook(task, bench(target, sessions, "structured"))


def bench(target: Path, sessions: MakeSession, agent: Agent) -> RunResources:
    """Return what a notebook needs, with the rules as the model, which remember nothing."""
    geo._decide.cache_clear()
    settings = ModelSettings("rules")
    prices = prices_of(settings, date(2026, 1, 1))
    return RunResources(
        TeamFolder(target),
        WorkSettings(agent, SWITCHES),
        role_models(settings, UsageLedger(prices)),
        prices,
        sessions,
        CodeShelf(),
        lambda task: "",
    )


SIDES: dict[str, Side] = {"direct": directly, "team": by_team, "structured": structured}


def measure(task: Task, repeat: int, sessions: MakeSession) -> dict[str, float]:
    """Return the median seconds of each side."""
    found: dict[str, list[float]] = {name: [] for name in SIDES}
    tables = set()
    for _ in range(repeat):
        for name, side in SIDES.items():
            with tempfile.TemporaryDirectory() as folder:
                start = time.monotonic()
                side(Path(folder), task, sessions)
                found[name].append(time.monotonic() - start)
                linked = Path(folder) / "preprocess" / task.trait / f"{task.cohort}.csv"
                tables.add(linked.read_bytes() if linked.is_file() else b"")
    if len(tables) > 1:
        sys.exit(f"{task.cohort}: the sides made different tables")
    return {name: statistics.median(times) for name, times in found.items()}


def tasks(study: Path, *, small: bool) -> list[Task]:
    """Return the cohorts that are measured."""
    simulated = study / "GEO" / STUDY
    names = sorted(path.name for path in simulated.iterdir())
    found = [Task("geo", STUDY, str(simulated / n), WRITTEN, cohort=n) for n in names]
    if not small:
        source = cached_cohort() / "GEO" / TRAIT / ACCESSION
        found.append(Task("geo", TRAIT, str(source), WRITTEN, cohort=ACCESSION))
    return found


def main() -> None:
    """Measure, and print a row for each cohort."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    register_rules()
    table = Table("cohort", *(f"{name}, s" for name in SIDES), "team / direct")
    with tempfile.TemporaryDirectory() as folder:
        study = simulate_study(Path(folder) / "study", seed=1)
        with local_sessions(SandboxPolicy.BEST, SWITCHES, jobs=1) as sessions:
            found = {
                task.cohort: measure(task, options.repeat, sessions)
                for task in tasks(study.folder, small=options.small)
            }
        for cohort, medians in found.items():
            ratio = medians["team"] / medians["direct"]
            table.add_row(cohort, *(f"{m:.2f}" for m in medians.values()), f"{ratio:.2f}")
    Console().print(table)
