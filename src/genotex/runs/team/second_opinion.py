"""What the built-in rules would have read, where written code has read a series otherwise."""

from __future__ import annotations

import numpy as np

from genotex.agents.task import Task
from genotex.clinical import FeatureEncoding, apply_encoding, describe_series, rule_expert
from genotex.formats import Series
from genotex.layout import Procedure

__all__ = ["second_opinion"]


def second_opinion(task: Task, series: Series, trait: FeatureEncoding | None) -> tuple[str, ...]:
    """Return in which way the rules would read the trait otherwise; empty where they agree.

    Who is right is for a reader to say: models are asked because rules do not know everything, and
    a text in a series can mislead models alone.

    Parameters
    ----------
    task : Task
        A cohort of GEO.
    series : Series
        What is said of its samples.
    trait : FeatureEncoding or None
        How written code read it; None where it found none.
    """
    reading = rule_expert(task.procedure).read(describe_series(series), task.trait)
    own = reading.trait
    if own is None or not reading.gene.available:
        # Rules that find nothing have nothing to say against somebody who does.
        return ()
    where = f"the built-in rules read the trait from {own.key or own.sample_field!r}"
    if trait is None:
        return (f"{where}, where written code found none",)
    if own.kind != trait.kind:
        return (f"{where} as {own.kind}, written code as {trait.kind}",)
    differ, both = _differences(own, trait, series, task.procedure)
    if differ == 0:
        return ()
    return (f"{where}, and code {differ} of {both} samples otherwise than written code",)


def _differences(
    one: FeatureEncoding, other: FeatureEncoding, series: Series, procedure: Procedure
) -> tuple[int, int]:
    """Return how many samples have another code, and how many have one at all."""
    a, b = (apply_encoding(each, series, procedure=procedure).codes for each in (one, other))
    told = ~(np.isnan(a) & np.isnan(b))
    same = np.isclose(a, b, rtol=1e-6)
    return int((told & ~same).sum()), int(told.sum())
