"""Colours and marks of the figures: told apart by colour-blind eyes, and by shape as well."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ACCENT",
    "COLOURS",
    "DIVERGING",
    "DOWN",
    "GREY",
    "INK",
    "LEVELS",
    "MARKERS",
    "QUIET",
    "RUN_COLOURS",
    "RUN_MARKERS",
    "UP",
    "SampleMarks",
]

INK = "#1f2933"
QUIET = "#5b6770"
GREY = "#b4bcc4"
ACCENT = "#1b5e83"
UP = "#b8501f"
DOWN = "#22689b"

COLOURS = {"case": UP, "control": DOWN, "other": "#8a7a1f", "unknown": "#8b95a0"}
MARKERS = {"case": "o", "control": "s", "other": "^", "unknown": "X"}

RUN_COLOURS = (
    "#1b5e83", "#c8742f", "#7d8f2b", "#8d4f8a", "#3f9c93", "#b23a48", "#6b7280", "#b89a1e",
)  # fmt: skip
RUN_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
"""Of kinds of problems, and of runs side by side."""

DIVERGING = ("#134b78", "#5f9bc6", "#f6f5f2", "#dc8a5e", "#8f3510")
LEVELS = ("#c9d8e3", "#4f88ab", "#12354b")
"""Colours that a colour map runs through, lowest first."""


@dataclass(frozen=True, eq=False)
class SampleMarks:
    """How the samples are marked in every figure.

    Attributes
    ----------
    names : tuple of str
        Sample ids.
    keys : tuple of str
        Group of each sample, a key of `COLOURS`; all the same for a continuous trait.
    labels : dict
        Group key -> name for people, in the order of the figures.
    levels : ndarray of float64, shape (n,), or None
        The trait's levels when it is continuous: then they colour the samples.
    level_name : str
        What the levels measure.
    """

    names: tuple[str, ...]
    keys: tuple[str, ...]
    labels: dict[str, str]
    levels: NDArray[np.float64] | None = None
    level_name: str = ""

    def members(self, key: str) -> NDArray[np.intp]:
        """Return the indices of a group's samples."""
        return np.flatnonzero(np.asarray(self.keys) == key)
