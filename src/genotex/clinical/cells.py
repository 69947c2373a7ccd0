"""Cells of the samples by key: candidates for features, values of samples, and conditions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from genotex.clinical.description import Cell, SeriesDescription
from genotex.errors import UsageError
from genotex.features import simple_key, simplify, split_cell, split_pairs
from genotex.formats import SampleField

_MOSTLY = 0.8
_FEW_VALUES = 5
_LONGEST_LIST = 30
"""Most unique values that a case has of a row, the empty one included: longer lists were cut.

A limit of the cases' makers, equal to what the benchmark shows of a row.
"""


@dataclass(frozen=True)
class Candidate:
    """Values under one key."""

    key: str  # Key as in the file; empty for values without one
    row: int | None  # The row with most of the values; None for other sample fields
    # Raw cell -> value behind the key, in order of appearance, over all rows
    values: Mapping[str, str]
    in_row: frozenset[str]  # The raw cells in `row`
    # Share of the row's cells (of samples if known, else of unique cells) with this key
    share: float
    elsewhere: tuple[int, ...]  # Other rows that hold values of this key because cells are shifted
    weight: Mapping[str, int]  # Raw cell -> number of samples; 1 where samples are not known
    sample_field: SampleField = "characteristics_ch1"  # Sample field that holds the cells
    other_cells: frozenset[str] = frozenset()  # Raw cells of the row under other keys
    empty: int = 0  # Samples without a cell in the row; 1 where samples are not known
    samples: frozenset[int] = frozenset()  # Which samples have the key; none where not known

    @classmethod
    def of_texts(
        cls,
        values: Mapping[str, str],
        weight: Mapping[str, int],
        sample_field: SampleField = "characteristics_ch1",
        key: str = "",
        share: float = 1.0,
    ) -> Candidate:
        """Return the values of a line that is no row of characteristics."""
        return cls(key, None, values, frozenset(values), share, (), weight, sample_field)


def characteristic_candidates(description: SeriesDescription) -> list[Candidate]:
    """Return one candidate for every key of the characteristics, in row order."""
    # A key that fills several rows on its own (a submitter may repeat "tissue") gives one candidate
    # for each of them; a key in mixed rows (shifted cells) gives a single one.
    known = description.cells is not None
    every = description.cells if description.cells is not None else description.characteristics
    counts = [Counter(cell for cell in row if cell) for row in every]
    size = _samples if known else _guessed_samples
    rows_of: defaultdict[str, defaultdict[int, Counter[str]]]
    rows_of = defaultdict(lambda: defaultdict(Counter))
    for number, cells in enumerate(counts):
        for cell, count in cells.items():
            rows_of[simple_key(split_cell(cell)[0])][number][cell] = count
    found = [
        replace(
            candidate,
            empty=sum(not cell for cell in every[candidate.row or 0]),
            samples=_with_key(candidate, every) if known else frozenset(),
        )
        for key, rows in rows_of.items()
        for candidate in _candidates_of_key(key, rows, counts, size)
    ]
    return sorted(found, key=lambda c: (c.row if c.row is not None else -1, c.key))


def _with_key(candidate: Candidate, every: Sequence[Sequence[Cell]]) -> frozenset[int]:
    """Return which samples have the key."""
    rows = (every[number] for number in (candidate.row or 0, *candidate.elsewhere))
    return frozenset(s for row in rows for s, cell in enumerate(row) if cell in candidate.values)


_Rows = Mapping[int, Counter[str]]
_Sizes = Mapping[int, tuple[int, ...]]


def _candidates_of_key(
    key: str,
    rows: _Rows,
    counts: list[Counter[str]],
    size: Callable[[_Rows, list[Counter[str]]], _Sizes],
) -> Iterable[Candidate]:
    pure = {n for n, cells in rows.items() if len(cells) == len(counts[n])}
    mixed = [n for n in rows if n not in pure]
    if key == "":
        return [_candidate(n, [], rows, counts) for n in rows]
    sizes = size(rows, counts)
    best = max(rows, key=lambda n: (sizes[n], -n))
    found = [_candidate(best, [n for n in mixed if n != best], rows, counts)]
    found.extend(_candidate(n, [], rows, counts) for n in sorted(pure) if n != best)
    return found


def _samples(rows: _Rows, counts: list[Counter[str]]) -> _Sizes:
    """Return how many samples of each row have the key."""
    return {number: (cells.total(),) for number, cells in rows.items()}


def _guessed_samples(rows: _Rows, counts: list[Counter[str]]) -> _Sizes:
    """Return an order of rows by how many samples a key has there, from unique values alone."""
    # Many different values (ages) mean many samples; a list that is cut holds at least as many as
    # it shows. Few different values (sexes) do not show how frequent they are: then every
    # different value of another key is a sample that lacks this one, so the row with the fewest of
    # them has most. Values that appear early belong to the first samples.
    few = max(map(len, rows.values())) <= _FEW_VALUES
    sizes = {}
    for number, cells in rows.items():
        row = counts[number]
        shown = len(cells)
        cut = len(row) >= _LONGEST_LIST - 1
        if few:
            shown = min(shown, 2)
        elif cut and shown > _MOSTLY * len(row):
            shown = _LONGEST_LIST
        others = len(row) - len(cells)
        before = list(row).index(next(iter(cells)))
        sizes[number] = (shown, -others, -before) if few else (shown, -before, -others)
    return sizes


def _candidate(
    best: int, others: list[int], rows: Mapping[int, Counter[str]], counts: list[Counter[str]]
) -> Candidate:
    weight: Counter[str] = Counter()
    for number in (best, *others):
        weight.update(rows[number])
    first = next(iter(rows[best]))
    return Candidate(
        key=split_cell(first)[0],
        row=best,
        values={cell: split_cell(cell)[1] for cell in weight},
        in_row=frozenset(rows[best]),
        share=rows[best].total() / max(counts[best].total(), 1),
        elsewhere=tuple(sorted(others)),
        weight=dict(weight),
        other_cells=frozenset(counts[best]) - frozenset(rows[best]),
    )


SAMPLE_KEY = "sample"
NO_KEY = "characteristics"
"""Name of the characteristics that have no key of their own."""
SEVERAL = " | "
"""Between values of one sample under one key."""

_SHOWN_KEYS, _SHOWN_VALUES, _LONGEST = 25, 12, 60
_MANY_VALUES, _FEW_EXAMPLES = 6, 2
"""More values than this, nearly all different, name single samples: two examples are enough."""


@dataclass(frozen=True)
class SampleKeys:
    """The values of the samples of a series by key."""

    samples: tuple[str, ...]
    """Sample ids."""
    columns: Mapping[str, Sequence[tuple[str, ...]]]
    """Key as in the file -> for each sample its values under the key, in row order. Rows that share
    a key are one column. ``title``, ``source`` and ``description`` are those of the samples, unless
    a characteristic has that name."""
    characteristics: tuple[str, ...]
    """The keys that are characteristics."""

    def text(self, key: str, number: int) -> str:
        """Return what one sample has under a key, as one text."""
        return SEVERAL.join(self.columns[key][number])

    def find(self, name: str) -> str | None:
        """Return the key of that name as the file writes it."""
        wanted = simple_key(name)
        exact = next((key for key in self.columns if simple_key(key) == wanted), None)
        if exact or not (plain := simplify(name)):
            return exact
        return next((key for key in self.columns if simplify(key) == plain), None)

    def counts(self, key: str) -> Counter[str]:
        """Return how many samples have each value of a key."""
        return Counter(value for values in self.columns[key] for value in dict.fromkeys(values))

    def listing(self, first: str | None = None) -> str:
        """Return the keys with their values and counts, a line for each, one of them first."""
        varying = [key for key in self.columns if len(self.counts(key)) > 1 and key != first]
        keys = [*([first] if first else []), *varying] or list(self.columns)
        lines = [f"  {key}: {self._few(key)}" for key in keys[:_SHOWN_KEYS]]
        more = len(keys) - _SHOWN_KEYS
        return "\n".join([*lines, *([f"  and {more} more keys"] if more > 0 else [])])

    def _few(self, key: str) -> str:
        counts = self.counts(key)
        names = len(counts) > _MANY_VALUES and counts.most_common(2)[1][1] == 1
        most = _FEW_EXAMPLES if names else _SHOWN_VALUES
        shown = [f"{_cut(value)} ({count})" for value, count in counts.most_common(most)]
        more = len(counts) - len(shown)
        return ", ".join(shown) + (f" and {more} more values" if more else "")


def _cut(value: str) -> str:
    return value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"


def keys_of_samples(description: SeriesDescription) -> SampleKeys:
    """Gather what the file records of each sample, by key."""
    samples = description.samples
    columns: defaultdict[str, list[tuple[str, ...]]] = defaultdict(lambda: [()] * len(samples))
    names: dict[str, str] = {}
    for row in description.cells or ():
        split: dict[str, tuple[str, str]] = {}
        for number, cell in enumerate(row):
            if not cell or number >= len(samples):
                continue
            if cell not in split:
                key, value = split_cell(cell)
                split[cell] = names.setdefault(simple_key(key), key or NO_KEY), value
            name, value = split[cell]
            column = columns[name]
            if value and value not in column[number]:
                column[number] = (*column[number], value)
    characteristics = tuple(columns)
    for name, cells in _texts(description).items():
        if simple_key(name) not in names:
            columns[name] = cells
    return SampleKeys(samples, dict(columns), characteristics)


def _texts(description: SeriesDescription) -> dict[str, list[tuple[str, ...]]]:
    number = len(description.samples)
    lines = {"title": (description.titles,), "source": (description.source_names,)}
    texts = {
        name: [tuple(c for row in rows if i < len(row) and (c := row[i])) for i in range(number)]
        for name, rows in {**lines, "description": description.descriptions}.items()
    }
    pairs: defaultdict[str, list[tuple[str, ...]]] = defaultdict(lambda: [()] * number)
    for i, cells in enumerate(texts["description"]):
        for key, value, _ in (pair for cell in cells for pair in split_pairs(cell)):
            column = pairs[simple_key(key)]
            column[i] = (*column[i], value)
    found = {name: column for name, column in texts.items() if any(column)}
    return found | {key: column for key, column in pairs.items() if key not in found}


@dataclass(frozen=True)
class _SampleCondition:
    """A condition on samples, as a user writes it."""

    text: str  # As given
    key: str  # The key; empty for any
    value: str  # What the value must be, or contain
    contains: bool = field(default=False)  # Whether it is enough that the value contains it


def parse_condition(text: str) -> _SampleCondition:
    """Parse ``key=value``, ``key~text``, or a plain value (or sample id) under any key.

    Raises UsageError if the key or the value is empty.
    """
    places = [place for sign in "=~" if (place := text.find(sign)) >= 0]
    if not places:
        return _SampleCondition(text, "", text.strip())
    at = min(places)
    key, value = text[:at].strip(), text[at + 1 :].strip()
    if not key or not value:
        msg = f"{text!r} is not a condition; write 'key=value', 'key~part of the value' or a value"
        raise UsageError(msg)
    return _SampleCondition(text, key, value, text[at] == "~")


def is_keyed(text: str) -> bool:
    """Return whether a text is written as ``key=value`` or ``key~text``."""
    return any(sign in text.strip()[1:-1] for sign in "=~")


def find_samples(keys: SampleKeys, texts: Iterable[str], option: str) -> dict[str, str]:
    """Return the samples that meet any of some conditions, each with the first that it meets.

    `keys`: What the samples have. `texts`: The conditions (see `parse_condition`). `option`: The
    option that holds them, for messages. Raises UsageError if a condition is met by no sample; the
    message lists the keys, their values and counts.
    """
    found: dict[str, str] = {}
    for text in texts:
        hits = matching_samples(keys, text)
        if not hits:
            raise UsageError(_no_match(keys, parse_condition(text), option))
        for sample in hits:
            found.setdefault(sample, text)
    return found


def matching_samples(keys: SampleKeys, text: str) -> list[str]:
    """Return the samples that meet a condition, in the order of the series."""
    # A whole value may hold the signs of a condition ("HER2=positive").
    return _matches(keys, parse_condition(text)) or _matches(keys, _SampleCondition(text, "", text))


def _matches(keys: SampleKeys, condition: _SampleCondition) -> list[str]:
    if condition.key and simple_key(condition.key) == SAMPLE_KEY:
        column: Sequence[tuple[str, ...]] = [(sample,) for sample in keys.samples]
    elif condition.key:
        key = keys.find(condition.key)
        if key is None:
            return []
        column = keys.columns[key]
    else:
        column = [
            (sample, *(value for values in keys.columns.values() for value in values[number]))
            for number, sample in enumerate(keys.samples)
        ]
    # The exact value first: "CD4-" must not also mean "CD4" where both are there.
    for plain in (simple_key, simplify):
        wanted = plain(condition.value)
        hits = [
            sample
            for sample, values in zip(keys.samples, column, strict=True)
            if any(
                wanted in plain(value) if condition.contains else wanted == plain(value)
                for value in values
            )
        ]
        if hits and wanted:
            return hits
    return []


def _no_match(keys: SampleKeys, condition: _SampleCondition, option: str) -> str:
    key = keys.find(condition.key) if condition.key else None
    known = [simple_key(condition.key)] if condition.key else []
    if condition.key and key is None and known != [SAMPLE_KEY]:
        near = get_close_matches(condition.key, list(keys.columns), n=1)
        what = f"no key is called {condition.key!r}"
    else:
        values = keys.counts(key) if key else {v for k in keys.columns for v in keys.counts(k)}
        near = get_close_matches(condition.value, [*values, *keys.samples], n=1)
        verb = "contains" if condition.contains else "is"
        what = f"no sample has a value of {key!r} that {verb} {condition.value!r}"
        what = what if key else f"no sample has {condition.value!r} as a value or as its id"
    perhaps = f"; perhaps {near[0]!r}" if near else ""
    return (
        f"{option} {condition.text!r}: {what}{perhaps}. Keys with their values (samples):\n"
        f"{keys.listing(key)}"
    )
