"""Is there a batch effect? The published rule, by gaps between eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["BatchEffect", "detect_batch_effect"]

EIGENVALUES = 10
THRESHOLD = 200


@dataclass(frozen=True)
class BatchEffect:
    """Whether the eigenvalues of the samples' covariance show a batch effect."""

    shares: tuple[float, ...]  # The ten largest eigenvalues, divided by the largest
    threshold: float  # 200 / n; a gap is at most 1, so n must be above 200

    @property
    def gaps(self) -> tuple[float, ...]:
        """Differences of neighbours."""
        return tuple(a - b for a, b in zip(self.shares, self.shares[1:], strict=False))

    @property
    def found(self) -> bool:
        """Whether a gap is above the threshold."""
        return any(gap > self.threshold for gap in self.gaps)

    def as_json(self) -> dict[str, Any]:
        """Return all of it as plain JSON values."""
        return {
            "shares": list(self.shares),
            "gaps": list(self.gaps),
            "threshold": self.threshold,
            "found": self.found,
        }


def detect_batch_effect(expression: NDArray[np.float64]) -> BatchEffect:
    """Look for a gap between neighbouring eigenvalues of Xc Xc' (Xc column-centred)."""
    # Source: GenoTEX paper, appendix F, with the threshold 200/n of the published release.
    # Shapes: expression (n, p).
    centred = expression - expression.mean(axis=0)
    eigenvalues = np.linalg.eigvalsh(centred @ centred.T)[::-1][:EIGENVALUES]
    largest = eigenvalues[0]
    shares = eigenvalues / largest if largest > 0 else np.zeros_like(eigenvalues)
    return BatchEffect(tuple(shares.tolist()), THRESHOLD / len(expression))
