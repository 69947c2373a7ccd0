from .cohort_choice import (
    FOR_REVIEW as FOR_REVIEW,
    CohortChoice as CohortChoice,
    UsableCohorts as UsableCohorts,
    choose_cohort as choose_cohort,
    groups_to_review as groups_to_review,
    usable_cohorts as usable_cohorts,
)
from .pair_choice import (
    PairChoice as PairChoice,
    choose_pair as choose_pair,
    regressor_genes as regressor_genes,
)
from .pair_rules import (
    DEFAULT_THRESHOLD as DEFAULT_THRESHOLD,
    ConditionFacts as ConditionFacts,
    PairComparison as PairComparison,
    PairDifference as PairDifference,
    PairRule as PairRule,
    PairVerdict as PairVerdict,
    RuleCount as RuleCount,
    build_conditions as build_conditions,
    compare_pairs as compare_pairs,
    describe_condition as describe_condition,
    describe_conditions as describe_conditions,
    judge_pair as judge_pair,
)
from .problem import (
    Problem as Problem,
    ProblemKind as ProblemKind,
    condition_named as condition_named,
    read_problems as read_problems,
    sample_problems as sample_problems,
    write_problems as write_problems,
)
from .related_genes import (
    Associations as Associations,
    GeneOverlap as GeneOverlap,
    RelatedGenes as RelatedGenes,
    find_related_genes as find_related_genes,
    read_associations as read_associations,
)
from .task_info import (
    WHERE_TO_GET as WHERE_TO_GET,
    CategoryCount as CategoryCount,
    Finding as Finding,
    GeneCount as GeneCount,
    ProblemCounts as ProblemCounts,
    TaskInfo as TaskInfo,
    TraitInfo as TraitInfo,
    check_task_info as check_task_info,
    count_problems as count_problems,
    write_task_info as write_task_info,
)
from .trait_list import (
    ListedTrait as ListedTrait,
    TraitList as TraitList,
    read_disease_ids as read_disease_ids,
)
