from .blocks import blocked_by as blocked_by
from .confounders import estimate_confounders as estimate_confounders
from .contrast import Contrast as Contrast, choose_contrast as choose_contrast
from .design import Design as Design, build_design as build_design
from .enrichment import Enrichment as Enrichment, TEST_COLUMNS as TEST_COLUMNS, enrich as enrich
from .enrichment_files import (
    enrich_problem as enrich_problem,
    read_enrichment as read_enrichment,
    write_enrichment as write_enrichment,
)
from .gene_set_tests import camera as camera, effect_matrix as effect_matrix, fry as fry
from .gene_sets import (
    over_representation as over_representation,
    ranked_enrichment as ranked_enrichment,
)
from .gene_table import GENE_COLUMNS as GENE_COLUMNS
from .linear import fit_last_column as fit_last_column
from .mixed import fit_mixed as fit_mixed
from .moderated import moderate as moderate
from .p_values import benjamini_hochberg as benjamini_hochberg
from .panel import fit_panel as fit_panel
from .pipeline import (
    ProblemOutcome as ProblemOutcome,
    analyze_data as analyze_data,
    analyze_table as analyze_table,
    check_request as check_request,
    solve_problem as solve_problem,
    solve_problems as solve_problems,
)
from .precision import Precision as Precision, consensus_correlation as consensus_correlation
from .problem_data import (
    CohortData as CohortData,
    ConditionCohort as ConditionCohort,
    DataChoice as DataChoice,
    ProblemData as ProblemData,
    choose_data as choose_data,
    read_data as read_data,
)
from .result import (
    AnalysisResult as AnalysisResult,
    read_result as read_result,
    remove_result as remove_result,
    write_result as write_result,
)
from .sample_blocks import detect_blocks as detect_blocks
from .sample_facts import DETECTED as DETECTED
from .sample_quality import SampleQuality as SampleQuality, check_samples as check_samples
from .surrogate import (
    find_reweighted_surrogates as find_reweighted_surrogates,
    find_surrogates as find_surrogates,
)
from .trait_effects import TraitEffects as TraitEffects, read_trait_effects as read_trait_effects
