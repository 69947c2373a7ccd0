"""What generated code may write: the fields of a record that are its own, for each notebook.

All other fields are written by the host: computed again from the raw files, or filled in. What
generated code wrote there is never adopted, and a doubt where it is another value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from genotex.agents.audit.comparison import records_agree
from genotex.agents.task import NotebookKind
from genotex.agents.toolkit.features import BY
from genotex.clinical import (
    FEATURES,
    ClinicalAnnotation,
    Feature,
    FeatureEncoding,
    GeneVerdict,
    annotation_to_json,
)

_FEATURES = tuple(
    f"reading.{feature}.{field}"
    for feature in ("trait", "age", "gender")
    for field in (
        "row",
        "key",
        "kind",
        "values",
        "roles",
        "parser",
        "sample_field",
        "shifted",
        "evidence",
    )
)
_READING = (*_FEATURES, "reading.gene.available", "reading.gene.reason", "reading.untold")

OWN_FIELDS: Mapping[NotebookKind, tuple[str, ...]] = {
    # Of the evidence: how features are coded, and which columns name the genes of rows.
    "geo": (*_READING, "mapping.id_column", "mapping.gene_column"),
    # The same, and which study was taken.
    "tcga": (*_READING, "series.title"),
    # Of the answer: which cohort, model and covariates, and the list itself.
    "statistics": (
        "cohort.id",
        "method.options.model",
        "method.options.covariates",
        "significant_genes",
        "cv_performance",
    ),
}
"""By dotted names. Of ``cohort_info.json`` the flags and the number of samples are checked with the
table; of the tables themselves, all that the raw files give."""


def own_part(kind: NotebookKind, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record with the fields of generated code alone."""
    part: dict[str, Any] = {}
    for name in OWN_FIELDS[kind]:
        *above, last = name.split(".")
        source: Any = record
        for each in above:
            source = source.get(each) if isinstance(source, Mapping) else None
        if isinstance(source, Mapping) and last in source:
            place = part
            for each in above:
                place = place.setdefault(each, {})
            place[last] = source[last]
    return part


def own_reading(kind: NotebookKind, reading: Mapping[str, Any]) -> dict[str, Any]:
    """Return an annotation as JSON with what generated code decides, and nothing else of it."""
    part: dict[str, Any] = own_part(kind, {"reading": reading}).get("reading", {})

    def empty(name: Feature) -> FeatureEncoding | None:
        return None if reading.get(name) is None else FeatureEncoding(name, None, "", "binary")

    features = (empty("trait"), empty("age"), empty("gender"))
    whole = annotation_to_json(ClinicalAnnotation(GeneVerdict(False, ""), *features, by=BY))
    for name, decided in part.items():
        by_code = {"told_by": BY} if name in FEATURES else {}
        whole[name] = {**whole[name], **decided, **by_code}
    return whole


_FLAGGED = {
    "roles": "roles of samples",
    "sample_facts": "other characteristics",
    "counts": "counts",
    "options.control_roles": "controls",
}
"""Fields that the comparison with the raw files has words of its own for."""


def not_adopted(
    kind: NotebookKind, said: Mapping[str, Any], is_so: Mapping[str, Any], flags: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the flags of a record with those of fields that are not its own and differ."""
    names = (
        name
        for name in _others(said, is_so, OWN_FIELDS[kind])
        if not any(flag.startswith(f"the {_FLAGGED.get(name, '-')} in its") for flag in flags)
    )
    return (
        *flags,
        *(f"{name} is not for generated code to write: not adopted" for name in names),
    )


_PARTS = ("reading", "options", "mapping", "series", "linking", "cohort", "method")
"""Records within a record, whose fields are named one by one."""


def _others(
    said: Mapping[str, Any], is_so: Mapping[str, Any], own: tuple[str, ...], above: str = ""
) -> Iterator[str]:
    """Yield the names of fields that differ and are not its own."""
    for field in dict.fromkeys([*said, *is_so]):
        name, one, other = f"{above}{field}", said.get(field), is_so.get(field)
        if name in own:
            continue
        inside = name in _PARTS if not above else above.count(".") == 1
        if inside and isinstance(one, Mapping) and isinstance(other, Mapping):
            yield from _others(one, other, own, f"{name}.")
        elif not (_agree(name, one, other) or (_is_empty(one) and _is_empty(other))):
            yield name


def _agree(name: str, one: Any, other: Any) -> bool:
    """Return whether two values agree; generated code may have read fewer files than the host."""
    if name == "files" and isinstance(one, list) and isinstance(other, list):
        return all(each in other for each in one)
    return records_agree(one, other) or (name == "series.platform_title" and _is_empty(one))


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {}, ())
