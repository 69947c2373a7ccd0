"""Readers and writers of the files; they know nothing of traits or statistics."""

from genotex.formats.associations import Associations, read_associations
from genotex.formats.cohort_record import CohortInfo, Controls, Evidence, Role
from genotex.formats.csv_tables import (
    read_clinical_csv,
    read_gene_csv,
    write_clinical_csv,
    write_gene_csv,
)
from genotex.formats.gmt import GeneSet, read_gmt
from genotex.formats.json_files import read_json_object, write_json
from genotex.formats.linked import LinkedTable
from genotex.formats.linked_files import (
    read_linked,
    read_linked_csv,
    read_linked_header,
    read_linked_parquet,
    remove_linked_parquet,
    write_linked_csv,
    write_linked_parquet,
)
from genotex.formats.matrix import ExpressionMatrix
from genotex.formats.ncbi_counts import (
    CountMatrix,
    GeneAnnotation,
    read_count_annotation,
    read_raw_counts,
)
from genotex.formats.platform import Platform
from genotex.formats.records import (
    read_cohort_info,
    read_evidence,
    update_cohort_info,
    write_cohort_info,
    write_evidence,
)
from genotex.formats.row_counts import count_lines, count_series_rows
from genotex.formats.series import Series
from genotex.formats.series_choice import choose_series
from genotex.formats.series_matrix import read_series_matrix
from genotex.formats.soft_platform import read_platforms
from genotex.formats.soft_series import read_family_soft
from genotex.formats.table_lines import TableLines, read_series_lines, read_xena_lines
from genotex.formats.xena import (
    ClinicalMatrix,
    read_clinical_matrix,
    read_xena_expression,
    read_xena_samples,
)

__all__ = [
    "Associations",
    "ClinicalMatrix",
    "CohortInfo",
    "Controls",
    "CountMatrix",
    "Evidence",
    "ExpressionMatrix",
    "GeneAnnotation",
    "GeneSet",
    "LinkedTable",
    "Platform",
    "Role",
    "Series",
    "TableLines",
    "choose_series",
    "count_lines",
    "count_series_rows",
    "read_associations",
    "read_clinical_csv",
    "read_clinical_matrix",
    "read_cohort_info",
    "read_count_annotation",
    "read_evidence",
    "read_family_soft",
    "read_gene_csv",
    "read_gmt",
    "read_json_object",
    "read_linked",
    "read_linked_csv",
    "read_linked_header",
    "read_linked_parquet",
    "read_platforms",
    "read_raw_counts",
    "read_series_lines",
    "read_series_matrix",
    "read_xena_expression",
    "read_xena_lines",
    "read_xena_samples",
    "remove_linked_parquet",
    "update_cohort_info",
    "write_clinical_csv",
    "write_cohort_info",
    "write_evidence",
    "write_gene_csv",
    "write_json",
    "write_linked_csv",
    "write_linked_parquet",
]
