"""Python source as text: converters of one cell, literals and comments."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Mapping

Codes = Mapping[str, float | None]
"""Raw cell -> code."""

_FEWEST_FOR_RULE = 6
"""Fewer different values are written out, which is easier to check than a rule."""


# The functions below are tried on the cells, and the source of the first one that fits is what is
# written: so what is written is what was tried.


def _number_behind_header(cell: str) -> float | None:
    value = cell.partition(":")[2].strip()
    try:
        return float(value)
    except ValueError:
        return None


def _years_behind_header(cell: str) -> float | None:
    value = cell.partition(":")[2].strip()
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*-?(?:years?|yrs?|yo|y)?\.?(?:[ -]old)?", value.lower())
    return float(found.group(1)) if found else None


def _first_whole_number_behind_header(cell: str) -> float | None:
    found = re.search(r"\d+", cell.partition(":")[2])
    return float(found.group()) if found else None


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _first_whole_number(cell: str) -> float | None:
    found = re.search(r"\d+", cell)
    return float(found.group()) if found else None


def _years_of_days(cell: str) -> float | None:
    try:
        return abs(float(cell)) / 365.25
    except ValueError:
        return None


_RULES: tuple[Callable[[str], float | None], ...] = (
    _number_behind_header,
    _years_behind_header,
    _first_whole_number_behind_header,
    _number,
    _first_whole_number,
    _years_of_days,
)


def converter_text(name: str, codes: Codes) -> str:
    """Return the source of a function that gives these codes."""
    if len(codes) >= _FEWEST_FOR_RULE:
        for rule in _RULES:
            if all(rule(cell) == code for cell, code in codes.items()):
                source = inspect.getsource(rule)
                return source.replace(f"def {rule.__name__}(", f"def {name}(")
    bare = {cell.partition(":")[2].strip(): code for cell, code in codes.items()}
    one_code = all(bare[cell.partition(":")[2].strip()] == code for cell, code in codes.items())
    if one_code and all(bare):
        lines = ['    value = cell.partition(":")[2].strip()', *_table(bare, "value")]
    else:
        lines = _table(codes, "cell")
    return "\n".join([f"def {name}(cell: str) -> float | None:", *lines]) + "\n"


def _table(codes: Codes, variable: str) -> list[str]:
    entries = [f"        {literal(text)}: {number(code)}," for text, code in codes.items()]
    return ["    codes = {", *entries, "    }", f"    return codes.get({variable})"]


def number(code: float | None) -> str:
    """Return a code as Python writes it, whole ones without a point."""
    if code is None:
        return "None"
    return str(int(code)) if code == int(code) else repr(code)


def literal(text: str) -> str:
    """Return a text as Python writes it, in double quotes where that is possible."""
    plain = repr(text)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in plain else plain


_WIDTH = 92


def comment(*texts: str) -> str:
    """Return texts as comment lines, one sentence each."""
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
