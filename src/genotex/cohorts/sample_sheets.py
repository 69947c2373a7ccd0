"""The rows of a sample sheet for one series: what the rules propose, for a person to correct."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from genotex.clinical import Expert, describe_series, sheet_rows
from genotex.cohorts.geo.cohort import read_or_replay
from genotex.cohorts.geo.files import Facts, RawSeries, sample_facts, sample_texts
from genotex.cohorts.prepared import PreprocessOptions
from genotex.formats import ExpressionMatrix

_FEWEST_VALUES = 100
"""Fewer values may be equal by chance."""

NamePools = Callable[[tuple[str, ...], Facts, Facts], Mapping[str, str]]
"""Finds the samples whose texts name a pool: of samples, their facts and their texts."""


@dataclass(frozen=True)
class ProposedSheet:
    """The rows of one series, and what stands out.

    Attributes
    ----------
    cohort : str
        Its accession.
    rows : list of dict
        A row for each sample by header (see `genotex.clinical.sheet_rows`).
    notes : tuple of str
        What a person should know of the series: parts that are not used, and the like.
    """

    cohort: str
    rows: list[dict[str, str]]
    notes: tuple[str, ...]

    def count(self, *groups: str) -> int:
        """Return how many samples are in some groups and not excluded."""
        return sum(row["group"] in groups and not row["exclude"] for row in self.rows)


def propose_sheet(
    cohort: str,
    raw: RawSeries,
    trait: str,
    expert: Expert,
    options: PreprocessOptions,
    name_pools: NamePools | None = None,
) -> ProposedSheet:
    """Annotate a series and return its rows of a sample sheet.

    Parameters
    ----------
    cohort : str
        Its id, by which the sheet names it: the name of its folder.
    raw : RawSeries
        The series; with expression, samples that are copies of others are named in ``why``.
    trait : str
        Name of the trait.
    expert : Expert
        Annotates the series.
    options : PreprocessOptions
        As for `preprocess`; groups chosen by hand are those of the sheet.
    name_pools : callable, optional
        Finds pools, which are named in ``why``.

    Raises
    ------
    UsageError
        If groups chosen by hand do not occur.
    """
    series = raw.series
    description = replace(describe_series(series), cohort=cohort)
    given = options.readings.get(cohort)
    reading = read_or_replay(description, series, trait, expert, options, given)
    facts, texts = sample_facts(series, reading), sample_texts(series, reading)
    pools = name_pools(series.samples, facts, texts) if name_pools is not None else {}
    checks = {sample: f"the text {text!r} names a pool" for sample, text in pools.items()}
    for sample, first in _copies(series.expression).items():
        before = f"{checks[sample]}; " if sample in checks else ""
        checks[sample] = f"{before}the same values as {first}, perhaps a copy"
    rows = sheet_rows(description, series, reading, procedure=options.procedure, checks=checks)
    return ProposedSheet(cohort, rows, raw.notes)


def _copies(expression: ExpressionMatrix | None) -> dict[str, str]:
    """Return the samples with exactly the values of an earlier sample, which is named."""
    if expression is None or len(expression.ids) < _FEWEST_VALUES:
        return {}
    first: dict[bytes, str] = {}
    copies = {}
    for number, sample in enumerate(expression.samples):
        column = np.ascontiguousarray(expression.values[:, number])
        if np.isfinite(column).sum() < _FEWEST_VALUES:
            continue
        digest = hashlib.sha256(column.tobytes()).digest()
        if digest in first:
            copies[sample] = first[digest]
        else:
            first[digest] = sample
    return copies
