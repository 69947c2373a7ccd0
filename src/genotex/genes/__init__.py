"""Gene table, probe-to-gene mapping and official symbols."""

from genotex.genes.annotation import AnnotationChoice, choose_annotation
from genotex.genes.collapse import GeneCounts, counts_by_gene
from genotex.genes.identify import IdVerdict, identify_ids
from genotex.genes.mapping import (
    ZEROS_KEPT,
    GeneMapping,
    Scale,
    check_rows,
    collapse_rows,
    map_to_genes,
    official_rows,
)
from genotex.genes.row_genes import RowGenes, genes_by_columns, genes_of_rows
from genotex.genes.scale import detect_scale
from genotex.genes.table import GeneTable
from genotex.id_kinds import IdKind

__all__ = [
    "ZEROS_KEPT",
    "AnnotationChoice",
    "GeneCounts",
    "GeneMapping",
    "GeneTable",
    "IdKind",
    "IdVerdict",
    "RowGenes",
    "Scale",
    "check_rows",
    "choose_annotation",
    "collapse_rows",
    "counts_by_gene",
    "detect_scale",
    "genes_by_columns",
    "genes_of_rows",
    "identify_ids",
    "map_to_genes",
    "official_rows",
]
