"""Gene-trait association problems: their list, how it is built, and the cohorts that fit them."""

from genotex.bench.problems.cohort_choice import (
    CohortChoice,
    UsableCohorts,
    choose_cohort,
    usable_cohorts,
)
from genotex.bench.problems.pair_choice import (
    PairChoice,
    RegressorRule,
    choose_pair,
    regressor_genes,
)
from genotex.bench.problems.pair_comparison import PairComparison, PairDifference, compare_pairs
from genotex.bench.problems.pair_rules import (
    DEFAULT_THRESHOLD,
    ConditionFacts,
    PairRule,
    PairVerdict,
    build_conditions,
    describe_condition,
    describe_conditions,
    judge_pair,
)
from genotex.bench.problems.problem import (
    Problem,
    ProblemKind,
    condition_named,
    read_problems,
    sample_problems,
    write_problems,
)
from genotex.bench.problems.related_genes import (
    DEFAULT_SCORE,
    GeneOverlap,
    RelatedGenes,
    find_related_genes,
)
from genotex.bench.problems.task_info import (
    WHERE_TO_GET,
    ProblemCounts,
    TaskInfo,
    TraitInfo,
    count_problems,
    write_task_info,
)
from genotex.bench.problems.task_info_check import Finding, check_task_info
from genotex.bench.problems.trait_list import ListedTrait, TraitList, read_disease_ids

__all__ = [
    "DEFAULT_SCORE",
    "DEFAULT_THRESHOLD",
    "WHERE_TO_GET",
    "CohortChoice",
    "ConditionFacts",
    "Finding",
    "GeneOverlap",
    "ListedTrait",
    "PairChoice",
    "PairComparison",
    "PairDifference",
    "PairRule",
    "PairVerdict",
    "Problem",
    "ProblemCounts",
    "ProblemKind",
    "RegressorRule",
    "RelatedGenes",
    "TaskInfo",
    "TraitInfo",
    "TraitList",
    "UsableCohorts",
    "build_conditions",
    "check_task_info",
    "choose_cohort",
    "choose_pair",
    "compare_pairs",
    "condition_named",
    "count_problems",
    "describe_condition",
    "describe_conditions",
    "find_related_genes",
    "judge_pair",
    "read_disease_ids",
    "read_problems",
    "regressor_genes",
    "sample_problems",
    "usable_cohorts",
    "write_problems",
    "write_task_info",
]
