"""SIGKILL at every boundary of the journals: no answer is paid for twice, the end is the same."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from genotex.journal import read_journal
from genotex.models import SpendingLimits
from tests.agents.team.conftest import Played

ROOT = Path(__file__).parents[3]


def kill(played: Played) -> list[str]:
    """Kill the run again and again until it ends; return how each attempt ended."""
    command = [sys.executable, "-m", "tests.agents.team.killing"]
    done = subprocess.run(
        [*command, str(played.source), str(played.root)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
        timeout=1800,
    )
    return done.stdout.decode().split()


def calls(played: Played) -> list[tuple[str, Any]]:
    """Return who was asked and what was answered, in all calls of the journals, in order."""
    return [
        (entry["request"]["role"], entry["reply"])
        for path in played.plan().folder.notebook_journals()
        for entry in read_journal(path)
        if entry["kind"] == "call"
    ]


@pytest.fixture(scope="module")
def unkilled(tmp_path_factory: pytest.TempPathFactory) -> Played:
    place = tmp_path_factory.mktemp("unkilled")
    (place / "in" / "GEO" / "Asthma" / "GSE1").mkdir(parents=True)
    played = Played(place / "out", place / "in")
    played.run()
    return played


@pytest.mark.everyday
def test_run_killed_at_every_line_ends_as_if_it_had_not_been(unkilled: Played) -> None:
    killed = Played(unkilled.root.with_name("killed"), unkilled.source)
    *kills, end = kill(killed)
    assert end == "0"
    assert set(kills) == {"-9"}
    lines = [read_journal(path) for path in unkilled.plan().folder.notebook_journals()]
    # Each attempt came one line further.
    assert len(kills) >= sum(map(len, lines))
    assert killed.results() == unkilled.results()
    assert calls(killed) == calls(unkilled)


def test_cells_are_run_again_only_to_bring_the_state_back(unkilled: Played) -> None:
    killed = Played(unkilled.root.with_name("half"), unkilled.source)
    killed.run(limits=SpendingLimits(max_tokens=1200))
    first = killed.sessions[-1].ran
    again = Played(killed.root, killed.source)
    again.run()
    second = again.sessions[0].ran
    # Behind the state are the first cell and the final code of each step before.
    kept = killed.sessions[-1].cells[:-1]
    assert second[: len(kept)] == kept
    assert second[len(kept)] == "x = 'GSE1 extract_gene_data 1'\n"
    assert len(kept) < len(first)
