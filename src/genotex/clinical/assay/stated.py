"""What GEO's own fields state: organism, series type, molecule, library strategy."""

from __future__ import annotations

from genotex.clinical.assay.signs import Finding
from genotex.clinical.assay.verdicts import not_expression, not_human
from genotex.clinical.description import SeriesDescription

__all__ = ["by_organism", "by_series_type", "by_stated_assay", "is_all_human"]

HUMAN = "Homo sapiens"
HUMAN_TAXID = "9606"

_RULE = "stated"
_OTHER_MOLECULES = {"genomic dna", "protein"}
_OPEN_TYPES = {"other", "third-party reanalysis"}
_EXPRESSION_LIBRARIES = {"rna-seq", "ssrna-seq", "est", "fl-cdna", "other"}


def is_all_human(description: SeriesDescription) -> bool:
    """Tell whether GEO states that all samples are human."""
    return set(description.organisms) == {HUMAN}


def by_organism(description: SeriesDescription) -> Finding | None:
    """Judge by the samples' organisms; a series' taxonomy ids count where these are not told.

    A SuperSeries' taxonomy ids are those of all its parts, so they cannot save samples whose own
    lines name other organisms only.
    """
    names = ", ".join(description.organisms)
    if names:
        human = HUMAN in description.organisms
        return None if human else not_human(_RULE, names, f"organism of the samples: {names}")
    taxids = ", ".join(description.taxids)
    if taxids and HUMAN_TAXID not in description.taxids:
        return not_human(_RULE, f"taxid {taxids}", f"taxonomy ids: {taxids}")
    return None


def by_stated_assay(description: SeriesDescription) -> Finding | None:
    """Judge by the samples' molecule and library strategy, where all say the same.

    A series that GEO calls expression profiling and nothing else is left alone: submitters choose
    the wrong molecule more often than GEO's curators the wrong type.
    """
    types = description.series_type
    if types and all(map(_is_expression, types)):
        return None
    for name, values in (
        ("molecule", description.molecule),
        ("library strategy", description.library_strategy),
    ):
        if not values:
            continue
        said = "; ".join(values)
        other = {v.casefold() for v in values}
        if name == "molecule":
            speaks_against = other <= _OTHER_MOLECULES
        else:
            speaks_against = not other & _EXPRESSION_LIBRARIES
        if speaks_against:
            reason = f"the series is no gene expression: {said}"
            return not_expression(_RULE, reason, f"{name} of the samples: {said}")
    return None


def by_series_type(description: SeriesDescription) -> Finding | None:
    """Judge by ``!Series_type``; any kind of expression profiling is expression."""
    types = description.series_type
    if not types:
        return None
    said = "; ".join(types)
    expression = [t for t in types if _is_expression(t)]
    if expression:
        # Of a SuperSeries with other types beside, the part at hand need not be the expression.
        rule = _RULE if len(expression) == len(types) else "nothing against it"
        return Finding(rule, True, "human gene expression", f"series type: {said}")
    if all(t.casefold() in _OPEN_TYPES for t in types):
        return None
    circular = "circ" in description.title.casefold() and "rna" in description.title.casefold()
    what = "circular RNA" if circular else said
    return not_expression(
        _RULE, f"the series is no gene expression: {what}", f"series type: {said}"
    )


def _is_expression(series_type: str) -> bool:
    return series_type.casefold().startswith("expression profiling")
