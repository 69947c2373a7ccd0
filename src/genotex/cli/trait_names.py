"""Saying by whose words the traits that a person named are read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from genotex.cli import screen

__all__ = ["tell_names"]


def tell_names(traits: Sequence[str], vocabulary: Path | None) -> None:
    """Say what each name means where it is not the listed one, and what a file leaves as it is.

    Parameters
    ----------
    traits : sequence of str
        The names, as they were given.
    vocabulary : Path or None
        The user's own vocabulary file.

    Raises
    ------
    UsageError
        If a name is none, or an alias of several traits.
    """
    from genotex.clinical import load_vocabulary

    words = load_vocabulary(vocabulary)
    for trait in traits:
        if told := words.named(trait).told:
            screen.tell(told, "note")
    beside = words.tables_beside(traits) if traits else ()
    if beside:
        many = ", ".join(beside)
        screen.tell(f"{vocabulary}: {many} is another trait than the one asked for", "note")
