"""The datasheet of a data set as Markdown, JSON and CSV; all files of a description are written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import median
from typing import Any

import genotex
from genotex.bench.evaluation.figures import PlainTable, to_markdown
from genotex.bench.evaluation.score_files import check_folder, json_text, to_csv, write_texts
from genotex.errors import FormatError, UsageError
from genotex.formats import read_json_object
from genotex.reports.datasets.cohorts import (
    COHORT_COLUMNS,
    RAW_COLUMNS,
    AnswerFacts,
    DatasetCohort,
    RawCohort,
)
from genotex.reports.datasets.croissant import croissant_json, installed_mlcroissant
from genotex.reports.datasets.description import Description
from genotex.reports.pages import render_template
from genotex.words import file_size

WRITTEN_BY = "genotex describe"
_NOTHING = "-"

_Row = dict[str, Any]


@dataclass(frozen=True)
class _DatasheetTable:
    """Rows of values under the same names; None is not known."""

    title: str
    rows: Sequence[_Row]
    note: str = ""
    words: int = 1

    def as_text(self) -> PlainTable:
        """Return the table as people read it, without the columns in which nothing is known."""
        head = [n for n in self.rows[0] if any(row[n] is not None for row in self.rows)]
        rows = tuple(tuple(_written(row[name]) for name in head) for row in self.rows)
        return PlainTable(self.title, tuple(head), rows, words=self.words, note=self.note)


def _written(value: Any) -> str:
    if value is None:
        return _NOTHING
    return value if isinstance(value, str) else f"{value:,}"


def datasheet_tables(described: Description) -> tuple[_DatasheetTable, ...]:
    """Return the tables of what is there; one without rows is left out."""
    problems = [] if described.problems is None else [dict(described.problems)]
    tables = (
        _DatasheetTable("Raw cohorts", _by_folder(described.raw, _raw), _COUNTED_ONCE),
        _DatasheetTable(
            "Preprocessed cohorts", _by_folder(described.prepared, _prepared), _OF_WHAT
        ),
        _DatasheetTable("Answered problems", _by_folder(described.answers, _answers)),
        _DatasheetTable("Problems to solve", problems, words=0),
        _DatasheetTable("Traits", list(_traits(described)), words=2),
        _DatasheetTable("Files", list(_files(described))),
    )
    return tuple(table for table in tables if table.rows)


_Item = RawCohort | DatasetCohort | AnswerFacts


def _by_folder(items: Sequence[_Item], count: Callable[[list[Any]], _Row]) -> list[_Row]:
    parts = sorted({item.part for item in items})
    return [
        {"folder": part or ".", **count([item for item in items if item.part == part])}
        for part in parts
    ]


_COUNTED_ONCE = (
    "A series under several traits is a cohort of each; its samples are counted once "
    "in the column of that name."
)


def _raw(cohorts: list[RawCohort]) -> _Row:
    geo = [cohort for cohort in cohorts if cohort.source == "GEO"]
    once = {(c.source, c.cohort): c.samples for c in cohorts}
    rows = [cohort.rows for cohort in cohorts if cohort.rows is not None]
    return {
        "traits": len({cohort.trait for cohort in geo}),
        "GEO cohorts": len(geo),
        "different series": len({cohort.cohort for cohort in geo}),
        "TCGA studies": len(cohorts) - len(geo),
        "samples": _sum(cohort.samples for cohort in cohorts),
        "samples counted once": _sum(once.values()),
        "without expression": rows.count(0) if rows else None,
    }


_OF_WHAT = "Age and gender: of the usable cohorts. Genes: columns of the linked tables."


def _prepared(cohorts: list[DatasetCohort]) -> _Row:
    usable = [cohort for cohort in cohorts if cohort.is_usable]
    return {
        "traits": len({cohort.trait for cohort in cohorts}),
        "cohorts": len(cohorts),
        "usable": len(usable),
        "samples of usable": _sum(cohort.samples for cohort in usable),
        "with age": sum(1 for c in usable if c.info is not None and c.info.has_age),
        "with gender": sum(1 for c in usable if c.info is not None and c.info.has_gender),
        **_range(cohort.genes for cohort in cohorts),
    }


def _answers(answers: list[AnswerFacts]) -> _Row:
    alone = sum(answer.condition == "None" for answer in answers)
    people = sum(answer.condition in ("Age", "Gender") for answer in answers)
    sizes = [answer.genes for answer in answers if answer.genes is not None]
    middle = median(sizes) if sizes else None
    return {
        "traits": len({answer.trait for answer in answers}),
        "answered problems": len(answers),
        "without condition": alone,
        "with age or gender": people,
        "with another trait": len(answers) - alone - people,
        **_range(sizes),
        "median": int(middle) if middle is not None and middle == int(middle) else middle,
    }


def _traits(described: Description) -> Iterator[_Row]:
    every: tuple[_Item, ...] = (*described.raw, *described.prepared, *described.answers)
    for key in sorted({(item.part, item.trait) for item in every if item.trait}):
        raw = [c for c in described.raw if (c.part, c.trait) == key]
        prepared = [c for c in described.prepared if (c.part, c.trait) == key]
        usable = [cohort for cohort in prepared if cohort.is_usable]
        answers = [a for a in described.answers if (a.part, a.trait) == key]
        yield {
            "folder": key[0] or ".",
            "trait": key[1],
            "raw cohorts": len(raw) or None,
            "raw samples": _sum(cohort.samples for cohort in raw),
            "cohorts": len(prepared) or None,
            "usable": len(usable) if prepared else None,
            "samples of usable": _sum(cohort.samples for cohort in usable),
            **_range(cohort.genes for cohort in prepared),
            "answers": len(answers) or None,
        }


def _files(described: Description) -> Iterator[_Row]:
    sizes: dict[str, list[int]] = {}
    for facts in sorted(described.files, key=lambda facts: facts.place.kind):
        sizes.setdefault(facts.place.kind, []).append(facts.size)
    every = [facts.size for facts in described.files]
    for kind, found in (*sizes.items(), ("all", every)):
        total = sum(found)
        yield {"kind": kind, "files": len(found), "size": file_size(total), "bytes": total}


def _sum(numbers: Iterable[int | None]) -> int | None:
    """Return the sum of what is known; None where nothing is."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _range(numbers: Iterable[int | None]) -> _Row:
    known = [number for number in numbers if number is not None]
    return {"fewest genes": min(known, default=None), "most genes": max(known, default=None)}


_FILE_COLUMNS = ("path", "kind", "part", "trait", "name", "bytes", "sha256", "samples", "rows",
                 "genes", "problem")  # fmt: skip


def _datasheet_texts(described: Description) -> dict[str, str]:
    """Return name and content of the files of a datasheet; a CSV without rows has its header."""
    files = ({"bytes": f.size, **vars(f.place), **vars(f)} for f in described.files)
    answers = tuple(field.name for field in fields(AnswerFacts))
    return {
        "files.csv": to_csv(_FILE_COLUMNS, ({n: row[n] for n in _FILE_COLUMNS} for row in files)),
        "raw_cohorts.csv": to_csv(tuple(RAW_COLUMNS[1]), map(asdict, described.raw)),
        "cohorts.csv": to_csv(tuple(COHORT_COLUMNS[1]), (c.row for c in described.prepared)),
        "results.csv": to_csv(answers, map(asdict, described.answers)),
        "datasheet.md": _markdown(described),
        "datasheet.json": json_text(datasheet_json(described)),
    }


def datasheet_json(described: Description) -> dict[str, Any]:
    """Return the figures as plain data: what the Markdown shows, and the names behind each gap."""
    return {
        "written_by": WRITTEN_BY,
        "genotex_version": genotex.__version__,
        "read_to_the_end": described.whole,
        **asdict(described.about),
        "files": len(described.files),
        "bytes": sum(facts.size for facts in described.files),
        "parts": [asdict(part) for part in described.parts],
        "problems_to_solve": described.problems,
        "tables": {table.title: list(table.rows) for table in datasheet_tables(described)},
        "files_with_contacts": described.with_contacts,
        "not_there": [asdict(gap) for gap in described.gaps],
    }


def _markdown(described: Description) -> str:
    examined = [
        facts
        for facts in described.files
        if facts.place.kind in ("series matrix", "family SOFT") and facts.samples is not None
    ]
    page = {
        "described": described,
        "tables": [to_markdown(table.as_text()) for table in datasheet_tables(described)],
        "examined": len(examined),
    }
    return render_template("datasheet.md.j2", page)


_CROISSANT_FILE = "croissant.json"
_DATASHEET_FOLDER = "description"


def own_files(folder: Path) -> list[Path]:
    """Return what an earlier description of ours left in a folder."""
    if not _is_ours(folder):
        return []
    return [folder / _CROISSANT_FILE, folder / _DATASHEET_FOLDER]


def check_place(folder: Path) -> None:
    """Refuse a folder where the description would replace something of another origin."""
    installed_mlcroissant()
    check_folder(folder)
    above = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not os.access(above, os.W_OK):
        msg = f"{above} cannot be written to; choose another place with --output"
        raise UsageError(msg)
    if _is_ours(folder):
        return
    for path in (folder / _CROISSANT_FILE, folder / _DATASHEET_FOLDER):
        if path.exists() and not _is_bare(path):
            msg = f"{path} was not written by {WRITTEN_BY}; move it, or choose another --output"
            raise UsageError(msg)


def _is_bare(path: Path) -> bool:
    """Whether this is a folder with nothing in it but what a killed run left."""
    return path.is_dir() and all(inside.name.startswith(".") for inside in path.iterdir())


def _is_ours(folder: Path) -> bool:
    path = folder / _DATASHEET_FOLDER / "datasheet.json"
    try:
        return path.is_file() and read_json_object(path).get("written_by") == WRITTEN_BY
    except FormatError:
        return False


def write_description(folder: Path, described: Description) -> Path:
    """Write ``croissant.json``, and the datasheet into ``description/``; return the former.

    The folder is mostly the data set itself: paths in ``croissant.json`` are relative to it. Each
    file is written whole. Raises a UsageError as `check_place`.
    """
    check_place(folder)
    texts = _datasheet_texts(described)
    content = json_text(croissant_json(described, texts, _DATASHEET_FOLDER))
    # The file that marks the folder as ours comes first, so that a killed run can be repeated.
    first = "datasheet.json"
    write_texts(folder / _DATASHEET_FOLDER, {first: texts[first]} | texts)
    write_texts(folder, {_CROISSANT_FILE: content})
    return folder / _CROISSANT_FILE
