from .cohort_quality import CohortQuality as CohortQuality
from .gene_query import GeneQuery as GeneQuery
from .job_records import AnalysisRecord as AnalysisRecord, JobRecord as JobRecord
from .jobs import JobQueue as JobQueue
from .loaded import LoadedAnalysis as LoadedAnalysis, LoadedAnalyses as LoadedAnalyses
from .security import Access as Access
from .server import create_app as create_app
from .serving import serve as serve
from .sheets import EditedSheet as EditedSheet
from .workspace import Workspace as Workspace
