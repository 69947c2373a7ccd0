"""Gene table, probe-to-gene mapping and official symbols."""

from genotex.genes.annotation import AnnotationChoice, choose_annotation
from genotex.genes.identify import IdVerdict, identify_ids
from genotex.genes.idkind import IdKind
from genotex.genes.mapping import GeneMapping, Scale, map_to_genes
from genotex.genes.table import GeneTable

__all__ = [
    "AnnotationChoice",
    "GeneMapping",
    "GeneTable",
    "IdKind",
    "IdVerdict",
    "Scale",
    "choose_annotation",
    "identify_ids",
    "map_to_genes",
]
