"""What planning, review and the expert are worth when answers go wrong: the team's ablations.

    python -m benchmarks ablations [--seeds N] [--rates 0.15 0.3] [--presets ...] [--lines FILE]

Each preset works on the small simulated world with rules into whose answers faults are put, the
same ones for all presets wherever the question is the same; what comes out is held against the
direct road. Cells run in this process, as the code is the rules' own and the faults' alone; a loop
that would never end is known by its words. With --lines what was measured is kept, and gone on
with. Ends with 1 where a table or result is wrong and nothing says so.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from scipy.stats import binomtest
from tests.agents.exec_session import ExecSession
from tests.agents.faulty_rules import all_faults, register_faulty_rules

from benchmarks.agents.faults_caught import CATCHERS, caught_in
from genotex.agents.sandbox import Folders, SandboxPolicy
from genotex.agents.switches import preset_named
from genotex.agents.task import Task
from genotex.agents.team.folder import NotebookRecord, State
from genotex.agents.team.plan import TeamPlan
from genotex.agents.team.running import TeamFinished, run_team
from genotex.analysis import solve_problem, write_result
from genotex.bench.evaluation.evaluate import evaluate
from genotex.bench.evaluation.options import EvaluationOptions
from genotex.bench.simulated import SimulatedBenchmark, simulate_benchmark
from genotex.cohorts import preprocess
from genotex.errors import NoUsableCohortError
from genotex.layout import OutputFolder
from genotex.models import ModelSettings
from genotex.options import AnalysisOptions
from genotex.problems import Problem, TaskInfo

PRESETS = ("full", "no-planning", "no-expert", "one-round", "no-reviewer", "codeact", "structured")
OF_THE_TEAM = PRESETS[:5]
COUNTED = ("reviews", "rejections", "retractions", "refused_ends", "unreadable_plans", "timeouts")
SMALL = {"seed": 1, "traits": 4, "cohorts": 8, "samples": 24, "genes": 400}
"""As of `genotex simulate world --world --small --seed 1`."""
Measured = dict[str, Any]


def right_files(world: SimulatedBenchmark, target: Path) -> OutputFolder:
    """Prepare all cohorts by the pipeline without agents."""
    preprocess(world.folder, target)
    return OutputFolder(target)


def run(
    world: SimulatedBenchmark, target: Path, preset: str, seed: int, rate: float
) -> TeamFinished:
    """Have the whole world done by a preset."""

    def session(folders: Folders) -> ExecSession:
        folders.writable.mkdir(parents=True, exist_ok=True)
        return ExecSession(folders.writable)

    register_faulty_rules()
    chosen = preset_named(preset)
    plan = TeamPlan(
        world.folder,
        target,
        TaskInfo.load(world.task_info).problems(),
        ModelSettings(f"rules-faulty:seed={seed},rate={rate:g}" if rate else "rules"),
        switches=chosen.switches(),
        sandbox=SandboxPolicy.OFF,
        task_info=world.task_info,
        agent=chosen.agent or "team",
        preset=preset,
    )
    return run_team(plan, make_session=session)


def judge(record: NotebookRecord, output: OutputFolder, right: OutputFolder) -> str:
    """Return ``right``, ``wrong`` and ``failed``, or what became of a problem that fits."""
    task = record.task
    if record.state is not State.DONE:
        return "failed"
    if task.kind != "statistics":
        return "right" if _same_cohort(task, output, right) else "wrong"
    expected, found = (_result(folder, task.problem) for folder in (right, output))
    if found == expected:
        return "right"
    # From the cohorts that this run has: others may have failed, which it says.
    with tempfile.TemporaryDirectory() as folder:
        _solve(output, OutputFolder(Path(folder)), task)
        same = found == _result(OutputFolder(Path(folder)), task.problem)
    return "right for fewer cohorts" if same else "wrong"


def _same_cohort(task: Task, output: OutputFolder, right: OutputFolder) -> bool:
    names = ("clinical_csv", "gene_csv", "linked_csv")
    files = [
        [getattr(each, name)(task.trait, task.cohort) for name in names] for each in (output, right)
    ]
    tables = [[p.read_bytes() if p.is_file() else None for p in each] for each in files]
    records = [
        json.loads(each.cohort_info(task.trait).read_text())[task.cohort]
        for each in (output, right)
    ]
    return tables[0] == tables[1] and records[0] == records[1]


def _result(folder: OutputFolder, problem: Problem) -> bytes | None:
    path = folder.significant_genes(problem.trait, problem.condition)
    return path.read_bytes() if path.is_file() else None


def _solve(cohorts: OutputFolder, target: OutputFolder, task: Task) -> None:
    try:
        result = solve_problem(
            cohorts, task.problem, AnalysisOptions(), task.read_task_info(), threads=1
        )
    except NoUsableCohortError:
        return
    write_result(target, result)


def measure(
    world: SimulatedBenchmark, right: OutputFolder, preset: str, seed: int, rate: float
) -> Measured:
    """Run a preset, and return what became of cohorts and problems, and what it took."""
    with tempfile.TemporaryDirectory() as folder:
        start, target = time.process_time(), Path(folder)
        finished = run(world, target, preset, seed, rate)
        seconds = time.process_time() - start
        output = OutputFolder(target)
        possible = {problem for problem in TaskInfo.load(world.task_info).problems()}
        possible &= set(world.answered)
        ends: dict[str, dict[str, str]] = {"cohorts": {}, "problems": {}}
        for record in finished.notebooks:
            if record.task.kind != "statistics":
                ends["cohorts"][record.name] = judge(record, output, right)
            elif record.task.problem in possible:
                ends["problems"][record.name] = judge(record, output, right)
        counts = {n: sum(getattr(r.tally, n) for r in finished.notebooks) for n in COUNTED}
        caught = (
            Counter()
            if preset not in OF_THE_TEAM or not rate
            else caught_in(finished, target, {**ends["cohorts"], **ends["problems"]})
        )
        return {
            "preset": preset,
            "seed": seed,
            "rate": rate,
            **ends,
            "counts": counts | {"calls": finished.usage.total().calls},
            "seconds": round(seconds, 2),
            "scores": scores(target, world),
            "caught": [[*key, number] for key, number in sorted(caught.items())],
        }


def scores(target: Path, world: SimulatedBenchmark) -> dict[str, float]:
    """Return the mean CSC of linked tables and F1 of genes; what is missing counts as 0."""
    options = EvaluationOptions(task_info=world.task_info)
    found = evaluate(target, world.reference, options)
    linked = [score.csc for score in found.preprocessing["linked"]]
    genes = [_f1(score.precision, score.recall) for score in found.analysis]
    return {"csc": sum(linked) / len(linked), "f1": sum(genes) / len(genes)}


def _f1(precision: float, recall: float) -> float:
    total = precision + recall
    return 200 * precision * recall / total / 100 if total else 0.0


def all_measured(options: argparse.Namespace) -> Iterator[Measured]:
    """Yield what was measured before, then what is measured now."""
    lines: Path | None = options.lines
    known = (
        [json.loads(line) for line in lines.read_text().splitlines()]
        if lines and lines.exists()
        else []
    )
    yield from known
    done = {(each["preset"], each["seed"], each["rate"]) for each in known}
    left = [
        (preset, seed, rate)
        for seed in range(1, options.seeds + 1)
        for rate in options.rates
        for preset in options.presets
        if (preset, seed, rate) not in done
    ]
    if not left:
        return
    with tempfile.TemporaryDirectory() as folder:
        world = simulate_benchmark(Path(folder) / "world", **SMALL)
        right = right_files(world, Path(folder) / "direct")
        for task in TaskInfo.load(world.task_info).problems():
            _solve(right, right, _task(world, right, task))
        for each in left:
            found = measure(world, right, *each)
            if lines is not None:
                with lines.open("a") as file:
                    file.write(json.dumps(found) + "\n")
            yield found


def _task(world: SimulatedBenchmark, right: OutputFolder, problem: Problem) -> Task:
    return Task(
        "statistics",
        problem.trait,
        str(right.root),
        "output",
        condition=problem.condition,
        task_info=str(world.task_info),
    )


def show(measured: list[Measured], out: Console) -> None:
    """Print a row for each preset and rate, and one for each fault."""
    rates = sorted({each["rate"] for each in measured})
    for some in [[rate] for rate in rates] + ([rates] if len(rates) > 1 else []):
        rows = [each for each in measured if each["rate"] in some]
        runs = {preset: [r for r in rows if r["preset"] == preset] for preset in PRESETS}
        out.print(f"\nFaults in {' and '.join(f'{rate:g}' for rate in some)} of all answers")
        show_presets({preset: found for preset, found in runs.items() if found}, out)
    show_faults(measured, out)


def show_presets(runs: Mapping[str, list[Measured]], out: Console) -> None:
    """Print a row for each preset."""
    table = Table(
        "preset", "runs", "cohorts right", "against full", "problems right", "of fewer cohorts",
        "failed", "wrong", "CSC", "F1", *(name.replace("_", " ") for name in COUNTED), "calls",
        "CPU s", box=None,
    )  # fmt: skip
    for preset, found in runs.items():
        ends = Counter(end for r in found for end in r["problems"].values())
        cohorts = [end for r in found for end in r["cohorts"].values()]
        wrong = ends["wrong"] + cohorts.count("wrong")
        problems = sum(ends.values())
        average = {
            name: sum(r["scores"][name] for r in found) / len(found) for name in ("csc", "f1")
        }
        counts = [
            sum(r["counts"][name] for r in found) / len(found) for name in (*COUNTED, "calls")
        ]
        table.add_row(
            preset,
            str(len(found)),
            f"{cohorts.count('right')}/{len(cohorts)}",
            paired(found, runs.get("full", [])),
            f"{ends['right']}/{problems}",
            str(ends["right for fewer cohorts"]),
            str(ends["failed"]),
            str(wrong),
            f"{average['csc']:.3f}",
            f"{average['f1']:.1f}",
            *(f"{count:.1f}" for count in counts),
            f"{sum(r['seconds'] for r in found) / len(found):.0f}",
        )
    out.print(table)


def paired(found: list[Measured], full: list[Measured]) -> str:
    """Return how many cohorts are right here alone, and in the full team alone, and its p."""
    by_run = {(r["seed"], r["rate"]): r["cohorts"] for r in full}
    pairs = [
        (end == "right", by_run[r["seed"], r["rate"]][name] == "right")
        for r in found
        for name, end in r["cohorts"].items()
        if (r["seed"], r["rate"]) in by_run
    ]
    more, fewer = (sum(here == side != there for here, there in pairs) for side in (True, False))
    p = binomtest(more, more + fewer).pvalue if more + fewer else 1.0
    return f"+{more} -{fewer}, p {p:.2g}"


def show_faults(measured: list[Measured], out: Console) -> None:
    """Print for each preset's faults what caught them."""
    for preset in ("full", "no-reviewer", "no-planning"):
        caught: Counter[tuple[str, str]] = Counter()
        for each in measured:
            if each["preset"] == preset:
                caught.update({(fault, by): n for fault, by, n in each["caught"]})
        if not caught:
            continue
        out.print(f"\nWhat caught the faults, {preset}")
        table = Table("fault", "times", *CATCHERS, box=None)
        for fault in all_faults():
            counts = [caught[fault, by] for by in CATCHERS]
            table.add_row(fault, str(sum(counts)), *(str(count or "") for count in counts))
        out.print(table)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rates", type=float, nargs="+", default=[0.15, 0.3])
    parser.add_argument("--presets", nargs="+", choices=PRESETS, default=PRESETS)
    parser.add_argument("--lines", type=Path)
    measured = list(all_measured(parser.parse_args()))
    show(measured, Console(width=220))
    ends = [
        end for each in measured for part in ("cohorts", "problems") for end in each[part].values()
    ]
    sys.exit(1 if "wrong" in ends else 0)
