"""Pages and tables that people read."""

from genotex.reports.writing import write_report, write_unanswered_report

__all__ = ["write_report", "write_unanswered_report"]
