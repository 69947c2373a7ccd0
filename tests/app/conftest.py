"""A small folder with a series and an analysed study, and a browser's view of the workbench."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the workbench needs genotex[app]")

from starlette.testclient import TestClient

from genotex.analysis import solve_problems
from genotex.app import Access, create_app
from genotex.bench import Problem
from genotex.cohorts import preprocess
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.reports import write_report
from genotex.simulate import simulate_study

PORT = 8765


class Browser(TestClient):
    """Sends what a page of the workbench sends: its cookie, Host, Origin and header."""

    def __init__(self, folder: Path, access: Access) -> None:
        super().__init__(create_app(folder, access), base_url=f"http://127.0.0.1:{PORT}")
        self.access = access
        self.own = {"Origin": f"http://127.0.0.1:{PORT}", "X-Token": access.change_token}


@pytest.fixture(scope="session")
def study_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with ``input`` and ``results`` of one simulated trait."""
    folder = tmp_path_factory.mktemp("workbench")
    study = simulate_study(folder / "input", seed=3, overwrite=True)
    trait = study.truth.trait
    preprocess(study.folder, folder / "results", traits=[trait])
    output = OutputFolder(folder / "results")
    solve_problems(output, [Problem(trait)], AnalysisOptions(panel=False))
    write_report(output, trait, None)
    return folder


@pytest.fixture
def access() -> Access:
    return Access(PORT)


@pytest.fixture
def stranger(study_folder: Path, access: Access) -> Iterator[Browser]:
    """Return a browser without token or cookie."""
    with Browser(study_folder, access) as browser:
        yield browser


@pytest.fixture
def browser(stranger: Browser) -> Browser:
    """Return a browser that opened the printed address."""
    assert stranger.get("/", params={"token": stranger.access.token}).status_code == 200
    return stranger


@pytest.fixture
def place(study_folder: Path) -> dict[str, str]:
    """Return what names the analysis in an address."""
    (trait,) = OutputFolder(study_folder / "results").traits()
    return {"output": "results", "trait": trait, "condition": ""}
