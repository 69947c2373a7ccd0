"""Help is rendered once for a screen, and read after that."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SHOW = """
import sys
from genotex.cli import main
sys.argv = ["genotex", *sys.argv[1:]]
try:
    main()
finally:
    print(*sorted({"typer", "rich"} & set(sys.modules)), file=sys.stderr)
"""


def ask(folder: Path, *arguments: str, columns: int = 80) -> subprocess.CompletedProcess[str]:
    """Call the command line in a new process, with this folder for what is kept."""
    environment = os.environ | {"XDG_CACHE_HOME": str(folder), "COLUMNS": str(columns)}
    command = [sys.executable, "-c", SHOW, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)


def test_the_second_time_the_same_help_needs_no_layout_engine(tmp_path: Path) -> None:
    first, second = ask(tmp_path, "verify", "--help"), ask(tmp_path, "verify", "--help")
    assert "Usage: genotex verify" in first.stdout
    assert (second.returncode, second.stdout) == (0, first.stdout)
    assert first.stderr.split() == ["rich", "typer"]
    assert second.stderr.split() == []


def test_a_screen_of_another_width_gets_its_own_layout(tmp_path: Path) -> None:
    narrow, wide = ask(tmp_path, "verify", "-h"), ask(tmp_path, "verify", "-h", columns=120)
    assert max(map(len, narrow.stdout.splitlines())) <= 80
    assert max(map(len, wide.stdout.splitlines())) > 80


def test_without_a_folder_to_keep_it_in_help_is_still_shown(tmp_path: Path) -> None:
    (tmp_path / "genotex").write_text("a file in the way")
    assert "Usage: genotex verify" in ask(tmp_path, "verify", "--help").stdout


@pytest.mark.parametrize("arguments", [("no-such-command", "--help"), ("../x", "--help")])
def test_the_help_of_no_command_is_not_kept(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert ask(tmp_path, *arguments).returncode == 2
    assert not list(tmp_path.rglob("*.txt"))
