"""Texts from elsewhere in prompts: bounded, and between fences that they cannot close."""

from __future__ import annotations

import re

MOST_SHOWN = 10_000
"""Characters of an output that are shown."""
_SHOWN_OF_THE_END = 3_000
"""Of these at the end, where an error is reported."""


def cut(text: str, most: int = MOST_SHOWN) -> str:
    """Return a text of at most `most` characters, with a note where the rest was left out."""
    if len(text) <= most:
        return text
    end = min(_SHOWN_OF_THE_END, most // 2)
    left_out = len(text) - most
    return f"{text[: most - end]}\n[... {left_out} characters left out ...]\n{text[-end:]}"


def fenced(text: str, kind: str = "data") -> str:
    """Return a text between two fences that it cannot close itself."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    inside = text.rstrip("\n")
    return f"{fence}{kind}\n{inside}\n{fence}"
