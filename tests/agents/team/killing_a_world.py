"""Have a simulated world done by rules with faults, killed again and again until it ends.

Each attempt is a fork of this process, which has imported everything and computed nothing.
"""

import faulthandler
import os
import sys
from pathlib import Path

from genotex.agents import Folders, SandboxPolicy, TeamPlan, run_team
from genotex.models import ModelSettings
from genotex.problems import TaskInfo
from tests.agents.exec_session import ExecSession
from tests.agents.faulty_rules import register_faulty_rules
from tests.agents.team.killing import LONGEST, die_at_a_line

FAULTS = "crash+unknown_keyword+lost_variable+bad_plan+needless_return+wrong_verdict"
MODEL = f"rules-faulty:seed=4,rate=0.3,faults={FAULTS}+unreadable_answer"
MOST_ATTEMPTS = 60


def session(folders: Folders) -> ExecSession:
    folders.writable.mkdir(parents=True, exist_ok=True)
    return ExecSession(folders.writable)


def plan_for(world: Path, target: Path) -> TeamPlan:
    tasks = world / "task_info.json"
    problems = TaskInfo.load(tasks).problems()
    return TeamPlan(
        world,
        target,
        [problem for problem in problems if problem.condition is None][:1],
        ModelSettings(MODEL),
        sandbox=SandboxPolicy.OFF,
        task_info=tasks,
    )


def attempt(plan: TeamPlan, moment: str, lines: int) -> int:
    pid = os.fork()
    if pid == 0:
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        os.fsync = lambda handle: None
        if lines:
            die_at_a_line(moment, lines)
        run_team(plan, make_session=session)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def main() -> None:
    world, target = map(Path, sys.argv[1:3])
    register_faulty_rules()
    plan, lines = plan_for(world, target), int(sys.argv[3])
    for number in range(MOST_ATTEMPTS):
        code = attempt(plan, "torn" if number % 2 else "after", lines)
        print(code, flush=True)
        if code != -9:
            break


if __name__ == "__main__":
    main()
