"""A small simulated world done by the team with faults, killed and resumed: nothing shows of it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from genotex.agents import TeamFolder
from genotex.bench import simulate_benchmark
from genotex.journal import read_journal

ROOT = Path(__file__).parents[3]
KILL_AT_EVERY = 29


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world") / "world"
    return simulate_benchmark(folder, seed=1, traits=4, cohorts=8, samples=24, genes=400).folder


def run(world: Path, target: Path, kill_at_every: int) -> list[str]:
    """Run until the end; return how each attempt ended."""
    command = [sys.executable, "-m", "tests.agents.team.killing_a_world"]
    done = subprocess.run(
        [*command, str(world), str(target), str(kill_at_every)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
        timeout=1800,
    )
    return done.stdout.decode().split()


def outputs(root: Path) -> dict[str, bytes]:
    paths = [path for part in ("preprocess", "regress") for path in (root / part).rglob("*")]
    files = [path for path in paths if path.is_file() and path.suffix != ".lock"]
    assert files
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def calls(root: Path) -> list[tuple[str, Any]]:
    """Return what was asked and answered, in order, wherever the run lies; times are their own."""
    entries = [
        json.loads(json.dumps(entry).replace(str(root), "RUN"))
        for path in TeamFolder(root).notebook_journals()
        for entry in read_journal(path)
        if entry["kind"] == "call"
    ]
    return [(e["request"], (e["reply"]["text"], e["reply"]["data"])) for e in entries]


def test_world_done_with_faults_and_killed_ends_as_if_it_had_not_been(
    world: Path, tmp_path: Path
) -> None:
    alone, killed = tmp_path / "alone", tmp_path / "killed"
    assert run(world, alone, 0) == ["0"]
    *kills, end = run(world, killed, KILL_AT_EVERY)
    assert end == "0"
    assert set(kills) == {"-9"}
    assert len(kills) >= 3
    assert outputs(killed) == outputs(alone)
    assert calls(killed) == calls(alone)
