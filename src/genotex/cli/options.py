"""Options that several commands share, declared once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "ABOVE_0",
    "BENCHMARK",
    "SOUND",
    "TWO_STEP",
    "AnalysedDir",
    "CaseValues",
    "CohortNames",
    "Cohorts",
    "CohortsUsed",
    "ConditionCohort",
    "ControlRoles",
    "ControlValues",
    "Controls",
    "Covariates",
    "EncodingFile",
    "ExcludeOutliers",
    "FilterLow",
    "Force",
    "GeneTableFile",
    "HiddenMode",
    "HiddenModes",
    "InputDir",
    "Jobs",
    "Json",
    "KnownBatch",
    "LeastCertainty",
    "LevelModes",
    "Levels",
    "MinEffect",
    "OutputDir",
    "Pair",
    "ProcedureName",
    "Procedures",
    "QCut",
    "RegressorRules",
    "Regressors",
    "Robust",
    "SandboxMode",
    "Sandboxes",
    "ScaleName",
    "Scales",
    "Seed",
    "SolverName",
    "Solvers",
    "TaskInfoFile",
    "TestName",
    "Tests",
    "TraitListFile",
    "TraitNames",
    "Trend",
    "VocabularyFile",
    "WeightModes",
    "Weights",
    "WithPanel",
    "above_0",
]


class Procedures(StrEnum):
    """The two procedures."""

    sound = "sound"
    benchmark = "benchmark"


class Sandboxes(StrEnum):
    """What to do where walls around written code cannot be put up."""

    require = "require"
    best = "best"
    off = "off"


class ControlRoles(StrEnum):
    """Which controls cases are compared with."""

    auto = "auto"
    healthy = "healthy"
    all = "all"


class Scales(StrEnum):
    """The scale of expression values."""

    auto = "auto"
    log2 = "log2"
    linear = "linear"


class Tests(StrEnum):
    """The test that ranks the genes."""

    moderated = "moderated"
    mixed = "mixed"
    all = "all"


class HiddenModes(StrEnum):
    """How unmeasured confounding is adjusted for."""

    auto = "auto"
    none = "none"
    sva = "sva"
    two_step = "two-step"


class WeightModes(StrEnum):
    """Which samples are weighted."""

    auto = "auto"
    none = "none"
    group = "group"
    sample = "sample"


class LevelModes(StrEnum):
    """How a trait with several levels is tested."""

    auto = "auto"
    line = "line"
    factor = "factor"
    ordered = "ordered"


class Solvers(StrEnum):
    """How the published Lasso is solved."""

    scikit_learn = "scikit-learn"
    exact = "exact"


class RegressorRules(StrEnum):
    """Which genes predict the condition of a two-step problem."""

    inclusive = "inclusive"
    exclusive = "exclusive"


class CohortsUsed(StrEnum):
    """One cohort, or the evidence of all."""

    largest = "largest"
    all = "all"


InputDir = Annotated[
    Path,
    typer.Argument(metavar="INPUT", help="Folder that holds GEO/<Trait>/<GSE>/ and TCGA/<name>/."),
]
OutputDir = Annotated[
    Path, typer.Argument(metavar="OUTPUT", help="Folder for the results; made when missing.")
]
AnalysedDir = Annotated[
    Path,
    typer.Argument(metavar="OUTPUT", help="Output folder of 'genotex analyze' or 'solve'."),
]
TraitNames = Annotated[
    list[str] | None,
    typer.Option("--trait", help="A trait; repeat for several.", show_default="all"),
]
CohortNames = Annotated[
    list[str] | None,
    typer.Option(
        "--cohort", help="A cohort (GSE..., TCGA); repeat for several.", show_default="all"
    ),
]
ProcedureName = Annotated[
    Procedures,
    typer.Option("--procedure", help="sound statistics, or the published benchmark's steps."),
]
EncodingFile = Annotated[
    Path | None,
    typer.Option("--encoding", help="Encoding file written by 'genotex clinical show --save'."),
]
VocabularyFile = Annotated[
    Path | None,
    typer.Option(
        "--vocabulary",
        help="Words of your own for reading traits; start with 'genotex clinical words'.",
    ),
]
LeastCertainty = Annotated[
    float,
    typer.Option(
        "--least-certainty",
        min=0.0,
        max=1.0,
        help="Take the trait as not available where its reading is less certain than this.",
    ),
]
CaseValues = Annotated[
    list[str] | None,
    typer.Option("--case", help="A raw value that makes a sample a case; repeat for several."),
]
ControlValues = Annotated[
    list[str] | None,
    typer.Option("--control", help="A raw value that makes a sample a control; repeat."),
]
Controls = Annotated[
    ControlRoles,
    typer.Option(
        "--controls",
        help="Compare cases with healthy controls, or with all. "
        "auto: healthy ones when there are at least five.",
    ),
]
ScaleName = Annotated[
    Scales, typer.Option("--scale", help="Scale of the expression values (sound only).")
]
GeneTableFile = Annotated[
    Path | None,
    typer.Option(
        "--gene-table",
        help="NCBI gene_info, gene_synonym.json, or the genes.parquet of 'genotex fetch genes', to "
        "use instead.",
    ),
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes side by side.")]
Force = Annotated[bool, typer.Option("--force", help="Do again what is already done.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
ABOVE_0 = "<float range> [0<x<=1]"


def above_0(value: float) -> float:
    """Refuse a q-value that nothing can be below."""
    if not 0 < value <= 1:
        msg = f"{value:g} is not a q-value; use a number above 0 and at most 1"
        raise typer.BadParameter(msg)
    return value


QCut = Annotated[
    float,
    typer.Option(
        "--q",
        metavar=ABOVE_0,
        callback=above_0,
        help="Genes with a smaller q-value are significant.",
    ),
]

SOUND = "Procedure sound"
BENCHMARK = "Procedure benchmark"
TWO_STEP = "Another trait as condition"

TaskInfoFile = Annotated[
    Path | None,
    typer.Option(
        "--task-info",
        help="The benchmark's task_info.json: related genes of the traits, for another trait as "
        "condition and for the procedure benchmark.",
    ),
]
TraitListFile = Annotated[
    Path | None,
    typer.Option("--traits", help="A trait list of your own (TOML) in place of the packaged one."),
]
Cohorts = Annotated[
    CohortsUsed,
    typer.Option(
        "--cohorts", help="all: test every usable cohort and combine them gene by gene as well."
    ),
]
TestName = Annotated[
    Tests,
    typer.Option(
        "--test",
        help="Which statistical test ranks the genes: the moderated t, or that of a mixed model, "
        "the conservative second opinion; all reports both.",
        rich_help_panel=SOUND,
    ),
]
HiddenMode = Annotated[
    HiddenModes,
    typer.Option(
        "--hidden",
        help="Unmeasured confounding (batches, cell mixture): auto adjusts for factors found in "
        "all genes, unless they look like the trait's own signal; sva and two-step as R's sva.",
        rich_help_panel=SOUND,
    ),
]
Covariates = Annotated[
    str,
    typer.Option(
        "--covariates",
        help="What to adjust for, with commas: Age, Gender, any characteristic; none for nothing.",
        rich_help_panel=SOUND,
    ),
]
Pair = Annotated[
    str | None,
    typer.Option(
        "--pair",
        metavar="KEY",
        help="Samples with the same value of this characteristic are of the same person: pairs are "
        "compared within themselves, incomplete ones as correlated samples, repeats averaged. "
        "'detected' takes people whom the correlation of expression shows.",
        rich_help_panel=SOUND,
    ),
]
ExcludeOutliers = Annotated[
    bool,
    typer.Option(
        "--exclude-outliers",
        help="Leave out samples that differ from the others as a whole.",
        rich_help_panel=SOUND,
    ),
]
FilterLow = Annotated[
    bool,
    typer.Option(
        "--filter/--no-filter",
        help="Leave out genes that are low in nearly all samples.",
        rich_help_panel=SOUND,
    ),
]
Weights = Annotated[
    WeightModes,
    typer.Option(
        "--weights",
        help="Weigh samples by their spread: auto where groups differ in it, group always, sample "
        "for one weight each.",
        rich_help_panel=SOUND,
    ),
]
Levels = Annotated[
    LevelModes,
    typer.Option(
        "--levels",
        help="A trait with several levels, as 0, 1, 2: line tests a trend, ordered a trend and "
        "departures from it, factor any difference among the levels and each pair. auto takes "
        "3 to 8 values of 3 samples or more each for ordered.",
        rich_help_panel=SOUND,
    ),
]
Robust = Annotated[
    bool,
    typer.Option(
        "--robust/--no-robust",
        help="Keep hypervariable genes out of the prior of the variances.",
        rich_help_panel=SOUND,
    ),
]
MinEffect = Annotated[
    float,
    typer.Option(
        "--min-effect",
        min=0.0,
        help="Test whether genes change by more than this (log2), not only whether they change.",
        rich_help_panel=SOUND,
    ),
]
KnownBatch = Annotated[
    bool,
    typer.Option(
        "--batch/--no-batch",
        help="Adjust for a batch that the characteristics name.",
        rich_help_panel=SOUND,
    ),
]
Trend = Annotated[
    bool,
    typer.Option(
        "--trend/--no-trend",
        help="Let the prior variance follow mean expression (limma's trend).",
        rich_help_panel=SOUND,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed", min=0, help="Seed of permutations, folds and halves.", rich_help_panel=SOUND
    ),
]
WithPanel = Annotated[
    bool,
    typer.Option(
        "--panel/--no-panel",
        help="Fit the sparse panel with its cross-validation.",
        rich_help_panel=SOUND,
    ),
]
SolverName = Annotated[
    Solvers,
    typer.Option(
        "--solver",
        help="scikit-learn as the benchmark runs it, or the exact optimum of its objective.",
        rich_help_panel=BENCHMARK,
    ),
]
Regressors = Annotated[
    RegressorRules,
    typer.Option(
        "--regressors",
        help="exclusive: related genes of the trait do not predict the condition.",
        rich_help_panel=TWO_STEP,
    ),
]
ConditionCohort = Annotated[
    str | None,
    typer.Option(
        "--condition-cohort",
        help="Predict the condition from this cohort of it.",
        rich_help_panel=TWO_STEP,
    ),
]
SandboxMode = Annotated[
    Sandboxes,
    typer.Option(
        "--sandbox",
        help="Walls around written code. require: refuse to run any where one is missing; best: "
        "use what this machine has, and record it; off: none.",
    ),
]
