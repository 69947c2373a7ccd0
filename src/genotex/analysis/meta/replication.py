"""When a gene counts as replicating: one plain rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.meta.effects import CombinedEffects

__all__ = ["NOMINAL", "replicates", "replication_rule"]

NOMINAL = 0.05
"""A cohort supports a gene by itself when its own p-value is below."""

SUPPORTING = 2
"""So many cohorts must support a gene by themselves."""


def replicates(
    found: CombinedEffects, nominal: NDArray[np.int64], significant: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Tell which genes replicate, by the rule of `replication_rule`.

    Parameters
    ----------
    found : CombinedEffects
        What p genes come to over all cohorts.
    nominal : ndarray of int, shape (p,)
        Cohorts with a p-value below `NOMINAL` in the direction of the combined effect.
    significant : ndarray of bool, shape (p,)
        Combined q-value below the cut.
    """
    agreed = found.agreeing == found.cohorts
    # NaN: with two cohorts, each has to support the gene by itself already.
    steady = ~(found.largest_p >= NOMINAL) & ~found.flips
    told: NDArray[np.bool_] = significant & agreed & (nominal >= SUPPORTING) & steady
    return told


def replication_rule(q_cut: float) -> str:
    """Return the rule in words."""
    return (
        f"combined q < {q_cut:g}, the same direction in all cohorts that tested the gene, "
        f"p < {NOMINAL:g} by itself in at least two of them, and, with three cohorts or more, "
        f"combined p < {NOMINAL:g} in the same direction whichever cohort is left out"
    )
