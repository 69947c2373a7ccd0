"""Genes that were selected: those of a pasted list, and those inside the lasso of a plot."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from genotex.studies import LoadedAnalysis

_MOST_CORNERS = 400
_SEPARATORS = re.compile(r"[\s,;|]+")


def marks_of(analysis: LoadedAnalysis, marked: Iterable[str]) -> NDArray[np.bool_]:
    """Return which genes are highlighted."""
    found = np.zeros(analysis.genes.height, dtype=bool)
    ranks = (analysis.rank_of.get(name.lower()) for name in marked)
    found[[rank for rank in ranks if rank is not None]] = True
    return found


def corners(text: str) -> tuple[tuple[float, float], ...]:
    """Return the corners of a lasso; none of a text that makes no sense."""
    try:
        numbers = [float(part) for part in text.split(",")] if text else []
    except ValueError:
        return ()
    if len(numbers) % 2 or not 6 <= len(numbers) <= 2 * _MOST_CORNERS:
        return ()
    if not np.isfinite(numbers).all():
        return ()
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def names_in(text: str) -> tuple[str, ...]:
    """Return the gene names of a pasted text, each once."""
    return tuple(dict.fromkeys(name for name in _SEPARATORS.split(text) if name))
