"""A matrix of measurements with named rows and samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["ExpressionMatrix"]


@dataclass(frozen=True, eq=False)
class ExpressionMatrix:
    """Expression values, rows x samples.

    Attributes
    ----------
    ids : tuple of str
        Row ids: probes as the platform names them, or gene symbols after mapping. Always strings.
    samples : tuple of str
        Sample ids (GSM accessions, TCGA barcodes), one for each column, all different.
    values : ndarray of float32 or float64, shape (len(ids), len(samples))
        Measurements in the unit of the source; missing is NaN.
    """

    ids: tuple[str, ...]
    samples: tuple[str, ...]
    values: NDArray[np.floating]

    def __post_init__(self) -> None:
        """Check that the shape fits the names."""
        if self.values.shape != (len(self.ids), len(self.samples)):
            msg = (
                f"{self.values.shape} values for {len(self.ids)} rows, {len(self.samples)} samples"
            )
            raise ValueError(msg)
