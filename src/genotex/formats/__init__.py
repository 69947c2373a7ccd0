"""File formats of GEO, UCSC Xena, NCBI and the benchmark, without any statistics."""

from genotex.formats.cohort_records import (
    CohortInfo,
    Controls,
    Evidence,
    Role,
    read_cohort_info,
    read_evidence,
    update_cohort_info,
    write_cohort_info,
    write_evidence,
)
from genotex.formats.csv_tables import (
    CsvTable,
    read_clinical_csv,
    read_csv_table,
    read_gene_csv,
    write_clinical_csv,
    write_gene_csv,
)
from genotex.formats.family_soft import choose_series, read_family_soft
from genotex.formats.json_files import (
    parse_json,
    read_json_lines,
    read_json_object,
    read_text_lines,
    write_json,
)
from genotex.formats.lines import LineReader
from genotex.formats.linked import (
    COVARIATES,
    LinkedTable,
    read_linked,
    read_linked_csv,
    read_linked_header,
    read_linked_parquet,
    remove_linked_parquet,
    write_linked_csv,
    write_linked_parquet,
)
from genotex.formats.ncbi_counts import (
    CountMatrix,
    GeneAnnotation,
    read_count_annotation,
    read_raw_counts,
)
from genotex.formats.raw import (
    BYTE_ORDER_MARK,
    GZIP_MAGIC,
    as_utf8,
    decode,
    is_gzip,
    read_bytes,
    read_chunks,
    sha256,
)
from genotex.formats.rows import first_repeated
from genotex.formats.series import ExpressionMatrix, Series
from genotex.formats.series_matrix import read_series_matrix
from genotex.formats.series_parts import choose_parts, join_series
from genotex.formats.soft import Platform, read_platforms
from genotex.formats.table_lines import (
    TableLines,
    count_lines,
    count_series_rows,
    read_series_lines,
    read_xena_lines,
)
from genotex.formats.xena import (
    ClinicalMatrix,
    read_clinical_matrix,
    read_xena_expression,
    read_xena_samples,
)

__all__ = [
    "BYTE_ORDER_MARK",
    "COVARIATES",
    "GZIP_MAGIC",
    "ClinicalMatrix",
    "CohortInfo",
    "Controls",
    "CountMatrix",
    "CsvTable",
    "Evidence",
    "ExpressionMatrix",
    "GeneAnnotation",
    "LineReader",
    "LinkedTable",
    "Platform",
    "Role",
    "Series",
    "TableLines",
    "as_utf8",
    "choose_parts",
    "choose_series",
    "count_lines",
    "count_series_rows",
    "decode",
    "first_repeated",
    "is_gzip",
    "join_series",
    "parse_json",
    "read_bytes",
    "read_chunks",
    "read_clinical_csv",
    "read_clinical_matrix",
    "read_cohort_info",
    "read_count_annotation",
    "read_csv_table",
    "read_evidence",
    "read_family_soft",
    "read_gene_csv",
    "read_json_lines",
    "read_json_object",
    "read_linked",
    "read_linked_csv",
    "read_linked_header",
    "read_linked_parquet",
    "read_platforms",
    "read_raw_counts",
    "read_series_lines",
    "read_series_matrix",
    "read_text_lines",
    "read_xena_expression",
    "read_xena_lines",
    "read_xena_samples",
    "remove_linked_parquet",
    "sha256",
    "update_cohort_info",
    "write_clinical_csv",
    "write_cohort_info",
    "write_evidence",
    "write_gene_csv",
    "write_json",
    "write_linked_csv",
    "write_linked_parquet",
]
