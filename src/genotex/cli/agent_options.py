"""Options of `genotex agent`: whom to ask, how the team works, and how much it may use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "AllowUnknown",
    "AtOnce",
    "CellTime",
    "ConditionName",
    "Engineer",
    "Expert",
    "MaxCost",
    "MaxRetract",
    "MaxRounds",
    "MaxTime",
    "MaxTokens",
    "ModelName",
    "ModelSettingsFile",
    "Planner",
    "Planning",
    "ProblemFile",
    "Reuse",
    "Reviewer",
    "RunFolder",
    "Statistician",
    "Structured",
    "TimeLimit",
    "TraitName",
    "WithExpert",
    "WithReviewer",
]

MODELS, WAYS, LIMITS = "Models", "Ways of the team", "Limits"

RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="Output folder of the run.")]
MaxCost = Annotated[
    float | None,
    typer.Option(
        "--max-cost", metavar="DOLLARS", help="Stop before more is spent.", rich_help_panel=LIMITS
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option("--max-tokens", help="Stop before more are used.", rich_help_panel=LIMITS),
]
MaxTime = Annotated[
    float | None,
    typer.Option(
        "--max-time", metavar="SECONDS", help="Stop after so long.", rich_help_panel=LIMITS
    ),
]
AllowUnknown = Annotated[
    bool,
    typer.Option(
        "--allow-unknown-cost",
        help="Go on where prices or tokens are not known.",
        rich_help_panel=LIMITS,
    ),
]
AtOnce = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Notebooks side by side.")]

TraitName = Annotated[str | None, typer.Option("--trait", help="The trait.")]

ConditionName = Annotated[
    str, typer.Option("--condition", help="None, Age, Gender or another trait.")
]

ProblemFile = Annotated[
    Path | None, typer.Option("--problems", help="A list of problems, JSON or CSV.")
]

ModelName = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="The language model that plays the roles: PROVIDER:MODEL, with @ADDRESS behind for "
        "openai-compatible, or replay:FILE; rules needs none and no key.",
        rich_help_panel=MODELS,
    ),
]

Planner = Annotated[
    str | None,
    typer.Option("--model.planner", help="Chooses the next step.", rich_help_panel=MODELS),
]

Engineer = Annotated[
    str | None,
    typer.Option("--model.engineer", help="Prepares cohorts.", rich_help_panel=MODELS),
]

Statistician = Annotated[
    str | None,
    typer.Option("--model.statistician", help="Answers problems.", rich_help_panel=MODELS),
]

Reviewer = Annotated[
    str | None,
    typer.Option("--model.reviewer", help="Judges code.", rich_help_panel=MODELS),
]

Expert = Annotated[
    str | None,
    typer.Option("--model.expert", help="Knows biomedicine.", rich_help_panel=MODELS),
]

ModelSettingsFile = Annotated[
    Path | None,
    typer.Option("--settings", help="TOML file with settings of models.", rich_help_panel=MODELS),
]

MaxRounds = Annotated[
    int,
    typer.Option("--max-rounds", help="Most reviews of a step.", rich_help_panel=WAYS),
]

MaxRetract = Annotated[
    int,
    typer.Option("--max-retract", help="How often a notebook may go back.", rich_help_panel=WAYS),
]

Planning = Annotated[
    bool,
    typer.Option("--planning/--no-planning", help="Plan each step.", rich_help_panel=WAYS),
]

WithExpert = Annotated[
    bool,
    typer.Option("--expert/--no-expert", help="Consult the expert.", rich_help_panel=WAYS),
]

WithReviewer = Annotated[
    bool,
    typer.Option("--reviewer/--no-reviewer", help="Review code.", rich_help_panel=WAYS),
]

Reuse = Annotated[
    bool,
    typer.Option(
        "--reuse/--no-reuse", help="Try approved code in later notebooks.", rich_help_panel=WAYS
    ),
]

Structured = Annotated[
    bool,
    typer.Option(
        "--structured",
        help="Ask for the clinical facts as data; no code is written.",
        rich_help_panel=WAYS,
    ),
]

TimeLimit = Annotated[
    float,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="Time for a notebook; waiting does not count.",
        rich_help_panel=LIMITS,
    ),
]

CellTime = Annotated[
    float,
    typer.Option("--cell-time", metavar="SECONDS", help="Time for a cell.", rich_help_panel=LIMITS),
]
