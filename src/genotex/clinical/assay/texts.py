"""What title, summary and design tell, where nothing else does."""

from __future__ import annotations

from genotex.clinical.assay.row_ids import known_ids
from genotex.clinical.assay.signs import Finding, compile_any, load_signs
from genotex.clinical.assay.verdicts import not_expression, not_human
from genotex.clinical.description import SeriesDescription

__all__ = ["by_assay_words", "by_species_words", "of_primates", "word_for_expression"]

_RULE = "texts"


def of_primates(description: SeriesDescription) -> Finding | None:
    """Judge by apes and monkeys in title or design, for they are measured on human arrays."""
    told = f"{description.title} {description.overall_design}"
    primate = load_signs().pattern("texts", "primates").search(told)
    if primate is None:
        return None
    return not_human(_RULE, "", f"title or design speak of {primate[0]}")


def by_species_words(description: SeriesDescription) -> Finding | None:
    """Judge by names of animals, in texts that speak neither of people nor of xenografts."""
    signs = load_signs()
    text = description.text
    other = signs.pattern("texts", "other_species").search(text)
    people = signs.pattern("texts", "human_words").search(text)
    if not other or people or signs.pattern("samples", "xenograft").search(text):
        return None
    return not_human(_RULE, "", f"the texts speak of {other[0]}")


def by_assay_words(description: SeriesDescription) -> Finding | None:
    """Judge by names of assays, where there are no row ids or no platform to judge by.

    A title that speaks of expression forbids the verdict; texts that do, unless the title names
    the assay.
    """
    if known_ids(description.first_ids) and description.annotation_columns:
        return None
    signs = load_signs()
    expression = signs.pattern("texts", "expression")
    if expression.search(description.title):
        return None
    for entry in signs.entries("texts", "kinds"):
        pattern = compile_any(entry["patterns"])
        hit = pattern.search(description.title)
        if hit is None and not expression.search(description.text):
            hit = pattern.search(description.text)
        if hit:
            reason = f"the series is about {entry['measures']}"
            return not_expression(_RULE, reason, f"the texts speak of {hit[0]!r}")
    return None


def word_for_expression(description: SeriesDescription) -> str | None:
    """Return the first words of the texts that speak of gene expression."""
    hit = load_signs().pattern("texts", "expression").search(description.text)
    return hit[0] if hit else None
