"""The template of an agent: its workflow's script runs and scores it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TEMPLATE = Path(__file__).parents[1] / "examples" / "agent-template"
SCRIPT = ".github/actions/score/score.sh"


@pytest.fixture
def template(tmp_path: Path) -> Path:
    """A copy of the template, as in a repository of its own."""
    return shutil.copytree(TEMPLATE, tmp_path / "agent")


def score(
    template: Path, genotex: str = "-m genotex", **settings: str
) -> subprocess.CompletedProcess[str]:
    scripts = template.parent / "bin"
    scripts.mkdir(exist_ok=True)
    # The commands of the script, by the Python of this test.
    for name, module in (("genotex", genotex), ("python3", ""), ("python", "")):
        (scripts / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
        (scripts / name).chmod(0o755)
    env = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", **settings}
    env |= {
        "GITHUB_OUTPUT": str(template / "output"),
        "GITHUB_STEP_SUMMARY": str(template / "summary"),
    }
    return subprocess.run(
        ["bash", SCRIPT], cwd=template, env=env, capture_output=True, text=True, timeout=500
    )


def test_the_script_of_the_action_scores_the_agent(template: Path) -> None:
    done = score(template, AGENT="python agent.py", SMALL="true", LEAST_F1="20")
    assert done.returncode == 0, done.stderr
    [line] = (template / "output").read_text().splitlines()
    assert line.startswith("f1=") and float(line.removeprefix("f1=")) > 20
    assert "# Scores" in (template / "summary").read_text()
    assert (template / "scores/scores.html").exists()


def test_a_low_score_fails_the_workflow(template: Path) -> None:
    scores = template / "scores"
    scores.mkdir()
    (scores / "scores.json").write_text('{"average": {"analysis": {"f1": 12.5}}}')
    (scores / "scores.md").write_text("# Scores")
    genotex = template / "genotex.py"  # Does nothing; the scores are there.
    genotex.write_text("")
    done = score(template, genotex=str(genotex), AGENT="python agent.py", LEAST_F1="20")
    assert done.returncode == 1
    assert "F1 12.5 is below 20" in done.stderr


def test_workflow_and_action_use_the_script() -> None:
    workflow = (TEMPLATE / ".github/workflows/score.yml").read_text()
    action = (TEMPLATE / ".github/actions/score/action.yml").read_text()
    assert "uses: ./.github/actions/score" in workflow and "agent: python agent.py" in workflow
    assert 'run: bash "$GITHUB_ACTION_PATH/score.sh"' in action
    for name in ("AGENT", "SEED", "SMALL", "LEAST_F1", "PASS_ENV"):
        assert f"{name}: ${{{{ inputs.{name.lower().replace('_', '-')} }}}}" in action
