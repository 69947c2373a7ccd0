"""Whole runs of the team whose models answer at once and whose sessions run nothing."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from genotex.agents import (
    Card,
    Folders,
    SandboxPolicy,
    Session,
    Switches,
    TeamFinished,
    TeamPlan,
    read_card,
    run_team,
)
from genotex.formats import read_cohort_info
from genotex.layout import OutputFolder
from genotex.models import Budget, MeteredModel, Model, ModelSettings, Reply, Request, UsageLedger
from genotex.models import Usage as Tokens
from genotex.problems import Problem
from tests.agents.playing import GEO_STEPS, FakeSession, plan, python, verdict

INFO = {
    "is_usable": True,
    "is_gene_available": True,
    "is_trait_available": True,
    "is_available": True,
    "is_biased": False,
    "has_age": True,
    "has_gender": False,
    "sample_size": 3,
    "note": None,
}
TABLE = ",Asthma,Age,A2M,ABO,NAT1\\nGSM1,0,30,1,2,5\\nGSM2,1,40,2,3,4\\nGSM3,1,50,3,4,5\\n"


def records(card: Card) -> str:
    """Return code that writes a cohort, as the fake session does it."""
    task = card.task
    folder = f"output/preprocess/{task.trait}"
    info = json.dumps({task.cohort: {**INFO, "is_usable": task.kind == "geo"}})
    table = TABLE.replace("Asthma", task.trait)
    lines = [f"# write: {folder}/cohort_info.json {info}"]
    if task.kind == "geo":
        lines += [f"# write: {folder}/{task.cohort}.csv {table}"]
    return "\n".join(lines)


def solves(card: Card) -> str:
    task = card.task
    known = read_cohort_info(OutputFolder(task.input_folder).cohort_info(task.trait))
    cohort = next(name for name, info in known.items() if info.is_usable)
    content = {"significant_genes": {"Variable": ["A2M"]}, "cohort": {"id": cohort}}
    name = f"significant_genes_condition_{task.condition}.json"
    return f"# write: output/regress/{task.trait}/{name} {json.dumps(content)}"


STEPS = {
    "geo": [*GEO_STEPS[:3], "normalise_and_link", "task_completed"],
    "tcga": ["load_data", "task_completed"],
    "statistics": ["one_step_regression", "task_completed"],
}


def play(card: Card) -> Any:
    """Answer as a model would that rejects once, goes back once, and then is content."""
    kind = card.task.kind
    if card.occasion == "plan":
        if kind == "geo" and len(card.steps) == 2 and card.retractions_left:
            return plan("read_clinical_features", back_to=2)
        return plan(STEPS[kind][len(card.steps)])
    if card.occasion == "review":
        return verdict(card.unit != "extract_gene_data" or len(card.attempts) > 1, "mend it")
    last = card.unit in ("normalise_and_link", "one_step_regression") or kind == "tcga"
    writes = "" if not last else (solves(card) if kind == "statistics" else records(card))
    return python(f"x = '{card.task.cohort} {card.unit} {len(card.attempts)}'\n{writes}")


class PlayedModel:
    """Answers by a function of the card and counts its calls; tokens are 100 in, 10 out."""

    name = "played"

    def __init__(self, answer: Callable[[Card], Any] = play) -> None:
        self._answer = answer
        self.requests: list[Request] = []

    def answer(self, request: Request) -> Reply:
        self.requests.append(request)
        said = self._answer(read_card(request))
        if isinstance(said, BaseException):
            raise said
        usage = Tokens(100, 10, 0, 0)
        if isinstance(said, str):
            return Reply(said, self.name, usage=usage, working=0.5)
        return Reply("", self.name, data=said, usage=usage, working=0.5)


@dataclass
class Played:
    """A run with fakes, which can be done again and again.

    Attributes
    ----------
    calls : PlayedModel
        Who answers.
    sessions : list of FakeSession
        All that were made.
    others : mapping
        More of the plan.
    """

    root: Path
    source: Path
    problems: Sequence[Problem] = (Problem("Asthma", "Age"),)
    calls: PlayedModel = field(default_factory=PlayedModel)
    sessions: list[FakeSession] = field(default_factory=list)
    switches: Switches = field(default_factory=Switches)
    model: str = "rules"
    others: Mapping[str, Any] = field(default_factory=dict)

    def plan(self) -> TeamPlan:
        return TeamPlan(
            self.source,
            self.root,
            self.problems,
            ModelSettings(self.model),
            switches=self.switches,
            sandbox=SandboxPolicy.OFF,
            **self.others,
        )

    def run(self, **options: Any) -> TeamFinished:
        return run_team(self.plan(), make_router=self.router, make_session=self.session, **options)

    def router(self, ledger: UsageLedger, budget: Budget) -> Any:
        model: Model = MeteredModel(self.calls, ledger, budget)

        class Router:
            def model_of(self, role: str) -> Model:
                return model

        return Router()

    def session(self, folders: Folders) -> Session:
        folders.writable.mkdir(parents=True, exist_ok=True)
        session = FakeSession(folders.writable, seconds=0.25)
        self.sessions.append(session)
        return session

    def results(self) -> dict[str, str]:
        """Return digests of what must not depend on interruptions."""
        files = [
            path
            for part in ("preprocess", "regress", "notebooks", "run/outcomes.json")
            for path in [*(self.root / part).rglob("*"), self.root / part]
            if path.is_file() and not path.name.endswith(".lock")
        ]
        return {path.relative_to(self.root).as_posix(): self.digest(path) for path in sorted(files)}

    def digest(self, path: Path) -> str:
        """Return the digest of a file, wherever the run lies."""
        content = path.read_bytes().replace(str(self.root).encode(), b"ROOT")
        return hashlib.sha256(content).hexdigest()


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk: other processes see what is written without that."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Make an input folder of names alone: two series and no study of TCGA."""
    for cohort in ("GSE1", "GSE2"):
        (tmp_path / "in" / "GEO" / "Asthma" / cohort).mkdir(parents=True)
    return tmp_path / "in"


@pytest.fixture
def played(tmp_path: Path, source: Path) -> Played:
    return Played(tmp_path / "out", source)


def copied(played: Played, root: Path) -> Played:
    """Return the same run in another folder."""
    shutil.copytree(played.root, root)
    return Played(root, played.source, played.problems, switches=played.switches)
