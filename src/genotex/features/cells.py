"""Cells of characteristics: key and value, pairs, parts and numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

_KEY_SIGN = re.compile(r"\s*(?P<key>[^=:]{1,60}?)\s*[=:]\s*(?P<value>.*\S)", re.DOTALL)
_PIECES = re.compile(r"[;|\n]|,\s")
# Signs between the values of a key of several parts, the most specific ones first.
_BETWEEN_KEYS = re.compile(r"\s*[/,;&+|\\]\s*|\s+and\s+")
_BETWEEN_VALUES = tuple(
    re.compile(p) for p in (r"[;|]", r"/", r"(?<!\d),|,(?!\d)", r"[-_]", r"\s+")
)
_ASIDE = re.compile(r"[(\[{][^()\[\]{}]*[)\]}]")


@lru_cache(maxsize=16384)
def split_cell(cell: str) -> tuple[str, str]:
    """Split a characteristics cell at its first colon."""
    key, colon, value = cell.partition(":")
    return (key.strip(), value.strip()) if colon else ("", cell.strip())


def split_pairs(text: str) -> list[tuple[str, str, str]]:
    """Split free text of the form ``key = value; key: value`` into its pairs."""
    pairs = []
    for piece in text.split(";"):
        hit = _KEY_SIGN.match(piece)
        if hit:
            pairs.append((hit["key"], hit["value"], piece.strip()))
    return pairs


def named_part(text: str, key: str, names: Callable[[str], bool]) -> str | None:
    """Return the part of a value that belongs to a wanted name."""
    # The value of the pair inside the text whose key is wanted, else the text in front of such
    # pairs if `key` itself is wanted; in a key of several parts the part in the same place. None
    # when the value is not made of parts, or none is wanted.
    if "=" not in text and ":" not in text:
        return _part_in_place(text, key, names)
    pieces = [piece.strip() for piece in _PIECES.split(text)]
    pairs = [_KEY_SIGN.fullmatch(piece) for piece in pieces]
    if any(pairs):
        inner = next((hit["value"] for hit in pairs if hit and names(hit["key"])), None)
        if inner is None and pairs[0] is None and names(key):
            return pieces[0]
        return inner
    return _part_in_place(text, key, names)


def _part_in_place(text: str, key: str, names: Callable[[str], bool]) -> str | None:
    keys = _BETWEEN_KEYS.split(_ASIDE.sub(" ", key))
    if len(keys) < 2 or not all(name.strip() for name in keys):
        return None
    wanted = [number for number, name in enumerate(keys) if names(name)]
    if len(wanted) != 1:
        return None
    for sign in _BETWEEN_VALUES:
        parts = sign.split(text.strip())
        if len(parts) == len(keys):
            return parts[wanted[0]].strip()
    return None


@lru_cache(maxsize=65536)
def parse_number(text: str) -> float | None:
    """Parse a measured number, with a decimal point or comma, with or without a unit behind it.

    Returns the number; None when the text does not begin with exactly one.
    """
    hit = re.fullmatch(
        r"\s*([<>≤≥~]?\s*[-+\u2212]?\d+(?:[.,]\d+)?(?:e[-+]?\d+)?)\s*"
        r"(?:(?:[^\W\d_]|[%°(^])[^\d,;:=]{0,20}\d?\)?)?\s*",
        text,
        re.IGNORECASE,
    )
    if hit is None:
        return None
    digits = hit[1].lstrip("<>≤≥~ ").replace("\u2212", "-").replace(",", ".").casefold()
    value = float(digits)
    return value if abs(value) < float("inf") else None


_LEGEND_ENTRY = re.compile(
    r"(?<![\w.])(?P<code>-?\d{1,2}|[A-Za-z])\s*(?:=+|:|->|\u2192|\bis\b|\bfor\b)\s*"
    r"(?P<word>[A-Za-z][A-Za-z0-9 /-]*?)\s*(?=[,;)\]|/]|$|\band\b|\s-?\d{1,2}\s*[=:])"
)


@lru_cache(maxsize=4096)
def legend_of(key: str) -> dict[str, str]:
    """Return the codes that a key explains: "smoking (0=never, 1=former)"."""
    aside = " ".join(re.findall(r"[(\[{]([^()\[\]{}]*)[)\]}]", key))
    found = {hit["code"].casefold(): hit["word"].strip() for hit in _LEGEND_ENTRY.finditer(aside)}
    return found if len(found) > 1 else {}
