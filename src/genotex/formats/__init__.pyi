from .geo.affymetrix import (
    ArrayScan as ArrayScan,
    ChipLayout as ChipLayout,
    read_cdf as read_cdf,
    read_cel as read_cel,
    read_library as read_library,
)
from .own_tables.anndata_files import is_anndata as is_anndata, read_anndata as read_anndata
from .evidence import (
    ON_PROBES as ON_PROBES,
    CohortInfo as CohortInfo,
    read_cohort_info as read_cohort_info,
    update_cohort_info as update_cohort_info,
    write_cohort_info as write_cohort_info,
)
from .evidence import (
    LONGEST_FORMULA as LONGEST_FORMULA,
    Confidence as Confidence,
    CountsRecord as CountsRecord,
    Evidence as Evidence,
    Kind as Kind,
    Measures as Measures,
    Parser as Parser,
    Role as Role,
    SampleField as SampleField,
    check_evidence as check_evidence,
    find_evidence as find_evidence,
    measured_columns as measured_columns,
    read_evidence as read_evidence,
    why_no_formula as why_no_formula,
    why_no_procedure as why_no_procedure,
    write_evidence as write_evidence,
)
from .csv_tables import (
    CsvTable as CsvTable,
    read_clinical_csv as read_clinical_csv,
    read_csv_table as read_csv_table,
    read_gene_csv as read_gene_csv,
    write_clinical_csv as write_clinical_csv,
    write_csv_table as write_csv_table,
    write_gene_csv as write_gene_csv,
)
from .distributions import (
    PERCENT as PERCENT,
    distribution_record as distribution_record,
    recorded_quantiles as recorded_quantiles,
    sample_quantiles as sample_quantiles,
)
from .geo.family_soft import (
    read_family_accession as read_family_accession,
    read_family_soft as read_family_soft,
)
from .json_files import (
    read_json_lines as read_json_lines,
    read_json_object as read_json_object,
    read_record as read_record,
    read_text_lines as read_text_lines,
    json_bytes as json_bytes,
    write_json as write_json,
)
from .lines import LineReader as LineReader
from .linked import (
    COVARIATES as COVARIATES,
    LinkedTable as LinkedTable,
    read_linked as read_linked,
    read_linked_csv as read_linked_csv,
    read_linked_header as read_linked_header,
    read_linked_parquet as read_linked_parquet,
    remove_linked_parquet as remove_linked_parquet,
    seal_linked as seal_linked,
    write_linked_csv as write_linked_csv,
    check_linked_parquet as check_linked_parquet,
    linked_files as linked_files,
    table_digests as table_digests,
    write_linked_parquet as write_linked_parquet,
)
from .geo.ncbi_counts import (
    CountMatrix as CountMatrix,
    GeneAnnotation as GeneAnnotation,
    read_count_annotation as read_count_annotation,
    ncbi_count_files as ncbi_count_files,
    read_raw_counts as read_raw_counts,
)
from .geo.series import names_pool as names_pool
from .lines import (
    BYTE_ORDER_MARK as BYTE_ORDER_MARK,
    as_utf8 as as_utf8,
    decode as decode,
    is_gzip as is_gzip,
    read_bytes as read_bytes,
    read_chunks as read_chunks,
    sha256 as sha256,
)
from .tables import MISSING_WORDS as MISSING_WORDS
from .geo.series import ExpressionMatrix as ExpressionMatrix, Series as Series
from .geo.series_matrix import read_series_matrix as read_series_matrix
from .geo.series_matrix import keep_last_matrix as keep_last_matrix
from .geo.series_parts import (
    NO_SERIES as NO_SERIES,
    check_series_of as check_series_of,
    choose_parts as choose_parts,
    choose_series as choose_series,
)
from .geo.value_sources import (
    SeriesFile as SeriesFile,
    ValueSource as ValueSource,
    best_source as best_source,
    cell_files as cell_files,
    listed_files as listed_files,
    value_sources as value_sources,
)
from .geo.soft import Platform as Platform, read_platforms as read_platforms
from .csv_tables import (
    inert as inert,
    inert_frame as inert_frame,
    original as original,
    original_frame as original_frame,
)
from .cell_sums import sum_cells as sum_cells
from .own_tables.frames import read_sheet_tables as read_sheet_tables
from .sample_tables import (
    CELL_BARCODE as CELL_BARCODE,
    FEWEST_CELLS as FEWEST_CELLS,
    join_samples as join_samples,
    read_transcripts as read_transcripts,
)
from . import matrix_market as matrix_market
from .gene_results import (
    GeneResults as GeneResults,
    ResultColumns as ResultColumns,
    result_columns as result_columns,
)
from .own_tables.table_file import (
    TableFormat as TableFormat,
    table_formats as table_formats,
    TableFile as TableFile,
    read_table_file as read_table_file,
    table_format as table_format,
    titled as titled,
)
from .geo.series_matrix import count_series_rows as count_series_rows
from .tables import count_lines as count_lines
from .xena import (
    ClinicalMatrix as ClinicalMatrix,
    read_clinical_matrix as read_clinical_matrix,
    read_xena_expression as read_xena_expression,
    read_xena_samples as read_xena_samples,
)
from .geo.two_colour import TwoColourScan as TwoColourScan, read_two_colour as read_two_colour
