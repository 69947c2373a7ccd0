"""Comments in written code: what the rules say, folded into lines that stay comments."""

from __future__ import annotations

import re
import textwrap

__all__ = ["cell_of", "comment"]

_WIDTH = 92


def comment(*texts: str) -> str:
    """Return texts as comment lines, one sentence each, whatever line ends they hold."""
    sentences = (" ".join(text.split()).rstrip(".") for text in texts if text.strip())
    plain = " ".join(f"{sentence}." for sentence in sentences)
    lines = textwrap.wrap(
        plain, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_long_words=False
    )
    return "".join(f"{line}\n" for line in lines)


def cell_of(*parts: str) -> str:
    """Return a cell made of parts, two empty lines between them, with the import that it needs."""
    body = "\n\n".join(f"{part.strip()}\n" for part in parts if part.strip())
    return f"import re\n\n\n{body}" if re.search(r"\bre\.", body) else body
