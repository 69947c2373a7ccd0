"""Gene-trait association problems and the cohorts that fit them."""

from genotex.problems.cohort_choice import CohortChoice, choose_cohort
from genotex.problems.pair_choice import PairChoice, choose_pair
from genotex.problems.problem import Problem, ProblemKind
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
    "choose_cohort",
    "choose_pair",
    "regressor_genes",
]
