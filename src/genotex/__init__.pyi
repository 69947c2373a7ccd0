from .api.annotation import Annotation as Annotation, annotate as annotate
from .api.series import read_geo as read_geo, read_tcga as read_tcga
from .errors import (
    AnalysisError as AnalysisError,
    FormatError as FormatError,
    GenotexError as GenotexError,
    UsageError as UsageError,
)
from .simulate import simulate_study as simulate_study

__version__: str
