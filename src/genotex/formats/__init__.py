"""Readers and writers of the files; they know nothing of traits or statistics."""

from genotex.formats.cohort_record import CohortInfo, Evidence, Role
from genotex.formats.linked import LinkedTable
from genotex.formats.matrix import ExpressionMatrix
from genotex.formats.platform import Platform
from genotex.formats.series import Series
from genotex.formats.series_matrix import read_series_matrix
from genotex.formats.soft_platform import read_platforms
from genotex.formats.soft_series import read_family_soft

__all__ = [
    "CohortInfo",
    "Evidence",
    "ExpressionMatrix",
    "LinkedTable",
    "Platform",
    "Role",
    "Series",
    "read_family_soft",
    "read_platforms",
    "read_series_matrix",
]
