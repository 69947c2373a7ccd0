"""Reading single cells: the key in front of a value, pairs and parts in it, numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

__all__ = ["named_part", "parse_number", "split_cell", "split_pairs"]

_KEY_SIGN = re.compile(r"\s*(?P<key>[^=:]{1,60}?)\s*[=:]\s*(?P<value>.*\S)", re.DOTALL)
_PIECES = re.compile(r"[;|\n]|,\s")
# Signs between the values of a key of several parts, the most telling ones first.
_BETWEEN_KEYS = re.compile(r"\s*[/,;&+|\\]\s*|\s+and\s+")
_BETWEEN_VALUES = tuple(
    re.compile(p) for p in (r"[;|]", r"/", r"(?<!\d),|,(?!\d)", r"[-_]", r"\s+")
)
_ASIDE = re.compile(r"[(\[{][^()\[\]{}]*[)\]}]")


def split_cell(cell: str) -> tuple[str, str]:
    """Split a characteristics cell at its first colon.

    Parameters
    ----------
    cell : str
        Such as ``"disease state: healthy control"``.

    Returns
    -------
    tuple of str
        Key and value, stripped; the key is empty when there is no colon.
    """
    key, colon, value = cell.partition(":")
    return (key.strip(), value.strip()) if colon else ("", cell.strip())


def split_pairs(text: str) -> list[tuple[str, str, str]]:
    """Split free text of the form ``key = value; key: value`` into its pairs.

    Parameters
    ----------
    text : str
        A sample description.

    Returns
    -------
    list of tuple of str
        Key, value and the piece as it stands, for every piece that is a pair with a short key.
    """
    pairs = []
    for piece in text.split(";"):
        hit = _KEY_SIGN.match(piece)
        if hit:
            pairs.append((hit["key"], hit["value"], piece.strip()))
    return pairs


def named_part(text: str, key: str, names: Callable[[str], bool]) -> str | None:
    """Return the part of a value that belongs to a wanted name.

    Parameters
    ----------
    text : str
        The value of a cell: ``45 years; Sex: F``, ``C57BL/6, male``, ``M/45``.
    key : str
        Its key: ``age``, ``strain, sex``, ``gender/age``.
    names : callable
        Whether a key is the wanted one.

    Returns
    -------
    str or None
        The value of the pair inside the text whose key is wanted, else what stands in front of
        such pairs if `key` itself is wanted; in a key of several parts the part in the same place.
        None when the value is not made of parts, or none is wanted.
    """
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
    wanted = [number for number, name in enumerate(keys) if names(name)]
    if len(keys) < 2 or len(wanted) != 1 or not all(name.strip() for name in keys):
        return None
    for sign in _BETWEEN_VALUES:
        parts = sign.split(text.strip())
        if len(parts) == len(keys):
            return parts[wanted[0]].strip()
    return None


@lru_cache(maxsize=65536)
def parse_number(text: str) -> float | None:
    """Read a measured number, with a decimal point or comma, with or without a unit behind it.

    Returns
    -------
    float or None
        The number; None when the text does not begin with exactly one.
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
