"""What is written about samples beside characteristics: titles, source names, descriptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from genotex.clinical.candidates import Candidate
from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import SampleField
from genotex.clinical.packaged import packaged_table
from genotex.clinical.values import split_pairs
from genotex.clinical.words.wording import Terms, simple_key

__all__ = [
    "FIELD_NAMES",
    "LEAST_TOLD",
    "SampleTexts",
    "free_text_words",
    "other_candidates",
    "pair_candidates",
    "sample_texts",
]

FIELD_NAMES: Mapping[SampleField, str] = {
    "source_name_ch1": "source names",
    "title": "sample titles",
    "description": "sample descriptions",
}
"""What a sample field is called in evidence."""


LEAST_TOLD = 0.6
"""Share of the samples that a text must tell, at the least, for anything to be read from it."""


@dataclass(frozen=True)
class SampleTexts:
    """One line of free text, a cell for each sample.

    Attributes
    ----------
    sample_field : str
        ``title``, ``source_name_ch1`` or ``description``.
    cells : tuple of str or None
        One for each sample, as they stand in the file.
    """

    sample_field: SampleField
    cells: tuple[str | None, ...]

    @property
    def weight(self) -> Counter[str]:
        """Unique texts with the number of samples that have them."""
        return Counter(cell for cell in self.cells if cell)

    @property
    def name(self) -> str:
        """What the field is called in evidence."""
        return FIELD_NAMES[self.sample_field]


def sample_texts(description: SeriesDescription) -> list[SampleTexts]:
    """Return the lines of free text that a series has about its samples.

    Parameters
    ----------
    description : SeriesDescription
        The series.

    Returns
    -------
    list of SampleTexts
        Source names, titles, then each line of descriptions; empty lines are left out.
    """
    lines = [
        SampleTexts("source_name_ch1", description.source_names),
        SampleTexts("title", description.titles),
        *(SampleTexts("description", row) for row in description.descriptions),
    ]
    return [line for line in lines if line.weight]


def other_candidates(description: SeriesDescription) -> list[Candidate]:
    """Return candidates outside the characteristics, for a person to choose groups from.

    Descriptions give one candidate for each key of their ``key = value`` pairs; source names and
    titles are one text each.
    """
    whole = [
        Candidate(
            key="",
            row=None,
            values={cell: cell for cell in line.weight},
            in_row=frozenset(line.weight),
            share=1.0,
            elsewhere=(),
            weight=dict(line.weight),
            sample_field=line.sample_field,
        )
        for line in sample_texts(description)
        if line.sample_field != "description"
    ]
    return [*pair_candidates(description), *whole]


def pair_candidates(description: SeriesDescription) -> list[Candidate]:
    """Return one candidate for each key of the ``key = value`` pairs in descriptions.

    A key that has several values in one sample ("Keywords = kidney", "Keywords = cancer") is a
    list and tells no one thing: it is left out.
    """
    samples = max(map(len, description.descriptions), default=0)
    found: dict[str, _Pairs] = {}
    for number in range(samples):
        cells = (row[number] for row in description.descriptions if number < len(row))
        pairs = [pair for cell in cells for pair in split_pairs(cell or "")]
        for key, value, piece in pairs:
            found.setdefault(simple_key(key), _Pairs(key)).add(number, value, piece)
    return [pairs.candidate(samples) for pairs in found.values() if not pairs.is_list]


class _Pairs:
    """The pairs under one key: what each sample has, and whether one has several."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._values: dict[str, str] = {}
        self._of_sample: dict[int, str] = {}
        self.is_list = False

    def add(self, sample: int, value: str, piece: str) -> None:
        first = self._of_sample.setdefault(sample, piece)
        self._values.setdefault(piece, value)
        self.is_list |= simple_key(self._values[first]) != simple_key(value)

    def candidate(self, samples: int) -> Candidate:
        weight = Counter(self._of_sample.values())
        return Candidate(
            key=self._key,
            row=None,
            values={piece: self._values[piece] for piece in weight},
            in_row=frozenset(weight),
            share=weight.total() / max(samples, 1),
            elsewhere=(),
            weight=dict(weight),
            sample_field="description",
        )


@lru_cache(maxsize=1)
def free_text_words() -> Mapping[str, Terms]:
    """Return the word groups of ``data/free_text.toml`` as terms, with their acronyms."""
    words: Mapping[str, Sequence[str]] = packaged_table("free_text")["words"]
    return {name: Terms(terms, words.get(f"{name}_acronyms", ())) for name, terms in words.items()}
