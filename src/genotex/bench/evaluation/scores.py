"""The result of an evaluation: one item for each trait, problem or table that was scored.

`summary.to_json` gives the format of ``genotex evaluate --json`` and of ``scores.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from genotex.bench.evaluation.figures import (
    SECTIONS,
    TABLES,
    ScoreFigure,
    Section,
    Table,
    figure,
    figures_of,
)
from genotex.bench.evaluation.gene_metrics import GeneAgreement, TraitPrediction
from genotex.problems import ProblemKind
from genotex.records import as_json


@dataclass(frozen=True)
class FilteringScore:
    """Dataset filtering of one trait."""

    trait: str
    precision: Annotated[
        float, figure("precision", "%", "cohorts called available that are", headline=True)
    ]
    recall: Annotated[
        float, figure("recall", "%", "available cohorts that were called so", headline=True)
    ]
    f1: Annotated[float, figure("F1", "%", "harmonic mean of the two", headline=True)]
    accuracy: Annotated[float, figure("accuracy", "%", "cohorts called alike", headline=True)]


@dataclass(frozen=True)
class SelectionScore:
    """Dataset selection of one problem: 100 when both sides choose alike, else 0."""

    trait: str
    condition: str | None
    accuracy: Annotated[
        float, figure("accuracy", "%", "problems with the same cohort or pair", headline=True)
    ]


@dataclass(frozen=True)
class PreprocessingScore:
    """One table against its reference."""

    trait: str
    cohort: str
    aj: Annotated[float, figure("AJ", "fraction", "features in common (Jaccard)")]
    sj: Annotated[float, figure("SJ", "fraction", "samples in common (Jaccard)")]
    correlation: Annotated[
        float, figure("correlation", "fraction", "of common features, on average")
    ]
    csc: Annotated[float, figure("CSC", "fraction", "AJ x SJ x correlation", headline=True)]


@dataclass(frozen=True)
class _Answered:
    """A problem, and whether its prediction exists and can be read."""

    trait: str
    condition: str | None
    kind: ProblemKind
    success: Annotated[
        float, figure("success", "%", "problems with a result that can be read", headline=True)
    ]


@dataclass(frozen=True)
class _Lengths:
    """Lengths of the two lists, each gene counted once."""

    predicted: Annotated[int, figure("genes predicted", "genes", "length of the predicted list")]
    reference: Annotated[int, figure("genes in reference", "genes", "length of the reference list")]


@dataclass(frozen=True)
class _Interactions:
    """Genes of the condition age or sex; None where the reference names none."""

    interaction_f1: Annotated[
        float | None, figure("interaction F1", "%", "genes whose difference depends on age or sex")
    ] = None


@dataclass(frozen=True)
class AnalysisScore(_Interactions, TraitPrediction, _Lengths, GeneAgreement, _Answered):
    """One problem; figures are None where they are undefined.

    The fields are those of the bases, from the last base to the first: a metric is added where it
    is computed, in `gene_metrics`.
    """


@dataclass(frozen=True)
class Missing:
    """A prediction that was scored 0, and why."""

    task: str  # `filtering`, `selection`, `gene`, `clinical`, `linked` or `analysis`
    item: str  # the trait, cohort or problem, in words
    why: str  # `missing`, or what is wrong with the file


@dataclass(frozen=True)
class TrapScore:
    """Cohorts and problems with a trap of a simulated benchmark, next to those without it."""

    trap: str
    cohorts: int
    # % of the cohorts used, or left out, with the samples and codes of the reference; None where
    # no cohort was prepared
    right: float | None
    right_without: float | None
    problems: int
    f1: float | None  # mean over the problems, %
    f1_without: float | None


@dataclass(frozen=True)
class Scores:
    """All items of one evaluation; a task that was not asked for is empty."""

    prediction: str  # The two folders, as they were named
    reference: str
    filtering: tuple[FilteringScore, ...] = ()
    selection: tuple[SelectionScore, ...] = ()
    # By table: ``gene``, ``clinical``, ``linked``; only those asked for
    preprocessing: Mapping[Table, tuple[PreprocessingScore, ...]] = field(default_factory=dict)
    analysis: tuple[AnalysisScore, ...] = ()
    # What was scored: of ``selection``, ``preprocessing``, ``analysis``
    tasks: tuple[str, ...] = ()
    # What the figures depend on: ``rules``, ``metrics`` (default or legacy), ``df_field``,
    # ``regressors``, ``gene_universe``, ``repair_reference``, ``task_info``, ``reference_kind``
    settings: Mapping[str, Any] = field(default_factory=dict)
    missing: tuple[Missing, ...] = ()  # Predictions scored 0
    traps: tuple[TrapScore, ...] = ()  # Of a reference that declares traps
    # What a reader should know: problems that could not be posed, tables repaired or left out
    notes: tuple[str, ...] = ()

    def items(self) -> dict[str, Any]:
        """Return every item as plain JSON values: ``filtering`` to ``analysis``."""
        return dict(as_json(self, "filtering", "selection", "preprocessing", "analysis"))


FIGURES: Mapping[Section, tuple[ScoreFigure, ...]] = {
    "filtering": figures_of(FilteringScore),
    "selection": figures_of(SelectionScore),
    **dict.fromkeys(TABLES, figures_of(PreprocessingScore)),
    "analysis": figures_of(AnalysisScore),
}
"""The figures of each section, by the fields of its items."""


def headline_figures(section: Section) -> tuple[ScoreFigure, ...]:
    """Return the headline figures of a section, with unambiguous names."""
    short = SECTIONS[section].short
    return tuple(
        replace(one, label=f"{short}: {one.label}" if short else one.label)
        for one in FIGURES[section]
        if one.headline
    )
