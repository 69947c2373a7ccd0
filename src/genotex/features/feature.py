"""A feature of samples: how texts state it, and where it is shown and used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

MISSING = frozenset(
    {"", "-", "--", "?", "na", "n/a", "n.a.", "nan", "nd", "n.d.", "null", "unknown", "missing"}
    | {"not available", "not applicable", "not determined", "not recorded", "undetermined"}
)
"""Values that state nothing, in lower case."""

Scale = Literal["number", "levels", "person"]
Use = Literal["covariate", "block", "batch", "shown"]


@dataclass(frozen=True)
class Statement:
    """What a text states of its sample."""

    value: str  # In a form that is equal for samples that agree: "day 7"
    words: str  # As the text has it: "DAY7"


def only_statement(found: Mapping[str | None, str]) -> Statement | None:
    """Return what a text states, from its values with their words, where it states one thing."""
    if len(found) != 1:
        return None
    ((value, words),) = found.items()
    return None if value is None else Statement(value, words)


@dataclass(frozen=True)
class PlacedStatement:
    """What is stated of one sample, and where: title, source, or characteristic 'time'."""

    value: str
    place: str
    words: str


Placed = dict[int, PlacedStatement]
"""Position of a sample -> what is stated of it."""


@dataclass(frozen=True, eq=False)
class SeriesTexts:
    """The texts of the samples of a series, one of each for every sample."""

    columns: Mapping[str, Sequence[tuple[str, ...]]]  # Characteristics by key, as in the file
    titles: tuple[str | None, ...]
    sources: tuple[str | None, ...]
    about: str  # Title, summary and design of the series

    def gather(
        self,
        from_key: Callable[[str, str], Statement | None],
        from_text: Callable[[str], Statement | None] = lambda text: None,
        accept: Callable[[Placed], bool] = bool,
        rank: Callable[[str], float] = lambda key: 0.0,
    ) -> Placed:
        """Return statements of the characteristics, else of titles, else of source names.

        Of several characteristics the one with the highest rank comes first.
        """
        found: Placed = {}
        for key in sorted(self.columns, key=rank, reverse=True):
            column = self._column(key, from_key)
            if accept(column):
                found = column | found
        for place, line in (("title", self.titles), ("source", self.sources)):
            known = {text: from_text(text) for text in set(line) if text}
            for number, text in enumerate(line):
                statement = known.get(text) if text else None
                if statement is not None and number not in found:
                    found[number] = PlacedStatement(statement.value, place, statement.words)
        return found

    @cached_property
    def _values(self) -> dict[str, frozenset[str]]:
        """The different values under each key."""
        return {
            key: frozenset(value for values in cells for value in values)
            for key, cells in self.columns.items()
        }

    def _column(self, key: str, from_key: Callable[[str, str], Statement | None]) -> Placed:
        cells = self.columns[key]
        known = {value: from_key(key, value) for value in self._values[key]}
        place, found = f"characteristic '{key}'", {}
        if not any(known.values()):
            return {}
        for number, values in enumerate(cells):
            stated = [s for value in values if (s := known[value]) is not None]
            if len({s.value for s in stated}) == 1:
                found[number] = PlacedStatement(stated[0].value, place, stated[0].words)
        return found


@dataclass(frozen=True)
class SampleFeature:
    """A feature of samples."""

    name: str
    """Its column in sample sheets; options and designs find it by this name."""
    label: str
    """Its name on pages."""
    scale: Scale
    """What its values are."""
    use: Use = "shown"
    """What analyses do with it by default: adjust for it; warn of samples of one person; adjust for
    it where a sample sheet gives it; nothing. Whatever it is, ``--covariates`` and ``--pair`` take
    it."""
    find: Callable[[SeriesTexts], Placed] = field(default=lambda texts: {}, repr=False)
    """Returns what the texts of a series state; not used for a feature with a `column`."""
    read: Callable[[str], str | float | None] | None = field(default=None, repr=False)
    """Returns the value of a cell of a sample sheet, None where it cannot be read; by default a
    number is one without its unit, and any text is a level."""
    unit: str = ""
    """Of a number."""
    bounds: tuple[float, float] = (float("-inf"), float("inf"))
    """Of a number, both included."""
    levels: Mapping[str, float] = field(default_factory=dict)
    """Level -> its code in linked tables; empty where any text is a level."""
    column: str = ""
    """Column of linked tables, as the benchmark names it; empty for features that are in cohort
    records alone."""
    encoded: str = ""
    """Name of the encoding of a feature with a column, as the benchmark and records have it."""
    parser: str = ""
    """Name by which encodings call `parse`."""
    rank: Callable[[str], float | None] = field(default=lambda key: None, repr=False)
    """How well a key names a feature with a column: higher is better, None is not at all."""
    parse: Callable[[str, str], float | None] = field(default=lambda text, key: None, repr=False)
    """Code of a cell of such a feature, from its value and its key; None where there is none."""
    other_names: tuple[str, ...] = ()
    """Further headers by which sheets and options find it."""
    mixture: str = ""
    """Begins the warning that samples with different values are compared; empty for none."""

    @property
    def kind(self) -> Literal["binary", "continuous"]:
        """What its codes in linked tables are."""
        return "binary" if self.levels else "continuous"

    def read_cell(self, text: str) -> str | float | None:
        """Return the value of a cell of a sample sheet; None where it cannot be read."""
        if self.scale != "number":
            return (text or None) if self.read is None else self.read(text)
        value = parse_plain_number(text) if self.read is None else self.read(text)
        low, high = self.bounds
        return value if isinstance(value, float) and low <= value <= high else None

    def cell(self, value: str | float | None) -> str:
        """Return a value as a sample sheet has it."""
        if value is None or value != value:
            return ""
        if isinstance(value, str):
            return value
        return next((name for name, c in self.levels.items() if c == value), f"{value:.10g}")

    @property
    def refusal(self) -> str:
        """What is wrong with a cell that cannot be read."""
        if self.scale == "number":
            low, high = self.bounds
            return f"is not a number of {self.unit} from {low:g} to {high:g}"
        return f"is not known; write {' or '.join(self.levels)}"


def parse_plain_number(text: str) -> float | None:
    """Return a number without unit, with a decimal point or comma; None for anything else."""
    try:
        value = float(text.replace(",", ".")) if text.count(",") <= 1 else float("nan")
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None
