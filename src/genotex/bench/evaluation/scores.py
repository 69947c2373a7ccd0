"""The result of an evaluation: one item for each trait, problem or table that was scored.

`Scores.to_json` is the format of ``genotex evaluate --json`` and of ``scores.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from genotex.bench.problems import ProblemKind

__all__ = [
    "AnalysisScore",
    "FilteringScore",
    "MetricsVersion",
    "Missing",
    "PreprocessingScore",
    "Scores",
    "SelectionScore",
    "Table",
]

Table = Literal["gene", "clinical", "linked"]
MetricsVersion = Literal["default", "legacy"]


@dataclass(frozen=True)
class FilteringScore:
    """Dataset filtering of one trait; all in percent."""

    trait: str
    precision: float
    recall: float
    f1: float
    accuracy: float


@dataclass(frozen=True)
class SelectionScore:
    """Dataset selection of one problem: 100 when both sides choose alike, else 0."""

    trait: str
    condition: str | None
    accuracy: float


@dataclass(frozen=True)
class PreprocessingScore:
    """One table against its reference; fractions."""

    trait: str
    cohort: str
    aj: float
    sj: float
    correlation: float
    csc: float


@dataclass(frozen=True)
class AnalysisScore:
    """One problem; None where a figure is undefined.

    Attributes
    ----------
    trait : str
    condition : str or None
    kind : ProblemKind
        Written as ``unconditional``, ``one-step`` or ``two-step``.
    success : float
        100 when the prediction exists and can be read, else 0.
    precision, recall, f1 : float
        In percent.
    auroc, auprc, gsea_es, gsea_es_within : float or None
        Fractions.
    predicted, reference : int
        Lengths of the two lists, each gene counted once.
    trait_kind : {"binary", "continuous"} or None
        Of the trait prediction; None if neither file states it.
    trait_accuracy, trait_f1 : float or None
        In percent; of binary traits (with the legacy metrics 0 for continuous ones).
    trait_r2 : float or None
        Of continuous traits.
    """

    trait: str
    condition: str | None
    kind: ProblemKind
    success: float
    precision: float
    recall: float
    f1: float
    auroc: float | None
    auprc: float | None
    gsea_es: float | None
    gsea_es_within: float | None
    predicted: int
    reference: int
    trait_kind: Literal["binary", "continuous"] | None = None
    trait_accuracy: float | None = None
    trait_f1: float | None = None
    trait_r2: float | None = None


@dataclass(frozen=True)
class Missing:
    """A prediction that was scored 0, and why.

    Attributes
    ----------
    task : str
        ``filtering``, ``selection``, ``gene``, ``clinical``, ``linked`` or ``analysis``.
    item : str
        The trait, cohort or problem, in words.
    why : str
        ``missing``, or what is wrong with the file.
    """

    task: str
    item: str
    why: str


@dataclass(frozen=True)
class Scores:
    """All items of one evaluation; a task that was not asked for is empty.

    Attributes
    ----------
    prediction, reference : str
        The two folders, as they were named.
    filtering : tuple of FilteringScore
    selection : tuple of SelectionScore
    preprocessing : mapping of str to tuple of PreprocessingScore
        By table: ``gene``, ``clinical``, ``linked``; only those asked for.
    analysis : tuple of AnalysisScore
    tasks : tuple of str
        What was scored: of ``selection``, ``preprocessing``, ``analysis``.
    settings : mapping
        What the figures depend on: ``metrics`` (default or legacy), ``df_field``, ``regressors``,
        ``gene_universe``, ``repair_reference``, ``task_info``.
    missing : tuple of Missing
        Predictions scored 0.
    notes : tuple of str
        What a reader should know: problems that could not be posed, tables repaired or left out.
    """

    prediction: str
    reference: str
    filtering: tuple[FilteringScore, ...] = ()
    selection: tuple[SelectionScore, ...] = ()
    preprocessing: Mapping[Table, tuple[PreprocessingScore, ...]] = field(default_factory=dict)
    analysis: tuple[AnalysisScore, ...] = ()
    tasks: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    missing: tuple[Missing, ...] = ()
    notes: tuple[str, ...] = ()

    def items(self) -> dict[str, Any]:
        """Return every item as plain JSON values: ``filtering`` to ``analysis``."""
        return {
            "filtering": [asdict(item) for item in self.filtering],
            "selection": [asdict(item) for item in self.selection],
            "preprocessing": {
                table: [asdict(item) for item in items]
                for table, items in self.preprocessing.items()
            },
            "analysis": [asdict(item) | {"kind": item.kind.value} for item in self.analysis],
        }
