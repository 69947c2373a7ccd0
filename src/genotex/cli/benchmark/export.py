"""`genotex bench export`: the benchmark as tasks of other frameworks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.option_classes import with_options
from genotex.options import Option

app = typer.Typer(no_args_is_help=True, help="Write the benchmark as tasks of other frameworks.")


@app.callback()
def _export() -> None:
    """Write the benchmark as tasks of other frameworks."""


@app.command()
@with_options
def harbor(
    source: Annotated[
        Path,
        typer.Argument(metavar="INPUT", help="Folder that holds GEO/<Trait>/<GSE>/ and TCGA/."),
    ],
    target: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder for the task folders; new or empty.")
    ],
    task_info: Annotated[Path, Option("The benchmark's task_info.json.")],
    reference: Annotated[Path, Option("Output folder with the reference results.", short="-r")],
    problems: Annotated[
        Path | None,
        Option("A list of problems, JSON or CSV.", default="all that the reference answers"),
    ] = None,
    tcga: Annotated[bool, Option("Add the TCGA studies to every task.", "--tcga/--no-tcga")] = True,
    install: Annotated[
        str | None,
        Option(
            "How the image gets genotex: what pip installs, or a wheel file.",
            metavar="REQUIREMENT",
            default="this version",
        ),
    ] = None,
    json: o.Json = False,
) -> None:
    r"""Write one task folder of Harbor for each problem.

    A task has instruction, environment with the raw files, tests that write
    the reward file, and a solution by the built-in rules.

    Examples:
      genotex bench export harbor world tasks \
          --task-info world/task_info.json -r world/reference

      harbor run -p tasks -a oracle
    """
    from genotex.bench.adapters.assignments import BenchmarkFolders
    from genotex.bench.adapters.harbor.export import export_harbor
    from genotex.problems import read_problems

    folders = BenchmarkFolders.find(source, reference, task_info)
    only = None if problems is None else read_problems(problems)
    with screen.progress("tasks") as step:
        written = export_harbor(folders, target, only, tcga=tcga, install=install, progress=step)
    if json:
        screen.print_json({"folder": str(target), "tasks": [path.name for path in written]})
        return
    screen.notify(f"{len(written)} task folders written to {target}")
    screen.notify(f"harbor run -p {target} -a oracle", "try")
