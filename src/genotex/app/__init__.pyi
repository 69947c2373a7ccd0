from .gene_query import GeneQuery as GeneQuery
from .loaded import LoadedAnalysis as LoadedAnalysis, LoadedAnalyses as LoadedAnalyses
from .security import Access as Access
from .server import create_app as create_app, serve as serve
from .workspace import Workspace as Workspace
