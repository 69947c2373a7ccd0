"""The words by which one trait is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from genotex.clinical.words.of_name import (
    cancer_by_name,
    sites_of_name,
    table_of_name,
    terms_of_name,
)
from genotex.clinical.words.wording import Terms

__all__ = ["TraitWords", "full_table", "trait_words"]


@dataclass(frozen=True)
class TraitWords:
    """How one trait is named.

    Attributes
    ----------
    name : str
        The trait's name in words.
    terms : Terms
        Names of the trait itself.
    includes : Terms
        Narrower conditions that count as the trait.
    broader : Terms
        Wider words, for rows that say nothing more exact.
    excludes : Terms
        Phrases that look like the trait and are not.
    sites : Terms
        Organs of a cancer; empty otherwise.
    near_misses : Terms
        Other conditions that stand beside the trait in such series.
    cell_lines : Terms
        Cell lines that stand for the disease.
    genes : Terms
        Genes whose inherited mutation is the disease.
    levels : Terms
        Keys of a measured level; empty when the trait is no quantity.
    scales : Terms
        Keys of symptom scores that measure the trait in people.
    low, high : Terms
        Words of low and high groups of a level.
    unit : str
        Usual unit of the level; empty when not told.
    low_is_case : bool
        Whether the low end of the level is the trait, as in osteoporosis.
    healthy : Terms
        Words of this trait's own controls.
    is_cancer : bool
        Whether tumour against normal tissue tells the trait.
    is_subtype : bool
        Whether the trait is one of several tumours of its organ, so that "kidney tumour" leaves
        open whether it is meant.
    is_level : bool
        Whether the trait is a quantity and no disease.
    """

    name: str
    terms: Terms
    includes: Terms
    broader: Terms
    excludes: Terms
    sites: Terms
    near_misses: Terms
    cell_lines: Terms
    genes: Terms
    levels: Terms
    scales: Terms
    low: Terms
    high: Terms
    unit: str
    low_is_case: bool
    healthy: Terms
    is_cancer: bool
    is_subtype: bool
    is_level: bool


def full_table(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return all the words by which a trait is read, those of its own name among them.

    Parameters
    ----------
    name : str
        Name of the trait.
    entry : mapping
        Its table; empty for a trait that is not listed.

    Returns
    -------
    dict
        Keys of a trait table. A table with ``replace = true`` stands as it is, so that a user can
        take out even words of the name.
    """
    if not entry:
        return table_of_name(name)
    table = {key: value for key, value in entry.items() if key != "replace"}
    if entry.get("replace") or entry.get("quantity"):
        return table
    terms, acronyms = terms_of_name(name)
    table["terms"] = list(dict.fromkeys([*entry.get("terms", ()), *terms]))
    if acronyms:
        table["acronyms"] = list(dict.fromkeys([*entry.get("acronyms", ()), *acronyms]))
    if "sites" not in entry and (sites := sites_of_name(name)):
        table["sites"] = sites
    return table


def trait_words(
    name: str, table: Mapping[str, Any], words: Mapping[str, Sequence[str]]
) -> TraitWords:
    """Return the words of a trait as terms.

    Parameters
    ----------
    name : str
        Name of the trait, the listed one where it is listed.
    table : mapping
        Its `full_table`.
    words : mapping of str to sequence of str
        Words for every trait, of which ``low`` and ``high`` are used.

    Returns
    -------
    TraitWords
    """

    def terms(*kinds: str) -> Terms:
        return Terms(*(table.get(kind, ()) for kind in kinds))

    is_level = bool(table.get("quantity", False))
    return TraitWords(
        name=name.replace("_", " "),
        terms=terms("terms", "acronyms"),
        includes=terms("includes", "include_acronyms"),
        broader=terms("broader"),
        excludes=terms("excludes"),
        sites=terms("sites"),
        near_misses=terms("near_misses", "near_miss_acronyms"),
        cell_lines=terms("cell_lines"),
        genes=Terms((), table.get("genes", ())),
        levels=terms("levels"),
        scales=terms("scales"),
        low=Terms([*table.get("low", ()), *words["low"]]),
        high=Terms([*table.get("high", ()), *words["high"]]),
        unit=str(table.get("unit", "")),
        low_is_case=str(table.get("direction")) == "low" and not is_level,
        healthy=terms("healthy", "healthy_acronyms"),
        is_cancer=bool(table.get("cancer", bool(table.get("sites")) or cancer_by_name(name))),
        is_subtype=bool(table.get("subtype", False)),
        is_level=is_level,
    )
