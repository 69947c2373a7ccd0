"""What the pages show of a tested gene set."""

from __future__ import annotations

import numpy as np

from genotex.analysis.gene_sets.enrichment import ranking, running_sum
from genotex.figures import Figure
from genotex.figures import running_sum as draw_running_sum
from genotex.studies import LoadedAnalysis

_MOST_POINTS = 1500


def running_sum_of(analysis: LoadedAnalysis, genes: tuple[str, ...]) -> Figure | None:
    """Declare the running sum of a set along the ranking."""
    ranked = ranking(analysis.result, analysis.incomplete)
    if ranked is None:
        return None
    names, statistic = ranked
    known = set(genes)
    members = np.array([name in known for name in names])
    hits = np.flatnonzero(members)
    if not len(hits):
        return None
    return draw_running_sum(running_sum(members, statistic), hits, names, statistic)
