from .analyses import SHEET as SHEET
from .background import DEMO as DEMO, run_job as run_job
from .comparison import (
    BOTH as BOTH,
    FIRST as FIRST,
    NEITHER as NEITHER,
    SECOND as SECOND,
    compared as compared,
    rank_correlation as rank_correlation,
)
from .gene_set_files import (
    GENE_SETS as GENE_SETS,
    members_of as members_of,
    save_gene_sets as save_gene_sets,
    set_files as set_files,
)
from .loaded import (
    Floats as Floats,
    LoadedAnalyses as LoadedAnalyses,
    LoadedAnalysis as LoadedAnalysis,
)
from .own_tables import (
    LoadedTables as LoadedTables,
    TABLES as TABLES,
    TABLES_RECORD as TABLES_RECORD,
    TablesFiles as TablesFiles,
    columns_of as columns_of,
    find_tables as find_tables,
    list_tables as list_tables,
    load_tables as load_tables,
    paths_of as paths_of,
)
from .previews import CheckedDesign as CheckedDesign, Previews as Previews
from .queue import JobQueue as JobQueue, MOST_WAITING as MOST_WAITING
from .recent import FileState as FileState, Recent as Recent, state_of as state_of
from .records import (
    read_record as read_record,
    AnalysisRecord as AnalysisRecord,
    AtlasRecord as AtlasRecord,
    FetchRecord as FetchRecord,
    JobRecord as JobRecord,
    SetsRecord as SetsRecord,
    TablesRecord as TablesRecord,
    why_no_design as why_no_design,
)
from .workspace import (
    ANALYSES as ANALYSES,
    FoundAnalysis as FoundAnalysis,
    FoundInput as FoundInput,
    SHEETS as SHEETS,
    Workspace as Workspace,
    safe_name as safe_name,
)
