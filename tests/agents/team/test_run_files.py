"""What is in run/ after a kill and a resume is what is there without, apart from the times."""

import json
from pathlib import Path
from typing import Any

import pytest

from genotex.journal import read_journal
from tests.agents.team.conftest import Played
from tests.agents.team.test_killed import kill

TIMES = {"elapsed", "seconds"}
"""Fields that may differ; ``docs/agents.md`` names them, too."""

OF_PLACES = {"basis", "digest"}
"""Digests of a folder's name, or of the time of a table that has no evidence next to it."""


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: without_times(each)
            for name, each in value.items()
            if name not in TIMES | OF_PLACES
        }
    return [without_times(each) for each in value] if isinstance(value, list) else value


def content(path: Path) -> Any:
    if path.suffix == ".jsonl":
        entries = [without_times(entry) for entry in read_journal(path)]
        return [entry for entry in entries if entry.get("step") != "pause" and not _by_time(entry)]
    text = path.read_text()
    return without_times(json.loads(text)) if path.suffix == ".json" else text


def _by_time(entry: dict[str, Any]) -> bool:
    """Return whether it is the digest of fake tables, which have no evidence."""
    return entry.get("kind") == "input"


def run_files(root: Path) -> dict[str, Any]:
    """Return what is in run/, wherever the run lies and whatever it is called."""
    found = {}
    for path in sorted((root / "run").rglob("*")):
        if path.is_file() and path.suffix != ".lock":
            if path.name == "manifest.json":
                # Digests of files with times in them; that they fit is tested elsewhere.
                found[path.name] = sorted(json.loads(path.read_text())["files"])
                continue
            text = json.dumps(content(path)).replace(str(root), "ROOT")
            named = text.replace(f'"name": "{root.name}"', '"name": "RUN"')
            found[path.relative_to(root).as_posix()] = json.loads(named)
    return found


@pytest.fixture
def two_cohorts(source: Path) -> Path:
    for cohort in ("GSE1", "GSE2"):
        (source / "GEO" / "Asthma" / cohort / "matrix.txt").write_text(cohort)
    return source


def test_run_folder_of_a_killed_run_is_that_of_one_that_was_not(
    two_cohorts: Path, tmp_path: Path
) -> None:
    alone = Played(tmp_path / "alone", two_cohorts)
    alone.run()
    killed = Played(tmp_path / "killed", two_cohorts)
    *kills, end = kill(killed)
    assert (end, set(kills)) == ("0", {"-9"})
    expected, found = run_files(alone.root), run_files(killed.root)
    assert "run/inputs.json" in expected
    assert found.keys() == expected.keys()
    for name, each in expected.items():
        assert found[name] == each, name
    assert killed.results() == alone.results()
