"""Evidence beyond one cohort: the same genes tested in several, and combined."""

from genotex.analysis.meta.cohorts import analyze_cohorts, combine_results
from genotex.analysis.meta.effects import (
    CombinedEffects,
    combine_effects,
    partial_conjunction,
    replication_q,
    stouffer,
)
from genotex.analysis.meta.gene_table import COHORT_COLUMNS, META_COLUMNS
from genotex.analysis.meta.heterogeneity import (
    Heterogeneity,
    NullScores,
    common_effect_p,
    estimate_heterogeneity,
    null_scores,
)
from genotex.analysis.meta.methods import (
    METHODS,
    CohortStatistics,
    CombinationMethod,
    method_sentence,
)
from genotex.analysis.meta.result import (
    CohortFacts,
    MetaResult,
    read_meta,
    remove_meta,
    write_meta,
)

__all__ = [
    "COHORT_COLUMNS",
    "META_COLUMNS",
    "METHODS",
    "CohortFacts",
    "CohortStatistics",
    "CombinationMethod",
    "CombinedEffects",
    "Heterogeneity",
    "MetaResult",
    "NullScores",
    "analyze_cohorts",
    "combine_effects",
    "combine_results",
    "common_effect_p",
    "estimate_heterogeneity",
    "method_sentence",
    "null_scores",
    "partial_conjunction",
    "read_meta",
    "remove_meta",
    "replication_q",
    "stouffer",
    "write_meta",
]
