"""Which genes are associated with a trait, with evidence."""

from genotex.analysis.batch import ProblemOutcome, solve_problems
from genotex.analysis.enrichment import Enrichment, EnrichmentOptions, enrich
from genotex.analysis.enrichment_files import enrich_problem, read_enrichment, write_enrichment
from genotex.analysis.options import AnalysisOptions
from genotex.analysis.problem_data import DataChoice, ProblemData, choose_data, read_data
from genotex.analysis.result import GENE_COLUMNS, AnalysisResult, read_result, write_result
from genotex.analysis.solving import (
    analyze_data,
    analyze_table,
    check_request,
    solve_problem,
)
from genotex.analysis.trait_effects import TraitEffects, read_trait_effects

__all__ = [
    "GENE_COLUMNS",
    "AnalysisOptions",
    "AnalysisResult",
    "DataChoice",
    "Enrichment",
    "EnrichmentOptions",
    "ProblemData",
    "ProblemOutcome",
    "TraitEffects",
    "analyze_data",
    "analyze_table",
    "check_request",
    "choose_data",
    "enrich",
    "enrich_problem",
    "read_data",
    "read_enrichment",
    "read_result",
    "read_trait_effects",
    "solve_problem",
    "solve_problems",
    "write_enrichment",
    "write_result",
]
