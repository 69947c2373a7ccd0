"""Any characteristic of the samples as covariate columns, when the user names it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.sample_facts import SampleFacts, is_technical, read_value
from genotex.errors import UsageError

__all__ = ["NamedCovariates", "find_characteristic", "group_columns", "named_covariates"]

Floats = NDArray[np.float64]

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
            columns = group_columns(key, values)
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


def group_columns(key: str, values: Sequence[str | None]) -> dict[str, Floats]:
    """Return a column of 0 and 1 for each value of a characteristic but the most frequent one."""
    counts = Counter(value for value in values if value is not None)
    _, *others = [value for value, _ in counts.most_common()]
    return {
        f"{key} {value}": np.array([v == value for v in values], dtype=np.float64)
        for value in sorted(others)
    }
