"""The simulated benchmark solved by the team: compared, with faults, killed and resumed.

    python -m benchmarks team_world [FOLDER] [--small] [--kills 8] [--seed 7] [--rate 0.3]

Simulates a world, has it solved by `genotex bench run` and by `genotex agent run --model rules`,
and compares all that they wrote. Then the rules get faults (all but loops without end, whose limit
of time a busy machine may blur): one run is left alone, another is killed with SIGKILL at random
moments and resumed each time, and both are compared. Prints the figures of docs/ablations.md; ends
with 1 where a table or a result differs that must not.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.agents.faulty_rules import all_faults

from benchmarks.measuring import ROOT
from genotex.agents.team.folder import TeamFolder
from genotex.bench.evaluation.evaluate import evaluate
from genotex.bench.evaluation.options import EvaluationOptions
from genotex.bench.simulated import answers_of
from genotex.journal import read_journal

GENOTEX = [sys.executable, "-m", "tests.agents.faulty_rules"]
"""The command, which knows the rules with seeded faults, too."""


def genotex(*words: object, kill_after: float | None = None) -> float:
    """Run a command in a session of its own, killing it after a while; return how long it ran."""
    start = time.monotonic()
    process = subprocess.Popen(
        [*GENOTEX, *map(str, words)], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        process.wait(kill_after)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    return time.monotonic() - start


def outputs(root: Path) -> dict[str, bytes]:
    """Return all that a run wrote into the benchmark's layout, by its path."""
    paths = (path for part in ("preprocess", "regress") for path in (root / part).rglob("*"))
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in paths
        if path.is_file() and not path.name.endswith(".lock")
    }


def compare(ours: Path, theirs: Path) -> tuple[int, list[str], Counter[str]]:
    """Return how many files are equal, which are not, and which fields of evidence differ."""
    first, second = outputs(ours), outputs(theirs)
    fields: Counter[str] = Counter()
    equal, different = 0, []
    for name in sorted({*first, *second}):
        if first.get(name) == second.get(name):
            equal += 1
        elif "/evidence/" in name and name in first and name in second:
            found = (json.loads(each[name]) for each in (first, second))
            fields.update(differing(*found))
        else:
            different.append(name)
    return equal, different, fields


def differing(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields, two levels deep, in which two objects differ."""
    for name in sorted({*first, *second}):
        pair = [each.get(name) for each in (first, second)]
        if pair[0] == pair[1]:
            continue
        if all(isinstance(each, dict) for each in pair):
            yield from (f"{name}.{inside}" for inside in set(differing_names(*pair)))
        else:
            yield name


def differing_names(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names under which two objects differ."""
    return (name for name in {*first, *second} if first.get(name) != second.get(name))


def calls(root: Path) -> list[str]:
    """Return all questions in the journals of a run, in order, wherever it lies."""
    return [
        json.dumps(entry["request"]).replace(str(root.absolute()), "RUN")
        for path in TeamFolder(root).notebook_journals()
        for entry in read_journal(path)
        if entry["kind"] == "call"
    ]


def outcomes(root: Path) -> list[dict[str, Any]]:
    """Return what became of each problem, without its time."""
    found = json.loads((root / "run" / "outcomes.json").read_text(encoding="utf-8"))
    rows = found["problems"] if isinstance(found, dict) else found
    return [{name: value for name, value in row.items() if "second" not in name} for row in rows]


def states(root: Path) -> Counter[str]:
    """Count notebooks by what became of them."""
    entries = read_journal(root / "run" / "journal.jsonl")
    last = {
        json.dumps(e["notebook"]["task"], sort_keys=True): e["notebook"]
        for e in entries
        if "notebook" in e
    }
    return Counter(f"{n['state']} ({n['error_class'] or n['ending']})" for n in last.values())


def kill_and_resume(
    world: Path, target: Path, options: list[object], whole: float, kills: int
) -> int:
    """Kill a run at random moments and resume it, then leave it alone; return how often it died."""
    draw = random.Random(1)
    died = 0
    for _ in range(kills):
        begun = (target / "run" / "run.json").exists()
        words = ["agent", "resume", target] if begun else ["agent", "run", world, target, *options]
        limit = draw.uniform(0.2, 1.2) * whole / kills
        died += genotex(*words, kill_after=limit) >= limit
        if (target / "run" / "outcomes.json").exists():
            break
    genotex("agent", "resume", target)
    return died


def scores(root: Path, world: Path) -> str:
    """Return the mean scores of a run against the world's reference."""
    found = evaluate(root, answers_of(world), EvaluationOptions(task_info=world / "task_info.json"))
    csc = [score.csc for score in found.preprocessing["linked"]]
    right = [score.accuracy for score in found.selection]
    success = [score.success for score in found.analysis]
    parts = {"DS": right, "CSC linked": csc, "success": success}
    return ", ".join(f"{name} {sum(v) / len(v):.4g}" for name, v in parts.items() if v)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--rate", type=float, default=0.3)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (chosen.folder or Path(temporary)).resolve()
        sys.exit(0 if all(list(measure(folder, chosen))) else 1)


def measure(folder: Path, chosen: argparse.Namespace) -> Iterator[bool]:
    """Do all runs, print what came of them, and yield whether each is as it must be."""
    world, direct, team = folder / "world", folder / "direct", folder / "team"
    alone, killed = folder / "faulty", folder / "killed"
    genotex("simulate", world, "--world", *(["--small"] if chosen.small else []))
    tasks = ["--task-info", world / "task_info.json"]
    seconds = genotex("bench", "run", world, direct, *tasks, "--method", "rules")
    print(f"direct road: {seconds:.0f} s; {scores(direct, world)}")
    seconds = genotex("agent", "run", world, team, *tasks, "--model", "rules")
    print(f"team, rules: {seconds:.0f} s; {scores(team, world)}; {dict(states(team))}")
    equal, different, fields = compare(team, direct)
    print(f"  equal to the pipeline without agents: {equal} files; different: {different}")
    print(f"  in evidence, which tells how a table was made: {dict(fields)}")
    yield not different
    faults = "+".join(fault for fault in all_faults() if fault != "endless_loop")
    model = f"rules-faulty:seed={chosen.seed},rate={chosen.rate:g},faults={faults}"
    options = [*tasks, "--model", model]
    seconds = genotex("agent", "run", world, alone, *options)
    print(f"team, faults: {seconds:.0f} s; {scores(alone, world)}; {dict(states(alone))}")
    died = kill_and_resume(world, killed, options, seconds, chosen.kills)
    equal, different, fields = compare(killed, alone)
    print(f"killed {died} times and resumed: {equal} files equal; different: {different}")
    print(f"  evidence: {dict(fields)}; outcomes equal: {outcomes(killed) == outcomes(alone)}")
    ours, theirs = calls(killed), calls(alone)
    print(f"  calls: {len(ours)}, unkilled {len(theirs)}; the same: {ours == theirs}")
    yield not different and not fields and ours == theirs and outcomes(killed) == outcomes(alone)
