"""The page over all cohorts of a problem."""

from genotex.reports.meta.writing import write_meta_report

__all__ = ["write_meta_report"]
