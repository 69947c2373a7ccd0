"""The sample sheet: one row per sample with its group, which a person edits in a spreadsheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from genotex.clinical.encoding import FEWEST, GROUP_WORDS
from genotex.clinical.sheets.files import SheetRow, SheetTable, read_sheet_table
from genotex.errors import SampleSheetError
from genotex.features import (
    MISSING,
    parse_plain_number,
    recorded_features,
    sample_features,
    table_features,
)
from genotex.formats import Role

FIRST_COLUMNS = ("series", "sample", "title", "source")


REPORTED = ("certainty", "why")
"""The last columns, which are for people."""


def decided_columns() -> tuple[str, ...]:
    """Return the columns of every sheet that a person changes."""
    features = (feature.name for feature in table_features())
    batches = (feature.name for feature in recorded_features() if feature.use == "batch")
    return ("group", *features, "pair", *batches, "exclude")


def sheet_columns() -> tuple[str, ...]:
    """Return the columns that every sheet has."""
    return (*FIRST_COLUMNS, *decided_columns(), *REPORTED)


_ROLES: Mapping[str, Role] = {
    **{word: role for role, word in GROUP_WORDS.items()},
    "healthy control": "healthy control",
}
_UNKNOWN_GROUP = "unknown group"
_ACCEPTED = (
    f"accepted in group: {', '.join(GROUP_WORDS.values())}, a number for a measured trait, or "
    "nothing"
)
_OTHER_NAMES = {
    "series": ("gse", "cohort"),
    "sample": ("gsm", "geo_accession", "accession", "sample id", "sample_id"),
}
_YES, _NO = frozenset({"yes", "y", "true", "1", "x"}), frozenset({"", "no", "n", "false", "0"})
_SHOWN = 12


@dataclass(frozen=True)
class SheetSample:
    """What a person states of one sample; None where nothing is stated.

    `code` is 1 for a case, 0 for a control, or the value of a measured trait; `features` holds
    codes of age and sex, and texts of other features, by name, an empty text for an empty cell;
    `row` is the row of the spreadsheet; `series` is empty where the sheet names none.
    """

    row: int
    series: str
    sample: str
    code: float | None
    role: Role
    features: Mapping[str, str | float]
    pair: str
    exclude: bool


@dataclass(frozen=True)
class SampleSheet:
    """A sample sheet as loaded."""

    path: Path
    samples: tuple[SheetSample, ...]
    """In the order of the rows."""
    measured: frozenset[str]
    """Series whose groups are values of a measured trait."""
    understood: str
    """What the file was taken as, in words."""

    @property
    def series(self) -> tuple[str, ...]:
        """The series that the sheet names."""
        return tuple(dict.fromkeys(s.series for s in self.samples if s.series))

    def of(self, cohort: str, known: Sequence[str]) -> dict[str, SheetSample]:
        """Return the rows of a series by its own sample ids; unknown samples are not in it."""
        spelt = {name.casefold(): name for name in known}
        found = {}
        for sample in self.samples:
            name = _known(sample.sample, spelt)
            if name is not None and sample.series.casefold() in ("", cohort.casefold()):
                found[name] = sample
        return found


def _known(sample: str, spelt: Mapping[str, str]) -> str | None:
    """Return the id of a sample as the series has it, however a spreadsheet changed it."""
    plain = sample.casefold()
    return spelt.get(plain) or spelt.get(plain.removesuffix(".0"))


def load_sample_sheet(path: Path) -> SampleSheet:
    """Load a sample sheet that a person may have edited in any spreadsheet.

    `path`: A ``.csv``, ``.tsv`` or ``.xlsx`` file with the columns ``sample`` and ``group``, and
    any of ``series``, ``pair``, ``exclude`` and the sample features (``age``, ``sex``, ``batch``,
    ``tissue``, ...); others are for people. Raises SampleSheetError if it cannot be read or has
    mistakes; the message lists them by row.
    """
    table = read_sheet_table(path)
    names = _columns(table)
    mistakes: list[str] = []
    samples = []
    measured = _measured(table.rows, names)
    for row in table.rows:
        cells = _SheetCells(row, names, mistakes)
        samples.append(cells.sample(row[names.get("series", "")] in measured))
    mistakes += _repeats(samples)
    if not samples:
        msg = "has a header and no samples"
        raise SampleSheetError(msg, path=path)
    if mistakes:
        _refuse(path, mistakes)
    absent = [name for name in decided_columns()[1:] if name not in names]
    return SampleSheet(path, tuple(samples), measured, _understood(table, samples, absent))


def _columns(table: SheetTable) -> dict[str, str]:
    """Return the header of each column that is used."""
    headers = {header.casefold(): header for header in table.headers}
    known = (*sheet_columns(), *(feature.name for feature in recorded_features()))
    names = {name: headers[name] for name in known if name in headers}
    # A sheet of ours may have lost its empty columns, and has characteristics of such names.
    if "why" not in names:
        features = {feature.name: feature.other_names for feature in sample_features()}
        for name, others in (_OTHER_NAMES | features).items():
            found = next((headers[other] for other in others if other in headers), None)
            if name not in names and found is not None:
                names[name] = found
    missing = [name for name in ("sample", "group") if name not in names]
    if missing:
        there = ", ".join(table.headers)
        near = [n for name in missing for n in get_close_matches(name, list(headers), n=1)]
        perhaps = f"; perhaps {headers[near[0]]!r} is meant" if near else ""
        msg = f"has no column {' and no column '.join(missing)}; it has: {there}{perhaps}"
        hint = f"taken as {table.form}; make a sheet with 'genotex clinical sheet'"
        raise SampleSheetError(msg, path=table.path, hint=hint)
    return names


def _measured(rows: Sequence[SheetRow], names: Mapping[str, str]) -> frozenset[str]:
    """Return the series whose groups are numbers other than 0 and 1 alone."""
    groups: dict[str, set[str]] = {}
    for row in rows:
        groups.setdefault(row[names.get("series", "")], set()).add(row[names["group"]].casefold())
    found = set()
    for series, words in groups.items():
        numbers = {parse_plain_number(word) for word in words - MISSING}
        if numbers and None not in numbers and not numbers <= {0.0, 1.0}:
            found.add(series)
    return frozenset(found)


class _SheetCells:
    """The cells of one row, checked one by one."""

    def __init__(self, row: SheetRow, names: Mapping[str, str], mistakes: list[str]) -> None:
        self._row = row
        self._names = names
        self._mistakes = mistakes

    def _cell(self, name: str) -> str:
        return self._row[self._names.get(name, "")]

    def _mistake(self, text: str) -> None:
        name = self._cell("sample")
        self._mistakes.append(f"row {self._row.number}{f', {name}' if name else ''}: {text}")

    def sample(self, measured: bool) -> SheetSample:
        """Return the sample of the row, and note what is wrong."""
        if not self._cell("sample"):
            self._mistake("no sample id")
        code, role = self._group(measured)
        return SheetSample(
            self._row.number,
            self._cell("series"),
            self._cell("sample"),
            code,
            role,
            dict(self._features()),
            _text(self._cell("pair")),
            self._exclude(),
        )

    def _features(self) -> Iterator[tuple[str, str | float]]:
        for feature in sample_features():
            text = _text(self._cell(feature.name))
            value = feature.read_cell(text) if text else None
            if value is not None:
                yield feature.name, value
            elif text and feature.column:
                self._mistake(f"{feature.name} {text!r} {feature.refusal}")
            elif not text and not feature.column and feature.name in self._names:
                yield feature.name, ""

    def _group(self, measured: bool) -> tuple[float | None, Role]:
        text = self._cell("group")
        word = " ".join(text.casefold().split())
        if word in MISSING:
            return None, "unknown"
        number = parse_plain_number(word)
        if measured:
            return number, "unknown"
        if number in (0.0, 1.0):
            return number, "case" if number else "healthy control"
        if word in _ROLES:
            return (1.0 if word == "case" else 0.0), _ROLES[word]
        near = get_close_matches(word, list(_ROLES), n=1, cutoff=0.5)
        perhaps = f"; perhaps {near[0]!r}" if near else ""
        if number is not None:
            perhaps = "; other rows hold case or control, so that a number is not understood"
        self._mistake(f"{_UNKNOWN_GROUP} {text!r}{perhaps}")
        return None, "unknown"

    def _exclude(self) -> bool:
        text = self._cell("exclude").casefold()
        found = is_excluded(text)
        if found is None:
            self._mistake(f"exclude {text!r} is not known; write yes or nothing")
        return bool(found)


def is_excluded(word: str) -> bool | None:
    """Return whether a word of the column ``exclude`` leaves a sample out; None for others."""
    return True if word in _YES else False if word in _NO else None


def _text(cell: str) -> str:
    return "" if cell.casefold() in MISSING else cell


def _repeats(samples: Sequence[SheetSample]) -> list[str]:
    rows: dict[tuple[str, str], list[int]] = {}
    for sample in samples:
        if sample.sample:
            key = sample.series.casefold(), sample.sample.casefold()
            rows.setdefault(key, []).append(sample.row)
    named = {(s.series.casefold(), s.sample.casefold()): s.sample for s in samples}
    return [
        f"rows {', '.join(map(str, numbers))}: {named[key]} is there {len(numbers)} times; keep one"
        for key, numbers in rows.items()
        if len(numbers) > 1
    ]


def _refuse(path: Path, mistakes: Sequence[str]) -> None:
    """Raise an error that lists all mistakes."""
    count = "1 mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
    more = len(mistakes) - _SHOWN
    lines = [*mistakes[:_SHOWN], *([f"and {more} more"] if more > 0 else [])]
    msg = "\n  ".join([count, *lines])
    if any(_UNKNOWN_GROUP in line for line in mistakes):
        msg += f"\n{_ACCEPTED}"
    raise SampleSheetError(msg, path=path)


def _understood(table: SheetTable, samples: Sequence[SheetSample], absent: Sequence[str]) -> str:
    series = len({s.series for s in samples})
    parts = [f"{table.path.name} ({table.form}): {len(samples)} samples of {series} series"]
    if absent:
        parts.append(f"no column {', '.join(absent)}, so these are taken as empty")
    return "; ".join(parts)


def check_sample_sheet(
    sheet: SampleSheet, cohorts: Mapping[str, Sequence[str]], others: Sequence[str] = ()
) -> None:
    """Check a sheet against the series it is for, before anything is computed.

    `cohorts`: Series to be used -> its sample ids. `others`: Series that are there and not to be
    used; their rows are ignored. Raises SampleSheetError if a series or a sample is unknown, or a
    series has a group with a single sample or none.
    """
    spelt = {name.casefold(): name for name in cohorts}
    ignored = {name.casefold() for name in others}
    unknown = [s for s in sheet.series if s.casefold() not in spelt.keys() | ignored]
    mistakes = []
    for name in unknown:
        near = get_close_matches(name, [*cohorts, *others], n=1)
        perhaps = f"; perhaps {near[0]}" if near else ""
        known_series = ", ".join([*cohorts, *others])
        mistakes.append(f"{name} is not a series here ({known_series}){perhaps}")
    samples_of = {
        cohort: {name.casefold(): name for name in samples} for cohort, samples in cohorts.items()
    }
    known = {plain: name for spelling in samples_of.values() for plain, name in spelling.items()}
    for sample in sheet.samples:
        series = spelt.get(sample.series.casefold())
        if sample.series and series is None:
            continue
        own = samples_of[series] if series else known
        if _known(sample.sample, own) is None:
            near = get_close_matches(sample.sample, list(own.values()), n=3)
            perhaps = f"; the nearest are {', '.join(near)}" if near else ""
            where = f"a sample of {series}" if series else "a sample of the series"
            mistakes.append(f"row {sample.row}: {sample.sample} is not {where}{perhaps}")
    if not mistakes:
        rows = {name: sheet.of(name, samples) for name, samples in cohorts.items()}
        there = {name: list(found.values()) for name, found in rows.items() if found}
        if not there:
            mistakes = [f"it holds no sample of the series to be used, {', '.join(cohorts)}"]
        mistakes += _group_mistakes(sheet, there)
    if mistakes:
        _refuse(sheet.path, mistakes)


def _group_mistakes(sheet: SampleSheet, rows: Mapping[str, Sequence[SheetSample]]) -> list[str]:
    """Return what is wrong with the groups; only if no series has any, that they are empty."""
    mistakes, empty = [], []
    for name, found in rows.items():
        used = [s for s in found if s.code is not None and not s.exclude]
        counts = Counter(s.code for s in used)
        if not used:
            empty.append(name)
        elif not any(s.series in sheet.measured for s in used):
            mistakes += [
                f"{name}: the group {word} has {counts[code] or 'no'} "
                f"sample{'s' * (counts[code] != 1)}; a comparison needs at least {FEWEST} of each"
                for code, word in ((1.0, "case"), (0.0, "control"))
                if counts[code] < FEWEST
            ]
        elif len(counts) == 1:
            mistakes.append(f"{name}: all samples have the same value in the column group")
    if empty and len(empty) == len(rows):
        mistakes.append(f"the column group is empty for {', '.join(empty)}; fill it in")
    return mistakes
