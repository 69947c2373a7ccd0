"""When a gene replicates: a partial conjunction test after the test of a common effect.

The null hypothesis is that the cohorts have no effect in common, or that fewer than two of them
have an effect in its direction. Neither a gene whose true effects merely scatter around zero from
cohort to cohort nor a gene that changed in one cohort only replicates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from genotex.analysis.meta.effects import Floats, normal_size
from genotex.analysis.multiple_testing import benjamini_hochberg

__all__ = ["NOMINAL", "REQUIRED", "partial_conjunction", "replication_q", "replication_rule"]

NOMINAL = 0.05
"""A cohort supports a gene by itself when its own p-value is below."""

REQUIRED = 2
"""A gene replicates when so many cohorts, or more, have its effect."""


def partial_conjunction(
    p: Floats, signs: Floats, direction: Floats, required: int = REQUIRED
) -> Floats:
    """Test that fewer than `required` cohorts have an effect in a direction.

    The cohorts with the strongest evidence, one fewer than `required`, may be real in any case.
    So they are left out, and one-sided p-values of the others are combined by Stouffer's method
    (Benjamini and Heller 2008). The direction was chosen from the data, so p is doubled (Owen
    2009).

    Parameters
    ----------
    p, signs : ndarray of float64, shape (k, m)
        Two-sided p-values of k cohorts for m genes, NaN where there is none; -1, 0 or 1 for the
        direction of the effect.
    direction : ndarray of float64, shape (m,)
        Direction to test, -1 or 1.
    required
        Number of cohorts.

    Returns
    -------
    ndarray of float64, shape (m,)
        NaN where fewer than `required` cohorts tested the gene.
    """
    there = np.isfinite(p)
    count = there.sum(axis=0)
    left = count - required + 1
    size = normal_size(p)
    # Least supporting first; where there is no p-value, last.
    along = np.sort(np.where(there, signs * direction * size, np.inf), axis=0)
    last = np.clip(left - 1, 0, len(p) - 1)
    total = np.take_along_axis(np.cumsum(along, axis=0), last[None], axis=0)[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        one_sided = ndtr(-total / np.sqrt(left))
    return np.where(left > 0, np.minimum(2 * one_sided, 1.0), np.nan)


def replication_q(p: Floats, significant: NDArray[np.bool_]) -> Floats:
    """Return the q-values of the significant genes, over these; NaN for all others.

    Parameters
    ----------
    p : ndarray of float64, shape (m,)
        Replication p: the larger of the combined p and that of the partial conjunction.
    significant : ndarray of bool, shape (m,)
        Combined q-value below the cut. Only these genes are tested for replication.
    """
    q = np.full(len(p), np.nan)
    q[significant] = benjamini_hochberg(p[significant])
    return q


def replication_rule(q_cut: float) -> str:
    """Return the rule in words."""
    return (
        f"combined q < {q_cut:g} and, among the genes that have it, replication q < {q_cut:g}: a "
        f"partial conjunction test (Benjamini and Heller 2008) that at least {REQUIRED} of the "
        "cohorts that tested the gene have an effect in the direction of the combined one"
    )
