from .geo.cohort import (
    assemble_counted_cohort as assemble_counted_cohort,
    assemble_geo_cohort as assemble_geo_cohort,
    encode_features as encode_features,
    prepare_geo_cohort as prepare_geo_cohort,
    prepare_samples as prepare_samples,
    read_geo_cohort as read_geo_cohort,
    read_or_replay as read_or_replay,
    rows_need_mapping as rows_need_mapping,
)
from .geo.files import (
    Facts as Facts,
    RawSeries as RawSeries,
    choose_file as choose_file,
    no_table as no_table,
    takes_counts as takes_counts,
    read_annotation as read_annotation,
    read_raw_series as read_raw_series,
    read_series_file as read_series_file,
    sample_facts as sample_facts,
    sample_texts as sample_texts,
    with_expression as with_expression,
)
from .linking import (
    GENE_MISSING_LIMIT as GENE_MISSING_LIMIT,
    SAMPLE_MISSING_LIMIT as SAMPLE_MISSING_LIMIT,
    FilledCohort as FilledCohort,
    JudgedCohort as JudgedCohort,
    LinkedCohort as LinkedCohort,
    LinkingCounts as LinkingCounts,
    drop_incomplete as drop_incomplete,
    fill as fill,
    gene_means as gene_means,
    judge as judge,
    judge_cohort as judge_cohort,
    judge_filled as judge_filled,
    judge_samples as judge_samples,
    link_features as link_features,
    treat_missing as treat_missing,
    unavailable as unavailable,
    why_unavailable as why_unavailable,
    without_biased_covariates as without_biased_covariates,
)
from .prepared import (
    PreparedCohort as PreparedCohort,
    PreprocessOptions as PreprocessOptions,
    load_options as load_options,
)
from .own.gene_results import read_gene_results as read_gene_results
from .own.tables import (
    OwnTables as OwnTables,
    keep_expressed as keep_expressed,
    read_own_tables as read_own_tables,
    read_own_values as read_own_values,
    read_with_values as read_with_values,
)
from .preprocess import (
    shown_notes as shown_notes,
    CohortOutcome as CohortOutcome,
    preprocess as preprocess,
    preprocess_cohort as preprocess_cohort,
)
from .raw_values import (
    RawValues as RawValues,
    raw_geo_values as raw_geo_values,
    raw_tcga_values as raw_tcga_values,
)
from .records import (
    begin_cohort as begin_cohort,
    describe_cohort as describe_cohort,
    finish_cohort as finish_cohort,
    options_record as options_record,
    record_cohort as record_cohort,
    remove_absent_tables as remove_absent_tables,
    remove_stale_tables as remove_stale_tables,
    write_linked as write_linked,
)
from .sample_sheets import regroup as regroup
from .geo.rna_seq import (
    CountedGenes as CountedGenes,
    count_genes as count_genes,
    expressed_genes as expressed_genes,
    least_samples as least_samples,
    enough_samples as enough_samples,
    tmm_factors as tmm_factors,
)
from .sample_sheets import (
    ProposedSheet as ProposedSheet,
    propose_sheet as propose_sheet,
    sheet_of as sheet_of,
)
from .tasks import CohortTask as CohortTask, check_choices as check_choices
from .tcga.cohort import (
    apply_tcga_encoding as apply_tcga_encoding,
    assemble_tcga_cohort as assemble_tcga_cohort,
    prepare_absent_tcga as prepare_absent_tcga,
    prepare_tcga_cohort as prepare_tcga_cohort,
    read_tcga_features as read_tcga_features,
    tcga_cells as tcga_cells,
)
from .tcga.files import (
    NO_EXPRESSION as NO_EXPRESSION,
    FolderChoice as FolderChoice,
    RawClinical as RawClinical,
    RawExpression as RawExpression,
    choose_folder as choose_folder,
    read_raw_clinical as read_raw_clinical,
    read_raw_genes as read_raw_genes,
    tcga_sample_facts as tcga_sample_facts,
)
from .stores import folders_of as folders_of, store_at as store_at
