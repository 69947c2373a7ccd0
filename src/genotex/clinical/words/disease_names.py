"""Names of diseases by the look of the words, for those that no vocabulary lists."""

from __future__ import annotations

import re
from functools import lru_cache

from genotex.clinical.words.wording import load_wording, simplify

__all__ = ["disease_by_ending", "ends_like_tumour"]


def ends_like_tumour(value: str) -> bool:
    """Tell whether a word of the value ends like the name of a tumour ("glaucoma" is none)."""
    return _word_with_ending(value, "tumor") is not None


def disease_by_ending(value: str) -> str | None:
    """Return a word that ends like the name of a disease."""
    return _word_with_ending(value, "disease")


def _word_with_ending(value: str, kind: str) -> str | None:
    others = load_wording()["endings"][f"no_{kind}"]
    words = (hit[0] for hit in _ending(kind).finditer(simplify(value)))
    return next((word for word in words if word not in others), None)


@lru_cache(maxsize=2)
def _ending(kind: str) -> re.Pattern[str]:
    endings = "|".join(map(re.escape, load_wording()["endings"][kind]))
    return re.compile(rf"\b[a-z]{{4,}}(?:{endings})\b")
