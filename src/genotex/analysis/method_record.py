"""How a result came about, as it stands in the result file."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy
import sklearn

import genotex
from genotex.analysis.adjusting import Adjustment
from genotex.analysis.blocks import Blocks
from genotex.analysis.condition_cohort import ConditionCohort
from genotex.analysis.condition_predictor import PredictedCondition
from genotex.analysis.contrast import Contrast
from genotex.analysis.design import Design
from genotex.analysis.gene_filter import GeneFilter
from genotex.analysis.hidden import Hidden
from genotex.analysis.interaction import interaction_record
from genotex.analysis.mixed import MixedFit, mixed_record
from genotex.analysis.moderated import ModeratedFit
from genotex.analysis.multiple_testing import excess_near_one, null_share
from genotex.analysis.options import AnalysisOptions
from genotex.analysis.panel import Panel
from genotex.analysis.sample_facts import FactChecks
from genotex.problems import Problem, ProblemKind

__all__ = ["Steps", "record_method", "versions"]

MODERATED_T = "moderated t-test (limma's method, Smyth 2004) of every gene"
MIXED_MODEL = "linear mixed model of the trait with the genes' covariance, every gene in turn"


@dataclass(frozen=True, eq=False)
class Steps:
    """What each step of the analysis chose or found.

    `design` is the regression without surrogate variables, `ranking` the one that ranks.
    """

    contrast: Contrast
    blocks: Blocks
    condition: ConditionCohort | None
    predicted: PredictedCondition | None
    adjustment: Adjustment
    design: Design
    ranking: Design
    kept: GeneFilter
    hidden: Hidden
    fit: ModeratedFit
    mixed: MixedFit | None
    panel: Panel
    facts: FactChecks
    genes: pl.DataFrame


def record_method(steps: Steps, options: AnalysisOptions, problem: Problem) -> dict[str, Any]:
    """Return procedure, options, versions and what each step came to, as plain JSON values.

    Parameters
    ----------
    steps : Steps
        The analysis.
    options : AnalysisOptions
        What the user chose.
    problem : Problem
        ``interaction`` is there only for one-step problems, ``two_step`` only for two-step ones.
    """
    contrast, ranking = steps.contrast, steps.ranking
    mixed = options.model == "mixed"
    record = {
        "procedure": options.procedure,
        "model": MIXED_MODEL if mixed else MODERATED_T,
        "ranked_by": "Mixed p" if mixed else "p",
        "options": options.as_json(),
        "versions": versions(),
        "contrast": dict(contrast.summary),
        "design": list(ranking.names),
        "residual_df": ranking.matrix.shape[0] - ranking.matrix.shape[1],
        "covariates": _covariates(steps),
        "named_covariates": dict(steps.adjustment.taken_as),
        "filled": {**steps.design.filled, **steps.adjustment.filled},
        "batch": {
            "adjusted": steps.adjustment.batch,
            "not_adjusted": list(steps.facts.batches),
        },
        "sample_facts": [dict(fact) for fact in steps.facts.record],
        "coefficient": "log2 fold change, case against control"
        if contrast.binary
        else "change of log2 expression per standard deviation of the trait",
        "standardised_effect": _standardised(steps),
        "filter": dict(steps.kept.record),
        "hidden": dict(steps.hidden.record),
        "prior": _prior(steps.fit, options),
        **_p_values(steps),
        "panel": _panel(steps.panel),
    }
    if steps.blocks.record:
        record["pair"] = {
            **steps.blocks.record,
            "adjusts_for": list(steps.adjustment.held_by_pairs),
        }
    if steps.mixed is not None:
        record["mixed"] = mixed_record(steps.mixed)
    if problem.kind is ProblemKind.ONE_STEP:
        record["interaction"] = interaction_record(
            steps.genes, str(problem.condition), options.q_cut
        )
    if steps.condition is not None and steps.predicted is not None:
        record["two_step"] = {
            "condition": problem.condition,
            "cohort": steps.condition.cohort,
            "rule": options.regressors,
            "regressors": list(steps.condition.regressors),
            **steps.predicted.record,
        }
    return record


def _standardised(steps: Steps) -> str:
    """Return what the standardised effect is, and by which deviation."""
    name = "Hedges' g" if steps.contrast.binary else "partial correlation"
    within = ", in deviations within pairs" if steps.blocks.columns else ""
    without = (
        ", by the deviations left without surrogate variables"
        if steps.hidden.used_for_ranking
        else ""
    )
    return f"{name}{within}{without}"


def _covariates(steps: Steps) -> list[str]:
    """Return what is adjusted for, without the columns of pairs and surrogate variables."""
    return [name for name in steps.design.adjusted if name not in steps.blocks.columns]


def versions() -> dict[str, str]:
    """Return the versions of the packages that compute."""
    return {
        "genotex": genotex.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "polars": pl.__version__,
    }


def _prior(fit: ModeratedFit, options: AnalysisOptions) -> dict[str, Any]:
    infinite = bool(np.isinf(fit.prior.df))
    return {
        "df": None if infinite else fit.prior.df,
        "df_infinite": infinite,
        "variance": float(np.median(fit.prior.variance)),
        "trend": options.trend,
    }


def _p_values(steps: Steps) -> dict[str, Any]:
    excess = excess_near_one(steps.fit.p)
    return {
        "pi0": null_share(steps.fit.p),
        "excess_near_one": excess if np.isfinite(excess) else None,
        "significant": int(steps.genes["Significant"].sum()),
    }


def _panel(panel: Panel) -> dict[str, Any]:
    return {**panel.record, "notes": list(panel.notes), "quality": panel.quality.get("source")}
