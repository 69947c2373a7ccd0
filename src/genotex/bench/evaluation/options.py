"""Options of an evaluation, and the rules for odd cases: ours, and the published scorer's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from genotex.bench.evaluation.figures import MetricsVersion, Table
from genotex.options import RegressorRule
from genotex.problems import Problem

RulesName = Literal["genotex", "published"]


@dataclass(frozen=True)
class ScoringRules:
    """What differs between two ways to score; ordinary cases are the same in both."""

    name: RulesName  # as on the command line and in the settings of the scores
    words: str  # what tables state
    # precision, recall and F1 (percent) of filtering where no cohort is available on either side
    nothing_available: float = 100.0
    # a missing `cohort_info.json` lists no cohort, instead of scoring 0
    missing_is_unavailable: bool = False
    # an item whose JSON cannot be read, on either side, is left out of the averages
    drops_unreadable: bool = False
    drops_null_sizes: bool = False  # a cohort whose `sample_size` is null is never chosen
    # a table with repeated rows or without any cell scores 0, and repeated columns get names of
    # their own (`X`, `X.1`)
    tables_as_pandas: bool = False
    # a repeated gene counts each time in precision and ES, and at its last place in AUROC and AUPRC
    repeats_count: bool = False
    any_names: bool = False  # numbers and null among the genes name no gene; a text is its letters
    any_figure: bool = False  # an accuracy of 999 counts as it is, not as 0
    # accuracy and F1 of the trait are what the answer states, whatever the trait, else 0
    trait_as_stated: bool = False

    @property
    def suffix(self) -> str:
        """What titles of tables end with; nothing for our own rules."""
        return "" if self.name == "genotex" else f" (rules: {self.words})"


OURS = ScoringRules("genotex", "genotex")
PUBLISHED = ScoringRules(
    "published",
    "published scorer",
    nothing_available=0.0,
    missing_is_unavailable=True,
    drops_unreadable=True,
    drops_null_sizes=True,
    tables_as_pandas=True,
    repeats_count=True,
    any_names=True,
    any_figure=True,
    trait_as_stated=True,
)
RULES: Mapping[RulesName, ScoringRules] = {rules.name: rules for rules in (OURS, PUBLISHED)}


def rules_of(settings: Mapping[str, object]) -> ScoringRules:
    """Return the rules that scores were made by; scores of earlier versions follow ours."""
    return PUBLISHED if settings.get("rules") == PUBLISHED.name else OURS


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
