"""Sample sheets edited in the browser: the same files as those of `genotex clinical sheet`."""

from __future__ import annotations

import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from genotex.analysis import FILL_WAYS, named_pools, names_people, people_from
from genotex.clinical import (
    GROUP_WORDS,
    REPORTED,
    AskingExpert,
    Expert,
    check_sample_sheet,
    decided_columns,
    expert_of,
    load_sample_sheet,
    read_sheet_table,
    sheet_cells,
    sheet_headers,
    write_sheet_table,
)
from genotex.cohorts import PreprocessOptions, choose_file, propose_sheet, with_expression
from genotex.errors import BudgetReachedError, ModelError, UsageError
from genotex.features import recorded_features
from genotex.io import make_folder
from genotex.layout import GeoCohortFiles
from genotex.studies import SHEET, Apart, read_by_sheet

EDITED = decided_columns()
"""Columns that the workbench changes in every sheet, next to features that a sheet has."""
GROUPS = tuple(dict.fromkeys(GROUP_WORDS.values()))
_FIXED = ("series", "sample", "title", "source", *EDITED, *REPORTED)
_LONGEST = 200
_FEWEST_PAIRS, _MOST_OF_A_PERSON = 3, 8


class _StaleSheetError(UsageError):
    """The sheet was changed elsewhere since the page was made."""


@dataclass
class EditedSheet:
    """The sheet of one series, and how its last changes are undone.

    Attributes
    ----------
    path : Path
        Where it is saved.
    headers : list of str
    rows : list of dict
        A row for each sample by header.
    version : int
        Rises with every change; a page that is older cannot change anything.
    written : int
        When the file was written, in nanoseconds; 0 while there is none.
    by : str
        Who proposed it.
    """

    path: Path
    headers: list[str]
    rows: list[dict[str, str]]
    notes: tuple[str, ...] = ()
    version: int = 0
    written: int = 0
    by: str = "the rules"
    _undo: list[list[tuple[int, str, str]]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def characteristics(self) -> list[str]:
        """The columns between those that every sheet has."""
        return [name for name in self.headers if name not in (*_FIXED, *self.edited)]

    @property
    def edited(self) -> tuple[str, ...]:
        """The columns that the workbench changes; the others are what the series' files hold."""
        recorded = {feature.name for feature in recorded_features()}
        more = (name for name in self.headers if name in recorded and name not in EDITED)
        return (*EDITED, *more)

    @property
    def saved(self) -> bool:
        """Whether the sheet is a file in the folder."""
        return self.path.is_file()

    @property
    def decides(self) -> bool:
        """Whether an analysis takes it: it is saved, or proposes more than groups."""
        return self.saved or any(row["pair"] or row["exclude"] for row in self.rows)

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to undo."""
        return bool(self._undo)

    @property
    def counts(self) -> dict[str, int]:
        """Samples of each group that are not excluded, most first."""
        used = (row["group"] or "no group" for row in self.rows if not row["exclude"])
        return dict(Counter(used).most_common())

    @property
    def excluded(self) -> int:
        """Number of samples that are left out."""
        return len(self.left_out)

    @property
    def left_out(self) -> list[str]:
        """Samples that are left out."""
        return [row["sample"] for row in self.rows if row["exclude"]]

    def check_column(self, column: str, value: str = "") -> None:
        """Refuse a column that is not changed here, and a value that is too long."""
        if column not in self.edited or len(value) > _LONGEST:
            msg = f"{column!r} cannot be set here; use {', '.join(self.edited)}"
            raise UsageError(msg)

    def assign(self, samples: Sequence[str], column: str, value: str, version: int) -> int:
        """Set a column of some samples, save the sheet, and return how many have changed.

        Raises
        ------
        StaleSheetError
            If the sheet has changed since `version`.
        SampleSheetError, UsageError
            If the value makes no sense in the column; nothing is changed.
        """
        self.check_column(column, value)
        with self._lock:
            self._check(version)
            return self._set(column, dict.fromkeys(samples, value))

    def fill(self, target: str, way: str, column: str, version: int) -> str:
        """Fill a column from another one, of all samples that are used; return what was done.

        A pair is what several samples share; samples that share it with no other stay alone.

        Raises
        ------
        StaleSheetError, SampleSheetError, UsageError
            As `assign`.
        """
        self.check_column(target)
        if column not in self.headers or way not in FILL_WAYS:
            msg = f"there is no column {column!r} to fill {target} from"
            raise UsageError(msg)
        with self._lock:
            self._check(version)
            used = [row for row in self.rows if not row["exclude"]]
            people = people_from([row[column] for row in used], way)
            named = f"{column} ({FILL_WAYS[way]})"
            if target != "pair":
                values = {row["sample"]: name for row, name in zip(used, people, strict=True)}
                return f"{self._set(target, values)} samples: {target} from {named}."
            return self._pair(dict(zip((r["sample"] for r in used), people, strict=True)), named)

    def pair(self, people: Mapping[str, str], named: str, version: int) -> str:
        """Make pairs of the samples of the same people; return what was done."""
        with self._lock:
            self._check(version)
            return self._pair(people, named)

    def _pair(self, people: Mapping[str, str], named: str) -> str:
        groups = _pairs_of(people)
        if not groups:
            return f"Not changed: no two samples share anything in {named}."
        pairs = {sample: person for person, found in groups.items() for sample in found}
        alone = [sample for sample in people if sample not in pairs]
        self._set("pair", {sample: pairs.get(sample, "") for sample in people})
        role = {row["sample"]: row["group"] for row in self.rows}
        both = sum(len({role[sample] for sample in found}) > 1 for found in groups.values())
        return (
            f"{len(groups)} pairs of {len(pairs)} samples from {named}, {both} with samples of "
            f"different groups; alone: {', '.join(alone) or 'none'}."
        )

    @cached_property
    def offers(self) -> list[tuple[str, str, int]]:
        """Columns that may name people with several samples: column, way, number of people."""
        found: dict[frozenset[tuple[str, ...]], tuple[str, str, int]] = {}
        columns = ["title", "source", *self.characteristics]
        for column in sorted(columns, key=names_people, reverse=True):
            cells = {row["sample"]: row[column] for row in self.rows if not row["exclude"]}
            for way in ("value", "common") if names_people(column) else ("common",):
                people = dict(zip(cells, people_from([*cells.values()], way), strict=True))
                groups = _pairs_of(people)
                paired = sum(map(len, groups.values()))
                few = max(map(len, groups.values()), default=0) <= _MOST_OF_A_PERSON
                if few and len(groups) >= _FEWEST_PAIRS and 2 * paired > len(people):
                    made = frozenset(map(tuple, groups.values()))
                    found.setdefault(made, (column, way, len(groups)))
                    break
        return [*found.values()]

    def _set(self, column: str, values: Mapping[str, str]) -> int:
        """Set a column of some samples, save, and return how many have changed."""
        before = [
            (number, column, row[column])
            for number, row in enumerate(self.rows)
            if row[column] != values.get(row["sample"], row[column])
        ]
        if before:
            new = [dict(row) for row in self.rows]
            for number, _, _ in before:
                new[number][column] = values[new[number]["sample"]]
            self._save(new)
            self._undo.append(before)
        return len(before)

    def take(self, path: Path, version: int) -> int:
        """Take group to exclude from a sheet that was edited elsewhere; return how many changed.

        Columns and samples that the file lacks stay as they are.

        Raises
        ------
        StaleSheetError
            If the sheet has changed since `version`.
        SampleSheetError
            If the file is not a sheet of this series; nothing is changed.
        """
        series = self.rows[0]["series"] if self.rows else ""
        check_sample_sheet(load_sample_sheet(path), {series: [row["sample"] for row in self.rows]})
        given = {row["sample"].casefold(): row for row in _read(path).rows}
        there = {header.casefold() for header in read_sheet_table(path).headers}
        columns = [column for column in self.edited if column in there]
        with self._lock:
            self._check(version)
            new, before = [dict(row) for row in self.rows], []
            for number, row in enumerate(new):
                theirs = given.get(row["sample"].casefold(), row)
                for column in columns:
                    if theirs[column] != row[column]:
                        before.append((number, column, row[column]))
                        row[column] = theirs[column]
            if before:
                self._save(new)
                self._undo.append(before)
            return len({number for number, _, _ in before})

    def undo(self, version: int) -> int:
        """Take the last change back, save, and return how many samples have changed."""
        with self._lock:
            self._check(version)
            if not self._undo:
                return 0
            new = [dict(row) for row in self.rows]
            for number, column, value in self._undo[-1]:
                new[number][column] = value
            self._save(new)
            return len({number for number, _, _ in self._undo.pop()})

    def copy(self, path: Path) -> None:
        """Write the sheet as it is to another place."""
        write_sheet_table(path, self.headers, sheet_cells(self.rows, self.headers))

    @contextmanager
    def reading(self, chosen: PreprocessOptions) -> Iterator[PreprocessOptions]:
        """Give the options by which the series is read: by this sheet, where it decides."""
        with tempfile.TemporaryDirectory() as folder:
            if self.decides:
                self.copy(path := Path(folder) / SHEET)
                chosen = read_by_sheet(chosen, path)
            yield chosen

    def _check(self, version: int) -> None:
        if version != self.version:
            msg = "the sheet was changed in another tab; here it is as it is now"
            raise _StaleSheetError(msg)

    def _save(self, rows: list[dict[str, str]]) -> None:
        """Check the rows as a command would, then write them and keep them."""
        cells = sheet_cells(rows, self.headers)
        with tempfile.TemporaryDirectory() as folder:
            trial = Path(folder) / self.path.name
            write_sheet_table(trial, self.headers, cells)
            load_sample_sheet(trial)
        make_folder(self.path.parent)
        write_sheet_table(self.path, self.headers, cells)
        self.rows = rows
        self.version += 1
        self.written = _written(self.path)


def _pairs_of(people: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the samples of each person with several."""
    groups: dict[str, list[str]] = {}
    for sample, person in people.items():
        if person:
            groups.setdefault(person, []).append(sample)
    return {person: found for person, found in groups.items() if len(found) > 1}


class Sheets:
    """The sheets that were opened, by file."""

    def __init__(self, expert: Expert | None = None, apart: Apart | None = None) -> None:
        self._expert = expert or expert_of(PreprocessOptions())
        # A model's answers are counted in this process.
        asks = isinstance(self._expert, AskingExpert)
        self._apart = Apart() if asks or apart is None else apart
        self._open: dict[Path, EditedSheet] = {}
        self._lock = threading.Lock()

    def get(self, path: Path, files: GeoCohortFiles, trait: str) -> EditedSheet:
        """Return the sheet of a series: as saved, or as the annotator proposes it.

        A file that was edited elsewhere is read again.
        """
        if (sheet := self.kept(path)) is not None:
            return sheet
        there = path.is_file()
        # Without the lock: a model may take a minute.
        if there:
            made = _read(path)
        else:
            made = EditedSheet(path, *self._apart.run(_propose, files, trait, self._expert))
        with self._lock:
            # Another page may have been faster.
            return self._open.setdefault(path, made)

    def kept(self, path: Path) -> EditedSheet | None:
        """Return the open sheet; None where there is none, or its file was edited elsewhere."""
        with self._lock:
            sheet = self._open.get(path)
            if sheet is not None and sheet.written != _written(path):
                del self._open[path]
                return None
            return sheet


def _written(path: Path) -> int:
    """Return when a file was written; 0 for none."""
    return path.stat().st_mtime_ns if path.is_file() else 0


def _read(path: Path) -> EditedSheet:
    """Read a sheet that was saved, by the workbench or a spreadsheet."""
    load_sample_sheet(path)
    table = read_sheet_table(path)
    names = {header.casefold(): header for header in table.headers}
    absent = [name for name in _FIXED if name not in names]
    headers = [
        header.casefold() if header.casefold() in _FIXED else header for header in table.headers
    ]
    rows = [
        {new: row[old] for new, old in zip(headers, table.headers, strict=True)}
        | dict.fromkeys(absent, "")
        for row in table.rows
    ]
    return EditedSheet(path, [*headers, *absent], rows, written=_written(path))


_Proposed = tuple[list[str], list[dict[str, str]], tuple[str, ...], int, int, str]


def _propose(files: GeoCohortFiles, trait: str, expert: Expert) -> _Proposed:
    """Return the sheet that `genotex clinical sheet` would write; without a model's answer, so."""
    settings = PreprocessOptions()
    raw = with_expression(choose_file(files, ()))
    by = expert.words if isinstance(expert, AskingExpert) else EditedSheet.by
    notes: tuple[str, ...] = ()
    try:
        found = propose_sheet(files.cohort, raw, trait, expert, settings, named_pools)
    except (BudgetReachedError, ModelError) as error:
        by, notes = EditedSheet.by, (f"proposed by the rules alone: {error}",)
        rules = expert_of(settings)
        found = propose_sheet(files.cohort, raw, trait, rules, settings, named_pools)
    headers = sheet_headers(found.rows)
    return headers, found.rows, (*notes, *found.notes), 0, 0, by
