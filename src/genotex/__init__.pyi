from .api.atlas import Atlas as Atlas
from .api.auditing import audit as audit
from .api.data import read_tables as read_tables
from .api.designs import de as de, survival as survival
from .api.series import fetch_geo as fetch_geo, find as find, plan_geo as plan_geo
from .api.genes import enrich as enrich, evaluate_genes as evaluate_genes, meta as meta
from .api.other_results import OtherResult as OtherResult, read_results as read_results
from .api.result import Result as Result, Results as Results
from .api.series import annotate as annotate, read_geo as read_geo, read_tcga as read_tcga
from .api.solving import Solution as Solution, solve as solve
from .errors import (
    AnalysisError as AnalysisError,
    FormatError as FormatError,
    GenotexError as GenotexError,
    UsageError as UsageError,
)
from .simulate import simulate_study as simulate_study
from .workflows.annotation import Annotation as Annotation

__version__: str
