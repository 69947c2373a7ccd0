"""Names of diseases by the look of the words, for those that no vocabulary lists."""

from __future__ import annotations

import re

from genotex.clinical.words.wording import simplify

__all__ = ["disease_by_ending", "ends_like_tumour"]

_TUMOUR_ENDING = re.compile(r"\b[a-z]{4,}(?:oma|leukemia)\b")
_ENDING = re.compile(r"\b[a-z]{4,}(?:itis|oma|emia|pathy|plegia|penia|trophy|sclerosis|uria)\b")


def ends_like_tumour(value: str) -> bool:
    """Tell whether a word of the value ends like the name of a tumour."""
    return bool(_TUMOUR_ENDING.search(simplify(value)))


def disease_by_ending(value: str) -> str | None:
    """Return a word that ends like the name of a disease."""
    hit = _ENDING.search(simplify(value))
    return hit[0] if hit else None
