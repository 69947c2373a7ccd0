"""Pages and tables that people read."""

from genotex.reports.meta import write_meta_report
from genotex.reports.writing import write_report, write_unanswered_report

__all__ = ["write_meta_report", "write_report", "write_unanswered_report"]
