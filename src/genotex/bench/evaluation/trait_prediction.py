"""How well the trait was predicted from the genes (GenoTEX paper, table 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from genotex.bench.evaluation.scores import MetricsVersion

__all__ = ["TraitKind", "TraitPrediction", "trait_kind", "trait_prediction"]

TraitKind = Literal["binary", "continuous"]


@dataclass(frozen=True)
class TraitPrediction:
    """Accuracy and F1 in percent, R2; None where the trait is of the other kind or not told."""

    kind: TraitKind | None
    accuracy: float | None
    f1: float | None
    r2: float | None


def trait_kind(prediction: Mapping[str, float]) -> TraitKind | None:
    """Tell by ``cv_performance.prediction`` whether a trait is binary or continuous."""
    if "accuracy" in prediction or "f1" in prediction:
        return "binary"
    return "continuous" if "r_squared" in prediction else None


def trait_prediction(
    predicted: Mapping[str, float] | None,
    reference: Mapping[str, float],
    metrics: MetricsVersion = "default",
) -> TraitPrediction:
    """Return what a prediction file tells of the trait.

    Parameters
    ----------
    predicted : mapping of str to float or None
        ``cv_performance.prediction``; None when there is no file that can be read. A figure that is
        not told counts 0 where the kind of the trait is known, all of a missing file always.
    reference : mapping of str to float
        The same of the reference; it decides about the kind, if it tells one.
    metrics : {"default", "legacy"}
        ``legacy`` counts a continuous trait as an accuracy and F1 of 0.
    """
    told = predicted or {}
    kind = trait_kind(reference) or trait_kind(told)
    failed = predicted is None and kind is None
    if kind == "binary" or failed:
        return TraitPrediction(kind, told.get("accuracy", 0.0), told.get("f1", 0.0), None)
    if kind is None:
        return TraitPrediction(None, None, None, None)
    binary = 0.0 if metrics == "legacy" else None
    return TraitPrediction(kind, binary, binary, told.get("r_squared", 0.0))
