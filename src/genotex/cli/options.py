"""Arguments and options that several commands share, each declared once; checks of files to write.

Options that set a field of an options class are not here: see `genotex.cli.option_classes`.
"""

from __future__ import annotations

import gzip
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
    from genotex.layout import OutputFolder
    from genotex.parallel import Executor
    from genotex.problems import Problem


Sandboxes = Literal["require", "best", "off"]
CohortsUsed = Literal["auto", "largest", "all"]


def argument(name: str, what: str) -> Any:
    """Return the declaration of a parameter that is given by its place."""
    return typer.Argument(metavar=name, help=what)


InputDir = Annotated[
    Path, argument("INPUT", "Folder with GEO/<Trait>/<GSE>/, TCGA/<name>/ or any series.")
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
    Literal["largest", "all"],
    Option("all: also test every usable cohort and combine them gene by gene.", "--cohorts"),
]
CohortsOfTrait = Annotated[
    CohortsUsed,
    Option(
        "auto: combine all usable cohorts gene by gene where there are two or more, and answer by "
        "what replicates; largest: answer from the largest alone; all: as auto, and say why where "
        "they cannot be combined.",
        "--cohorts",
    ),
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

    def problem(self, output: OutputFolder | None = None) -> Problem:
        """Return the problem, of a trait as the output folder spells it."""
        trait = self.trait if output is None else output.trait_named(self.trait)
        return problem_named(trait, self.condition)


def problem_named(trait: str, condition: str) -> Problem:
    """Return the problem that a user named."""
    from genotex.problems import Problem, condition_named

    return Problem(trait, condition_named(condition))


def check_output_file(path: Path) -> None:
    """Refuse a path that no file can be written to."""
    if path.is_dir():
        msg = f"{path} is a folder; name a file to write, as {path / 'NAME'}"
        raise UsageError(msg)
    _check_above(path)


def refuse_edited(path: Path, force: bool) -> None:
    """Refuse to replace a file that may have been edited."""
    if path.exists() and not force:
        msg = f"{path} exists already, perhaps edited; replace it with --force"
        raise UsageError(msg)


def check_output_folder(path: Path) -> None:
    """Refuse a path that no folder can be made at."""
    if path.exists() and not path.is_dir():
        msg = f"{path} is a file; name a folder"
        raise UsageError(msg)
    _check_above(path)


def _check_above(path: Path) -> None:
    above = next((folder for folder in path.parents if folder.exists()), None)
    if above is not None and not above.is_dir():
        msg = f"{path} cannot be written: {above} is not a folder"
        raise UsageError(msg)


def check_other_file(output: Path, source: Path, holds: str) -> None:
    """Refuse to write results over their source, described by `holds` for the message."""
    if output.exists() and source.exists() and output.samefile(source):
        msg = f"{output} holds the {holds} to another file"
        raise UsageError(msg)


def write_text(path: Path, text: str) -> None:
    """Write a text whole or not at all, in UTF-8, compressed where the name ends in ``.gz``."""
    from genotex.io import atomic_write

    content = text.encode("utf-8")
    if path.suffix.lower() == ".gz":
        # Without a time stamp the same text gives the same bytes.
        content = gzip.compress(content, mtime=0)
    with atomic_write(path) as part:
        part.write_bytes(content)
