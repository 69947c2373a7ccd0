"""A reading as JSON on the screen: for machines, and complete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genotex.clinical import AnnotationSummary, ClinicalAnnotation, FeatureSummary, KeyValues

__all__ = ["plain_reading"]


def plain_reading(
    reading: ClinicalAnnotation, told: AnnotationSummary, keys: Sequence[KeyValues]
) -> dict[str, Any]:
    """Return all that is known of a reading.

    Parameters
    ----------
    reading : ClinicalAnnotation
        What was read.
    told : AnnotationSummary
        What is said of it.
    keys : sequence of KeyValues
        What else is written about the samples.
    """
    from genotex.clinical import annotation_notes, annotation_to_json, inferred_from, why_no_trait

    data = annotation_to_json(reading)
    encodings = {"trait": reading.trait, "age": reading.age, "gender": reading.gender}
    features = {}
    for feature in told.features:
        encoding = encodings[feature.feature]
        features[feature.feature] = _feature(feature) | {
            "encoding": data[feature.feature],
            "inferred_from": (encoding and inferred_from(encoding.sample_field)) or None,
        }
    features["trait"] |= {"left_out": reading.left_out, "runner_up": data["runner_up"]}
    if reading.trait is None:
        why = why_no_trait(reading)
        features["trait"] |= {"certainty": data["certainty"], "why_not": why}
    return {
        "gene": data["gene"],
        **features,
        "values": [asdict(row) for feature in told.features for row in feature.values],
        "keys": [asdict(key) for key in keys],
        "notes": list(annotation_notes(reading)),
    }


def _feature(feature: FeatureSummary) -> dict[str, Any]:
    return {
        "available": feature.available,
        "place": feature.where or None,
        "samples": feature.amount or None,
        "certainty": feature.certainty,
        "confidence": feature.confidence or None,
        "why_not": feature.why_not or None,
        "evidence": list(feature.evidence),
    }
