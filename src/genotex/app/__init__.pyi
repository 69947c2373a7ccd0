from .quality.cohorts import CohortQuality as CohortQuality
from .genes.query import GeneQuery as GeneQuery
from .jobs.records import AnalysisRecord as AnalysisRecord, JobRecord as JobRecord
from .jobs.queue import JobQueue as JobQueue
from .genes.loaded import LoadedAnalysis as LoadedAnalysis, LoadedAnalyses as LoadedAnalyses
from .access.security import Access as Access
from .access.server import create_app as create_app
from .access.serving import serve as serve
from .data.sheets import EditedSheet as EditedSheet
from .workspace import Workspace as Workspace
