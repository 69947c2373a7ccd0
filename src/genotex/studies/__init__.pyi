from .apart import Apart as Apart, Kept as Kept
from .background import (
    DEMO as DEMO,
    SHEET as SHEET,
    read_by_sheet as read_by_sheet,
    run_job as run_job,
)
from .loaded import (
    BOTH as BOTH,
    FIRST as FIRST,
    NEITHER as NEITHER,
    SECOND as SECOND,
    FileState as FileState,
    LoadedAnalyses as LoadedAnalyses,
    LoadedAnalysis as LoadedAnalysis,
    Recent as Recent,
    compared as compared,
    rank_correlation as rank_correlation,
    state_of as state_of,
)
from .own_files import (
    GENE_SETS as GENE_SETS,
    members_of as members_of,
    save_gene_sets as save_gene_sets,
    set_sources as set_sources,
    TABLES as TABLES,
    TABLES_RECORD as TABLES_RECORD,
    TablesFiles as TablesFiles,
    columns_of as columns_of,
    find_tables as find_tables,
    list_tables as list_tables,
    load_tables as load_tables,
    paths_of as paths_of,
)
from .previews import (
    CheckedDesign as CheckedDesign,
    Previews as Previews,
    genes_left_out as genes_left_out,
)
from .queue import MOST_WAITING as MOST_WAITING, RECORD as RECORD, JobQueue as JobQueue
from .records import (
    read_record as read_record,
    AnalysisRecord as AnalysisRecord,
    AtlasRecord as AtlasRecord,
    ComparisonRecord as ComparisonRecord,
    FetchRecord as FetchRecord,
    JobRecord as JobRecord,
    SetsRecord as SetsRecord,
    TablesRecord as TablesRecord,
    why_no_design as why_no_design,
)
from .workspace import (
    ANALYSES as ANALYSES,
    SHEETS as SHEETS,
    FoundAnalysis as FoundAnalysis,
    FoundInput as FoundInput,
    Workspace as Workspace,
    safe_name as safe_name,
)
