"""The page "Score your own agent in ten minutes", followed as a reader would."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

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


def test_page_followed_to_the_letter(tmp_path: Path) -> None:
    """One test, so that two workers never do it twice."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    assert [words[0] for words in commands()] == [
        *("simulate", "bench", "evaluate"),
        *("bench", "bench", "compare", "bench"),
    ]
    for arguments in commands():
        run(arguments, tmp_path)
    for name in re.findall(r"`(mine-scores/[a-z.]+)`", PAGE.read_text(encoding="utf-8")):
        assert (tmp_path / name).is_file(), name
    scores = json.loads((tmp_path / "mine-scores" / "scores.json").read_text())
    found = scores["average"]["analysis"]
    assert found["success"] == 100.0
    # A hundred of the small world's 400 genes, drawn at random, would have 25 and 0.62.
    assert found["recall"] > 50
    assert found["auroc"] > 0.75
