"""Which names there are, for a person who asked for one that is not."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["nearest", "tell_names"]

MOST_NAMED = 10
"""Of more names, only those with a similar spelling are told."""
NEAREST = 3


def nearest(asked: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return up to three names that are spelled like the one asked for, the most similar first."""
    lower = {name.lower(): name for name in names}
    wanted = "_".join(asked.lower().split())
    return tuple(lower[name] for name in get_close_matches(wanted, lower, n=NEAREST))


def tell_names(asked: str, names: Iterable[str]) -> str:
    """Tell which names there are: all of a few, else how many and the nearest in spelling."""
    names = tuple(names)
    if len(names) <= MOST_NAMED:
        return f"it has {', '.join(names) or 'none'}"
    told = f"it has {len(names)} others"
    near = nearest(asked, names)
    return f"{told}; the nearest in spelling: {', '.join(near)}" if near else told
