"""Which samples are compared: cases against controls, or levels of a continuous trait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.levels import Levels, describe_levels, find_levels
from genotex.analysis.options import LevelsMode
from genotex.errors import AnalysisError
from genotex.formats import Controls, LinkedTable, Role

__all__ = ["MIN_HEALTHY", "Contrast", "choose_contrast", "with_levels"]

MIN_HEALTHY = 5
"""Fewer healthy controls than this do not stand for a group of their own."""


@dataclass(frozen=True, eq=False)
class Contrast:
    """The samples of a comparison and their trait.

    Attributes
    ----------
    binary : bool
        Whether the trait has exactly two values.
    rows : ndarray of int, shape (n,)
        Rows of the linked table that take part.
    values : ndarray of float64, shape (n,)
        0 for controls and 1 for cases; a continuous trait in units of its standard deviation.
    controls : str
        Who the controls are: ``healthy``, ``all``, or empty for a continuous trait.
    trait_mean, trait_sd : float
        Of a continuous trait before it was standardised; 0 and 1 for a binary one.
    summary : dict
        Group sizes and sample ids, for the record.
    warnings : tuple of str
        What a reader should know about the groups.
    levels : Levels or None
        Of a trait that is tested as ordered levels or as a factor.
    """

    binary: bool
    rows: NDArray[np.intp]
    values: NDArray[np.float64]
    controls: str
    trait_mean: float
    trait_sd: float
    summary: Mapping[str, Any]
    warnings: tuple[str, ...] = ()
    levels: Levels | None = None

    @property
    def factor(self) -> Levels | None:
        """The levels of a trait that is tested as a factor."""
        return self.levels if self.levels is not None and self.levels.factor else None

    @property
    def columns(self) -> NDArray[np.float64]:
        """The trait's columns of the design, (n, m): indicators of a factor, else its values."""
        return self.values[:, None] if self.factor is None else self.factor.indicators()

    @property
    def groups(self) -> tuple[str, ...] | None:
        """Group or level of each sample; None for a measured trait."""
        if self.levels is not None:
            return tuple(f"level {self.levels.names[place]}" for place in self.levels.place)
        if not self.binary:
            return None
        return tuple("case" if value == 1 else "control" for value in self.values)

    @property
    def smaller_group(self) -> int:
        """Samples in the smallest group or level; all samples for a continuous trait."""
        if self.factor is not None:
            return min(self.factor.counts)
        if not self.binary:
            return len(self.rows)
        cases = int(self.values.sum())
        return min(cases, len(self.rows) - cases)


def choose_contrast(table: LinkedTable, roles: Mapping[str, Role], controls: Controls) -> Contrast:
    """Choose the samples and code the trait.

    A trait with exactly two values is binary, the larger value is the case. Binary: cases against
    the healthy controls when there are at least `MIN_HEALTHY` of them, else against all controls.

    Parameters
    ----------
    table : LinkedTable
        One cohort; samples without the trait are left out.
    roles : mapping of str to Role
        Sample id to role; samples that it lacks count as unknown.
    controls : {"auto", "healthy", "all"}
        Who serves as control.

    Raises
    ------
    AnalysisError
        If the trait has no spread or a group has fewer than two samples.
    """
    known = np.flatnonzero(np.isfinite(table.trait_values))
    left_out = len(table.samples) - len(known)
    warnings = (f"{left_out} samples without {table.trait} were left out.",) if left_out else ()
    values = table.trait_values[known]
    levels = np.unique(values)
    if len(levels) < 2:
        told = "no sample has a value" if len(levels) == 0 else f"all values are {levels[0]:g}"
        msg = f"{table.trait} does not vary: {told}; nothing can be compared"
        raise AnalysisError(msg)
    if len(levels) > 2:
        return _continuous(table, known, values, warnings)
    coded = (values == levels[1]).astype(np.float64)
    return _binary(table, known, coded, roles, controls, warnings)


def _continuous(
    table: LinkedTable,
    rows: NDArray[np.intp],
    values: NDArray[np.float64],
    warnings: tuple[str, ...],
) -> Contrast:
    mean, deviation = float(values.mean()), float(values.std(ddof=1))
    summary = {
        "kind": "continuous",
        "text": f"{len(rows)} samples, per standard deviation of {table.trait} ({deviation:.4g})",
        "samples": {"all": [table.samples[i] for i in rows]},
        "trait_mean": mean,
        "trait_sd": deviation,
    }
    scaled = (values - mean) / deviation
    return Contrast(False, rows, scaled, "", mean, deviation, summary, warnings)


def with_levels(table: LinkedTable, contrast: Contrast, mode: LevelsMode) -> Contrast:
    """Return the contrast with the levels of its trait, and how they are tested in its summary.

    Parameters
    ----------
    table : LinkedTable
        The cohort.
    contrast : Contrast
        The samples that are compared in the end.
    mode : {"auto", "line", "factor", "ordered"}

    Raises
    ------
    AnalysisError
        If the trait cannot be tested as asked for.
    """
    if contrast.binary:
        if mode == "auto":
            return contrast
        told = f"{table.trait} has two values: --levels {mode} makes no difference."
        return replace(contrast, warnings=(*contrast.warnings, told))
    values = table.trait_values[contrast.rows]
    levels = find_levels(table.trait, values, mode)
    summary = {**contrast.summary, "levels": describe_levels(values, levels, mode)}
    if levels is not None:
        sizes = [f"{n}: {count}" for n, count in zip(levels.names, levels.counts, strict=True)]
        summary["text"] = _levels_text(str(summary["text"]), table.trait, levels, ", ".join(sizes))
    if levels is not None and levels.factor:
        summary |= {
            "kind": "factor",
            "group_sizes": dict(zip(levels.names, levels.counts, strict=True)),
        }
    return replace(contrast, levels=levels, summary=summary)


def _levels_text(text: str, trait: str, levels: Levels, sizes: str) -> str:
    if not levels.factor:
        return f"{text}, {len(levels.values)} ordered levels ({sizes})"
    samples = text.partition(", per standard deviation")[0]
    return f"{samples} in {len(levels.values)} levels of {trait} ({sizes})"


def _binary(
    table: LinkedTable,
    rows: NDArray[np.intp],
    coded: NDArray[np.float64],
    roles: Mapping[str, Role],
    controls: Controls,
    warnings: tuple[str, ...],
) -> Contrast:
    role = [roles.get(table.samples[i], "unknown") for i in rows]
    case = coded == 1
    healthy = np.array([r == "healthy control" for r in role], dtype=bool) & ~case
    count = int(healthy.sum())
    if controls == "healthy" and count < 2:
        msg = (
            f"only {count} of {int((~case).sum())} controls of {table.trait} are known as healthy "
            "controls; two are needed; use all controls"
        )
        raise AnalysisError(msg)
    only_healthy = controls == "healthy" or (controls == "auto" and count >= MIN_HEALTHY)
    keep = case | healthy if only_healthy else np.ones(len(rows), dtype=bool)
    cases, others = int(case.sum()), int((keep & ~case).sum())
    if min(cases, others) < 2:
        msg = (
            f"{table.trait}: {cases} cases against {others} controls; each group needs two samples"
        )
        raise AnalysisError(msg)
    diseased = sum(r == "other disease" for r, k in zip(role, keep & ~case, strict=True) if k)
    if diseased:
        warnings += (
            f"{diseased} of {others} controls have another disease: genes of that disease, and of "
            f"disease in general, may mix with those of {table.trait}.",
        )
    dropped = [table.samples[i] for i, k in zip(rows, keep, strict=True) if not k]
    if dropped:
        which = "control that is" if len(dropped) == 1 else "controls that are"
        was = "was" if len(dropped) == 1 else "were"
        warnings += (
            f"{len(dropped)} {which} not known as healthy {was} left out, {others} healthy ones "
            "are compared; --controls all takes every control.",
        )
    kind = "healthy" if only_healthy else "all"
    summary = {
        "kind": "binary",
        "text": f"{cases} cases against {others} {_control_words(kind, others, count)}",
        "controls": kind,
        "group_sizes": {"case": cases, "control": others},
        "healthy_controls": count,
        "other_disease_controls": diseased,
        "samples": {
            "case": [table.samples[i] for i in rows[case]],
            "control": [table.samples[i] for i in rows[keep & ~case]],
            "left_out": dropped,
        },
    }
    return Contrast(True, rows[keep], coded[keep], kind, 0.0, 1.0, summary, warnings)


def _control_words(kind: str, controls: int, healthy: int) -> str:
    if kind == "healthy":
        return "healthy controls"
    if healthy == controls:
        return "controls, all of them healthy"
    return f"controls of any kind ({healthy} known as healthy)"
