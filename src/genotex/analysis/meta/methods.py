"""The registry of meta-analysis methods: the tests that rank genes over several cohorts.

To add a method, add an entry to `METHODS`. The rest follows: its p-values give ``p``, ``q``, ``z``,
the order of the genes and the replication test; its `ranking` goes to the result file and its
`sentence` to the methods paragraph of the report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.meta.heterogeneity import (
    Heterogeneity,
    NullScores,
    common_effect_p,
    estimate_heterogeneity,
    null_scores,
)
from genotex.errors import UsageError

Floats = NDArray[np.float64]
DEFAULT = "common"


@dataclass(frozen=True, eq=False)
class CohortStatistics:
    """The statistics of k cohorts for m genes, (k, m) each; NaN where a cohort lacks a gene."""

    effects: Floats  # Hedges' g of groups, else Fisher's z of the partial correlation
    errors: Floats  # Their standard errors
    p: Floats  # Two-sided p-values
    samples: Floats  # Samples compared
    binary: bool  # Whether groups were compared

    @cached_property
    def scores(self) -> NullScores:
        """The effects as scores that are normal where a gene has no effect."""
        samples = self.samples if self.binary else None
        return null_scores(self.effects, self.errors, self.p, samples)

    @cached_property
    def heterogeneity(self) -> Heterogeneity:
        """How far true effects differ between cohorts, estimated from all genes."""
        return estimate_heterogeneity(self.scores)


@dataclass(frozen=True)
class CombinationMethod:
    """A test of each gene over all cohorts."""

    p: Callable[[CohortStatistics], Floats]  # Two-sided p-values, (m,); NaN where there is none
    ranking: str  # What the test is, for the result file
    sentence: str  # The same for a methods section; may hold ``{sd:.2g}``, see `Heterogeneity`


METHODS: dict[str, CombinationMethod] = {
    DEFAULT: CombinationMethod(
        p=lambda found: common_effect_p(found.scores, found.heterogeneity),
        ranking="test that the true effects scatter around zero between cohorts, with a "
        "standard deviation between cohorts whose distribution is estimated from all genes",
        sentence="Each gene was tested for an effect common to the cohorts by a normal deviate, "
        "averaged over a distribution of the between-cohort standard deviation that was estimated "
        "from all genes by restricted maximum likelihood (root mean square {sd:.2g}).",
    ),
}


def find_method(name: str) -> CombinationMethod:
    """Return the method of that name."""
    if name not in METHODS:
        msg = f"combine {name!r} is not known; use {' or '.join(METHODS)}"
        raise UsageError(msg)
    return METHODS[name]


def method_sentence(record: Mapping[str, Any]) -> str:
    """Return the sentence of the method by which a result (`MetaResult.method`) was ranked."""
    used = METHODS[record.get("combine", DEFAULT)]
    return used.sentence.format(sd=record["between_cohorts"]["sd"])
