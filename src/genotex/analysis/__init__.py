"""Which genes are associated with a trait, with evidence."""

from genotex.analysis.blocks import blocked_by
from genotex.analysis.confounders import estimate_confounders
from genotex.analysis.contrast import Contrast, choose_contrast
from genotex.analysis.design import Design, build_design
from genotex.analysis.enrichment import TEST_COLUMNS, Enrichment, EnrichmentOptions, enrich
from genotex.analysis.enrichment_files import enrich_problem, read_enrichment, write_enrichment
from genotex.analysis.gene_set_tests import camera, effect_matrix, fry
from genotex.analysis.gene_sets import over_representation, ranked_enrichment
from genotex.analysis.gene_table import GENE_COLUMNS
from genotex.analysis.linear import fit_last_column
from genotex.analysis.mixed import fit_mixed
from genotex.analysis.moderated import moderate
from genotex.analysis.options import AnalysisOptions
from genotex.analysis.p_values import benjamini_hochberg
from genotex.analysis.panel import fit_panel
from genotex.analysis.pipeline import (
    ProblemOutcome,
    analyze_data,
    analyze_table,
    check_request,
    solve_problem,
    solve_problems,
)
from genotex.analysis.precision import Precision, consensus_correlation
from genotex.analysis.problem_data import (
    CohortData,
    ConditionCohort,
    DataChoice,
    ProblemData,
    choose_data,
    read_data,
)
from genotex.analysis.result import AnalysisResult, read_result, remove_result, write_result
from genotex.analysis.sample_blocks import detect_blocks
from genotex.analysis.sample_facts import DETECTED
from genotex.analysis.sample_quality import SampleQuality, check_samples, named_pools
from genotex.analysis.surrogate import find_reweighted_surrogates, find_surrogates
from genotex.analysis.trait_effects import TraitEffects, read_trait_effects

__all__ = [
    "DETECTED",
    "GENE_COLUMNS",
    "TEST_COLUMNS",
    "AnalysisOptions",
    "AnalysisResult",
    "CohortData",
    "ConditionCohort",
    "Contrast",
    "DataChoice",
    "Design",
    "Enrichment",
    "EnrichmentOptions",
    "Precision",
    "ProblemData",
    "ProblemOutcome",
    "SampleQuality",
    "TraitEffects",
    "analyze_data",
    "analyze_table",
    "benjamini_hochberg",
    "blocked_by",
    "build_design",
    "camera",
    "check_request",
    "check_samples",
    "choose_contrast",
    "choose_data",
    "consensus_correlation",
    "detect_blocks",
    "effect_matrix",
    "enrich",
    "enrich_problem",
    "estimate_confounders",
    "find_reweighted_surrogates",
    "find_surrogates",
    "fit_last_column",
    "fit_mixed",
    "fit_panel",
    "fry",
    "moderate",
    "named_pools",
    "over_representation",
    "ranked_enrichment",
    "read_data",
    "read_enrichment",
    "read_result",
    "read_trait_effects",
    "remove_result",
    "solve_problem",
    "solve_problems",
    "write_enrichment",
    "write_result",
]
