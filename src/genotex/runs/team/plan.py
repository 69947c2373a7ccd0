"""What a run of the team is: its problems, its ways, its models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from genotex.agents.manager import WorkList, work_list
from genotex.agents.prompts import prompt_digests
from genotex.agents.switches import Switches
from genotex.errors import FormatError, UsageError
from genotex.formats import read_json_object
from genotex.formats.raw import sha256
from genotex.layout import Procedure
from genotex.models import Limits, ModelSettings
from genotex.problems import WHERE_TO_GET, Problem, ProblemKind, TaskInfo
from genotex.runs.settings import RunSettings
from genotex.runs.team.folder import TeamFolder
from genotex.sandbox import SandboxPolicy

__all__ = ["METHOD", "TeamPlan", "read_plan"]

METHOD = "agents"


@dataclass(frozen=True)
class TeamPlan:
    """What is to be run.

    Parameters
    ----------
    source : Path
        Input folder.
    target : Path
        Output folder; made when missing, gone on with when it holds the same run.
    problems : sequence of Problem
        In the order of the results.
    models : ModelSettings
    procedure : {"sound", "benchmark"}
    switches : Switches
    sandbox : SandboxPolicy
    task_info : Path, optional
        The benchmark's task list.
    structured : bool
        Whether models answer the clinical questions with data and write no code.

    Raises
    ------
    UsageError
        If these do not go together.
    """

    source: Path
    target: Path
    problems: Sequence[Problem]
    models: ModelSettings
    procedure: Procedure = "sound"
    switches: Switches = field(default_factory=Switches)
    sandbox: SandboxPolicy = SandboxPolicy.REQUIRE
    task_info: Path | None = None
    structured: bool = False

    def __post_init__(self) -> None:
        """Refuse, before anything is written or paid for, what cannot be run."""
        if not self.problems:
            msg = "there is no problem to solve; look at --problems and --trait"
            raise UsageError(msg)
        if self.task_info is None:
            self._refuse_without_tasks()
            return
        tasks = TaskInfo.load(self.task_info)
        for trait in dict.fromkeys(trait for each in self.problems for trait in each.traits):
            tasks.related_genes(trait)

    def _refuse_without_tasks(self) -> None:
        two_step = [each for each in self.problems if each.kind is ProblemKind.TWO_STEP]
        if two_step or self.procedure == "benchmark":
            what = f"{two_step[0]}" if two_step else "the procedure benchmark"
            msg = (
                f"{what} needs the related genes of the traits; give --task-info task_info.json: "
                f"{WHERE_TO_GET}"
            )
            raise UsageError(msg)

    @property
    def folder(self) -> TeamFolder:
        """The run's folder."""
        return TeamFolder(self.target)

    def work(self) -> WorkList:
        """Return the notebooks that the problems need."""
        root = self.folder.output.root
        return work_list(self.problems, self.source, root, self.procedure, self.task_info)

    def settings(self) -> RunSettings:
        """Return what the answers depend on; limits of cost are none of it."""
        tasks = {}
        if self.task_info is not None:
            path = self.task_info.resolve()
            tasks = {"name": path.name, "sha256": sha256(path), "path": str(path)}
        return RunSettings(
            name=self.target.resolve().name,
            method=METHOD,
            procedure=self.procedure,
            options={
                "switches": self.switches.to_json(),
                "models": replace(self.models, limits=Limits()).to_json(),
                "sandbox": str(self.sandbox),
                "structured": self.structured,
                "prompts": prompt_digests(),
            },
            problems=self.problems,
            input=self.source,
            task_info=tasks,
        )


def read_plan(target: Path) -> TeamPlan:
    """Return the plan of a run, from its folder.

    Raises
    ------
    UsageError
        If the folder holds no run of the team.
    FormatError
        If its settings cannot be read.
    """
    path = TeamFolder(target).settings
    if not path.is_file():
        msg = f"{target} holds no run: there is no {path.relative_to(target.absolute())}"
        raise UsageError(msg)
    found = read_json_object(path)
    if found.get("method") != METHOD:
        msg = f"{target} holds a run of {found.get('method')}, not of the team"
        raise UsageError(msg)
    try:
        return _plan(target, found)
    except (KeyError, TypeError, ValueError) as error:
        msg = f"lacks {error}, or has it in another form"
        raise FormatError(msg, path=path, hint="it was written by another version") from error


def _plan(target: Path, found: Mapping[str, Any]) -> TeamPlan:
    options, tasks = found["options"], found["task_info"]
    return TeamPlan(
        source=Path(found["input"]),
        target=target,
        problems=[Problem(each["trait"], each["condition"]) for each in found["problems"]],
        models=ModelSettings.from_json(options["models"]),
        procedure=found["procedure"],
        switches=Switches.from_json(options["switches"]),
        sandbox=SandboxPolicy(options["sandbox"]),
        task_info=Path(tasks["path"]) if tasks else None,
        structured=options["structured"],
    )
