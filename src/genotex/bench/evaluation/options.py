"""Options of an evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from genotex.bench.evaluation.figures import MetricsVersion, Table
from genotex.bench.evaluation.rules import RulesName
from genotex.options import RegressorRule
from genotex.problems import Problem

Task = Literal["selection", "preprocessing", "analysis"]
TASKS: tuple[Task, ...] = get_args(Task)
DEFAULT_TABLES: tuple[Table, ...] = get_args(Table)

CohortFlag = Literal[
    "is_available", "is_usable", "is_gene_available", "is_trait_available",
    "is_biased", "has_age", "has_gender",
]  # fmt: skip
"""A flag of ``cohort_info.json`` that dataset filtering can be scored by."""

GeneUniverse = Path | Literal["reference"] | None
"""Where the list of all genes comes from: a file, the reference's linked tables, nowhere."""


@dataclass(frozen=True)
class EvaluationOptions:
    """What to score, and how.

    Attributes
    ----------
    tasks
        None: every task that the reference has a folder for.
    tables
        Of the task preprocessing.
    task_info
        Where the problems of dataset selection come from; None: see `pose_problems`.
    metrics : {"default", "legacy"}
        ``legacy`` computes AUROC and trait prediction as the benchmark's older code does.
    df_field
        What dataset filtering is about.
    regressors : {"inclusive", "exclusive"}
        Which genes a pair of cohorts must share to be chosen.
    gene_universe
        All genes that could have been found: one symbol a line; the genes of the linked table of
        the cohort that the reference chooses; or about 20,000 unnamed ones.
    repair_reference
        Transpose what is clearly transposed among the reference's tables, and leave out those
        without names.
    problems
        Score these problems and the cohorts of their traits alone; None: all of the reference.
    rules : {"genotex", "published"}
        ``published`` treats odd cases as the published scorer does (see `ScoringRules`).
    """

    tasks: tuple[Task, ...] | None = None
    tables: tuple[Table, ...] = DEFAULT_TABLES
    task_info: Path | None = None
    metrics: MetricsVersion = "default"
    df_field: CohortFlag = "is_available"
    regressors: RegressorRule = "exclusive"
    gene_universe: GeneUniverse = None
    repair_reference: bool = False
    problems: tuple[Problem, ...] | None = None
    rules: RulesName = "genotex"
