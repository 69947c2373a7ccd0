"""How far two annotators agree: each scored against the other, without a reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from genotex.bench.evaluation.bootstrap import DRAWS
from genotex.bench.evaluation.comparing import Comparison, compare_runs, item_keys
from genotex.bench.evaluation.figures import SECTIONS
from genotex.bench.evaluation.scores import Scores
from genotex.bench.evaluation.summary import section_items

__all__ = ["agreement"]


def agreement(
    names: tuple[str, str],
    forward: Scores,
    backward: Scores,
    *,
    seed: int = 0,
    draws: int = DRAWS,
) -> Comparison:
    """Put the two directions side by side, their mean beside (GenoTEX paper, section 3.2).

    The F1 of dataset filtering is the same in both directions; precision and recall change places.

    Parameters
    ----------
    names : (str, str)
        Of the two annotators.
    forward, backward : Scores
        The first scored against the second, and the other way round.
    seed, draws : int
        Of the bootstrap.

    Returns
    -------
    Comparison
        The two directions as runs, without differences.

    Raises
    ------
    UsageError
        If the directions were scored by different metrics.
    """
    first, second = names
    directions = {
        f"{first} against {second}": forward,
        f"{second} against {first}": backward,
    }
    compared = compare_runs(directions, seed=seed, draws=draws)
    notes = tuple(_notes(forward, backward))
    return replace(compared, differences={}, notes=notes, mean_name="mean of both")


def _notes(forward: Scores, backward: Scores) -> Iterator[str]:
    for section, names in SECTIONS.items():
        items = [section_items(scores, section) or () for scores in (forward, backward)]
        one, other = (set(item_keys(found)) for found in items)
        if one != other:
            yield (
                f"{names.short or 'analysis'}: {len(one ^ other):,} of {len(one | other):,} "
                f"{names.items} are there on one side only; each counts in the direction whose "
                "reference has it"
            )
