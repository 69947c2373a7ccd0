from .annotation import (
    AnnotationChoice as AnnotationChoice,
    choose_annotation as choose_annotation,
    matching_share as matching_share,
)
from .table import build_gene_table as build_gene_table
from .collapse import (
    GeneCounts as GeneCounts,
    counts_by_gene as counts_by_gene,
    divide_and_sum as divide_and_sum,
    gene_rows as gene_rows,
    mean_of_rows as mean_of_rows,
    weighted_mean_of_rows as weighted_mean_of_rows,
)
from .control_probes import measure_controls as measure_controls
from .identify import (
    IdVerdict as IdVerdict,
    identify_ids as identify_ids,
    sample_evenly as sample_evenly,
    without_probe_suffix as without_probe_suffix,
)
from .mapping import (
    OTHER_SPECIES as OTHER_SPECIES,
    ZEROS_KEPT as ZEROS_KEPT,
    GeneMapping as GeneMapping,
    check_rows as check_rows,
    keep_rows as keep_rows,
    collapse_as_named as collapse_as_named,
    collapse_rows as collapse_rows,
    map_as_named as map_as_named,
    named_genes_note as named_genes_note,
    map_to_genes as map_to_genes,
    named_rows as named_rows,
    official_rows as official_rows,
)
from .ontology import (
    GeneOntology as GeneOntology,
    OntologyTerm as OntologyTerm,
    ontology_terms as ontology_terms,
    packaged_ontology as packaged_ontology,
)
from .platform_maps import (
    PACKAGED_MAP as PACKAGED_MAP,
    PlatformMaps as PlatformMaps,
    packaged_maps as packaged_maps,
    packaged_platform as packaged_platform,
    platforms_with as platforms_with,
)
from .row_genes import (
    RowGenes as RowGenes,
    genes_by_columns as genes_by_columns,
    genes_of_rows as genes_of_rows,
)
from .scale import (
    GENE_SHARE as GENE_SHARE,
    SAMPLE_SHARE as SAMPLE_SHARE,
    ScaleVerdict as ScaleVerdict,
    detect_scale as detect_scale,
    negative_count as negative_count,
    recognise_scale as recognise_scale,
    to_log2 as to_log2,
    zero_offset as zero_offset,
)
from .sources import (
    GENE_SCHEMA as GENE_SCHEMA,
    GeneSource as GeneSource,
    read_packaged_genes as read_packaged_genes,
)
from .symbols import (
    CellForm as CellForm,
    cell_form as cell_form,
    date_symbols as date_symbols,
    official_symbols as official_symbols,
    scan_column as scan_column,
    scan_symbols as scan_symbols,
    split_cell as split_cell,
)
from .table import AMBIGUOUS as AMBIGUOUS, GeneTable as GeneTable
from .two_colour import (
    log_ratios as log_ratios,
    loess_curve as loess_curve,
    normexp as normexp,
    quantile_normalised as quantile_normalised,
)
from .orthologues import Orthologues as Orthologues, read_orthologues as read_orthologues
from .rma import rma_background as rma_background, rma_values as rma_values
