from .annotation import AnnotationChoice as AnnotationChoice, choose_annotation as choose_annotation
from .collapse import GeneCounts as GeneCounts, counts_by_gene as counts_by_gene
from .identify import IdVerdict as IdVerdict, identify_ids as identify_ids
from .mapping import (
    GeneMapping as GeneMapping,
    ZEROS_KEPT as ZEROS_KEPT,
    check_rows as check_rows,
    collapse_rows as collapse_rows,
    map_to_genes as map_to_genes,
    official_rows as official_rows,
)
from .row_genes import (
    RowGenes as RowGenes,
    genes_by_columns as genes_by_columns,
    genes_of_rows as genes_of_rows,
)
from .scale import detect_scale as detect_scale
from .table import GeneTable as GeneTable
