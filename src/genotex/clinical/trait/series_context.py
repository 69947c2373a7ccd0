"""What title, summary and design of a series say about a trait, before any sample is looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from genotex.clinical.trait.tissue_context import TissueContext
from genotex.clinical.words.abbreviations import explained_abbreviations
from genotex.clinical.words.disease_names import ends_like_tumour
from genotex.clinical.words.vocabulary import TraitWords, Vocabulary
from genotex.clinical.words.wording import simplify

__all__ = ["SeriesContext"]

_NEAR = 3
"""Words before a tumour that may name its organ."""


class SeriesContext:
    """The texts of one series, read for one trait.

    Parameters
    ----------
    trait : TraitWords
        How the trait is named.
    vocabulary : Vocabulary
        All other words.
    title : str
        Title of the series.
    text : str
        Title, summary and design.
    """

    def __init__(self, trait: TraitWords, vocabulary: Vocabulary, title: str, text: str) -> None:
        self._trait = trait
        self._vocabulary = vocabulary
        self._terms = vocabulary.groups
        self._title = title
        self._text = text

    @cached_property
    def about(self) -> bool:
        """Whether the series is about the trait, so that "patient" or "tumour" can mean it."""
        if self.in_title or self.mentions > 1:
            return True
        trait = self._trait
        return trait.is_cancer and not trait.is_subtype and self._names_trait(self._text)

    @cached_property
    def in_title(self) -> bool:
        """Whether the title of the series names the trait, a form of it or a wider word."""
        return self._names_trait(self._title)

    @cached_property
    def mentions(self) -> int:
        """How often title, summary and design name the trait."""
        return len(self._trait.terms.spans(self._text))

    @cached_property
    def mentions_controls(self) -> bool:
        """Whether title, summary or design speak of healthy people, controls or normal tissue."""
        terms = self._terms
        return self._text in terms["healthy"] or self._text in terms["unaffected_tissue"]

    @cached_property
    def is_of_cells(self) -> bool:
        """Whether title, summary or design speak of cell lines or cultures."""
        return self._text in self._terms["cell_culture"]

    @cached_property
    def tissues(self) -> TissueContext:
        """Whose tissue the texts speak of."""
        return TissueContext(self._trait, self._vocabulary, self._text)

    def organ_elsewhere(self, tumour: str) -> str | None:
        """Return the organ of a tumour that the texts know from another organ alone.

        Parameters
        ----------
        tumour : str
            A value such as "adenocarcinoma". Words that fit every organ ("tumor") have none.

        Returns
        -------
        str or None
            An organ: every mention of the tumour has one beside it, and none is the trait's.
        """
        plain = simplify(self._vocabulary.spelling.mended(tumour))
        text = f" {simplify(self._text)} "
        if not (self._trait.is_cancer and ends_like_tumour(plain)):
            return None
        found = None
        for hit in re.finditer(rf" {re.escape(plain)}(?= )", text):
            before, after = text[: hit.start()], text[hit.end() :]
            found = self._organ_at_end(before) or self._organ_behind(after)
            if found is None or found in self._trait.sites:
                return None
        return found

    def _organ_at_end(self, text: str) -> str | None:
        near = " ".join(text.split()[-_NEAR:])
        spans = self._terms["organs"].spans(near)
        return near[slice(*spans[-1])] if spans and spans[-1][1] == len(near) else None

    def _organ_behind(self, text: str) -> str | None:
        hit = re.match(r" (?:of|from|in) (?:the )?(.+)", text[:100])
        spans = self._terms["organs"].spans(hit[1]) if hit else []
        return hit[1][slice(*spans[0])] if hit and spans and spans[0][0] == 0 else None

    def _names_trait(self, text: str) -> bool:
        trait = self._trait
        if text in trait.terms or text in trait.includes:
            return True
        if trait.is_subtype:
            return False
        if trait.is_cancer:
            # "Adenocarcinoma" in a title leaves open of which organ; the organ has to be named.
            return text in trait.sites and text in self._terms["cancer"]
        return text in trait.broader

    def spelt_out(self, value: str) -> str | None:
        """Return a value with its abbreviations spelt out as the texts explain them."""
        pieces = re.split(r"([\s_,;/()]+)", value)
        spelt = [self._abbreviations.get(piece, piece) for piece in pieces]
        return "".join(spelt) if spelt != pieces else None

    def spelt_key(self, key: str) -> str:
        """Return a key with its abbreviations spelt out, whatever their case ("pts: 1")."""
        spelt = {short.casefold(): long for short, long in self._abbreviations.items()}
        return "".join(spelt.get(p.casefold(), p) for p in re.split(r"([\s_,;/()]+)", key))

    @cached_property
    def _abbreviations(self) -> Mapping[str, str]:
        found = explained_abbreviations(self._text)
        # A long form that holds a short form again would be spelt out for ever.
        return {
            short: long
            for short, long in found.items()
            if not set(found) & set(re.split(r"[\s_,;/()]+", long))
        }
