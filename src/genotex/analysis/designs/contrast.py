"""Which samples are compared: cases against controls, or levels of a continuous trait.

A trait of three or more values is a *line* (expression changes by the same amount with each unit of
it), *ordered* (the line ranks the genes, and each gene is tested for a departure from it), or a
*factor* (any difference among the levels counts, regardless of their order).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from genotex.arrays import Flags, Floats, Rows
from genotex.errors import AnalysisError
from genotex.formats import LinkedTable, Role
from genotex.options import Controls, LevelsMode

Treatment = Literal["line", "ordered", "factor"]

MOST_LEVELS = 8
"""A trait with more values is measured; nor can so many pairs of levels be read."""
ENOUGH_SAMPLES = 3
"""With so many samples at every value, values are taken as levels unasked."""
FEWEST_SAMPLES = 2


@dataclass(frozen=True, eq=False)
class Levels:
    """The levels of a trait that is tested as ``ordered`` or as a ``factor``."""

    treatment: Literal["ordered", "factor"]
    values: tuple[float, ...]  # The k levels, ascending
    place: Rows  # (n,): which level each sample has, from 0

    @property
    def factor(self) -> bool:
        """Whether differences among the levels rank the genes."""
        return self.treatment == "factor"

    @property
    def names(self) -> tuple[str, ...]:
        """The levels as written."""
        return tuple(_written(value) for value in self.values)

    @property
    def counts(self) -> tuple[int, ...]:
        """Samples of each level."""
        return tuple(np.bincount(self.place, minlength=len(self.values)).tolist())

    @property
    def members(self) -> tuple[Flags, ...]:
        """Masks (n,) of the levels."""
        return tuple(np.asarray(self.place == k) for k in range(len(self.values)))

    @property
    def pairs(self) -> tuple[tuple[str, Floats], ...]:
        """Name of each pair of levels, and its weights of the columns of `indicators`."""
        basis = np.vstack([np.zeros(len(self.values) - 1), np.eye(len(self.values) - 1)])
        names = self.names
        return tuple(
            (f"{names[j]} vs {names[i]}", basis[j] - basis[i])
            for i, j in combinations(range(len(names)), 2)
        )

    def indicators(self) -> Floats:
        """Return a column for each level but the lowest, (n, k - 1)."""
        return self._columns(range(1, len(self.values)))

    def departures(self) -> Floats:
        """Return columns that, with intercept and line, give each level its mean, (n, k - 2)."""
        return self._columns(range(1, len(self.values) - 1))

    def _columns(self, levels: range) -> Floats:
        return np.column_stack([(self.place == k).astype(np.float64) for k in levels])


@dataclass(frozen=True, eq=False)
class Coefficients(Levels):
    """Coefficients of a design that are tested together, in the place of levels of a factor."""

    texts: tuple[str, ...] = ()
    columns: Floats = field(default_factory=lambda: np.empty((0, 0)))  # (n, m)

    @property
    def names(self) -> tuple[str, ...]:
        """The coefficients."""
        return self.texts

    @property
    def members(self) -> tuple[Flags, ...]:
        """No groups: the columns may be measured."""
        return ()

    @property
    def pairs(self) -> tuple[tuple[str, Floats], ...]:
        """Each coefficient on its own."""
        return tuple(zip(self.texts, np.eye(len(self.texts)), strict=True))

    def indicators(self) -> Floats:
        """Return the columns of the coefficients, (n, m)."""
        return self.columns

    @classmethod
    def of(cls, texts: tuple[str, ...], columns: Floats) -> Coefficients:
        """Return the coefficients of these columns of a design."""
        places = np.zeros(len(columns), dtype=np.intp)
        return cls("factor", tuple(map(float, range(len(texts)))), places, texts, columns)


def find_levels(trait: str, values: Floats, mode: LevelsMode) -> Levels | None:
    """Decide whether a trait of three or more values has levels; None for a line."""
    # ``auto`` takes three to eight values for ordered levels where each occurs in three samples or
    # more.
    # Shapes: values (n,).
    different, place, counts = np.unique(_rounded(values), return_inverse=True, return_counts=True)
    number, fewest = len(different), int(counts.min())
    if mode == "line" or number < 3:
        return None
    if mode == "auto":
        few = number <= MOST_LEVELS and fewest >= ENOUGH_SAMPLES
        return Levels("ordered", tuple(different.tolist()), place) if few else None
    if number > MOST_LEVELS:
        msg = (
            f"{trait} has {number} different values, levels may be {MOST_LEVELS} at most; test it "
            "along a line (--levels line)"
        )
        raise AnalysisError(msg)
    if fewest < FEWEST_SAMPLES:
        lone = different[int(counts.argmin())]
        msg = (
            f"{trait}: level {lone:g} has {fewest} sample only, each level needs "
            f"{FEWEST_SAMPLES}; test it along a line (--levels line)"
        )
        raise AnalysisError(msg)
    return Levels(mode, tuple(different.tolist()), place)


def _written(value: float) -> str:
    return f"{value:.12g}"


def _rounded(values: Floats) -> Floats:
    """Return values without the last bits, in which means of equal numbers may differ."""
    return np.array([float(_written(value)) for value in values])


def _describe_levels(values: Floats, levels: Levels | None, mode: LevelsMode) -> dict[str, Any]:
    """Return ``treatment``, who chose it, the number of values and samples of each level."""
    different, counts = np.unique(_rounded(values), return_counts=True)
    record: dict[str, Any] = {
        "treatment": "line" if levels is None else levels.treatment,
        "chosen": "auto" if mode == "auto" else "option",
        "values": len(different),
        "samples": {},
    }
    if len(different) <= MOST_LEVELS:
        record["samples"] = {
            _written(value): int(count) for value, count in zip(different, counts, strict=True)
        }
    return record


def summarise_levels(record: Mapping[str, Any], trait: str, q_cut: float) -> str:
    """Return in words how the levels of a trait were tested; empty for a measured trait."""
    samples = record.get("samples")
    if not samples:
        return ""
    sizes = ", ".join(f"{name}: {count}" for name, count in samples.items())
    start = f"{trait} has {len(samples)} levels ({sizes} samples), tested"
    if record["treatment"] == "factor":
        pairs = ", ".join(f"{pair['pair']}: {pair['significant']:,}" for pair in record["pairs"])
        return (
            f"{start} as a factor: genes are ranked by an F test of any difference among them. "
            f"Significant for a pair of levels at q < {q_cut:g}: {pairs}. "
            "For a trend along the levels use --levels ordered."
        )
    if record["treatment"] == "line":
        return (
            f"{start} along a line; whether genes depart from it was not tested. Use --levels "
            "ordered for that, or --levels factor to compare the levels as groups."
        )
    departure = record.get("departure")
    tested = (
        f"{departure['significant']:,} of {departure['tested']:,} genes depart from it at q < "
        f"{q_cut:g}"
        if departure
        else "departures from it could not be tested"
    )
    return (
        f"{start} as ordered: genes are ranked by the trend along a line; {tested}. To compare the "
        "levels as groups use --levels factor."
    )


_UNAFFECTED = re.compile(
    r"adjacent|(?:non|para|peri)[- _]?(?:tumou?r|cancer|neoplas|malignan)|non[- _]?lesion|margin"
    r"|uninvolved|\bmatched normal|normal (?:\w+ ){0,2}(?:tissue|mucosa)",
    re.IGNORECASE,
)
"""Tissue of a patient that the disease has not reached."""
MIN_HEALTHY = 5
"""Fewer healthy controls than this are not a group of their own."""


@dataclass(frozen=True, eq=False)
class Contrast:
    """The samples of a comparison and their trait."""

    binary: bool  # Whether the trait has exactly two values
    rows: Rows  # (n,): rows of the linked table that take part
    # (n,): 0 for controls and 1 for cases; a continuous trait in units of its standard deviation
    values: Floats
    controls: str  # Who the controls are: ``healthy``, ``all``, or empty for a continuous trait
    trait_mean: float  # Of a continuous trait before it was standardised; 0 and 1 for a binary one
    trait_sd: float
    summary: Mapping[str, Any]  # Group sizes and sample ids, for the record
    warnings: tuple[str, ...] = ()  # What a reader should know about the groups
    # Of a trait that is tested as ordered levels or as a factor; of a design, the coefficients that
    # are tested together
    levels: Levels | None = None
    # (n,): level of each sample, where a contrast of a design compares levels of a factor
    cells: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()  # Those of the levels that it compares
    difference: bool = False  # Whether the coefficient is the difference of two of these levels
    # What controls are called that no other disease is known of: healthy people, or tissue
    unaffected: str = "healthy controls"

    @property
    def two_groups(self) -> bool:
        """Whether the coefficient is a difference between two groups, a log2 fold change."""
        return self.binary or self.difference

    @property
    def factor(self) -> Levels | None:
        """The levels of a trait that is tested as a factor."""
        return self.levels if self.levels is not None and self.levels.factor else None

    @property
    def columns(self) -> Floats:
        """The trait's columns of the design, (n, m): indicators of a factor, else its values."""
        return self.values[:, None] if self.factor is None else self.factor.indicators()

    @property
    def groups(self) -> tuple[str, ...] | None:
        """Group or level of each sample; None for a measured trait."""
        if self.cells:
            return self.cells
        if self.levels is not None:
            return tuple(f"level {self.levels.names[place]}" for place in self.levels.place)
        if not self.binary:
            return None
        return tuple("case" if value == 1 else "control" for value in self.values)

    @property
    def members(self) -> tuple[Flags, ...]:
        """Masks (n,) of the groups or levels that are compared; none for a measured trait."""
        if self.cells:
            cells = np.array(self.cells)
            return tuple(np.asarray(cells == level) for level in self.compared)
        if self.factor is not None:
            return self.factor.members
        if not self.binary:
            return ()
        return tuple(np.asarray(self.values == group) for group in (0.0, 1.0))

    @property
    def smaller_group(self) -> int:
        """Samples in the smallest group or level; all samples for a continuous trait."""
        return min((int(mask.sum()) for mask in self.members), default=len(self.rows))


def name_controls(roles: Mapping[str, Role], texts: Mapping[str, Mapping[str, str | None]]) -> str:
    """Return what the controls are called: tissue of patients does not come from healthy people."""
    controls = [sample for sample, role in roles.items() if role == "healthy control"]
    tissue = sum(
        any(_UNAFFECTED.search(of.get(sample) or "") for of in texts.values())
        for sample in controls
    )
    return "controls of unaffected tissue" if 2 * tissue > len(controls) else "healthy controls"


def choose_contrast(
    table: LinkedTable,
    roles: Mapping[str, Role],
    controls: Controls,
    unaffected: str = Contrast.unaffected,
) -> Contrast:
    """Choose the samples and code the trait; samples without a role count as unknown.

    A trait with exactly two values is binary, the larger value is the case. Binary: cases against
    the healthy controls when there are at least `MIN_HEALTHY` of them, else against all controls.

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
        reason = "no sample has a value" if len(levels) == 0 else f"all values are {levels[0]:g}"
        msg = f"{table.trait} does not vary: {reason}; nothing can be compared"
        raise AnalysisError(msg)
    if len(levels) > 2:
        return _continuous(table, known, values, warnings)
    coded = (values == levels[1]).astype(np.float64)
    return _binary(table, known, coded, roles, controls, warnings, unaffected)


def _continuous(
    table: LinkedTable, rows: Rows, values: Floats, warnings: tuple[str, ...]
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
    """Return the contrast with the levels of its trait, and how they are tested in its summary."""
    if contrast.binary:
        if mode == "auto":
            return contrast
        note = f"{table.trait} has two values: --levels {mode} makes no difference."
        return replace(contrast, warnings=(*contrast.warnings, note))
    values = table.trait_values[contrast.rows]
    levels = find_levels(table.trait, values, mode)
    summary = {**contrast.summary, "levels": _describe_levels(values, levels, mode)}
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
    rows: Rows,
    coded: Floats,
    roles: Mapping[str, Role],
    controls: Controls,
    warnings: tuple[str, ...],
    unaffected: str,
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
    warnings += _dropped_controls(len(dropped), others)
    kind = "healthy" if only_healthy else "all"
    summary = {
        "kind": "binary",
        "text": f"{cases} cases against {others} {_control_words(kind, others, count, unaffected)}",
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
    return Contrast(
        True, rows[keep], coded[keep], kind, 0.0, 1.0, summary, warnings, unaffected=unaffected
    )


def _dropped_controls(dropped: int, healthy: int) -> tuple[str, ...]:
    if not dropped:
        return ()
    which, was = ("control that is", "was") if dropped == 1 else ("controls that are", "were")
    return (
        f"{dropped} {which} not known as healthy {was} left out, {healthy} healthy ones are "
        "compared; --controls all takes every control.",
    )


def _control_words(kind: str, controls: int, healthy: int, unaffected: str) -> str:
    if kind == "healthy" or (healthy == controls and unaffected != Contrast.unaffected):
        return unaffected
    if healthy == controls:
        return "controls, all of them healthy"
    return f"controls of any kind ({healthy} known as healthy)"
