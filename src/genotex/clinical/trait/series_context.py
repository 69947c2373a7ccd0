"""What title, summary and design of a series say about a trait, before any sample is looked at."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from genotex.clinical.words.abbreviations import explained_abbreviations
from genotex.clinical.words.vocabulary import TraitWords, Vocabulary

__all__ = ["SeriesContext"]


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

    def _names_trait(self, text: str) -> bool:
        trait = self._trait
        if text in trait.terms or text in trait.includes:
            return True
        if trait.is_subtype:
            return False
        return text in trait.broader or (text in trait.sites and text in self._terms["cancer"])

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
