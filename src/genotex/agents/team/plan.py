"""The plan of a run: its problems, its notebooks, its models and switches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from genotex.agents.prompts import prompt_digests
from genotex.agents.sandbox import SandboxPolicy, is_isolated_here
from genotex.agents.switches import Agent, Switches, WorkSettings
from genotex.agents.task import Task
from genotex.agents.team.folder import TeamFolder
from genotex.bench.comparison.run_record import (
    NO_DATA,
    PREPARED_TABLES,
    RAW_FILES,
    StoredRun,
    read_stored_run,
)
from genotex.bench.runs.cohort_stage import check_given_cohorts
from genotex.bench.runs.run_folder import run_settings
from genotex.errors import FormatError, UsageError
from genotex.formats import sha256
from genotex.layout import InputFolder, OutputFolder
from genotex.models import (
    PROVIDERS,
    ModelSettings,
    ProviderOptions,
    SpendingLimits,
    check_address,
    parse_name,
)
from genotex.problems import WHERE_TO_GET, Problem, ProblemKind, TaskInfo
from genotex.procedure import Procedure
from genotex.records import as_json, checked

WRITTEN = "output"
"""Folder into which every notebook writes, next to itself or in its session."""


@dataclass(frozen=True)
class WorkList:
    """The notebooks of a run."""

    # Every cohort of every trait, and of every condition that is a trait; in the order of the
    # problems.
    cohorts: tuple[Task, ...]
    problems: tuple[Task, ...]  # In the order of the problems; done after all cohorts

    @property
    def all(self) -> tuple[Task, ...]:
        """Cohorts first."""
        return self.cohorts + self.problems


def work_list(
    problems: Sequence[Problem],
    source: Path | None,
    prepared: Path,
    procedure: Procedure = Procedure.SOUND,
    task_info: Path | None = None,
) -> WorkList:
    """Return the notebooks that a list of problems needs; without a source no cohort is prepared.

    Problems of a trait without any cohort fail, and no others.
    """
    cohorts: list[Task] = []
    if source is not None:
        folder = InputFolder(source.absolute())
        traits = dict.fromkeys(trait for problem in problems for trait in problem.traits)
        there = [each for each in traits if folder.geo_cohorts(each) or folder.tcga_folders()]
        cohorts = [task for each in there or traits for task in _cohorts(each, folder, procedure)]
    tasks = [Task.of_problem(each, prepared, WRITTEN, procedure, task_info) for each in problems]
    return WorkList(tuple(cohorts), tuple(tasks))


def _cohorts(trait: str, folder: InputFolder, procedure: Procedure) -> list[Task]:
    found = [
        Task(
            "geo",
            files.trait,
            folder=str(files.folder.resolve()),
            output=WRITTEN,
            procedure=procedure,
            cohort=files.cohort,
        )
        for files in folder.geo_cohorts(trait)
    ]
    if folder.tcga_folders():
        studies = str((folder.root / "TCGA").resolve())
        found.append(Task("tcga", trait, folder=studies, output=WRITTEN, procedure=procedure))
    if not found:
        msg = f"{folder.root} has no cohort of {trait}: GEO has {', '.join(folder.traits())}"
        raise UsageError(msg)
    return found


def is_recorded(task: Task, written: Path) -> bool:
    """Return whether a notebook has recorded its cohort, or saved the result of its problem.

    Only the existence of the file is checked: code that is still running may change it.
    """
    # `os.path`: `Path.is_file` raises for folders that are closed to their owner.
    if not os.path.isdir(written):  # noqa: PTH112
        return False
    output = OutputFolder(written)
    if task.kind == "statistics":
        path = output.significant_genes(task.trait, task.condition)
    else:
        path = output.cohort_info(task.trait)
    return os.path.isfile(path)  # noqa: PTH113


METHOD = "agents"

_ASK_OF_RAW_FILES: Mapping[Agent, str] = {
    "structured": "asks models about raw cohorts alone",
    "zero-shot": "reads no data",
}
"""What agents do that ask nothing about prepared cohorts."""


@dataclass(frozen=True)
class TeamPlan:
    """What is to be run.

    Raises
    ------
    UsageError
        If these contradict each other.
    """

    source: Path | None  # Input folder; not needed with `preprocessed`, nor where no data is read
    target: Path  # Output folder; created when missing, resumed when it holds the same run
    problems: Sequence[Problem]  # In the order of the results; duplicates are solved once
    models: ModelSettings
    procedure: Procedure = Procedure.SOUND
    switches: Switches = field(default_factory=Switches)
    sandbox: SandboxPolicy = SandboxPolicy.REQUIRE
    task_info: Path | None = None  # The benchmark's task list
    agent: Agent = "team"  # Who works (see `agents.switches.Agent`)
    # An output folder whose cohorts are taken as they are; nothing is written there
    preprocessed: Path | None = None
    preset: str | None = None  # Name of these switches (see `switches.PRESETS`)

    def __post_init__(self) -> None:
        """Refuse, before anything is written or paid for, what cannot be run."""
        object.__setattr__(self, "problems", tuple(dict.fromkeys(self.problems)))
        object.__setattr__(self, "procedure", Procedure(self.procedure))
        if not self.problems:
            msg = "there is no problem to solve; look at --problems and --trait"
            raise UsageError(msg)
        self._check_folders()
        if self.task_info is None:
            self._refuse_without_tasks()
            return
        tasks = TaskInfo.load(self.task_info)
        for trait in dict.fromkeys(trait for each in self.problems for trait in each.traits):
            tasks.related_genes(trait)

    def _check_folders(self) -> None:
        if self.preprocessed is not None:
            if self.agent in _ASK_OF_RAW_FILES:
                msg = (
                    f"--preprocessed leaves nothing to ask: the agent {self.agent} "
                    f"{_ASK_OF_RAW_FILES[self.agent]}; leave it out"
                )
                raise UsageError(msg)
            check_given_cohorts(self.preprocessed, self.target)
        if not self.prepares_cohorts:
            object.__setattr__(self, "source", None)
        elif self.source is None:
            msg = "the agents prepare cohorts from raw files; give INPUT, or --preprocessed"
            raise UsageError(msg)

    def _refuse_without_tasks(self) -> None:
        if self.agent == "zero-shot":
            return
        two_step = [each for each in self.problems if each.kind is ProblemKind.TWO_STEP]
        if two_step or self.procedure.needs_related_genes:
            what = f"{two_step[0]}" if two_step else f"the procedure {self.procedure}"
            msg = (
                f"{what} needs the related genes of the traits; give --task-info task_info.json: "
                f"{WHERE_TO_GET}"
            )
            raise UsageError(msg)

    @property
    def folder(self) -> TeamFolder:
        """The run's folder."""
        return TeamFolder(self.target)

    @property
    def work_settings(self) -> WorkSettings:
        """How notebooks are worked on."""
        return WorkSettings(
            self.agent, self.switches, self.models.temperature, self.models.max_output
        )

    @property
    def prepares_cohorts(self) -> bool:
        """Whether there are raw files, which are prepared first."""
        return self.agent != "zero-shot" and self.preprocessed is None

    @property
    def cohorts(self) -> OutputFolder | None:
        """Where problems find prepared cohorts; None where no data is read."""
        if self.preprocessed is not None:
            return OutputFolder(self.preprocessed.absolute())
        return self.folder.output if self.prepares_cohorts else None

    def work(self) -> WorkList:
        """Return the notebooks that the problems need."""
        prepared = (self.cohorts or self.folder.output).root
        return work_list(self.problems, self.source, prepared, self.procedure, self.task_info)

    @property
    def start(self) -> str:
        """Where the agents start."""
        if self.preprocessed is not None:
            return PREPARED_TABLES
        return NO_DATA if self.source is None else RAW_FILES

    def settings(self) -> StoredRun:
        """Return what the answers depend on; limits of cost do not count."""
        tasks = {}
        if self.task_info is not None:
            path = self.task_info.resolve()
            tasks = {"name": path.name, "sha256": sha256(path), "path": str(path)}
        models, may_change = _split(replace(self.models, limits=SpendingLimits()).to_json())
        return run_settings(
            self.target,
            self.problems,
            source=self.source,
            preprocessed=self.preprocessed,
            method=METHOD,
            procedure=None if self.cohorts is None else self.procedure,
            options={
                "switches": as_json(self.switches),
                "models": models,
                "sandbox": str(self.sandbox),
                "agent": self.agent,
                "preset": self.preset,
                "prompts": prompt_digests(),
            },
            task_info=tasks,
            may_change=may_change,
            start=self.start,
        )


_OF_PROVIDERS = ("timeout", "at_once")


def _split(models: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what answers depend on; and how long is waited for them, and what they cost."""
    providers: dict[str, dict[str, Any]] = models["providers"]
    waited = {
        name: {each: options[each] for each in _OF_PROVIDERS} for name, options in providers.items()
    }
    asked = {
        name: {each: value for each, value in options.items() if each not in _OF_PROVIDERS}
        for name, options in providers.items()
    }
    may_change = {"retry": models["retry"], "providers": waited, "prices": models["prices"]}
    rest = {name: value for name, value in models.items() if name not in may_change}
    return {**rest, "providers": asked}, may_change


def _joined(options: Mapping[str, Any], may_change: Mapping[str, Any]) -> Any:
    """Return what `_split` split, as far as it is there."""
    models, waited = options.get("models"), may_change.get("providers")
    if not isinstance(models, dict) or not isinstance(waited, dict):
        return models
    asked = models.get("providers")
    if not isinstance(asked, dict):
        return models
    providers = {
        name: {**each, **waited.get(name, {})} if isinstance(each, dict) else each
        for name, each in asked.items()
    }
    return {**models, **may_change, "providers": providers}


def read_plan(target: Path) -> TeamPlan:
    """Return the plan of a run, from its folder."""
    path = TeamFolder(target).settings
    if not path.is_file():
        msg = f"{target} holds no run: there is no {path.relative_to(target.absolute())}"
        raise UsageError(msg)
    found = read_stored_run(target, ours=True, hint=_OTHER_VERSION)
    if found.method != METHOD:
        msg = f"{target} holds a run of {found.method}, not of the team"
        raise UsageError(msg)
    joined = {**found.options, "models": _joined(found.options, found.may_change)}
    options = checked(
        _StoredOptions, joined, extra="forbid", path=path, place="options", hint=_OTHER_VERSION
    )
    for provider in options.models.providers.values():
        if provider.address is not None:
            try:
                check_address(provider.address, "an address of the run")
            except UsageError as error:
                raise FormatError(str(error), path=path, field="options.models") from error
    tasks = found.task_info.get("path")
    return TeamPlan(
        source=None if found.input is None else Path(found.input),
        target=target,
        problems=[Problem(each["trait"], each.get("condition")) for each in found.problems],
        models=options.models,
        procedure=found.procedure or Procedure.SOUND,
        switches=options.switches,
        sandbox=options.sandbox,
        task_info=None if tasks is None else Path(tasks),
        agent=options.agent,
        preprocessed=None if found.preprocessed is None else Path(found.preprocessed),
        preset=options.preset,
    )


_OTHER_VERSION = "it was written by another version"


@dataclass(frozen=True)
class _StoredOptions:
    """Options of a run of the team."""

    switches: Switches
    models: ModelSettings
    sandbox: SandboxPolicy
    agent: Agent
    preset: str | None = None
    prompts: Mapping[str, str] = field(default_factory=dict)


def refuse_another_owner(plan: TeamPlan) -> None:
    """Refuse to resume with what only the owner of a run may decide, unless it is restated.

    Whoever wrote the folder decides which recorded code runs again, and where keys are sent.
    """
    reasons = []
    off = plan.sandbox is SandboxPolicy.OFF
    if off or (plan.sandbox is SandboxPolicy.BEST and not is_isolated_here()):
        reasons.append(f"that recorded code runs with --sandbox {plan.sandbox}")
    reasons += [
        f"that calls of {name} go to {address}" for name, address in _unusual_addresses(plan.models)
    ]
    if reasons:
        msg = (
            f"{plan.target} states {' and '.join(reasons)}; if the run is your own, resume it with "
            "--own-run"
        )
        raise UsageError(msg)


def _unusual_addresses(models: ModelSettings) -> Iterator[tuple[str, str]]:
    """Yield the models whose calls go elsewhere than usual, and not to this machine."""
    for name in models.names:
        provider = name.partition(":")[0]
        if provider not in PROVIDERS:
            continue
        usual = ProviderOptions.usual(provider).address
        address = parse_name(name).address or models.providers[provider].address
        if address and address != usual and urlsplit(address).hostname not in _THIS_MACHINE:
            yield name.partition("@")[0], address


_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
