"""Start-up: what a command does not use, it does not import."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import genotex

HEAVY = {
    "dask",
    "distributed",
    "gseapy",
    "httpx2",
    "jinja2",
    "matplotlib",
    "mcp",
    "numpy",
    "pandas",
    "polars",
    "pydantic",
    "scipy",
    "sklearn",
}
BEHIND_RARE_OPTIONS = {
    "asyncio",
    "distributed",
    "gseapy",
    "httpx2",
    "matplotlib",
    "mcp",
    "numpy.f2py",
    "numpy.testing",
    "pandas",
    "pydantic",
    "scipy.cluster",
    "scipy.optimize",
    "scipy.sparse",
    "scipy.spatial",
    "scipy.stats",
    "sklearn",
}


ROOT = Path(genotex.__file__).parent
FACES = [".".join(f.parent.relative_to(ROOT.parent).parts) for f in ROOT.rglob("__init__.pyi")]


def imported_by(code: str) -> set[str]:
    """Return the modules that are loaded in a new interpreter once `code` has run."""
    script = f"import sys\n{code}\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120
    )
    return set(done.stdout.split("\n")[-2].split())


@pytest.mark.parametrize(
    "package",
    ["cohorts", "analysis.sound", "analysis.meta", "reports.problem.page", "workflows.solving"],
)
def test_a_package_does_not_import_what_only_rare_options_need(package: str) -> None:
    assert not imported_by(f"import genotex.{package}") & BEHIND_RARE_OPTIONS


def test_a_command_starts_lean_before_numpy_and_keeps_what_the_user_set() -> None:
    loaded = imported_by(
        "import os; os.environ['OPENBLAS_THREAD_TIMEOUT'] = '20'\n"
        "from genotex.cli import start_lean; start_lean()\n"
        "assert os.environ['OPENBLAS_THREAD_TIMEOUT'] == '20'"
    )
    assert "numpy" not in loaded


def test_preprocessing_imports_nothing_of_the_analysis() -> None:
    loaded = imported_by("from genotex.workflows import prepare")
    assert not loaded & {"genotex.analysis", "genotex.reports", "jinja2", "scipy"}


@pytest.mark.parametrize("face", FACES)
def test_every_public_name_of_a_package_can_be_imported_from_it(face: str) -> None:
    package = importlib.import_module(face)
    missing = [name for name in package.__all__ if not hasattr(package, name)]
    assert package.__all__ and not missing


def test_packages_import_nothing_of_their_own_before_a_name_is_used() -> None:
    above = {".".join(face.split(".")[:n]) for face in FACES for n in range(1, face.count(".") + 2)}
    loaded = imported_by(f"import {', '.join(FACES)}")
    assert {name for name in loaded if name.split(".")[0] == "genotex"} == above


WORKFLOWS = [file.stem for file in (ROOT / "workflows").glob("*.py") if file.stem != "__init__"]


@pytest.mark.parametrize("module", WORKFLOWS)
def test_a_use_case_can_be_the_first_import(module: str) -> None:
    # A circle of imports fails or not by where it is entered.
    assert f"genotex.workflows.{module}" in imported_by(f"import genotex.workflows.{module}")


def test_help_of_every_command_is_printed_without_a_single_heavy_package() -> None:
    # One process for all: a heavy package that any of them imports is seen at the end.
    code = """
import contextlib, io
import typer.main
from genotex.cli.commands import app

def show(command, name):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        command.main(["--help"], prog_name=name)
    if hasattr(command, "list_commands"):
        for child in command.list_commands(None):
            show(command.get_command(None, child), f"{name} {child}")

show(typer.main.get_command(app), "genotex")
"""
    assert not imported_by(code) & HEAVY
