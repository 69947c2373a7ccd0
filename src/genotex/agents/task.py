"""The task of a notebook, as plain data, and the first cell made from it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

from genotex.errors import UsageError
from genotex.layout import (
    TCGA_COHORT,
    GeoCohortFiles,
    OutputFolder,
    TcgaCohortFiles,
    geo_cohort_files,
    tcga_cohort_files,
    trait_folder_name,
)
from genotex.problems import Problem, TaskInfo
from genotex.procedure import Procedure

NotebookKind = Literal["geo", "tcga", "statistics"]


@dataclass(frozen=True)
class Task:
    """One cohort to preprocess, or one problem to solve.

    Raises
    ------
    UsageError
        If a field is invalid.
    """

    made_by: ClassVar[str] = "the first cell of the notebook"
    kind: NotebookKind  # ``geo`` or ``tcga`` for a cohort, ``statistics`` for a problem
    trait: str  # The trait; brought into the form of a folder name
    # What may be read: the folder of a GEO series (``GEO/<Trait>/<GSE>``), the folder ``TCGA`` with
    # the folders of all studies in it, or the folder that holds ``preprocess``
    folder: str
    output: str  # What may be written: an output folder in the benchmark's layout
    procedure: Procedure = Procedure.SOUND  # ``sound`` or ``benchmark``
    # Series accession of a GEO cohort; ``TCGA`` for a TCGA one; empty for a problem
    cohort: str = ""
    # Condition of a problem: None, ``Age``, ``Gender`` or another trait
    condition: str | None = None
    # The benchmark's ``task_info.json`` with the related genes of the traits; two-step problems and
    # the procedure ``benchmark`` need it
    task_info: str | None = None

    def __post_init__(self) -> None:
        """Normalise the trait and refuse invalid values."""
        for name, known in (("kind", get_args(NotebookKind)), ("procedure", tuple(Procedure))):
            if getattr(self, name) not in known:
                msg = f"task: {name} {getattr(self, name)!r} is not known; use {', '.join(known)}"
                raise UsageError(msg)
        object.__setattr__(self, "procedure", Procedure(self.procedure))
        object.__setattr__(self, "trait", trait_folder_name(self.trait))
        if self.kind == "tcga":
            object.__setattr__(self, "cohort", self.cohort or TCGA_COHORT)
        if self.kind == "geo" and not re.fullmatch(r"\w[\w.-]*", self.cohort):
            msg = f"task: {self.cohort!r} cannot be a cohort; use an accession such as GSE55457"
            raise UsageError(msg)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Task:
        """Return the task of plain JSON data."""
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(data) - known):
            msg = f"task: {unknown[0]!r} is not a field; use {', '.join(sorted(known))}"
            raise UsageError(msg)
        if missing := [n for n in ("kind", "trait", "folder", "output") if n not in data]:
            msg = f"task: {missing[0]!r} is missing"
            raise UsageError(msg)
        return cls(**data)

    def to_json(self) -> dict[str, Any]:
        """Return the task as plain JSON data."""
        return {**asdict(self), "procedure": str(self.procedure)}

    @classmethod
    def of_problem(
        cls,
        problem: Problem,
        prepared: Path,
        output: str,
        procedure: Procedure = Procedure.SOUND,
        task_info: Path | None = None,
    ) -> Task:
        """Return the task of a problem, to be solved from the cohorts prepared in a folder."""
        return cls(
            "statistics",
            problem.trait,
            folder=str(prepared.resolve()),
            output=output,
            procedure=procedure,
            condition=problem.condition,
            task_info=None if task_info is None else str(task_info.resolve()),
        )

    @property
    def input_folder(self) -> Path:
        """What may be read, as a path."""
        return Path(self.folder)

    @property
    def geo_files(self) -> GeoCohortFiles:
        """The files of a GEO cohort."""
        return replace(geo_cohort_files(self.trait, self.input_folder), cohort=self.cohort)

    @property
    def studies(self) -> list[TcgaCohortFiles]:
        """The studies among which a TCGA cohort is chosen, by name."""
        folders = sorted(path for path in self.input_folder.iterdir() if path.is_dir())
        return [tcga_cohort_files(path) for path in folders]

    @property
    def output_folder(self) -> OutputFolder:
        """Where every file goes."""
        return OutputFolder(Path(self.output))

    def read_task_info(self) -> TaskInfo | None:
        """Read the task list; None where none was given."""
        return None if self.task_info is None else TaskInfo.load(Path(self.task_info))

    @property
    def problem(self) -> Problem:
        """Trait and condition."""
        return Problem(self.trait, self.condition)


def set_up_code(task: Task) -> str:
    """Return the first cell of every notebook, whichever agent writes the rest."""
    fields = "".join(
        f"    {name}={value!r},\n"
        for name, value in task.to_json().items()
        if value not in (None, "")
    )
    return f"from genotex.agents.toolkit import *\n\ntask = Task(\n{fields})\n"
