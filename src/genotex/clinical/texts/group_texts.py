"""What sample titles have in common: their texts without numbers of samples and replicates.

"HC12" and "HC-3, rep 1" are both "HC". A number is taken off only where it runs: where the word in
front of it stands with many different numbers in the series. So "type 1 diabetes", "CD4" and
"COVID-19" stay whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from genotex.clinical.texts.sample_texts import free_text_words
from genotex.clinical.words.wording import simplify

__all__ = ["distinguishing_texts", "group_texts"]

_ACCESSION = re.compile(r"\b(?:GS[EM]|GPL|[SED]R[RXSP]|SAM[NED]A?)\d+\b", re.IGNORECASE)
_REPLICATE = re.compile(
    r"\b(?:(?:biological|technical|biol|tech|bio)[\s.-]*)?(?:replicates?|replic|repl|rep)"
    r"(?:[\s.#:-]*(?:\d+|[a-d]))?\b",
    re.IGNORECASE,
)
# A word, then a number that is glued to it or stands behind it, and perhaps the letter of a part.
_NUMBERED = re.compile(
    r"(?<![A-Za-z0-9])(?P<word>[A-Za-z]+(?:\d+[A-Za-z]+)?)(?P<gap>[\s.#-]*)(?P<number>\d+)(?P<part>[a-d]?)"
    r"(?![A-Za-z0-9])"
)
_NUMBER_FIRST = re.compile(r"^\W*(?P<number>\d+)(?=[\W_]|[A-Z]{1,3}(?![A-Za-z0-9]))")
_EMPTY = re.compile(r"\(\s*[\W_]*\)|\[\s*[\W_]*\]")
_LOOSE = re.compile(r"(?<=\s)[-#:./]+(?=\s|$)|^[\s,;:.#/-]+|[\s,;:#/-]+$")
_FEWEST_NUMBERS = 2
_RUNNING = 0.3
_SURELY_RUNNING = 0.9
_MANY_NUMBERS = 5
_SHORTEST_ROW = 3


def group_texts(cells: Iterable[str]) -> dict[str, str]:
    """Return each text without what only numbers its sample.

    Parameters
    ----------
    cells : iterable of str
        Unique titles, source names or descriptions of a series.

    Returns
    -------
    dict of str to str
        Cell -> text of its group; empty where the cell is nothing but a number.
    """
    plain = {
        cell: _REPLICATE.sub(" ", _ACCESSION.sub(" ", cell.replace("_", " "))) for cell in cells
    }
    running = _running_words(plain.values())
    return {cell: _tidy(_without_numbers(text, running)) for cell, text in plain.items()}


def _running_words(texts: Iterable[str]) -> set[str]:
    """Return the words that number samples, simplified; the empty one for a number in front."""
    numbers: dict[str, list[str]] = {}
    for text in texts:
        for hit in _NUMBERED.finditer(text):
            numbers.setdefault(hit["word"].casefold(), []).append(hit["number"].lstrip("0"))
        first = _NUMBER_FIRST.search(text)
        if first:
            numbers.setdefault("", []).append(first["number"].lstrip("0"))
    return {word for word, found in numbers.items() if _runs(word, found)}


def _runs(word: str, numbers: list[str]) -> bool:
    different = len(set(numbers))
    words = free_text_words()
    if word in words["longer_name"]:
        return False
    if word in words["marker"]:
        many = different >= _MANY_NUMBERS or _is_row(numbers)
        return many and different >= _SURELY_RUNNING * len(numbers)
    return different >= max(_FEWEST_NUMBERS, _RUNNING * len(numbers))


def _is_row(numbers: list[str]) -> bool:
    """Tell whether numbers run without a gap, as those of samples do and those of "CD4" do not."""
    values = sorted({int(number or 0) for number in numbers})
    return len(values) >= _SHORTEST_ROW and values[-1] - values[0] == len(values) - 1


def _without_numbers(text: str, running: set[str]) -> str:
    if "" in running:
        text = _NUMBER_FIRST.sub(" ", text)
    return _NUMBERED.sub(
        lambda hit: hit["word"] if hit["word"].casefold() in running else hit[0], text
    )


def _tidy(text: str) -> str:
    text = " ".join(_EMPTY.sub(" ", text).split())
    return re.sub(r"\s+([,;])", r"\1", _LOOSE.sub("", text)).strip()


def distinguishing_texts(texts: Mapping[str, str]) -> dict[str, str]:
    """Return texts without the words that all of them share.

    Parameters
    ----------
    texts : mapping of str to str
        Cell -> text.

    Returns
    -------
    dict of str to str
        Cell -> what tells it apart: "tumor" of "lung cancer patient, tumor".
    """
    words = {cell: text.split() for cell, text in texts.items()}
    sets = [{simplify(word) for word in parts} for parts in words.values()]
    shared = set.intersection(*sets) if sets else set()
    return {
        cell: _tidy(" ".join(word for word in parts if simplify(word) not in shared))
        for cell, parts in words.items()
    }
