"""Gene-trait association problems and the cohorts that fit them."""

from genotex.problems.cohort_choice import (
    CohortChoice,
    UsableCohorts,
    choose_cohort,
    usable_cohorts,
)
from genotex.problems.pair_choice import PairChoice, choose_pair
from genotex.problems.problem import Problem, ProblemKind, condition_named
from genotex.problems.problem_list import read_problems, sample_problems, write_problems
from genotex.problems.regressors import RegressorRule, regressor_genes
from genotex.problems.task_info import TaskInfo, TraitInfo

__all__ = [
    "CohortChoice",
    "PairChoice",
    "Problem",
    "ProblemKind",
    "RegressorRule",
    "TaskInfo",
    "TraitInfo",
    "UsableCohorts",
    "choose_cohort",
    "choose_pair",
    "condition_named",
    "read_problems",
    "regressor_genes",
    "sample_problems",
    "usable_cohorts",
    "write_problems",
]
