"""The figures of a score with their names and units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

__all__ = [
    "FIGURES",
    "HEADLINE",
    "SECTIONS",
    "TABLES",
    "Figure",
    "Section",
    "SectionName",
    "headline_figures",
]

Section = Literal["filtering", "selection", "gene", "clinical", "linked", "analysis"]
"""What is averaged by itself; also the task of a `Missing`."""

TABLES: tuple[Section, ...] = ("gene", "clinical", "linked")
"""The sections of preprocessing."""

Unit = Literal["%", "fraction", "genes"]

_DECIMALS: Mapping[Unit, int] = {"%": 2, "fraction": 3, "genes": 1}


@dataclass(frozen=True)
class SectionName:
    """What a section is called, alone and before a figure, and what its items are called."""

    title: str
    short: str
    item: str
    items: str


@dataclass(frozen=True)
class Figure:
    """A figure of a score.

    Attributes
    ----------
    key : str
        The field of the item.
    label : str
        Its name for people.
    unit : {"%", "fraction", "genes"}
    meaning : str
        In a few words.
    """

    key: str
    label: str
    unit: Unit
    meaning: str

    @property
    def scale(self) -> float:
        """Return the value of the whole: 100 for percent, else 1."""
        return 100.0 if self.unit == "%" else 1.0

    @property
    def name(self) -> str:
        """Return the label with its unit."""
        return f"{self.label} (%)" if self.unit == "%" else self.label

    def write(self, value: float | None, *, signed: bool = False) -> str:
        """Return a value with the digits of its unit; a dash where it is undefined.

        A whole number, as the length of one list, stays whole.
        """
        if value is None:
            return "-"
        if isinstance(value, int):
            return str(value)
        text = f"{value:{'+' if signed else ''}.{_DECIMALS[self.unit]}f}"
        # A value that rounds to 0 has no sign.
        return text.lstrip("+-") if float(text) == 0 else text

    def write_interval(self, interval: tuple[float, float] | None, *, signed: bool = False) -> str:
        """Return "low to high"; a dash where there is none."""
        if interval is None:
            return "-"
        return " to ".join(self.write(end, signed=signed) for end in interval)


SECTIONS: Mapping[Section, SectionName] = {
    "filtering": SectionName("Dataset filtering", "filtering", "trait", "traits"),
    "selection": SectionName("Dataset selection", "selection", "problem", "problems"),
    "gene": SectionName("Preprocessing: gene tables", "gene tables", "table", "tables"),
    "clinical": SectionName("Preprocessing: clinical tables", "clinical tables", "table", "tables"),
    "linked": SectionName("Preprocessing: linked tables", "linked tables", "table", "tables"),
    "analysis": SectionName("Statistical analysis", "", "problem", "problems"),
}

_OF_A_TABLE = (
    Figure("aj", "AJ", "fraction", "features in common (Jaccard)"),
    Figure("sj", "SJ", "fraction", "samples in common (Jaccard)"),
    Figure("correlation", "correlation", "fraction", "of common features, on average"),
    Figure("csc", "CSC", "fraction", "AJ x SJ x correlation"),
)

FIGURES: Mapping[Section, tuple[Figure, ...]] = {
    "filtering": (
        Figure("precision", "precision", "%", "cohorts called available that are"),
        Figure("recall", "recall", "%", "available cohorts that were called so"),
        Figure("f1", "F1", "%", "harmonic mean of the two"),
        Figure("accuracy", "accuracy", "%", "cohorts called alike"),
    ),
    "selection": (Figure("accuracy", "accuracy", "%", "problems with the same cohort or pair"),),
    "gene": _OF_A_TABLE,
    "clinical": _OF_A_TABLE,
    "linked": _OF_A_TABLE,
    "analysis": (
        Figure("success", "success", "%", "problems with a result that can be read"),
        Figure("precision", "precision", "%", "predicted genes that are in the reference"),
        Figure("recall", "recall", "%", "reference genes that were predicted"),
        Figure("f1", "F1", "%", "harmonic mean of the two"),
        Figure("auroc", "AUROC", "fraction", "0.5 is chance"),
        Figure("auprc", "AUPRC", "fraction", "area under precision against recall"),
        Figure(
            "gsea_es", "GSEA ES", "fraction", "reference genes high in the ranking; 0 is chance"
        ),
        Figure("gsea_es_within", "ES within list", "fraction", "newest release's form; saturates"),
        Figure(
            "trait_accuracy", "trait accuracy", "%", "trait predicted from genes; binary traits"
        ),
        Figure("trait_f1", "trait F1", "%", "trait predicted from genes; binary traits"),
        Figure("trait_r2", "trait R2", "fraction", "trait predicted from genes; continuous traits"),
        Figure("predicted", "genes predicted", "genes", "length of the predicted list"),
        Figure("reference", "genes in reference", "genes", "length of the reference list"),
    ),
}
"""The figures of each section, by the fields of its items."""

HEADLINE: Mapping[Section, tuple[str, ...]] = {
    "filtering": ("precision", "recall", "f1", "accuracy"),
    "selection": ("accuracy",),
    "gene": ("csc",),
    "clinical": ("csc",),
    "linked": ("csc",),
    "analysis": ("success", "precision", "recall", "f1", "auroc", "auprc", "gsea_es",
                 "trait_accuracy", "trait_f1"),
}  # fmt: skip
"""The figures shown for a run where space is short."""


def headline_figures(section: Section) -> tuple[Figure, ...]:
    """Return the headline figures of a section, with unambiguous names."""
    short = SECTIONS[section].short
    return tuple(
        replace(figure, label=f"{short}: {figure.label}" if short else figure.label)
        for figure in FIGURES[section]
        if figure.key in HEADLINE[section]
    )
