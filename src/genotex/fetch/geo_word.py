"""What the rules say of a GEO series from its summary alone, before any download."""

from __future__ import annotations

from dataclasses import dataclass

from genotex.clinical import SeriesDescription, Vocabulary, certainty_text, judge_expression
from genotex.fetch.geo_search import GeoSummary

__all__ = ["SummaryWord", "word_of_expert"]


@dataclass(frozen=True)
class SummaryWord:
    """What the rules say of a series from its summary alone.

    Attributes
    ----------
    expression : bool
        Whether it holds human gene expression.
    why : str
        Why, or why not.
    trait : str
        Where the trait is spoken of; empty where it is not.
    """

    expression: bool
    why: str
    trait: str


def word_of_expert(summary: GeoSummary, trait: str, vocabulary: Vocabulary) -> SummaryWord:
    """Return what the rules say of a series from its summary alone.

    The characteristics of the samples, which tell the trait, are not in a summary; so this is a
    word, not a reading.
    """
    description = SeriesDescription(
        cohort=summary.accession,
        title=summary.title,
        summary=summary.text,
        series_type=summary.study_types,
        organisms=summary.organisms,
        titles=summary.titles,
    )
    gene = judge_expression(description)
    sure = "" if gene.certainty is None else f" ({certainty_text(gene.certainty)})"
    return SummaryWord(
        gene.available,
        gene.reason + sure,
        _spoken_of(summary, trait, vocabulary),
    )


def _spoken_of(summary: GeoSummary, trait: str, vocabulary: Vocabulary) -> str:
    words = vocabulary.trait(trait)
    places = {"title": summary.title, "summary": summary.text}
    found = [
        name
        for name, text in places.items()
        if words.terms.spans(text) or words.includes.spans(text)
    ]
    if any(words.terms.spans(title) for title in summary.titles):
        found.append("sample titles")
    return ", ".join(found)
