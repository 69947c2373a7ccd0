"""Comments in written code: what the rules say, folded into lines that stay comments."""

from __future__ import annotations

import re
import textwrap

__all__ = ["cell_of", "comment", "one_line"]

_WIDTH = 92


def comment(*texts: str) -> str:
    """Return texts as comment lines, one sentence each, whatever characters they hold."""
    sentences = (one_line(text).rstrip(".") for text in texts)
    plain = " ".join(f"{sentence}." for sentence in sentences if sentence)
    lines = textwrap.wrap(
        plain, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_long_words=False
    )
    return "".join(f"{line}\n" for line in lines)


def one_line(text: str) -> str:
    """Return a text on one line, without characters that cannot be seen."""
    seen = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(seen.split())


def cell_of(*parts: str) -> str:
    """Return a cell made of parts, two empty lines between them, with the import that it needs."""
    body = "\n\n".join(f"{part.strip()}\n" for part in parts if part.strip())
    return f"import re\n\n\n{body}" if re.search(r"\bre\.", body) else body
