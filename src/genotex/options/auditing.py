"""Options of the audit of cohorts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from genotex.options.fields import Option, Scale


@dataclass(frozen=True)
class AuditOptions:
    """How cohorts are read for their audit; the fields are described by their help texts."""

    trait: Annotated[
        str | None,
        Option("Trait whose cases and controls are the groups.", default="that of the folder"),
    ] = None
    group: Annotated[
        str | None,
        Option(
            "Column of the sample table with the groups.",
            metavar="COLUMN",
            default="group, condition, disease and the like",
        ),
    ] = None
    cohorts: Annotated[
        tuple[str, ...],
        Option("Audit this series or table; repeat for several.", "--cohort", default="all"),
    ] = ()
    scale: Annotated[Scale, Option("Scale of the values; auto recognises it and says so.")] = "auto"
    platform: Annotated[
        Path | None, Option("Annotation of probes: a GPL file, or any table of them.")
    ] = None
