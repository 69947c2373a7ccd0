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
from genotex.analysis.batch_columns import BatchColumns
from genotex.analysis.contrast import Contrast
from genotex.analysis.design import Design
from genotex.analysis.gene_filter import GeneFilter
from genotex.analysis.interaction import interaction_record
from genotex.analysis.moderated import ModeratedFit
from genotex.analysis.multiple_testing import excess_near_one, null_share
from genotex.analysis.options import AnalysisOptions
from genotex.analysis.panel import Panel
from genotex.analysis.sample_facts import FactChecks

__all__ = ["Steps", "record_method", "versions"]


@dataclass(frozen=True, eq=False)
class Steps:
    """What each step of the analysis chose or found."""

    contrast: Contrast
    design: Design
    batch: BatchColumns
    kept: GeneFilter
    fit: ModeratedFit
    panel: Panel
    facts: FactChecks
    genes: pl.DataFrame


def record_method(steps: Steps, options: AnalysisOptions, condition: str | None) -> dict[str, Any]:
    """Return procedure, options, versions and what each step came to, as plain JSON values.

    Parameters
    ----------
    steps : Steps
        The analysis.
    options : AnalysisOptions
        What the user chose.
    condition : str or None
        Condition of the problem; ``interaction`` is there only with one.
    """
    contrast, design = steps.contrast, steps.design
    record = {
        "procedure": options.procedure,
        "model": "moderated t-test (limma's method, Smyth 2004) of every gene",
        "options": options.as_json(),
        "versions": versions(),
        "contrast": dict(contrast.summary),
        "design": list(design.names),
        "residual_df": design.matrix.shape[0] - design.matrix.shape[1],
        "covariates": list(design.adjusted),
        "filled": dict(design.filled),
        "batch": {"adjusted": steps.batch.key, "not_adjusted": list(steps.facts.batches)},
        "sample_facts": [dict(fact) for fact in steps.facts.record],
        "coefficient": "log2 fold change, case against control"
        if contrast.binary
        else "change of log2 expression per standard deviation of the trait",
        "standardised_effect": "Hedges' g" if contrast.binary else "partial correlation",
        "filter": dict(steps.kept.record),
        "prior": _prior(steps.fit, options),
        **_p_values(steps),
        "panel": _panel(steps.panel),
    }
    if condition is not None:
        record["interaction"] = interaction_record(steps.genes, condition, options.q_cut)
    return record


def versions() -> dict[str, str]:
    """Return the versions of genotex and of what computes for it."""
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
