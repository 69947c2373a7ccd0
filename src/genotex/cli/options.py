"""Options that several commands share, declared once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "CaseValues",
    "CohortNames",
    "ControlRoles",
    "ControlValues",
    "Controls",
    "EncodingFile",
    "Force",
    "GeneTableFile",
    "InputDir",
    "Jobs",
    "Json",
    "OutputDir",
    "ProcedureName",
    "Procedures",
    "QCut",
    "ScaleName",
    "Scales",
    "TraitNames",
]


class Procedures(StrEnum):
    """The two procedures."""

    sound = "sound"
    benchmark = "benchmark"


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


InputDir = Annotated[
    Path, typer.Argument(help="Folder that holds GEO/<Trait>/<GSE>/ and TCGA/<name>/.")
]
OutputDir = Annotated[Path, typer.Argument(help="Folder for the results; made when missing.")]
TraitNames = Annotated[
    list[str] | None, typer.Option("--trait", help="A trait; repeat for several. [default: all]")
]
CohortNames = Annotated[
    list[str] | None,
    typer.Option("--cohort", help="A cohort (GSE..., TCGA); repeat for several. [default: all]"),
]
ProcedureName = Annotated[
    Procedures,
    typer.Option("--procedure", help="sound statistics, or the published benchmark's steps."),
]
EncodingFile = Annotated[
    Path | None,
    typer.Option("--encoding", help="Encoding file written by 'genotex clinical show --save'."),
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
    typer.Option("--gene-table", help="NCBI gene_info or gene_synonym.json to use instead."),
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes side by side.")]
Force = Annotated[bool, typer.Option("--force", help="Do again what is already done.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
QCut = Annotated[
    float,
    typer.Option("--q", min=0.0, max=1.0, help="Genes with a smaller q-value are significant."),
]
