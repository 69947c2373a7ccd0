"""Numbers as people read them, against the numbers that they stand for."""

from __future__ import annotations

import re

NUMBER = re.compile(r"([-+]?)([\d,]*\.?\d+)(?:e([-+]?\d+))?")


def agrees(text: str, *wanted: object) -> bool:
    """Return whether a cell states a value, or an interval both ends, to the digits it shows."""
    plain = text.strip().replace("\N{MINUS SIGN}", "-")
    if len(wanted) == 2:
        parts = plain.split(" to ")
        return len(parts) == 2 and all(agrees(a, b) for a, b in zip(parts, wanted, strict=True))
    (value,) = wanted
    if value is None or value is False:
        return plain == ""
    if value is True:
        return plain == "yes"
    if isinstance(value, str):
        return plain.replace("_", " ") == value.replace("_", " ").replace("\N{MINUS SIGN}", "-")
    if not isinstance(value, int | float):
        msg = f"neither text nor number: {value!r}"
        raise TypeError(msg)
    if plain.startswith("<"):
        return value < float(plain[1:])
    shown, scale = plain.removesuffix("%").strip(), 100 if plain.endswith("%") else 1
    found = NUMBER.fullmatch(shown)
    if found is None:
        return False
    sign, digits, exponent = found.groups()
    number = float(f"{sign}{digits.replace(',', '')}e{exponent or 0}")
    last = 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))
    return abs(number - value * scale) <= 0.5001 * last


def in_files(name: str) -> str:
    """Return a name of a stored result as files spell it: "Leave-One-Out p" is leave_one_out_p."""
    ends = {"Lower": "low", "Upper": "high", "Error": "standard_error"}
    words = [ends.get(word, word.lower()) for word in re.split("[ -]", name)]
    return "_".join(words).replace("standard_standard", "standard")
