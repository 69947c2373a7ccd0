"""What the pages show of a tested gene set."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.gene_sets.enrichment import ranking, running_sum
from genotex.app.genes.plots import rounded
from genotex.studies import Floats, LoadedAnalysis

_MOST_POINTS = 1500


def running_sum_of(analysis: LoadedAnalysis, genes: tuple[str, ...]) -> dict[str, Any] | None:
    """Return the running sum of a set along the ranking, the places of its genes and its peak."""
    ranked = ranking(analysis.result, analysis.incomplete)
    if ranked is None:
        return None
    names, statistic = ranked
    known = set(genes)
    members = np.array([name in known for name in names])
    hits = np.flatnonzero(members)
    if not len(hits):
        return None
    total = running_sum(members, statistic)
    peak = int(np.abs(total).argmax())
    drawn = _corners(total, hits)
    return {
        "x": (drawn + 1).tolist(),
        "y": rounded(total[drawn]),
        "hits": (hits + 1).tolist(),
        "genes": [names[i] for i in hits],
        "t": rounded(statistic[hits]),
        "genes_ranked": len(names),
        "zero": int((statistic > 0).sum()),
        "peak": {"x": peak + 1, "y": float(total[peak])},
    }


def _corners(total: Floats, hits: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the places where the line turns; between them it is straight."""
    if len(hits) > _MOST_POINTS:
        return np.unique(np.linspace(0, len(total) - 1, _MOST_POINTS).astype(np.intp))
    ends = np.array([0, len(total) - 1])
    return np.unique(np.concatenate([ends, hits, np.maximum(hits - 1, 0)]))
