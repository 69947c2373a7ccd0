"""Texts about samples outside the characteristics: titles, source names, descriptions."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from genotex.clinical.cells import Candidate
from genotex.clinical.description import SeriesDescription
from genotex.clinical.words.wording import Terms
from genotex.features import packaged_table, simple_key, split_pairs
from genotex.formats import SampleField

FIELD_NAMES: Mapping[SampleField, str] = {
    "source_name_ch1": "source names",
    "title": "sample titles",
    "description": "sample descriptions",
}
"""What a sample field is called in evidence."""


LEAST_TOLD = 0.6
"""Least share of the samples that must have a value for a text to be used."""


@dataclass(frozen=True)
class SampleTexts:
    """One line of free text, a cell for each sample."""

    sample_field: SampleField  # ``title``, ``source_name_ch1`` or ``description``
    cells: tuple[str | None, ...]  # One for each sample, as in the file

    @property
    def weight(self) -> Counter[str]:
        """Unique texts with the number of samples that have them."""
        return Counter(cell for cell in self.cells if cell)

    @property
    def name(self) -> str:
        """What the field is called in evidence."""
        return FIELD_NAMES[self.sample_field]


def sample_texts(description: SeriesDescription) -> list[SampleTexts]:
    """Return the lines of free text that a series has about its samples."""
    lines = [
        SampleTexts("source_name_ch1", description.source_names),
        SampleTexts("title", description.titles),
        *(SampleTexts("description", row) for row in description.descriptions),
    ]
    return [line for line in lines if line.weight]


def other_candidates(description: SeriesDescription) -> list[Candidate]:
    """Return candidates outside the characteristics, for a person to choose groups from."""
    # Descriptions give one candidate for each key of their ``key = value`` pairs; source names and
    # titles are one text each.
    whole = [
        Candidate.of_texts(
            {cell: cell for cell in line.weight}, dict(line.weight), line.sample_field
        )
        for line in sample_texts(description)
        if line.sample_field != "description"
    ]
    return [*pair_candidates(description), *whole]


def pair_candidates(description: SeriesDescription) -> list[Candidate]:
    """Return one candidate for each key of the ``key = value`` pairs in descriptions."""
    # A key that has several values in one sample ("Keywords = kidney", "Keywords = cancer") is a
    # list without a single meaning: it is left out.
    samples = max(map(len, description.descriptions), default=0)
    names, lists = dict[str, str](), set[str]()
    values: defaultdict[str, dict[str, str]] = defaultdict(dict)
    of_sample: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for number in range(samples):
        cells = (row[number] for row in description.descriptions if number < len(row))
        for name, value, piece in (pair for cell in cells for pair in split_pairs(cell or "")):
            key = simple_key(name)
            names.setdefault(key, name)
            values[key].setdefault(piece, value)
            first = of_sample[key].setdefault(number, piece)
            if simple_key(values[key][first]) != simple_key(value):
                lists.add(key)
    found = {k: Counter(pieces.values()) for k, pieces in of_sample.items() if k not in lists}
    return [
        Candidate.of_texts(
            {piece: values[key][piece] for piece in weight}, dict(weight), "description",
            names[key], weight.total() / samples,
        )
        for key, weight in found.items()
    ]  # fmt: skip


@lru_cache(maxsize=1)
def free_text_words() -> Mapping[str, Terms]:
    """Return the word groups of ``data/free_text.toml`` as terms, with their acronyms."""
    words: Mapping[str, Sequence[str]] = packaged_table("genotex.clinical", "free_text")["words"]
    return {name: Terms(terms, words.get(f"{name}_acronyms", ())) for name, terms in words.items()}


_ACCESSION = re.compile(r"\b(?:GS[EM]|GPL|[SED]R[RXSP]|SAM[NED]A?)\d+\b", re.IGNORECASE)
_REPLICATE = re.compile(
    r"\b(?:(?:biological|technical|biol|tech|bio)[\s.-]*)?(?:replicates?|replic|repl|rep)"
    r"(?:[\s.#:-]*(?:\d+|[a-d]))?\b|\(\s*\d+\s*\)",
    re.IGNORECASE,
)
# A word, then a number that is glued to it or follows it, and perhaps the letter of a part.
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
    """Return each text without what only numbers its sample."""
    plain = {
        cell: _REPLICATE.sub(" ", _ACCESSION.sub(" ", cell.replace("_", " "))) for cell in cells
    }
    running = _running_words(plain.values())
    without = {cell: _without_numbers(text, running) for cell, text in plain.items()}
    tidy = {cell: " ".join(_EMPTY.sub(" ", text).split()) for cell, text in without.items()}
    loose = {cell: _LOOSE.sub("", text) for cell, text in tidy.items()}
    return {cell: re.sub(r"\s+([,;])", r"\1", text).strip() for cell, text in loose.items()}


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
    """Return whether numbers run without a gap, as those of samples do, unlike "CD4"."""
    values = sorted({int(number or 0) for number in numbers})
    return len(values) >= _SHORTEST_ROW and values[-1] - values[0] == len(values) - 1


def _without_numbers(text: str, running: set[str]) -> str:
    if "" in running:
        text = _NUMBER_FIRST.sub(" ", text)
    return _NUMBERED.sub(
        lambda hit: hit["word"] if hit["word"].casefold() in running else hit[0], text
    )


_BETWEEN = re.compile(r"[\s_.,;:()/|-]+")
_GLUED = re.compile(r"(?!\d+[a-z]?$)\d*(.*?\D)\d*")
_PLACES = (0, 1, 2, -2, -1)
_MOST_GROUPS = 8


def text_columns(cells: Iterable[str]) -> Iterator[dict[str, str]]:
    """Yield the words at one place of each text, without numbers, where they make a few groups."""
    plain = {cell: _REPLICATE.sub(" ", _ACCESSION.sub(" ", cell)) for cell in cells}
    words = {
        cell: [hit[1] for word in _BETWEEN.split(text) if (hit := _GLUED.fullmatch(word))]
        for cell, text in plain.items()
    }
    for place in _PLACES:
        column = {
            cell: parts[place] if -len(parts) <= place < len(parts) else ""
            for cell, parts in words.items()
        }
        groups = Counter(filter(None, column.values()))
        if 2 <= len(groups) <= _MOST_GROUPS:
            yield column
