"""Arguments and options that several commands share; each is declared once.

Options that set a field of an options class are not here: see `genotex.cli.option_classes`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from genotex.errors import UsageError
from genotex.options import Option

if TYPE_CHECKING:
    from genotex.parallel import Executor
    from genotex.problems import Problem

Sandboxes = Literal["require", "best", "off"]
CohortsUsed = Literal["largest", "all"]


def argument(name: str, what: str) -> Any:
    """Return the declaration of a parameter that is given by its place."""
    return typer.Argument(metavar=name, help=what)


InputDir = Annotated[
    Path, argument("INPUT", "Folder that holds GEO/<Trait>/<GSE>/ and TCGA/<name>/.")
]
OutputDir = Annotated[Path, argument("OUTPUT", "Folder for the results; made when missing.")]
AnalysedDir = Annotated[Path, argument("OUTPUT", "Output folder of 'genotex analyze' or 'solve'.")]
TraitNames = Annotated[
    tuple[str, ...], Option("A trait; repeat for several.", "--trait", default="all")
]
CohortNames = Annotated[
    tuple[str, ...],
    Option("A cohort (GSE..., TCGA); repeat for several.", "--cohort", default="all"),
]
Jobs = Annotated[int, Option("Number of parallel processes.", "--jobs", short="-j", least=1)]
Json = Annotated[bool, Option("Print JSON for machines.", "--json")]
TaskInfoFile = Annotated[
    Path | None,
    Option(
        "The benchmark's task_info.json: related genes of the traits, for another trait as "
        "condition and for the procedure benchmark.",
        "--task-info",
    ),
]
TraitListFile = Annotated[
    Path | None, Option("Your own trait list (TOML) in place of the packaged one.", "--traits")
]
Cohorts = Annotated[
    CohortsUsed,
    Option("all: also test every usable cohort and combine them gene by gene.", "--cohorts"),
]
SandboxMode = Annotated[
    Sandboxes,
    Option(
        "Isolation of generated code. require: refuse to run any if a mechanism is missing; "
        "best: use what this machine has, and record it; off: none.",
        "--sandbox",
    ),
]


@dataclass(frozen=True)
class Running:
    """How a command runs, and what it prints."""

    jobs: Jobs = 1
    force: Annotated[bool, Option("Redo what is already done.", "--force")] = False
    json: Json = False


_MACHINES = "Many machines"


@dataclass(frozen=True)
class Machines:
    """The workers of a command on other machines."""

    scheduler: Annotated[
        str | None,
        Option(
            "Run on Dask workers in place of --jobs: tcp://HOST:PORT; local:N, processes of "
            "this machine; slurm:workers=N,cores=N,memory=4GB,walltime=04:00:00,partition=NAME.",
            panel=_MACHINES,
            metavar="ADDRESS",
        ),
    ] = None
    job_script: Annotated[
        bool,
        Option(
            "Print the job script of slurm:, submit nothing and run nothing.",
            "--job-script",
            panel=_MACHINES,
        ),
    ] = False

    @contextmanager
    def executor(self, *needed: Path | None) -> Iterator[Executor | None]:
        """Give the executor; None where the command runs on this machine alone.

        Every worker must see the paths in `needed`.
        """
        if self.scheduler is None:
            if self.job_script:
                msg = "--job-script belongs to --scheduler slurm:...; give both"
                raise UsageError(msg)
            yield None
            return
        from genotex.cluster.address import check_installed, read_address

        address = read_address(self.scheduler)
        check_installed()
        if self.job_script:
            sys.stdout.write(address.job_script())
            raise typer.Exit
        from genotex.cluster.executor import DaskExecutor

        with DaskExecutor(address, [path for path in needed if path is not None]) as executor:
            yield executor


@dataclass(frozen=True)
class AskedProblem:
    """The problem that a command is about."""

    trait: Annotated[str, Option("The trait.")]
    condition: Annotated[str, Option("None, Age, Gender or another trait.")] = "None"

    @property
    def problem(self) -> Problem:
        """The problem; not a field, which would need the library before it is used."""
        return problem_named(self.trait, self.condition)


def problem_named(trait: str, condition: str) -> Problem:
    """Return the problem that a user named."""
    from genotex.problems import Problem, condition_named

    return Problem(trait, condition_named(condition))
