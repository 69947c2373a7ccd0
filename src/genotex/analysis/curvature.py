"""Newton directions of a penalised regression."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.linalg.lapack import dpotrf, dpotrs, spotrf, spotrs

__all__ = ["Curvature"]

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Curvature:
    """Second derivatives at one point; kept for several steps, as they change little."""

    def __init__(
        self, columns: Floats, weight: Floats | None, ridge: Floats, kind: DTypeLike
    ) -> None:
        single = np.dtype(kind) == np.float32
        self._cholesky, self._back = (spotrf, spotrs) if single else (dpotrf, dpotrs)
        # So that duplicate genes share a coefficient.
        self._jitter = 1e-6 if single else 1e-10
        scaled = columns.astype(kind)
        if weight is not None:
            scaled *= np.sqrt(weight).astype(kind)
        self._hessian = scaled @ scaled.T
        self._hessian /= columns.shape[1]
        diagonal = self._hessian.reshape(-1)[:: len(columns) + 1]
        diagonal[: len(ridge)] += ridge
        diagonal += self._jitter * diagonal.max()
        self._free = b""

    def direction(self, pull: Floats, free: Mask) -> Floats:
        """Return the Newton direction for a downhill slope, 0 where a coefficient is not free."""
        if self._free != (key := free.tobytes()):
            self._free = key
            self._factorise(free)
        if self._everything:
            found, _ = self._back(self._factor, pull, lower=1)
            return np.asarray(found, dtype=np.float64)
        direction = np.zeros(len(pull))
        direction[self._chosen], _ = self._back(self._factor, pull[self._chosen], lower=1)
        return direction

    def _factorise(self, free: Mask) -> None:
        self._everything = bool(free.all())
        self._chosen = np.flatnonzero(free)
        part = self._hessian
        if not self._everything:
            part = part[self._chosen[:, None], self._chosen]
        jitter = 0.0
        while True:
            self._factor, failed = self._cholesky(part, lower=1)
            if not failed:
                return
            # Rounding can make a singular matrix look indefinite.
            jitter = max(10 * jitter, 10 * self._jitter * float(part.diagonal().max()))
            part = part + jitter * np.eye(len(part), dtype=part.dtype)
