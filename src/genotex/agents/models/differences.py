"""Where two JSON values part."""

from __future__ import annotations

from typing import Any

__all__ = ["first_difference"]

AROUND = 30
"""Characters that are shown on each side of the first one that differs."""


def first_difference(recorded: Any, asked: Any, where: str = "") -> str:
    """Say in words where two JSON values differ first.

    Parameters
    ----------
    recorded, asked : Any
        Plain JSON values that differ.
    where : str
        Name of the place, as ``messages[1].text``.
    """
    if isinstance(recorded, dict) and isinstance(asked, dict):
        for key in sorted({*recorded, *asked}):
            place = f"{where}.{key}" if where else key
            if key not in recorded or key not in asked:
                return f"{place} is only in the {'request' if key in asked else 'recording'}"
            if recorded[key] != asked[key]:
                return first_difference(recorded[key], asked[key], place)
    if isinstance(recorded, (list, tuple)) and isinstance(asked, (list, tuple)):
        for number, (ours, theirs) in enumerate(zip(recorded, asked, strict=False)):
            if ours != theirs:
                return first_difference(ours, theirs, f"{where}[{number}]")
        return f"{where} has {len(recorded)} entries in the recording, {len(asked)} now"
    if isinstance(recorded, str) and isinstance(asked, str):
        return _first_in_text(recorded, asked, where)
    return f"{where} was {recorded!r}, is now {asked!r}"


def _first_in_text(recorded: str, asked: str, where: str) -> str:
    shorter = min(len(recorded), len(asked))
    place = next((i for i in range(shorter) if recorded[i] != asked[i]), shorter)
    begin = max(0, place - AROUND)
    was, now = recorded[begin : place + AROUND], asked[begin : place + AROUND]
    return f"{where}, character {place + 1}: was {was!r}, is now {now!r}"
