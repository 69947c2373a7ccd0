from .cohorts import (
    EMPTY_TABLE as EMPTY_TABLE,
    METHYLATION as METHYLATION,
    SimulatedCohort as SimulatedCohort,
    TcgaPlan as TcgaPlan,
    write_geo as write_geo,
    write_tcga as write_tcga,
)
from .expression import (
    GeneModel as GeneModel,
    choose_aliases as choose_aliases,
    choose_symbols as choose_symbols,
    draw_gene_model as draw_gene_model,
)
from .plan import (
    NOTHING_REAL as NOTHING_REAL,
    CohortPlan as CohortPlan,
    People as People,
    SampleNames as SampleNames,
    TraitKind as TraitKind,
    Words as Words,
    choose_words as choose_words,
    keyed as keyed,
    number_words as number_words,
    sex_words as sex_words,
    shifted_rows as shifted_rows,
)
from .platforms import Style as Style, draw_array as draw_array
from .study import (
    TASK_FILE as TASK_FILE,
    Progress as Progress,
    SimulatedStudy as SimulatedStudy,
    check_folder as check_folder,
    check_sizes as check_sizes,
    genes_without_effect as genes_without_effect,
    no_progress as no_progress,
    simulate_study as simulate_study,
    write_tasks as write_tasks,
)
from .truth import (
    MARK_FILE as MARK_FILE,
    TRUTH_FILE as TRUTH_FILE,
    WORLD_FORMAT as WORLD_FORMAT,
    CohortTruth as CohortTruth,
    Score as Score,
    Truth as Truth,
    format_of as format_of,
    load_truth as load_truth,
    read_record as read_record,
    record_text as record_text,
    score_against_truth as score_against_truth,
    score_genes as score_genes,
)
