"""A small evaluation whose averages a person can compute in the head."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from genotex.bench import (
    AnalysisScore,
    FilteringScore,
    Missing,
    PreprocessingScore,
    Scores,
    SelectionScore,
)
from genotex.problems import Problem


def problem_score(trait: str, condition: str | None = None, **figures: Any) -> AnalysisScore:
    """Return the score of a problem that was answered half right."""
    usual = AnalysisScore(
        trait=trait,
        condition=condition,
        kind=Problem(trait, condition).kind,
        success=100.0,
        precision=50.0,
        recall=25.0,
        f1=100 / 3,
        auroc=0.625,
        auprc=0.2,
        gsea_es=0.25,
        gsea_es_within=0.5,
        predicted=2,
        reference=4,
        trait_kind="binary",
        trait_accuracy=80.0,
        trait_f1=70.0,
    )
    return replace(usual, **figures)


def failed_score(trait: str, condition: str | None = None) -> AnalysisScore:
    """Return the score of a problem without a prediction."""
    return problem_score(
        trait, condition, success=0.0, precision=0.0, recall=0.0, f1=0.0, auroc=0.5, auprc=0.0,
        gsea_es=None, gsea_es_within=None, predicted=0, trait_accuracy=0.0, trait_f1=0.0,
    )  # fmt: skip


def some_scores(**changes: Any) -> Scores:
    """Return an evaluation of two traits with problems of all three kinds."""
    usual = Scores(
        prediction="mine",
        reference="theirs",
        filtering=(
            FilteringScore("Asthma", 100.0, 50.0, 200 / 3, 75.0),
            FilteringScore("Obesity", 50.0, 100.0, 200 / 3, 25.0),
        ),
        selection=(
            SelectionScore("Asthma", None, 100.0),
            SelectionScore("Asthma", "Age", 0.0),
            SelectionScore("Asthma", "Obesity", 100.0),
            SelectionScore("Obesity", None, 100.0),
        ),
        preprocessing={
            "gene": (
                PreprocessingScore("Asthma", "GSE1", 0.5, 1.0, 0.8, 0.4),
                PreprocessingScore("Asthma", "GSE2", 1.0, 1.0, 1.0, 1.0),
            ),
            "linked": (PreprocessingScore("Asthma", "GSE1", 0.0, 0.0, 0.0, 0.0),),
        },
        analysis=(
            problem_score("Asthma"),
            problem_score("Asthma", "Age", auroc=0.875, f1=75.0),
            failed_score("Asthma", "Obesity"),
            problem_score(
                "Obesity", auroc=None, trait_kind="continuous", trait_accuracy=None,
                trait_f1=None, trait_r2=0.3,
            ),
        ),
        tasks=("selection", "preprocessing", "analysis"),
        settings={"metrics": "default", "df_field": "is_available", "repair_reference": False},
        missing=(
            Missing("linked", "Asthma GSE1", "missing"),
            Missing("analysis", "Asthma given Obesity", "not valid JSON"),
        ),
        notes=("1 problem could not be posed",),
    )  # fmt: skip
    return replace(usual, **changes)
