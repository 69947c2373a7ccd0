"""Options that take several words behind one name: ``-t selection analysis``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from typer.core import TyperCommand

__all__ = ["command_with_several_words", "repeat_names"]


def command_with_several_words(*names: str) -> type[TyperCommand]:
    """Return a kind of command whose options of these names take every word up to the next option.

    Only for a command without arguments, which such words could not be told from.
    """

    class Command(TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            return super().parse_args(ctx, repeat_names(args, names))

    return Command


def repeat_names(words: Sequence[str], names: Collection[str]) -> list[str]:
    """Return the words of a command line with an option's name before each of its values.

    Parameters
    ----------
    words : sequence of str
        As ``-p out -t selection analysis --json``.
    names : collection of str
        The options that take several words, as ``-t`` and ``--tasks``.

    Returns
    -------
    list of str
        As ``-p out -t selection -t analysis --json``.
    """
    spread: list[str] = []
    name = None
    has_value = False
    for word in words:
        if word.startswith("-"):
            name, has_value = _several(word, names)
        elif name is not None:
            if has_value:
                spread.append(name)
            has_value = True
        spread.append(word)
    return spread


def _several(word: str, names: Collection[str]) -> tuple[str | None, bool]:
    """Return the name of an option for several words, and whether a value is tied to it."""
    name, equals, _ = word.partition("=")
    if name in names:
        return name, bool(equals)
    short = word[:2]
    return (short, True) if short in names and short != "--" else (None, False)
