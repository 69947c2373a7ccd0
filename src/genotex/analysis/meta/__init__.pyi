from .choosing import people_table as people_table
from .cohorts import analyze_cohorts as analyze_cohorts, combine_results as combine_results
from .effects import (
    CombinedEffects as CombinedEffects,
    combine_effects as combine_effects,
    partial_conjunction as partial_conjunction,
    replication_q as replication_q,
    stouffer as stouffer,
)
from .gene_table import COHORT_COLUMNS as COHORT_COLUMNS, META_COLUMNS as META_COLUMNS
from .methods import (
    Heterogeneity as Heterogeneity,
    NullScores as NullScores,
    common_effect_p as common_effect_p,
    estimate_heterogeneity as estimate_heterogeneity,
    null_scores as null_scores,
)
from .methods import (
    CohortStatistics as CohortStatistics,
    CombinationMethod as CombinationMethod,
    METHODS as METHODS,
    method_sentence as method_sentence,
)
from .result import (
    CohortFacts as CohortFacts,
    MetaResult as MetaResult,
    read_meta as read_meta,
    remove_meta as remove_meta,
    write_meta as write_meta,
)
from .stories import gene_stories as gene_stories
