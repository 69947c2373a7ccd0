"""Options of `genotex bench run`: which problems, by what, and how long."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from genotex.cli import agent_options as a
from genotex.cli import options as o

__all__ = [
    "AnswerFile",
    "CellTime",
    "Command",
    "GeneNumber",
    "MethodName",
    "OfTraits",
    "OwnCohorts",
    "PassEnv",
    "Preprocessed",
    "PresetName",
    "ProblemFile",
    "ProcedureName",
    "RawInput",
    "Retry",
    "Sample",
    "Sandbox",
    "Seed",
    "TaskList",
    "TimeLimit",
]

WHICH, PLUG_IN = "Which problems", "Plug-ins"

RawInput = Annotated[
    Path,
    typer.Argument(
        metavar="INPUT",
        help="Folder that holds GEO/<Trait>/<GSE>/ and TCGA/<name>/; - for none.",
    ),
]

TaskList = Annotated[Path, typer.Option("--task-info", help="The benchmark's task_info.json.")]

MethodName = Annotated[
    str | None,
    typer.Option(
        "--method",
        help="rules, lasso, mixed-model, no-bec, random, zero-shot, or the name of an "
        "installed plug-in.",
        show_default="rules",
    ),
]

PresetName = Annotated[
    str | None,
    typer.Option(
        "--preset",
        metavar="NAME",
        help="A method or an ablation of the paper: full, no-planning, no-expert, one-round, "
        "no-reviewer, codeact and structured ask a model; zero-shot asks one or takes "
        "--answers; rules, lasso, mixed-model, no-bec and random are methods.",
    ),
]

Preprocessed = Annotated[
    Path | None,
    typer.Option(
        "--preprocessed",
        metavar="FOLDER",
        help="Take the cohorts of this output folder; nothing is written there.",
    ),
]

ProcedureName = Annotated[
    o.Procedures | None,
    typer.Option(
        "--procedure",
        help="By which cohorts are preprocessed and, with rules, analysed.",
        show_default="that of the method, else sound",
    ),
]

GeneNumber = Annotated[
    int | None,
    typer.Option("--genes", help="random: how many genes.", show_default="300"),
]

AnswerFile = Annotated[
    Path | None,
    typer.Option("--answers", help='zero-shot: lines of {"trait", "condition", "genes"}.'),
]

Seed = Annotated[int, typer.Option("--seed", min=0, help="For all that is random.")]

TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="End a problem that takes longer; with agents a cohort or a problem.",
        show_default="none; with agents 420",
    ),
]

Retry = Annotated[bool, typer.Option("--retry", help="Try again every problem that failed.")]

ProblemFile = Annotated[
    Path | None,
    typer.Option(
        "--problems",
        help="A list of problems, JSON or CSV.",
        show_default="all of the task list",
        rich_help_panel=WHICH,
    ),
]

OfTraits = Annotated[
    list[str] | None,
    typer.Option("--trait", help="Only of this trait; repeat.", rich_help_panel=WHICH),
]

Sample = Annotated[
    int | None,
    typer.Option(
        "--sample",
        metavar="N",
        help="So many of them, drawn by the seed, each kind in proportion.",
        rich_help_panel=WHICH,
    ),
]

Command = Annotated[
    str | None,
    typer.Option(
        "--command",
        help="A program that is told each problem as JSON on its standard input.",
        rich_help_panel=PLUG_IN,
    ),
]

PassEnv = Annotated[
    list[str] | None,
    typer.Option(
        "--pass-env",
        metavar="NAME",
        help="Give the command this environment variable; repeat. It gets no other.",
        rich_help_panel=PLUG_IN,
    ),
]

OwnCohorts = Annotated[
    bool,
    typer.Option(
        "--own-cohorts",
        help="The plug-in preprocesses the cohorts itself.",
        rich_help_panel=PLUG_IN,
    ),
]

Sandbox = Annotated[
    o.Sandboxes | None,
    typer.Option(
        "--sandbox",
        help="Walls around code that agents write: require, best or off.",
        show_default="require",
        rich_help_panel=a.MODELS,
    ),
]

CellTime = Annotated[
    float | None,
    typer.Option(
        "--cell-time",
        metavar="SECONDS",
        help="Time for a cell that agents wrote.",
        show_default="180",
        rich_help_panel=a.LIMITS,
    ),
]
