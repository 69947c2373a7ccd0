"""A reading as an evidence record holds it, from any version: taken as it is, never refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from genotex.clinical.encoding import (
    ClinicalReading,
    Confidence,
    FeatureEncoding,
    GeneVerdict,
    SampleField,
)

__all__ = ["recorded_reading"]

Data = Mapping[str, Any]


def recorded_reading(data: Data) -> ClinicalReading:
    """Return the reading of an evidence record.

    Parameters
    ----------
    data : mapping
        What `reading_to_json` gave, here or in an earlier version; fields may be missing.

    Returns
    -------
    ClinicalReading
        For showing, not for applying: nothing is checked.
    """
    gene = data.get("gene") or {}
    return ClinicalReading(
        GeneVerdict(
            bool(gene.get("available")),
            str(gene.get("reason") or ""),
            tuple(map(str, gene.get("evidence") or ())),
            gene.get("certainty"),
        ),
        _encoding("trait", data.get("trait")),
        _encoding("age", data.get("age")),
        _encoding("gender", data.get("gender")),
        notes=tuple(map(str, data.get("notes") or ())),
        by=str(data.get("by") or ""),
        certainty=data.get("certainty"),
        runner_up=_encoding("trait", data.get("runner_up")),
        left_out=data.get("left_out"),
        untold=data.get("untold") or {},
    )


def _encoding(
    feature: Literal["trait", "age", "gender"], data: Data | None
) -> FeatureEncoding | None:
    if not data:
        return None
    place: SampleField = _among(data.get("sample_field"), get_args(SampleField))
    if data.get("row") is None and place == "characteristics_ch1":
        # Records of before said so of TCGA.
        place = "barcode" if feature == "trait" else "clinical_matrix"
    return FeatureEncoding(
        feature=feature,
        row=data.get("row"),
        key=str(data.get("key") or ""),
        kind=data.get("kind") or "binary",
        values=data.get("values") or {},
        roles=data.get("roles") or {},
        confidence=_among(data.get("confidence"), get_args(Confidence)),
        evidence=tuple(map(str, data.get("evidence") or ())),
        sample_field=place,
        certainty=data.get("certainty"),
        reasons=data.get("reasons") or {},
        shifted=tuple(data.get("shifted") or ()),
        cautions=tuple(map(str, data.get("cautions") or ())),
        told_by=str(data.get("told_by") or data.get("by") or "rules"),
    )


def _among(value: Any, known: tuple[Any, ...]) -> Any:
    """Return a value that is known, else the first that is."""
    return value if value in known else known[0]
