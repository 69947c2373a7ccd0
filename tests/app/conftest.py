"""A small folder with a series and an analysed study, and a browser's view of the workbench."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from genotex.analysis import solve_problems
from genotex.app import Access, create_app
from genotex.bench import score_texts, summarise
from genotex.cohorts import preprocess
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, PreprocessChoices
from genotex.problems import Problem
from genotex.reports import write_report
from genotex.simulate import simulate_study
from genotex.studies import JobQueue, JobRecord
from tests.bench.evaluation.some_scores import problem_score, some_scores

PORT = 8765
LONGEST = 300.0


class Browser(TestClient):
    """Sends what a page of the workbench sends: its cookie, Host, Origin and header."""

    def __init__(
        self, folder: Path, access: Access, annotator: PreprocessChoices | None = None
    ) -> None:
        app = create_app(folder, access, annotator=annotator)
        super().__init__(app, base_url=f"http://127.0.0.1:{PORT}")
        self.access = access
        self.own = {"Origin": f"http://127.0.0.1:{PORT}", "X-Token": access.change_token}

    def sign_in(self, code: str | None = None, **more: str) -> Response:
        """Type a code, by default a new one; the redirect is not followed."""
        given = {"code": self.access.code.renew() if code is None else code, **more}
        origin = {"Origin": self.own["Origin"]}
        return self.post("/sign-in", data=given, headers=origin, follow_redirects=False)


def run_in_node(script: str, given: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a script of this folder on what is given to it, and return what it found."""
    path = Path(__file__).with_name(script)
    ended = subprocess.run(
        ["node", str(path)], input=json.dumps(given), capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    found: list[dict[str, Any]] = json.loads(ended.stdout)
    return found


@contextmanager
def opened(
    folder: Path, access: Access, annotator: PreprocessChoices | None = None
) -> Iterator[Browser]:
    """Return a browser that is signed in."""
    with Browser(folder, access, annotator) as browser:
        assert browser.sign_in().status_code == 303
        yield browser


@pytest.fixture(scope="session", autouse=True)
def runtime_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep what servers write for their owner apart from that of the person who tests."""
    folder = tmp_path_factory.mktemp("runtime")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(folder))
        yield folder


@pytest.fixture(scope="session")
def study_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with ``input`` and ``results`` of one simulated trait."""
    folder = tmp_path_factory.mktemp("workbench")
    study = simulate_study(folder / "input", seed=3, genes=1000, overwrite=True)
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
    """Return a browser that is not signed in."""
    with Browser(study_folder, access) as browser:
        yield browser


@pytest.fixture
def browser(stranger: Browser) -> Browser:
    """Return a browser that is signed in."""
    assert stranger.sign_in().status_code == 303
    return stranger


@pytest.fixture
def input_folder(study_folder: Path, tmp_path: Path) -> Path:
    """Return a folder of its own with the input alone."""
    shutil.copytree(study_folder / "input", tmp_path / "input")
    return tmp_path


@pytest.fixture
def first_series(study_folder: Path, place: dict[str, str]) -> str:
    """Return the first series of the trait."""
    return min(path.name for path in (study_folder / "input" / "GEO" / place["trait"]).iterdir())


@pytest.fixture
def place(study_folder: Path) -> dict[str, str]:
    """Return what names the analysis in an address."""
    (trait,) = OutputFolder(study_folder / "results").traits()
    return {"output": "results", "trait": trait, "condition": ""}


def queue_of(analyst: Browser) -> JobQueue:
    """Return the jobs of the workbench that a browser has open."""
    queue = analyst.app.state.workbench.jobs  # type: ignore[attr-defined]
    assert isinstance(queue, JobQueue)
    return queue


def wait(queue: JobQueue) -> list[JobRecord]:
    """Return all jobs once none waits or runs."""
    until = time.monotonic() + LONGEST
    while any(record.open for record in queue.records()):
        assert time.monotonic() < until, queue.records()
        time.sleep(0.05)
    return queue.records()


def read_before(browser: Browser, query: dict[str, str]) -> Response:
    """Ask for the values of a cohort as in its file."""
    return browser.post("/quality/before", params=query, headers=browser.own)


def scored(root: Path, *, f1: float = 50.0, auroc: float | None = 0.5, **changes: Any) -> None:
    """Write the scores of a run, its first problem as given."""
    usual = some_scores()
    first = problem_score("Asthma", f1=f1, auroc=auroc)
    scores = replace(usual, analysis=(first, *usual.analysis[1:]), **changes)
    texts = score_texts(scores, summarise(scores, draws=20))
    (root / "scores").mkdir(parents=True, exist_ok=True)
    (root / "scores" / "scores.json").write_text(texts["scores.json"], encoding="utf-8")
