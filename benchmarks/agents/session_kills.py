"""Sessions of the team killed from outside at random moments: the answers must be the same.

    python -m benchmarks session_kills [--runs 40] [--seed 1]

One problem of a small world is solved by the rules as the model (`--model rules`), once left alone
and then again and again, each time with the process of one live session killed at a random moment.
Prints how many runs differ in any file of `preprocess/` or `regress/`, and how many cells ran a
second time; ends with 1 where one differs.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.agents.team_world import outputs
from genotex.agents.sandbox import Folders, SandboxPolicy, Session
from genotex.agents.sandbox.local import LocalSession
from genotex.agents.team.plan import TeamPlan
from genotex.agents.team.running import run_team
from genotex.agents.team.sessions import local_sessions
from genotex.bench.simulated import simulate_benchmark
from genotex.models import ModelSettings
from genotex.problems import TaskInfo

WORLD = {"traits": 4, "cohorts": 8, "samples": 24, "genes": 400}


def kill_one(sessions: list[LocalSession], after: float, over: threading.Event) -> bool:
    """Kill the process of a live session after a while; return whether there was one."""
    over.wait(after)
    while not over.wait(0.01):
        for session in sessions:
            worker = session._worker
            connection = None if worker is None or not worker.alive else worker._connection
            if connection is not None:
                connection.process.kill()
                return True
    return False


def run(plan: TeamPlan, after: float | None) -> tuple[float, bool, int]:
    """Run; return the seconds, whether a session was killed, and the cells that ran twice."""
    sessions: list[LocalSession] = []
    over, killed = threading.Event(), []
    start = time.monotonic()
    with local_sessions(plan.sandbox, plan.switches, 1) as make:

        def remember(folders: Folders) -> Session:
            session = make(folders)
            assert isinstance(session, LocalSession)
            sessions.append(session)
            return session

        killer = threading.Thread(
            target=lambda: killed.append(after is not None and kill_one(sessions, after, over))
        )
        killer.start()
        try:
            finished = run_team(plan, make_session=remember)
        finally:
            over.set()
            killer.join()
    reruns = sum(record.tally.reruns for record in finished.notebooks)
    return time.monotonic() - start, killed[0], reruns


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    moments = random.Random(chosen.seed)
    with tempfile.TemporaryDirectory() as name:
        world = simulate_benchmark(Path(name) / "world", seed=chosen.seed, **WORLD)
        problems = TaskInfo.load(world.task_info).problems()[:1]

        def plan(target: str) -> TeamPlan:
            return TeamPlan(
                world.folder,
                Path(name) / target,
                problems,
                ModelSettings("rules"),
                sandbox=SandboxPolicy.BEST,
                task_info=world.task_info,
            )

        seconds, _, _ = run(plan("alone"), None)
        alone = outputs(Path(name) / "alone")
        kills = reruns = different = 0
        for number in range(chosen.runs):
            _, killed, again = run(plan(str(number)), moments.uniform(0, 0.8 * seconds))
            kills += killed
            reruns += again
            different += outputs(Path(name) / str(number)) != alone
        print(
            f"{chosen.runs} runs of {seconds:.0f} s, {kills} with a session killed, {reruns} cells "
            f"run again, {different} runs with other files"
        )
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
