"""What generated code sees of the library: few functions, in order of use."""

from genotex.agents.task import Task
from genotex.agents.toolkit.features import clinical_table, encode_feature
from genotex.agents.toolkit.genes import (
    identify_rows,
    map_probes,
    normalise_symbols,
    read_annotation,
    read_expression,
)
from genotex.agents.toolkit.linking import handle_missing_values, judge_bias, link
from genotex.agents.toolkit.sources import (
    find_files,
    looks_like_gene_expression,
    read_clinical_matrix,
    read_series,
    unique_values,
)
from genotex.agents.toolkit.statistics import (
    analyse,
    choose_data,
    load_data,
    moderated_t,
    own_result,
    save_result,
)
from genotex.agents.toolkit.tables import preview, save_cohort_info, save_table

__all__ = [  # noqa: RUF022 - the order in which they are used
    "Task",
    "find_files",
    "read_series",
    "read_clinical_matrix",
    "unique_values",
    "preview",
    "looks_like_gene_expression",
    "encode_feature",
    "clinical_table",
    "read_expression",
    "identify_rows",
    "read_annotation",
    "map_probes",
    "normalise_symbols",
    "link",
    "handle_missing_values",
    "judge_bias",
    "save_table",
    "save_cohort_info",
    "choose_data",
    "load_data",
    "analyse",
    "moderated_t",
    "own_result",
    "save_result",
]
