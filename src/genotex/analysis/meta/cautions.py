"""What a reader should know before trusting a meta-analysis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
from scipy.special import bdtrc

from genotex.analysis.meta.result import CohortFacts

__all__ = ["cohort_warnings", "cohorts_differ", "differing_share", "left_out_warnings"]

SMALL = 20
"""Below so many samples, the standard error of Hedges' g limits how small a p-value can be."""

DIFFERING_P = 0.05
"""Cohorts differ on a gene when the p-value of Cochran's Q is below."""

DIFFERING_SHARE = 0.10
"""Cohorts differ as a whole when they do on more than this share of the genes: twice of chance."""

_SURELY = 0.001
"""So rarely would independent genes without any difference give as large a share."""


def differing_share(genes: pl.DataFrame) -> float:
    """Return the share of genes on which cohorts differ: p of Cochran's Q below `DIFFERING_P`."""
    # Where cohorts share one effect on each gene it is about `DIFFERING_P`; genes that go together
    # make it scatter around that.
    return genes.filter(pl.col("Q p") < DIFFERING_P).height / genes.height


def cohorts_differ(genes: pl.DataFrame) -> bool:
    """Return whether cohorts differ clearly more than chance, over the genes as a whole."""
    # They do when they differ on more than `DIFFERING_SHARE` of the genes, and on more than chance
    # would give in one of 1,000 studies (binomial test), which matters when genes are few.
    differing = genes.filter(pl.col("Q p") < DIFFERING_P).height
    by_chance = bdtrc(differing - 1, genes.height, DIFFERING_P)
    return differing_share(genes) > DIFFERING_SHARE and bool(by_chance < _SURELY)


def cohort_warnings(
    facts: Sequence[CohortFacts], genes: pl.DataFrame, *, kind: str, min_effect: float
) -> tuple[str, ...]:
    """Return what to know of the cohorts that were combined, the gravest first."""
    return (
        *_spread(genes),
        *_controls(facts),
        *_covariates(facts),
        *_small(facts, kind),
        *_minimal(min_effect),
    )


def left_out_warnings(dropped: Mapping[str, str]) -> tuple[str, ...]:
    """Return one sentence for each cohort that was to be combined and is not."""
    return tuple(f"{name} was left out: {reason}." for name, reason in dropped.items())


def _spread(genes: pl.DataFrame) -> list[str]:
    if not cohorts_differ(genes):
        return []
    found = (
        f"The cohorts differ more than chance allows: on {100 * differing_share(genes):.0f} % of "
        f"the genes the p-value of Cochran's Q is below {DIFFERING_P:g}, where "
        f"{100 * DIFFERING_P:.0f} % are expected."
    )
    of_two = int(genes["Random p"].null_count())
    if of_two == genes.height:
        return [
            f"{found} p, q and replication allow for it; the combined effect and its 95 % interval "
            "do not: they describe the average of these two cohorts. Compare the intervals of the "
            "single cohorts."
        ]
    also = " (except where only two cohorts tested a gene)" if of_two else ""
    return [
        f"{found} p, q and replication allow for it, by what all genes show together; the 95 % "
        f"interval and the strict p (Random p in the result) by the gene alone{also}."
    ]


def _controls(facts: Sequence[CohortFacts]) -> list[str]:
    if len({fact.controls for fact in facts}) < 2:
        return []
    listed = "; ".join(f"{fact.name}: {fact.groups}" for fact in facts)
    return [
        f"The cohorts have different controls ({listed}), which alone can make a gene differ "
        "between them."
    ]


def _covariates(facts: Sequence[CohortFacts]) -> list[str]:
    if len({fact.covariates for fact in facts}) < 2:
        return []
    listed = "; ".join(f"{f.name}: {', '.join(f.covariates) or 'none'}" for f in facts)
    return [f"The cohorts are not adjusted for the same covariates ({listed}): not all have them."]


def _small(facts: Sequence[CohortFacts], kind: str) -> list[str]:
    names = [f"{fact.name} ({fact.samples})" for fact in facts if fact.samples < SMALL]
    if kind != "binary" or not names:
        return []
    return [
        f"Fewer than {SMALL} samples in {', '.join(names)}: the standard error of Hedges' g is "
        "then so wide for strong genes that interval and strict p are too cautious; p and q, "
        "from the p-values of the cohorts themselves, are not affected."
    ]


def _minimal(min_effect: float) -> list[str]:
    if not min_effect:
        return []
    return [
        "The smallest effect that was asked for holds in single cohorts only: the combined effect "
        "is standardised and tested against zero. p, q and replication use the cohorts' own "
        "p-values, which the smallest effect makes larger."
    ]
