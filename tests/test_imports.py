"""Start-up: what a command does not use, it does not import."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "gseapy",
    "httpx2",
    "jinja2",
    "matplotlib",
    "numpy",
    "pandas",
    "polars",
    "pydantic",
    "scipy",
    "sklearn",
}
BEHIND_RARE_OPTIONS = {
    "gseapy",
    "httpx2",
    "matplotlib",
    "pandas",
    "pydantic",
    "scipy.cluster",
    "scipy.optimize",
    "scipy.spatial",
    "scipy.stats",
    "sklearn",
}


def imported_by(code: str) -> set[str]:
    """Return the modules that are loaded in a new interpreter once `code` has run."""
    script = f"import sys\n{code}\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    return set(done.stdout.split("\n")[-2].split())


@pytest.mark.parametrize(
    "package",
    ["cohorts", "analysis", "analysis.sound", "analysis.meta", "reports", "reports.illustrations"],
)
def test_a_package_does_not_import_what_only_rare_options_need(package: str) -> None:
    assert not imported_by(f"import genotex.{package}") & BEHIND_RARE_OPTIONS


def test_help_of_every_command_is_printed_without_a_single_heavy_package() -> None:
    # One process for all: a heavy package that any of them imports is seen at the end.
    code = """
import contextlib, io
import typer.main
from genotex.cli.commands import app

def show(command, name):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        command.main(["--help"], prog_name=name)
    for child, inner in getattr(command, "commands", {}).items():
        show(inner, f"{name} {child}")

show(typer.main.get_command(app), "genotex")
"""
    assert not imported_by(code) & HEAVY
