"""Whose tissue the texts of a series speak of: "normal parietal cortex", "hippocampal sclerosis".

Where patients and controls gave different tissues, the row of tissues tells who is who, but only
the texts say which tissue is whose. A tissue counts for a side when its name stands in, or right
beside, a name of the trait or a word for healthy people; beside both, nobody can tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from genotex.clinical.words.vocabulary import TraitWords, Vocabulary
from genotex.clinical.words.wording import Terms, simplify

__all__ = ["Side", "TissueContext"]

Side = Literal["case", "control", "both"]

_CLAUSE = re.compile(r"[.,;:()\[\]\n]")
_ENUMERATES = {"or", "and"}
_CASE, _CONTROL = "itscase", "itscontrol"
_SHORTEST = 4
_STEM = 5
_ENDING = 3


class TissueContext:
    """The tissues of patients and controls, as the texts of one series tell them.

    Parameters
    ----------
    trait : TraitWords
        How the trait is named.
    vocabulary : Vocabulary
        All other words; its groups ``tissue_part`` and ``tissue_bridge`` are used.
    text : str
        Title, summary and design.
    """

    def __init__(self, trait: TraitWords, vocabulary: Vocabulary, text: str) -> None:
        self._groups = vocabulary.groups
        beside: dict[str, set[str]] = {"case": set(), "control": set()}
        for clause in _CLAUSE.split(text):
            plain = simplify(clause)
            for terms in (trait.terms, trait.includes):
                beside["case"] |= self._named_in(plain, terms)
                beside["case"] |= self._beside(self._marked(clause, terms, _CASE), _CASE)
            for terms in (self._groups["healthy"], trait.healthy):
                if clause not in self._groups["not_healthy"]:
                    marked = self._marked(clause, terms, _CONTROL)
                    beside["control"] |= self._beside(marked, _CONTROL)
        self._words = beside

    def side(self, tissue: str) -> Side | None:
        """Return whose tissue it is; None where the texts say nothing.

        Parameters
        ----------
        tissue : str
            A value under a key that asks for the tissue.
        """
        names = self._names(simplify(tissue).split())
        case, control = (
            any(_same(name, word) for name in names for word in self._words[side])
            for side in ("case", "control")
        )
        if case and control:
            return "both"
        return "case" if case else "control" if control else None

    def _names(self, words: Iterable[str]) -> set[str]:
        """Return the words that name a tissue, without "lobe", "biopsy" and the like."""
        return {
            word
            for word in words
            if len(word) >= _SHORTEST and word not in self._groups["tissue_part"]
        }

    def _named_in(self, plain: str, terms: Terms) -> set[str]:
        spans = terms.spans(plain)
        return self._names(word for start, end in spans for word in plain[start:end].split())

    @staticmethod
    def _marked(clause: str, terms: Terms, mark: str) -> list[str]:
        """Return the words of a clause with a mark where the terms stand."""
        plain = simplify(clause)
        for start, end in reversed(terms.spans(clause)):
            plain = f"{plain[:start]} {mark} {plain[end:]}"
        return plain.split()

    def _beside(self, words: list[str], mark: str) -> set[str]:
        """Return the words right beside a mark, and those that are enumerated with them."""
        if mark not in words:
            return set()
        kept = [w for w in words if not (w.isdecimal() or self._fills(w))]
        found: set[str] = set()
        for place, word in enumerate(kept):
            if word == mark:
                found |= self._run(kept[place + 1 :]) | self._run(kept[:place][::-1])
        return found

    def _fills(self, word: str) -> bool:
        return word in self._groups["tissue_part"] or word in self._groups["tissue_bridge"]

    @staticmethod
    def _run(words: list[str]) -> set[str]:
        """Return the first word, and further ones joined to it by "or" and "and"."""
        found = set(words[:1]) - _ENUMERATES
        for joint, word in zip(words[1::2], words[2::2], strict=False):
            if joint not in _ENUMERATES or not found:
                break
            found.add(word)
        return found


def _same(one: str, other: str) -> bool:
    """Tell whether two words are one word with other endings (hippocampus, hippocampal)."""
    if one == other:
        return True
    shared = next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    return shared >= _STEM and max(len(one), len(other)) - shared <= _ENDING
