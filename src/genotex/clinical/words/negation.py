"""Whether a value denies a name: "no asthma" and "asthma-free" do, "asthma, RF negative" does not.

The rule of NegEx (Chapman and others, J Biomed Inform 34, 2001, 301-310) narrowed down: a denial
holds inside one clause, and only for the name that it adjoins. The words between the two
decide, because cells are full of markers and treatments that are negative or absent themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from genotex.clinical.words.wording import Terms
from genotex.features import simplify

NAME = "itsname"
"""Replaces a name that was removed from a value, so that its denial applies to nothing else."""

_Denial = Literal["denied", "open"]
"""``open``: there is a denial nearby, and what it denies is not clear."""

_CLAUSE = re.compile(r"[,;()|\[\]]|\.\s")
# A denial alone in parentheses belongs to the clause before it.
_ALONE = re.compile(r"\(\s*(?:[-\u2212]|neg(?:ative)?|absent|excluded)\s*\)", re.IGNORECASE)
_OPEN_WORDS = 3
_TAIL_WORDS = 2


class Negation:
    """Finds denials of names."""

    def __init__(self, words: Mapping[str, Terms], diseases: Terms) -> None:
        self._words = words
        self._diseases = diseases

    def of(self, value: str, names: Terms) -> _Denial | None:
        """Return whether all mentions of the names in a value are denied."""
        # ``denied`` when every mention is denied, ``open`` when that is not clear, None when one
        # mention is not denied.
        clauses = [c for c in _CLAUSE.split(_ALONE.sub(" negative ", value)) if simplify(c)]
        found: list[_Denial | None] = []
        for number, clause in enumerate(clauses):
            following = simplify(clauses[number + 1]) if number + 1 < len(clauses) else ""
            spans = names.spans(clause)  # of the original clause: acronyms need their capitals
            found += [self._mention(simplify(clause), span, following) for span in spans]
        if not found or None in found:
            return None
        return "open" if "open" in found else "denied"

    def directly_before(self, value: str, names: Terms) -> bool:
        """Return whether every mention has a denial in front ("not healthy")."""
        mentions = [
            simplify(clause)[: span[0]].strip()
            for clause in _CLAUSE.split(value)
            for span in names.spans(clause)
        ]
        return bool(mentions) and all(map(self._denied_before, mentions))

    def _mention(self, clause: str, span: tuple[int, int], following: str) -> _Denial | None:
        before, after = clause[: span[0]].strip(), clause[span[1] :].strip()
        if self._denied_before(before) or self._denied_after(after):
            return "denied"
        near = " ".join(before.split()[-_OPEN_WORDS:])
        if self._fills("negation_after", following) and not after:
            return "open"
        if near in self._words["negation_open"] or self._half_denied_after(after):
            return "open"
        return None

    def _denied_before(self, before: str) -> bool:
        while not self._ends(before, self._words["negation_before"]):
            shorter = self._without_bridge(before)
            if shorter == before:
                return False
            before = shorter
        return True

    def _without_bridge(self, before: str) -> str:
        """Remove a last word that extends a denial: "no history of", "neither asthma nor"."""
        first, _, last = before.rpartition(" ")
        if last in {"or", "nor"}:
            if first.split()[-1:] == [NAME]:
                return first.removesuffix(NAME).strip()
            spans = self._diseases.spans(first)
            return first[: spans[-1][0]].strip() if spans and spans[-1][1] == len(first) else before
        return first if self._fills("negation_bridge", last) else before

    def _denied_after(self, after: str) -> bool:
        words = after.split()
        while words and self._fills("negation_test", words[0]):
            words = words[1:]
        return bool(words) and self._fills("negation_after", words[0])

    def _half_denied_after(self, after: str) -> bool:
        """Return whether a test is negative, or a word follows that can mean untreated."""
        words = after.split()[:_TAIL_WORDS]
        if not words:
            return False
        if self._fills("negation_maybe", words[0]):
            return True
        test = self._fills("negation_assay", words[0])
        return test and len(words) > 1 and self._fills("negation_after", words[1])

    def _fills(self, group: str, text: str) -> bool:
        return (0, len(text)) in self._words[group].spans(text) if text else False

    @staticmethod
    def _ends(text: str, terms: Terms) -> bool:
        return any(end == len(text) for _, end in terms.spans(text))
