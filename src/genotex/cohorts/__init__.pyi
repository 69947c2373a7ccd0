from .geo import (
    assemble_counted_cohort as assemble_counted_cohort,
    assemble_geo_cohort as assemble_geo_cohort,
    no_table as no_table,
    prepare_geo_cohort as prepare_geo_cohort,
    read_or_replay as read_or_replay,
    rows_need_mapping as rows_need_mapping,
    takes_counts as takes_counts,
)
from .geo_files import (
    Facts as Facts,
    RawSeries as RawSeries,
    choose_file as choose_file,
    read_annotation as read_annotation,
    read_raw_series as read_raw_series,
    read_series_file as read_series_file,
    sample_facts as sample_facts,
    with_expression as with_expression,
)
from .linking import (
    FilledCohort as FilledCohort,
    JudgedCohort as JudgedCohort,
    LinkedCohort as LinkedCohort,
    judge as judge,
    judge_cohort as judge_cohort,
    judge_filled as judge_filled,
    link_features as link_features,
    treat_missing as treat_missing,
    why_unavailable as why_unavailable,
)
from .prepared import PreparedCohort as PreparedCohort, PreprocessOptions as PreprocessOptions
from .preprocess import (
    CohortOutcome as CohortOutcome,
    CohortTask as CohortTask,
    preprocess as preprocess,
    preprocess_cohort as preprocess_cohort,
)
from .records import (
    begin_cohort as begin_cohort,
    record_cohort as record_cohort,
    remove_absent_tables as remove_absent_tables,
    remove_stale_tables as remove_stale_tables,
    write_linked as write_linked,
)
from .rna_seq import CountedGenes as CountedGenes, count_genes as count_genes
from .tcga import (
    apply_tcga_encoding as apply_tcga_encoding,
    assemble_tcga_cohort as assemble_tcga_cohort,
    prepare_absent_tcga as prepare_absent_tcga,
    prepare_tcga_cohort as prepare_tcga_cohort,
    read_tcga_features as read_tcga_features,
    tcga_cells as tcga_cells,
)
from .tcga_files import (
    FolderChoice as FolderChoice,
    NO_EXPRESSION as NO_EXPRESSION,
    RawClinical as RawClinical,
    RawExpression as RawExpression,
    choose_folder as choose_folder,
    expression_path as expression_path,
    read_raw_clinical as read_raw_clinical,
    read_raw_genes as read_raw_genes,
    tcga_sample_facts as tcga_sample_facts,
)
