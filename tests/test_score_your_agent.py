"""The page "Score your own agent in ten minutes", followed as a reader would."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "score-your-agent.md"
LAST_STEP_WITHOUT_DATA_OF_OTHERS = "## 7. "


def commands() -> list[list[str]]:
    """Return every genotex command of the page that needs nothing but the clone, in order."""
    text = PAGE.read_text(encoding="utf-8").partition(LAST_STEP_WITHOUT_DATA_OF_OTHERS)[0]
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    lines = [line for language, block in blocks if not language for line in block.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("genotex ")]


def run(arguments: list[str], folder: Path) -> str:
    # The page's world takes its time; a small one goes the same way.
    small = ["--small"] if "--world" in arguments else []
    done = subprocess.run(
        [sys.executable, "-m", "genotex", *arguments, *small],
        cwd=folder,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{arguments}: {done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which every command of the page was run."""
    folder = tmp_path_factory.mktemp("clone")
    (folder / "examples").symlink_to(ROOT / "examples")
    assert [words[0] for words in commands()] == [
        *("simulate", "bench", "evaluate"),
        *("bench", "bench", "compare", "bench"),
    ]
    for arguments in commands():
        run(arguments, folder)
    return folder


def test_every_command_of_the_page_runs(followed: Path) -> None:
    assert {"world", "mine", "random", "rules", "mine-scores"} <= {
        path.name for path in followed.iterdir()
    }


def test_agent_of_the_page_is_far_above_chance(followed: Path) -> None:
    scores = json.loads((followed / "mine-scores" / "scores.json").read_text())
    found = scores["average"]["analysis"]
    assert found["success"] == 100.0
    # A hundred of the small world's 400 genes, drawn at random, would have 25 and 0.62.
    assert found["recall"] > 50
    assert found["auroc"] > 0.75


def test_files_that_the_page_names_are_there(followed: Path) -> None:
    for name in re.findall(r"`(mine-scores/[a-z.]+)`", PAGE.read_text(encoding="utf-8")):
        assert (followed / name).is_file(), name
