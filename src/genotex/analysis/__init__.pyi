from .hidden.markers import CELLS as CELLS, PROGRAMMES as PROGRAMMES, MarkerScores as MarkerScores
from .hidden.adjustment import (
    Adjustment as Adjustment,
    batch_columns as batch_columns,
    find_characteristic as find_characteristic,
    named_covariates as named_covariates,
)
from .benchmark.procedure import analyze_benchmark as analyze_benchmark
from .benchmark.lasso import (
    GAP as GAP,
    distinct_genes as distinct_genes,
    fit_exact as fit_exact,
    fit_lasso as fit_lasso,
    measure_optimality as measure_optimality,
)
from .benchmark.samples import scale_and_centre as scale_and_centre
from .benchmark.tuning import LAMBDAS as LAMBDAS
from .designs.blocks import (
    Blocks as Blocks,
    block_detected as block_detected,
    block_samples as block_samples,
    blocked_by as blocked_by,
)
from .designs.comparison import Comparison as Comparison, set_up_comparison as set_up_comparison
from .panel.condition_predictor import predict_condition as predict_condition
from .hidden.confounders import estimate_confounders as estimate_confounders
from .hidden.spectrum import GeneParts as GeneParts
from .hidden.confounding import (
    associate_levels as associate_levels,
    cramers_v as cramers_v,
    variance_inflation as variance_inflation,
)
from .designs.contrast import (
    Contrast as Contrast,
    Levels as Levels,
    choose_contrast as choose_contrast,
    find_levels as find_levels,
)
from .panel.selection import (
    complementary_halves as complementary_halves,
    splits as splits,
    stratified_folds as stratified_folds,
)
from .designs.matrix import (
    Design as Design,
    build_design as build_design,
    covariates_of_groups as covariates_of_groups,
    independent_columns as independent_columns,
)
from .designs.files import (
    OWN_TABLES as OWN_TABLES,
    DesignCohort as DesignCohort,
    describe_design_cohort as describe_design_cohort,
    write_design_cohort as write_design_cohort,
    write_gene_files as write_gene_files,
    write_r_files as write_r_files,
)
from .designs.fitting import (
    DesignData as DesignData,
    DesignResult as DesignResult,
    contrast_name as contrast_name,
    design_effects as design_effects,
    fit_request as fit_request,
    formula_of as formula_of,
    result_table as result_table,
)
from .results.method_record import formula_of_method as formula_of_method
from .gene_sets.enrichment import (
    TEST_COLUMNS as TEST_COLUMNS,
    Enrichment as Enrichment,
    enrich as enrich,
    running_sum as running_sum,
)
from .gene_sets.files import (
    enrich_problem as enrich_problem,
    read_enrichment as read_enrichment,
    write_enrichment as write_enrichment,
)
from .results.columns import (
    COLUMN_GROUPS as COLUMN_GROUPS,
    GENE_TABLE as GENE_TABLE,
    GRADES as GRADES,
    GeneColumn as GeneColumn,
    TableLevel as TableLevel,
    columns_at as columns_at,
    complete_genes as complete_genes,
    select_columns as select_columns,
    stored_types as stored_types,
)
from .gene_sets.correlated import (
    CameraTest as CameraTest,
    FryTest as FryTest,
    camera as camera,
    contrast_last as contrast_last,
    effect_matrix as effect_matrix,
    fry as fry,
    scale_effects as scale_effects,
    z_scores as z_scores,
)
from .gene_sets.lists import (
    match_gene_sets as match_gene_sets,
    over_representation as over_representation,
    ranked_enrichment as ranked_enrichment,
)
from .results.other_tools import result_of_other_tool as result_of_other_tool
from .results.columns import arrange_genes as arrange_genes, score_selection as score_selection
from .gene_tests.coefficients import (
    TestSettings as TestSettings,
    departure_columns as departure_columns,
    factor_columns as factor_columns,
    hedges_g as hedges_g,
    moderate_f as moderate_f,
    partial_correlation as partial_correlation,
)
from .gene_sets.lists import GeneSet as GeneSet, read_gmt as read_gmt, read_sets as read_sets
from .survival.time_to_event import (
    LogRankTest as LogRankTest,
    SurvivalCurve as SurvivalCurve,
    kaplan_meier as kaplan_meier,
    log_rank_test as log_rank_test,
    split_by_level as split_by_level,
)
from .gene_tests.linear import (
    fit_last_column as fit_last_column,
    fit_weighted_columns as fit_weighted_columns,
)
from .meta.stories import gene_stories as gene_stories
from .meta.choosing import people_table as people_table
from .meta.cohorts import analyze_cohorts as analyze_cohorts, combine_results as combine_results
from .meta.effects import (
    CombinedEffects as CombinedEffects,
    combine_effects as combine_effects,
    partial_conjunction as partial_conjunction,
    replication_q as replication_q,
    stouffer as stouffer,
)
from .meta.gene_table import META_COLUMNS as META_COLUMNS, combine_genes as combine_genes
from .meta.methods import (
    Heterogeneity as Heterogeneity,
    NullScores as NullScores,
    common_effect_p as common_effect_p,
    estimate_heterogeneity as estimate_heterogeneity,
    null_scores as null_scores,
    weights_of_genes as weights_of_genes,
)
from .meta.methods import (
    METHODS as METHODS,
    CohortStatistics as CohortStatistics,
    CombinationMethod as CombinationMethod,
    method_sentence as method_sentence,
)
from .meta.result import (
    CohortFacts as CohortFacts,
    MetaResult as MetaResult,
    cohort_warnings as cohort_warnings,
    cohorts_differ as cohorts_differ,
    differing_share as differing_share,
    read_meta as read_meta,
    remove_meta as remove_meta,
    write_meta as write_meta,
)
from .gene_tests.mixed import (
    MixedFit as MixedFit,
    fit_mixed as fit_mixed,
    mixed_record as mixed_record,
    mixed_warnings as mixed_warnings,
)
from .gene_tests.moderated import (
    ModeratedFit as ModeratedFit,
    VariancePrior as VariancePrior,
    fit_variance_prior as fit_variance_prior,
    inverse_trigamma as inverse_trigamma,
    moderate as moderate,
    moderate_variance as moderate_variance,
    shrink as shrink,
)
from .designs.request import (
    DesignRequest as DesignRequest,
    one_spelling as one_spelling,
    typed_columns as typed_columns,
)
from .gene_tests.p_values import (
    average_ranks as average_ranks,
    benjamini_hochberg as benjamini_hochberg,
    binomial_p as binomial_p,
    chi_square as chi_square,
    excess_near_one as excess_near_one,
    fisher_p as fisher_p,
    kruskal as kruskal,
    local_fdr as local_fdr,
    mann_whitney as mann_whitney,
    null_share as null_share,
    pearson as pearson,
    spearman as spearman,
)
from .panel.selection import (
    GenePanel as GenePanel,
    fit_panel as fit_panel,
    selection_frequency as selection_frequency,
)
from .panel.gene_screen import ChosenGenes as ChosenGenes
from .panel.path import PanelData as PanelData, PanelPath as PanelPath, fit_paths as fit_paths
from .pipeline import (
    SeriesDesign as SeriesDesign,
    ProblemOutcome as ProblemOutcome,
    analyze_data as analyze_data,
    analyze_table as analyze_table,
    check_request as check_request,
    planned_design as planned_design,
    solve_problem as solve_problem,
    solve_problems as solve_problems,
)
from .gene_tests.precision import (
    Precision as Precision,
    consensus_correlation as consensus_correlation,
)
from .problem_data import (
    CohortData as CohortData,
    ConditionCohort as ConditionCohort,
    DataChoice as DataChoice,
    ProblemData as ProblemData,
    choose_data as choose_data,
    read_data as read_data,
)
from .designs.r_script import (
    RFiles as RFiles,
    design_table as design_table,
    r_script as r_script,
    write_r_script as write_r_script,
)
from .results.result import (
    AnalysisResult as AnalysisResult,
    read_result as read_result,
    remove_result as remove_result,
    write_result as write_result,
)
from .samples.blocks import (
    PERSONAL_GENES as PERSONAL_GENES,
    detect_blocks as detect_blocks,
    find_blocks as find_blocks,
    no_blocks as no_blocks,
)
from .samples.facts import (
    DETECTED as DETECTED,
    FILL_WAYS as FILL_WAYS,
    names_people as names_people,
    people_from as people_from,
    FactChecks as FactChecks,
    SampleFacts as SampleFacts,
    check_sample_facts as check_sample_facts,
)
from .samples.profiles import (
    Profiles as Profiles,
    find_nearly_identical as find_nearly_identical,
    find_outliers as find_outliers,
)
from .samples.quality import (
    SampleQuality as SampleQuality,
    check_samples as check_samples,
    named_pools as named_pools,
)
from .samples.same_people import (
    PeopleTable as PeopleTable,
    SamePerson as SamePerson,
    SharedPeople as SharedPeople,
    find_shared_people as find_shared_people,
)
from .samples.sex import Y_GENES as Y_GENES, check_sex as check_sex
from .gene_tests.weights import (
    estimate_sample_weights as estimate_sample_weights,
    weigh_samples as weigh_samples,
)
from .shared_work import last_table as last_table, once as once, sharing as sharing
from .sound import (
    check_covariates as check_covariates,
    check_groups as check_groups,
    check_p_values as check_p_values,
    check_scale as check_scale,
)
from .hidden.surrogate import (
    SurrogateVariables as SurrogateVariables,
    find_reweighted_surrogates as find_reweighted_surrogates,
    find_surrogates as find_surrogates,
    permute_rows as permute_rows,
    surrogate_number as surrogate_number,
)
from .survival.score_tests import CoxTests as CoxTests, cox_score_tests as cox_score_tests
from .survival.time_to_event import read_events as read_events
from .survival.analysis import (
    SURVIVAL_FILES as SURVIVAL_FILES,
    SurvivalResult as SurvivalResult,
    check_survival as check_survival,
    fit_survival as fit_survival,
    read_survival as read_survival,
    write_survival as write_survival,
)
from .gene_sets.effects import (
    TraitEffects as TraitEffects,
    read_trait_effects as read_trait_effects,
)
from .gene_tests.gene_filter import GeneFilter as GeneFilter, filter_genes as filter_genes
from .gene_tests.trait_tests import compare_rankings as compare_rankings
from .hidden.unmeasured import Unmeasured as Unmeasured, find_unmeasured as find_unmeasured
from .replication.chance import (
    TERMS as TERMS,
    effective_size as effective_size,
    pooled_terms as pooled_terms,
    replication_chance as replication_chance,
    replication_terms as replication_terms,
    samples_to_settle as samples_to_settle,
)
from .gene_tests.precision import count_trend as count_trend, counts_of as counts_of
from .designs.formulas import (
    FormulaDesign as FormulaDesign,
    Formulas as Formulas,
    fit_formula as fit_formula,
)
from .results.stored import StoredResult as StoredResult, read_content as read_content
from .audit.cohort import AuditedCohort as AuditedCohort
from .audit.findings import (
    ADVICE as ADVICE,
    CheckResult as CheckResult,
    CohortAudit as CohortAudit,
    CohortsAudit as CohortsAudit,
    AuditFinding as AuditFinding,
    NotJudged as NotJudged,
    Severity as Severity,
    Verdict as Verdict,
)
from .audit.running import (
    CHECKS as CHECKS,
    audit_across as audit_across,
    audit_cohort as audit_cohort,
)
from .review import review_warnings as review_warnings
