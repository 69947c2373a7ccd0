"""Samples that belong together: pairs are compared within themselves, repeats are averaged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.contrast import Contrast
from genotex.analysis.sample_facts import SampleFacts, read_value, tcga_patient
from genotex.errors import AnalysisError, UsageError
from genotex.formats.linked import LinkedTable

__all__ = ["MIN_PAIRS", "Blocks", "block_samples"]

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

MIN_PAIRS = 3
"""Fewer pairs than this leave too few degrees of freedom for a test."""

_TCGA_KEY = "patient"


@dataclass(frozen=True, eq=False)
class Blocks:
    """A contrast whose samples are blocked on a characteristic.

    Attributes
    ----------
    table : LinkedTable
        The table given, or a smaller one when repeated samples were averaged.
    contrast : Contrast
        The samples of `table` that are compared now.
    columns : dict of str to ndarray of float64, shape (n,)
        One indicator for each block but the first, for the samples of `contrast`; empty when
        repeated samples were averaged.
    record : dict
        ``key``, ``design`` (``paired`` or ``averaged``), counts, samples of each block, and
        ``constant_within_blocks``: covariates that the indicators already adjust for.
    warnings : tuple of str
        What became of the samples.
    """

    table: LinkedTable
    contrast: Contrast
    columns: dict[str, Floats]
    record: dict[str, Any]
    warnings: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Grouping:
    """Positions (in the contrast) of the samples of each block, in order of appearance."""

    key: str
    members: dict[str, Rows]
    unknown: int

    @property
    def known(self) -> int:
        return sum(len(places) for places in self.members.values())


def block_samples(table: LinkedTable, contrast: Contrast, facts: SampleFacts, key: str) -> Blocks:
    """Block the samples of a contrast on a characteristic such as the donor.

    Blocks in which the trait varies (a case and a control of one donor) make a paired design: an
    indicator column for each block, so that the trait is compared within blocks. Samples of other
    blocks say nothing within pairs and are left out. Where the trait varies in no block, the
    samples of a block are repeats: they are averaged into one, with the id of the first. Samples
    without a value are left out, since nobody knows whose they are.

    Parameters
    ----------
    table : LinkedTable
        One cohort.
    contrast : Contrast
        Its samples and trait.
    facts : mapping
        Characteristic to sample id to raw value.
    key : str
        A characteristic, whatever its case; ``patient`` also stands for the patient part of TCGA
        barcodes.

    Raises
    ------
    UsageError
        If the cohort has no such characteristic.
    AnalysisError
        If no value occurs twice, there are fewer than `MIN_PAIRS` pairs, or too few samples are
        left.
    """
    grouping = _group(table, contrast, facts, key)
    varying = {
        value: places
        for value, places in grouping.members.items()
        if len(np.unique(contrast.values[places])) > 1
    }
    if varying:
        return _paired(table, contrast, grouping, varying)
    if all(len(places) == 1 for places in grouping.members.values()):
        told = "every value occurs once" if grouping.members else "no sample has a value"
        msg = (
            f"the {len(contrast.rows)} samples compared cannot be blocked by '{grouping.key}': "
            f"{told}; block on another characteristic or leave the pairing away"
        )
        raise AnalysisError(msg)
    return _averaged(table, contrast, grouping)


def _group(table: LinkedTable, contrast: Contrast, facts: SampleFacts, key: str) -> _Grouping:
    compared = [table.samples[i] for i in contrast.rows]
    name, values = _values(compared, facts, key)
    places: dict[str, list[int]] = {}
    for place, value in enumerate(values):
        if value is not None:
            places.setdefault(value, []).append(place)
    members = {value: np.array(found, dtype=np.intp) for value, found in places.items()}
    return _Grouping(name, members, values.count(None))


def _values(compared: Sequence[str], facts: SampleFacts, key: str) -> tuple[str, list[str | None]]:
    wanted = key.strip().lower()
    matching = [name for name in facts if name.strip().lower() == wanted]
    if matching:
        name = key if key in matching else matching[0]
        return name, [read_value(name, facts[name].get(sample)) for sample in compared]
    patients = [tcga_patient(sample) for sample in compared]
    if wanted == _TCGA_KEY and any(patients):
        return _TCGA_KEY, patients
    known = sorted({*facts, *([_TCGA_KEY] if any(patients) else [])})
    none = "of those that are not read as trait, age or gender none varies"
    there = f"use one of {', '.join(known)}" if known else none
    msg = f"the cohort has no characteristic '{key}' to block on; {there}"
    raise UsageError(msg)


def _paired(
    table: LinkedTable, contrast: Contrast, grouping: _Grouping, varying: dict[str, Rows]
) -> Blocks:
    key = grouping.key
    if len(varying) < MIN_PAIRS:
        what = "a case and a control" if contrast.binary else "different values of the trait"
        msg = (
            f"only {len(varying)} of {len(grouping.members)} values of '{key}' have {what}; "
            f"{MIN_PAIRS} are needed; block on another characteristic or leave the pairing away"
        )
        raise AnalysisError(msg)
    places = np.sort(np.concatenate(list(varying.values())))
    rows = contrast.rows[places]
    used = set(places.tolist())
    left_out = [table.samples[r] for i, r in enumerate(contrast.rows) if i not in used]
    columns = {
        f"{key}: {value}": np.isin(places, varying[value]).astype(np.float64)
        for value in sorted(varying)[1:]
    }
    pairs = contrast.binary and all(len(found) == 2 for found in varying.values())
    told = f"{len(varying)} {'pairs' if pairs else 'blocks'} by '{key}'"
    alone = grouping.known - len(places)
    record = {
        **_record("paired", table, contrast, grouping, varying, len(places)),
        "without_comparison": alone,
        "constant_within_blocks": [
            name
            for name, column in table.covariates.items()
            if not any(_varies(column[contrast.rows[found]]) for found in varying.values())
        ],
    }
    warnings = _left_out(key, alone, grouping.unknown, contrast.binary)
    narrowed = _narrow(table, contrast, rows, contrast.values[places], left_out, told)
    return Blocks(table, narrowed, columns, record, warnings)


def _left_out(key: str, alone: int, unknown: int, binary: bool) -> tuple[str, ...]:
    warnings = []
    if alone:
        why = "cases only or controls only" if binary else "one value of the trait only"
        warnings.append(
            f"{alone} samples were left out: their '{key}' has {why}, which says nothing within "
            "pairs."
        )
    if unknown:
        warnings.append(f"{unknown} samples without a value of '{key}' were left out.")
    return tuple(warnings)


def _averaged(table: LinkedTable, contrast: Contrast, grouping: _Grouping) -> Blocks:
    key, blocks = grouping.key, grouping.members
    groups = [contrast.rows[places] for places in blocks.values()]
    smaller = _average(table, groups)
    # The trait is the same throughout a block.
    values = contrast.values[[places[0] for places in blocks.values()]]
    _check_left(table.trait, contrast.binary, values, key)
    known = {int(row) for rows in groups for row in rows}
    left_out = [table.samples[i] for i in contrast.rows if i not in known]
    told = f"means of repeated samples by '{key}'"
    narrowed = _narrow(smaller, contrast, np.arange(len(groups)), values, left_out, told)
    repeated = {value: places for value, places in blocks.items() if len(places) > 1}
    record = {
        **_record("averaged", table, contrast, grouping, repeated, len(groups)),
        "without_comparison": 0,
        "constant_within_blocks": [],
    }
    warnings = (
        f"{grouping.known} samples became {len(groups)}: the samples of the same '{key}' are "
        "repeats and were averaged.",
        *_left_out(key, 0, grouping.unknown, contrast.binary),
    )
    return Blocks(smaller, narrowed, {}, record, warnings)


def _check_left(trait: str, binary: bool, values: Floats, key: str) -> None:
    cases = int(values.sum())
    if min(cases, len(values) - cases) >= 2 if binary else _varies(values):
        return
    left = f"{cases} cases and {len(values) - cases} controls" if binary else "one value of it"
    msg = (
        f"{trait}: when the samples of the same '{key}' are averaged, {left} are left; two of each "
        "are needed; block on another characteristic or leave the pairing away"
    )
    raise AnalysisError(msg)


def _average(table: LinkedTable, groups: Sequence[Rows]) -> LinkedTable:
    expression = np.empty((len(groups), len(table.genes)))
    for i, rows in enumerate(groups):
        expression[i] = _mean(table.expression[rows])

    def reduce(column: Floats) -> Floats:
        return np.array([_mean(column[rows, None])[0] for rows in groups], dtype=np.float64)

    return LinkedTable(
        table.trait,
        tuple(table.samples[rows[0]] for rows in groups),
        reduce(table.trait_values),
        {name: reduce(column) for name, column in table.covariates.items()},
        table.genes,
        expression,
    )


def _mean(values: Floats) -> Floats:
    """Return the mean of each column over its present values; NaN where there are none."""
    if len(values) == 1:
        return np.asarray(values[0], dtype=np.float64)
    present = ~np.isnan(values)
    count = present.sum(axis=0)
    mean: Floats = np.where(present, values, 0.0).sum(axis=0) / np.maximum(count, 1)
    mean[count == 0] = np.nan
    return mean


def _varies(values: Floats) -> bool:
    return len(np.unique(values[np.isfinite(values)])) > 1


def _record(
    design: Literal["paired", "averaged"],
    table: LinkedTable,
    contrast: Contrast,
    grouping: _Grouping,
    told: dict[str, Rows],
    samples: int,
) -> dict[str, Any]:
    return {
        "key": grouping.key,
        "design": design,
        "blocks": len(told) if design == "paired" else len(grouping.members),
        "samples_before": len(contrast.rows),
        "samples": samples,
        "without_value": grouping.unknown,
        "members": {
            value: [table.samples[r] for r in contrast.rows[places]]
            for value, places in told.items()
        },
    }


def _narrow(
    table: LinkedTable,
    contrast: Contrast,
    rows: Rows,
    values: Floats,
    left_out: Sequence[str],
    told: str,
) -> Contrast:
    """Return the contrast with the samples that are left, and say so in its summary."""
    ids = np.array([table.samples[i] for i in rows], dtype=object)
    out = [*contrast.summary["samples"].get("left_out", []), *left_out]
    if contrast.binary:
        summary = _binary_summary(contrast, ids, values == 1, out, told)
        return replace(contrast, rows=rows, values=values, summary=summary)
    raw = table.trait_values[rows]
    mean, deviation = float(raw.mean()), float(raw.std(ddof=1))
    scale = f"per standard deviation of {table.trait} ({deviation:.4g})"
    summary = {
        **contrast.summary,
        "text": f"{told}: {len(rows)} samples, {scale}",
        "samples": {"all": ids.tolist(), "left_out": out},
        "trait_mean": mean,
        "trait_sd": deviation,
    }
    return replace(
        contrast,
        rows=rows,
        values=(raw - mean) / deviation,
        trait_mean=mean,
        trait_sd=deviation,
        summary=summary,
    )


def _binary_summary(
    contrast: Contrast,
    ids: NDArray[np.object_],
    case: NDArray[np.bool_],
    left_out: list[str],
    told: str,
) -> dict[str, Any]:
    cases, controls = int(case.sum()), int((~case).sum())
    before = contrast.summary["group_sizes"]["control"]
    kind = "healthy controls" if contrast.controls == "healthy" else "controls"
    of_a_kind = ("healthy_controls", "other_disease_controls")
    return {
        **contrast.summary,
        "text": f"{told}: {cases} cases against {controls} {kind}",
        "group_sizes": {"case": cases, "control": controls},
        **{name: _recount(contrast.summary[name], before, controls) for name in of_a_kind},
        "samples": {
            "case": ids[case].tolist(),
            "control": ids[~case].tolist(),
            "left_out": left_out,
        },
    }


def _recount(count: int, before: int, after: int) -> int | None:
    """Return how many controls of a kind are left; None where that is not known any more."""
    if count == 0:
        return 0
    return after if count == before else None
