"""Pages of scores: one evaluation, and runs side by side."""

from genotex.reports.scores.comparison import write_comparison
from genotex.reports.scores.writing import write_scores

__all__ = ["write_comparison", "write_scores"]
