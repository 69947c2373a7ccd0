"""How much two traits share: the genes related to both, and their Jaccard similarity."""

from __future__ import annotations

from collections.abc import Collection, Mapping

__all__ = ["GeneOverlap"]


class GeneOverlap:
    """The related genes of traits, set against each other.

    Parameters
    ----------
    genes : mapping of str to collection of str
        Trait -> its related genes; a trait that is not there has none.
    """

    def __init__(self, genes: Mapping[str, Collection[str]]) -> None:
        self._genes = {trait: frozenset(listed) for trait, listed in genes.items()}
        self._known: dict[tuple[str, str], float] = {}

    def shared(self, a: str, b: str) -> frozenset[str]:
        """Return the genes related to both traits."""
        none: frozenset[str] = frozenset()
        return self._genes.get(a, none) & self._genes.get(b, none)

    def jaccard(self, a: str, b: str) -> float:
        """Return the genes related to both over those related to either; 0 where there are none.

        The same for both orders of the traits.
        """
        key = (a, b) if a <= b else (b, a)
        if key not in self._known:
            shared = len(self.shared(a, b))
            either = sum(len(self._genes.get(trait, ())) for trait in key) - shared
            self._known[key] = shared / either if either else 0.0
        return self._known[key]
