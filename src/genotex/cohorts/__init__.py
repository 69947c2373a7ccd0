"""One cohort from raw files to a linked table and its record."""

from genotex.cohorts.geo import read_or_replay
from genotex.cohorts.geo_files import read_series_file
from genotex.cohorts.prepared import PreparedCohort, PreprocessOptions
from genotex.cohorts.preprocess import CohortOutcome, CohortTask, preprocess, preprocess_cohort
from genotex.cohorts.tcga_folder import FolderChoice, choose_folder

__all__ = [
    "CohortOutcome",
    "CohortTask",
    "FolderChoice",
    "PreparedCohort",
    "PreprocessOptions",
    "choose_folder",
    "preprocess",
    "preprocess_cohort",
    "read_or_replay",
    "read_series_file",
]
