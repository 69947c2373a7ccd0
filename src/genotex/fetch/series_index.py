"""The index of all GEO series: built of Entrez' summaries month by month, and searched offline.

SQLite's full-text search comes with Python; that of DuckDB is an extension that it downloads, and
BM25 over words in DuckDB's SQL took seconds for phrases in 250,000 series.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations
from pathlib import Path
from typing import Any

from genotex.errors import FormatError, UsageError, WrongContentError
from genotex.features import simplify
from genotex.fetch.geo_search import Entrez, GeoSummary, read_summary
from genotex.io import flush, lock
from genotex.options import FindOptions

_VERSION = 1
_FIRST_YEAR = 2000
"""GEO opened in this year."""
_SETTLED = timedelta(days=30)
"""Time after the end of a month in which it is asked for again by the next update."""
_AT_ONCE = 500
"""Summaries of one request, the most that Entrez gives as JSON."""
_IDS_AT_ONCE, _MOST_OF_MONTH = 10_000, 200_000
_MOST_TITLE_WORDS = 200
"""Different words that are kept of the titles of a series' samples."""
_MOST_WORDS = 12

_CURE = "build it again: genotex find --update --force"
_SEPARATOR = "; "
_TABLES = """
CREATE TABLE series (id INTEGER PRIMARY KEY, samples INTEGER, date TEXT, kinds TEXT, species TEXT,
    platforms TEXT, accession TEXT, title TEXT);
CREATE TABLE months (month TEXT PRIMARY KEY, asked TEXT);
CREATE VIRTUAL TABLE texts USING fts5 (title, text, content = '');
"""
_BEST = """
WITH hits AS MATERIALIZED ({0}),
     fitting AS MATERIALIZED (SELECT id, score, date FROM hits JOIN series USING (id) WHERE {1})
SELECT (SELECT count(*) FROM fitting), accession, title, '', species, kinds, platforms, samples,
    date FROM series JOIN (SELECT id, row_number() OVER () AS place
      FROM (SELECT id FROM fitting ORDER BY score, date DESC, id LIMIT :limit)) USING (id)
ORDER BY place
"""
_HITS = "SELECT rowid AS id, bm25(texts, 2.0) AS score FROM texts WHERE texts MATCH :match"
_ALL = "SELECT id, 0 AS score FROM series"
_KINDS = {
    "expression": "expression profiling",
    "array": "expression profiling by array",
    "sequencing": "expression profiling by high throughput sequencing",
    "any": "",
}


@dataclass(frozen=True)
class Concept:
    """A word of a search, or the name of a trait, and other phrases that count as it."""

    written: str
    phrases: tuple[str, ...]
    """In the form of comparison."""
    trait: str = ""


@dataclass(frozen=True)
class IndexMatches:
    """The best series, and what was searched."""

    series: tuple[GeoSummary, ...]  # without their texts
    total: int  # series that fit
    found: int  # concepts that all of them have
    indexed: int  # series of GEO's index; 0 without it
    asked: date | None  # when GEO was asked last


def index_path(given: Path | None) -> Path:
    """Return the path of the index: the one given, else that of the user's data folder."""
    if given is not None:
        return given
    home = os.environ.get("XDG_DATA_HOME", "")
    folder = Path(home) if Path(home).is_absolute() else Path("~/.local/share").expanduser()
    return folder / "genotex" / "geo.sqlite"


def update_index(
    entrez: Entrez,
    path: Path,
    progress: Callable[[str, int], None] = lambda label, total: None,
    *,
    today: date | None = None,
    force: bool = False,
) -> int:
    """Ask GEO for the series of each month that is new, and replace the index in the end.

    An interrupted update goes on where it was; until its end the old index stays in place.

    Parameters
    ----------
    path : Path
        The index.
    progress : callable
        Called after each month with a label, and the number of months.
    force : bool
        Whether all is asked for again.

    Returns
    -------
    int
        Number of series in the index.

    Raises
    ------
    FetchError
        If GEO does not answer, or not with series.
    FormatError
        If the old index, or what is there of an interrupted update, is damaged.
    """
    now = today or date.today()
    part = path.with_name(f".{path.name}.part")
    with lock(path, wait=False), _errors_of(path):
        if force:
            for left in (part, part.with_name(f"{part.name}-journal")):
                left.unlink(missing_ok=True)
        with closing(sqlite3.connect(part)) as base:
            if not _is_index(base):
                _begin(base, path if path.exists() and not force else None)
            asked = dict(base.execute("SELECT month, asked FROM months"))
            due = [month for month in _months(now) if _is_due(month, asked.get(str(month)), now)]
            _ask(entrez, base, due, now, progress)
            ((series,),) = base.execute("SELECT count(*) FROM series")
        flush(part)
        part.replace(path)
        flush(path.parent)
    return int(series)


def _months(now: date) -> Iterator[date]:
    for number in range(_FIRST_YEAR * 12, now.year * 12 + now.month):
        yield date(number // 12, number % 12 + 1, 1)


def _next(month: date) -> date:
    return (month + timedelta(days=31)).replace(day=1)


def _is_due(month: date, asked: str | None, now: date) -> bool:
    """Return whether a month was not asked for since it was settled, nor today."""
    return asked is None or (asked < str(_next(month) + _SETTLED) and asked != str(now))


def _is_index(base: sqlite3.Connection) -> bool:
    ((version,),) = base.execute("PRAGMA user_version")
    return bool(version == _VERSION)


def _begin(base: sqlite3.Connection, old: Path | None) -> None:
    """Fill the index of an update with what the old one has."""
    if old is None:
        _make_tables(base)
        return
    with _opened(old) as before:
        before.backup(base)


def _make_tables(base: sqlite3.Connection) -> None:
    base.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {_VERSION}; COMMIT;")


def _ask(
    entrez: Entrez,
    base: sqlite3.Connection,
    due: Sequence[date],
    now: date,
    progress: Callable[[str, int], None],
) -> None:
    """Ask for months and store them, several small ones together; also when interrupted."""
    waiting: dict[date, list[GeoSummary]] = {}
    try:
        for month in due:
            waiting[month] = list(_of_month(entrez, month))
            progress(f"{month:%Y-%m}: {len(waiting[month]):,} series", len(due))
            if sum(map(len, waiting.values())) >= _AT_ONCE:
                _store(base, waiting, now)
                waiting.clear()
    finally:
        _store(base, waiting, now)


def _of_month(entrez: Entrez, month: date) -> Iterator[GeoSummary]:
    """Yield the series that were published in a month."""
    last = _next(month) - timedelta(days=1)
    term = f'"gse"[Entry Type] AND {month:%Y/%m/%d}:{last:%Y/%m/%d}[Publication Date]'
    ids: dict[str, None] = {}
    while True:
        before, page = len(ids), entrez.search(term, _IDS_AT_ONCE, start=len(ids))
        ids.update(dict.fromkeys(page.ids))
        if len(ids) >= page.count:
            break
        if len(ids) == before or page.count > _MOST_OF_MONTH:
            msg = f"Entrez counts {page.count:,} series of {month:%Y-%m} and names {len(ids):,}"
            raise WrongContentError(msg, hint="try again later")
    wrong = 0
    for record in entrez.summaries(list(ids), _AT_ONCE):
        try:
            yield read_summary(record)
        except WrongContentError:
            # One record that is none must not make the index impossible.
            wrong += 1
            if wrong > len(ids) // 10:
                raise


def _store(
    base: sqlite3.Connection, months: Mapping[date, Sequence[GeoSummary]], now: date
) -> None:
    with base:
        for month, found in months.items():
            _insert(base, {int(each.accession.removeprefix("GSE")): each for each in found})
            base.execute("REPLACE INTO months VALUES (?, ?)", [str(month), str(now)])


def _insert(base: sqlite3.Connection, entries: Mapping[int, GeoSummary]) -> None:
    """Insert the series that are not there yet."""
    there = _known(base, entries)
    for number, each in entries.items():
        if number not in there:
            lists = map(_SEPARATOR.join, (each.study_types, each.organisms, each.platforms))
            row = (number, each.samples, each.date, *lists, each.accession, each.title)
            base.execute(f"INSERT INTO series VALUES ({', '.join('?' * len(row))})", row)
            texts = "INSERT INTO texts (rowid, title, text) VALUES (?, ?, ?)"
            base.execute(texts, (number, *_texts(each)))


def _known(base: sqlite3.Connection, ids: Iterable[int]) -> set[int]:
    """Return which series are there."""
    found = base.execute(f"SELECT id FROM series WHERE id IN ({', '.join(map(str, ids))})")
    return {number for (number,) in found}


def _texts(summary: GeoSummary) -> tuple[str, str]:
    """Return the words of the title, and of the summary and the titles of samples."""
    # Not the cached function: no text comes twice.
    plain = simplify.__wrapped__
    title, text, of_samples = (
        plain(each) for each in (summary.title, summary.text, " ".join(summary.titles))
    )
    kept = dict.fromkeys(word for word in of_samples.split() if not word.isdigit())
    return title, " ".join((text, *list(kept)[:_MOST_TITLE_WORDS]))


def search_series(
    concepts: Sequence[Concept],
    options: FindOptions,
    index: Path | None,
    here: Iterable[GeoSummary],
) -> IndexMatches:
    """Search GEO's index and series of one's own for all concepts.

    Series that the index lacks come first, then those of GEO, the best first. Where no series has
    all concepts, those that have the most are found.

    Parameters
    ----------
    index : Path or None
        The index; None to search `here` alone.

    Raises
    ------
    UsageError
        If there are more than twelve concepts.
    FormatError
        If the index is damaged, or of another version.
    """
    if len(concepts) > _MOST_WORDS:
        msg = f"at most {_MOST_WORDS} words can be searched for together, not {len(concepts)}"
        raise UsageError(msg)
    own = {_number(each, place): each for place, each in enumerate(here)}
    with closing(sqlite3.connect(":memory:")) as local, _opened(index) as geo:
        _make_tables(local)
        known = _known(geo, own)
        _insert(local, {number: each for number, each in own.items() if number not in known})
        ((indexed, asked),) = geo.execute(
            "SELECT (SELECT count(*) FROM series), (SELECT max(asked) FROM months)"
        )
        series: list[GeoSummary] = []
        for count in range(len(concepts), -1, -1):
            match = _match(concepts, count)
            found = [_search(base, match, options) for base in (local, geo)]
            series = [each for _, entries in found for each in entries]
            if series or count < 2:
                break
    total = sum(number for number, _ in found)
    when = None if asked is None else date.fromisoformat(asked)
    return IndexMatches(tuple(series[: options.max_series]), total, count, indexed, when)


def _number(summary: GeoSummary, place: int) -> int:
    """Return the number of an accession, or one that GEO has not."""
    digits = summary.accession.removeprefix("GSE")
    return int(digits) if digits.isdigit() else -1 - place


def _match(concepts: Sequence[Concept], count: int) -> str:
    """Return the full-text query for series that have so many of the concepts."""
    each = (" OR ".join(f'"{phrase}"' for phrase in concept.phrases) for concept in concepts)
    several = combinations([f"({phrases})" for phrases in each], count)
    return " OR ".join(f"({' AND '.join(some)})" for some in several) if count else ""


def _search(
    base: sqlite3.Connection, match: str, options: FindOptions
) -> tuple[int, list[GeoSummary]]:
    """Return how many series fit, and the best of them."""
    where, given = _filter(options)
    given |= {"match": match, "limit": options.max_series}
    rows = base.execute(_BEST.format(_HITS if match else _ALL, where), given).fetchall()
    return (rows[0][0] if rows else 0), [_entry(*row[1:]) for row in rows]


def _entry(accession: str, title: str, text: str, *rest: Any) -> GeoSummary:
    species, kinds, platforms = (tuple(filter(None, each.split(_SEPARATOR))) for each in rest[:3])
    return GeoSummary(accession, title, text, species, kinds, platforms, *rest[3:])


def _filter(options: FindOptions) -> tuple[str, dict[str, Any]]:
    """Return the condition on a series, and the values that it names."""
    given: dict[str, Any] = {"fewest": options.min_samples, "kind": _KINDS[options.kind]}
    parts = ["samples >= :fewest", "instr(lower(kinds), :kind)"]
    for name, value, text in (
        ("most", options.max_samples, "samples <= :most"),
        ("first", options.year_from, "substr(date, 1, 4) >= CAST(:first AS TEXT)"),
        ("last", options.year_to, "substr(date, 1, 4) <= CAST(:last AS TEXT)"),
    ):
        if value is not None:
            given[name] = value
            parts.append(text)
    # Old files do not state their species.
    chosen = {"species": ("", *options.species), "platforms": options.platform}
    for column, names in chosen.items():
        if any(names):
            wanted = {f"{column}{n}": name.strip().lower() for n, name in enumerate(names)}
            given |= {key: f"{_SEPARATOR}{name}{_SEPARATOR}" for key, name in wanted.items()}
            whole = f"'{_SEPARATOR}' || lower({column}) || '{_SEPARATOR}'"
            parts.append(f"({' OR '.join(f'instr({whole}, :{key})' for key in wanted)})")
    return " AND ".join(parts), given


@contextmanager
def _opened(path: Path | None) -> Iterator[sqlite3.Connection]:
    """Give an index to read; an empty one where there is no path."""
    if path is None:
        with closing(sqlite3.connect(":memory:")) as base:
            _make_tables(base)
            yield base
        return
    with (
        _errors_of(path),
        closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as base,
    ):
        # An index may come from elsewhere.
        base.execute("PRAGMA trusted_schema = OFF")
        if not _is_index(base):
            msg = "is no index of this version of genotex"
            raise FormatError(msg, path=path, hint=_CURE)
        yield base


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into those of an index."""
    try:
        yield
    except sqlite3.Error as error:
        msg = f"the index of GEO cannot be read or written: {error}"
        raise FormatError(msg, path=path, hint=_CURE) from error
