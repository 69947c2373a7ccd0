"""Scores against several sets of labels, side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["LabelScores", "Section", "base_labels", "side_by_side"]

Item = TypeVar("Item")
Figures = Mapping[str, float]

VERIFIED = "reading"
"""The set of labels that the others are compared with, where it is there."""


@dataclass(frozen=True)
class LabelScores:
    """A prediction against one set of labels.

    Attributes
    ----------
    labels : str
        Name of the set.
    count : int
        Cases or cohorts that it labels.
    figures : mapping of str to float
        Over all of these.
    shared : int
        How many of them the base labels too.
    difference : mapping of str to float
        Figure minus that against the base, both over the shared ones; empty for the base itself.
    """

    labels: str
    count: int
    figures: Figures
    shared: int
    difference: Figures


@dataclass(frozen=True)
class Section(Generic[Item]):
    """One kind of score, against every set of labels.

    Attributes
    ----------
    name : str
        ``cases``, ``filtering`` or ``clinical``.
    scores : tuple of LabelScores
        In the order of the sets.
    own : mapping of str to mapping
        Name of another set -> its figures as a prediction, against the base.
    items : mapping of str to mapping
        Name of the set -> case id -> what was judged.
    """

    name: str
    scores: tuple[LabelScores, ...]
    own: Mapping[str, Figures]
    items: Mapping[str, Mapping[str, Item]]


def base_labels(names: Sequence[str]) -> str:
    """Return the set that others are compared with: ``reading``, else the first one."""
    return VERIFIED if VERIFIED in names else names[0]


def side_by_side(
    name: str,
    items: Mapping[str, Mapping[str, Item]],
    own: Mapping[str, Mapping[str, Item]],
    figures: Callable[[Sequence[Item]], dict[str, float]],
    base: str,
) -> Section[Item]:
    """Sum up what was judged against each set of labels.

    Parameters
    ----------
    name : str
        Of the section.
    items : mapping of str to mapping
        Name of the set -> case id -> what was judged; sets without any are left out.
    own : mapping of str to mapping
        The same for other sets taken as predictions, against the base.
    figures : callable
        From items, at least one, to figures.
    base : str
        The set that the others are compared with.

    Returns
    -------
    Section
    """
    filled = {labels: found for labels, found in items.items() if found}
    rival = filled.get(base, {})
    scores = []
    for labels, found in filled.items():
        shared = [case for case in found if case in rival]
        difference: dict[str, float] = {}
        if shared and labels != base:
            before = figures([rival[case] for case in shared])
            after = figures([found[case] for case in shared])
            difference = {key: after[key] - before[key] for key in after if key in before}
        whole = figures(list(found.values()))
        scores.append(LabelScores(labels, len(found), whole, len(shared), difference))
    summed = {labels: figures(list(found.values())) for labels, found in own.items() if found}
    return Section(name, tuple(scores), summed, filled)
