"""Further columns to adjust for: pairs, a known batch, named characteristics."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from genotex.analysis.designs.blocks import Blocks, blocked_by
from genotex.analysis.designs.contrast import Contrast
from genotex.analysis.designs.matrix import Design, independent_columns
from genotex.analysis.samples.facts import SampleFacts, is_technical, read_value
from genotex.arrays import Floats
from genotex.errors import UsageError
from genotex.features import column_named
from genotex.formats import COVARIATES, LinkedTable

LEVELS_OF_A_NUMBER = 3
"""A characteristic with fewer different numbers is taken as groups."""
LEVELS_OF_A_CODE = 5
"""So many whole numbers at most, each of them repeated, are codes of groups."""


@dataclass(frozen=True)
class NamedCovariates:
    """Columns of the characteristics that the user named."""

    keys: tuple[str, ...] = ()  # As the cohort writes them
    # (n,): numbers as they are, groups as one column for each but the largest
    columns: dict[str, Floats] = field(default_factory=dict)
    # Numeric characteristic to the number of missing values that became its mean
    filled: dict[str, int] = field(default_factory=dict)
    # Characteristic to ``number``, or how many groups it has
    taken_as: dict[str, str] = field(default_factory=dict)
    # Characteristic to its columns
    sources: dict[str, tuple[str, ...]] = field(default_factory=dict)
    # Why a characteristic is not adjusted for, or that its numbers are codes
    warnings: tuple[str, ...] = ()


def find_characteristic(facts: SampleFacts, name: str) -> str:
    """Return the characteristic of that name as the cohort writes it; case does not matter."""
    for key in facts:
        if key.strip().lower() == name.strip().lower():
            return key
    known = ", ".join(repr(key) for key in facts) or "none"
    msg = (
        f"the cohort has no characteristic {name!r}; those that vary and are not used as trait, "
        f"age or gender: {known}"
    )
    raise UsageError(msg)


def named_covariates(
    facts: SampleFacts, samples: Sequence[str], names: Sequence[str]
) -> NamedCovariates:
    """Return the columns of the characteristics with these names."""
    found = NamedCovariates()
    keys, warnings = [], []
    for name in names:
        key = find_characteristic(facts, name)
        values = [read_value(key, facts[key].get(sample)) for sample in samples]
        numbers = _numbers(values)
        if numbers is not None and not _is_code(key, numbers):
            columns = {key: _fill(key, numbers, found.filled)}
            found.taken_as[key] = "number"
        elif reason := _why_no_groups(values):
            warnings.append(f"'{key}' is not adjusted for: {reason}.")
            continue
        else:
            columns = _group_columns(key, values)
            found.taken_as[key] = f"{len(columns) + 1} groups"
            if numbers is not None:
                warnings.append(f"'{key}': its numbers are taken as {len(columns) + 1} groups.")
        found.columns.update(columns)
        found.sources[key] = tuple(columns)
        keys.append(key)
    return replace(found, keys=tuple(keys), warnings=tuple(warnings))


def _numbers(values: Sequence[str | None]) -> Floats | None:
    """Return a characteristic as numbers, None when it cannot be one."""
    try:
        numbers = np.array([np.nan if v is None else float(v) for v in values], dtype=np.float64)
    except ValueError:
        return None
    known = numbers[np.isfinite(numbers)]
    enough = 2 * len(known) >= len(numbers) and len(np.unique(known)) >= LEVELS_OF_A_NUMBER
    return np.where(np.isfinite(numbers), numbers, np.nan) if enough else None


def _is_code(key: str, numbers: Floats) -> bool:
    """Return whether the numbers name batches, sites and the like, or a few kinds of samples."""
    if is_technical(key):
        return True
    known = numbers[np.isfinite(numbers)]
    _, counts = np.unique(known, return_counts=True)
    whole = bool((known == np.round(known)).all())
    return whole and len(counts) <= LEVELS_OF_A_CODE and int(counts.min()) > 1


def _fill(key: str, numbers: Floats, filled: dict[str, int]) -> Floats:
    missing = np.isnan(numbers)
    if missing.any():
        filled[key] = int(missing.sum())
    return np.where(missing, numbers[~missing].mean(), numbers)


def _why_no_groups(values: Sequence[str | None]) -> str:
    counts = Counter(value for value in values if value is not None)
    if None in values:
        return f"it is unknown for {values.count(None)} samples"
    if len(counts) < 2:
        return "it does not vary among the samples compared"
    if len(counts) > len(values) // 2:
        return f"it has {len(counts)} different values for {len(values)} samples"
    return ""


def _group_columns(key: str, values: Sequence[str | None]) -> dict[str, Floats]:
    """Return a column of 0 and 1 for each value of a characteristic but the most frequent one."""
    counts = Counter(value for value in values if value is not None)
    _, *others = [value for value, _ in counts.most_common()]
    return {
        f"{key} {value}": np.array([v == value for v in values], dtype=np.float64)
        for value in sorted(others)
    }


ENOUGH_RESIDUAL_DF = 10
"""A batch is adjusted for only when at least so many degrees of freedom are left."""
FEWEST_IN_BATCH = 2

_BATCH = re.compile(r"(^|[\W_])batch", re.IGNORECASE)


@dataclass(frozen=True)
class _BatchColumns:
    """The columns of a known batch."""

    key: str | None = None  # The characteristic; None when no batch is adjusted for
    # (n,): 1 for the samples of a batch, one column for each batch but the largest
    columns: dict[str, Floats] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()  # Why a batch recorded before that one is not adjusted for


def batch_columns(
    facts: SampleFacts, samples: Sequence[str], contrast: Contrast, covariates: int
) -> _BatchColumns:
    """Return the columns of the first characteristic named as a batch that can be used."""
    # A known batch is a covariate (spec of the analysis, hidden structure). It is left out, with a
    # warning, when a sample's batch is unknown, a batch has a single sample, too few degrees of
    # freedom would be left, or batch and trait cannot be separated.
    warnings: list[str] = []
    for key, recorded in facts.items():
        if not _names_batch(key):
            continue
        values = [read_value(key, recorded.get(samples[i])) for i in contrast.rows]
        counts = Counter(value for value in values if value is not None)
        if len(counts) < 2:
            continue
        columns = _group_columns(key, values)
        reason = why_no_batch(values, columns, contrast, covariates)
        if reason:
            warnings.append(f"The batch '{key}' is not adjusted for: {reason}.")
            continue
        return _BatchColumns(key, columns, tuple(warnings))
    return _BatchColumns(warnings=tuple(warnings))


def _names_batch(key: str) -> bool:
    """Return whether a characteristic is named as a batch."""
    return _BATCH.search(key) is not None


def why_no_batch(
    values: Sequence[str | None], columns: Mapping[str, Floats], contrast: Contrast, covariates: int
) -> str:
    """Return why a batch cannot be adjusted for with its columns, or nothing."""
    counts = Counter(value for value in values if value is not None)
    if None in values:
        return f"it is unknown for {values.count(None)} samples"
    if min(counts.values()) < FEWEST_IN_BATCH:
        return "a batch has a single sample"
    if len(values) - 2 - covariates - len(columns) < ENOUGH_RESIDUAL_DF:
        return f"{len(values)} samples are too few for {len(counts)} batches"
    wide = np.column_stack([np.ones(len(values)), *columns.values(), contrast.columns])
    if not independent_columns(wide)[-contrast.columns.shape[1] :].all():
        return "batch and trait cannot be separated"
    return ""


@dataclass(frozen=True)
class Adjustment:
    """Columns to adjust for that the linked table does not hold."""

    columns: Mapping[str, Floats]  # (n,): for the samples of the contrast
    # Covariates of the linked table to adjust for; without those that are the same in all samples
    # of a pair
    from_table: tuple[str, ...]
    # Characteristic to the columns it gave; without those of pairs
    sources: Mapping[str, tuple[str, ...]]
    batch: str | None  # The one of them that was found to be a batch
    # Covariates and characteristics that were asked for and are the same within every pair
    held_by_pairs: tuple[str, ...]
    # Characteristic that the user named to ``number``, or how many groups it has
    taken_as: Mapping[str, str]
    filled: Mapping[str, int]  # Characteristic to the number of values that were filled
    warnings: tuple[str, ...]  # What could not be adjusted for, and why
    # Of hidden factors that are technical, as plain JSON (see `find_technical`)
    evidence: tuple[dict[str, Any], ...] = ()
    # Variances of coefficients are so many times larger, as such factors are estimated
    inflation: float = 1.0

    @property
    def keys(self) -> tuple[str, ...]:
        """Characteristics that are adjusted for, by columns or by the pairs."""
        return (*self.sources, *self.held_by_pairs)

    def within(self, design: Design) -> Adjustment:
        """Return what the design adjusts for: without characteristics that it left out."""
        # A characteristic counts when the other columns than the trait span all of its own.
        sources = {
            key: names
            for key, names in self.sources.items()
            if _spans(design.others, [self.columns[name] for name in names])
        }
        return replace(self, sources=sources, batch=self.batch if self.batch in sources else None)


def gather_adjustment(
    table: LinkedTable,
    contrast: Contrast,
    facts: SampleFacts,
    blocks: Blocks,
    covariates: Sequence[str],
    *,
    batch: bool,
    condition: str | None = None,
    recorded: Collection[str],
) -> Adjustment:
    """Gather the columns of pairs, of the characteristics the user named, and of a known batch."""
    compared = [table.samples[i] for i in contrast.rows]
    asked = tuple(dict.fromkeys(_in_table(c, table, facts) for c in covariates))
    names = [find_characteristic(facts, name) for name in asked if name not in COVARIATES]
    same = _same_within_pairs(facts, blocks)
    named = named_covariates(facts, compared, [name for name in names if name not in same])
    columns = {**blocks.columns, **named.columns}
    sources, warnings, known_batch = dict(named.sources), list(named.warnings), None
    held = [name for name in names if name in same]
    if batch:
        pair_key = blocks.record.get("key")
        # A batch that only texts state (a plate, the date of a scan) is adjusted for on request.
        free = [k for k in facts if k in recorded and k not in names and k != pair_key]
        others = {k: facts[k] for k in free}
        held += [key for key in others if key in same and _names_batch(key)]
        rest = {k: v for k, v in others.items() if k not in same}
        found = batch_columns(rest, table.samples, contrast, len(table.covariates) + len(columns))
        known_batch = found.key
        columns |= found.columns
        sources |= {} if known_batch is None else {known_batch: tuple(found.columns)}
        warnings += found.warnings
    constant = blocks.record.get("constant_within_blocks", ()) if blocks.columns else ()
    inside = tuple(n for n in asked if n in COVARIATES and n not in constant)
    wanted = [name for name in constant if name in asked or name == condition]
    values = {name: table.covariates[name][contrast.rows] for name in wanted}
    varying = [name for name, v in values.items() if len(np.unique(v[np.isfinite(v)])) > 1]
    if all_held := [*varying, *(f"'{key}'" for key in held)]:
        warnings.append(
            f"The pairs {blocked_by(blocks.record['key'])} already adjust for "
            f"{', '.join(all_held)}: the same in all samples of a pair."
        )
    return Adjustment(
        columns,
        inside,
        sources,
        known_batch,
        (*varying, *held),
        named.taken_as,
        named.filled,
        tuple(warnings),
    )


def _in_table(name: str, table: LinkedTable, facts: SampleFacts) -> str:
    """Return Age or Gender however it is written, unless only a characteristic has that name."""
    plain = name.strip().lower()
    column = column_named(name)
    recorded = any(key.strip().lower() == plain for key in facts)
    return name if recorded and column not in table.covariates else column


def _same_within_pairs(facts: SampleFacts, blocks: Blocks) -> frozenset[str]:
    """Return the characteristics that vary, but not within pairs."""
    if not blocks.columns:
        return frozenset()
    pairs = blocks.record["members"].values()
    same = set()
    for key, recorded in facts.items():
        values = [{read_value(key, recorded.get(sample)) for sample in pair} for pair in pairs]
        if all(len(found) == 1 for found in values) and len(set().union(*values)) > 1:
            same.add(key)
    return frozenset(same)


def _spans(basis: Floats, columns: Sequence[Floats]) -> bool:
    wide = np.column_stack([basis, *columns])
    return not independent_columns(wide)[basis.shape[1] :].any()
