"""The index of all GEO series: built of Entrez' summaries month by month, and searched offline.

DuckDB's own full-text search is an extension that must be downloaded, so words are ranked in SQL by
BM25 (Robertson and Zaragoza 2009, Foundations and Trends in Information Retrieval 3:333).
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from genotex.errors import FormatError, UsageError, WrongContentError
from genotex.features import simplify
from genotex.fetch.geo_search import Entrez, GeoSummary, read_summary
from genotex.io import flush, lock
from genotex.options import FindOptions

_VERSION = 1
_FIRST_YEAR = 2000  # GEO opened
_SETTLED = timedelta(days=30)
"""Time after the end of a month in which it is asked for again by the next update."""
_AT_ONCE = 500
"""Summaries of one request, the most that Entrez gives as JSON."""
_IDS_AT_ONCE, _MOST_OF_MONTH = 10_000, 200_000
_MOST_TITLE_WORDS = 200
"""Different words that are kept of the titles of a series' samples."""
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "memory_limit": "2GB",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}
_K1, _B = 1.2, 0.75  # the usual parameters of BM25

_CURE = "build it again: genotex find --update --force"
_BREAK = " | "
"""Between texts, so that no phrase goes from one to the next."""

_TABLES = """
CREATE TABLE {0}.series (id INTEGER, month DATE, accession VARCHAR, title VARCHAR, samples INTEGER,
    platforms VARCHAR[], species VARCHAR[], kinds VARCHAR[], date VARCHAR, words VARCHAR,
    length INTEGER);
CREATE TABLE {0}.months (month DATE, asked DATE);
"""
_INSERT = """
INSERT INTO {0}.series SELECT unnest($id::INTEGER[]), $month, unnest($accession::VARCHAR[]),
    unnest($title::VARCHAR[]), unnest($samples::INTEGER[]), unnest($platforms::VARCHAR[][]),
    unnest($species::VARCHAR[][]), unnest($kinds::VARCHAR[][]), unnest($date::VARCHAR[]),
    unnest($words::VARCHAR[]), unnest($length::INTEGER[])
"""
_ARRANGE = """
CREATE OR REPLACE TEMP TABLE tokens AS
SELECT id, word, least(count(*), 255)::UTINYINT AS times
FROM (SELECT id, unnest(string_split(words, ' ')) AS word FROM {0}.series)
WHERE word NOT IN ('', '|') GROUP BY id, word;
CREATE OR REPLACE TABLE {0}.words AS
SELECT (row_number() OVER (ORDER BY word))::INTEGER AS id, word, count(*)::INTEGER AS series
FROM tokens GROUP BY word;
CREATE OR REPLACE TABLE {0}.postings AS
SELECT w.id AS word, t.id AS series, t.times
FROM tokens t JOIN {0}.words w USING (word) ORDER BY w.id, t.id;
DROP TABLE tokens;
CREATE OR REPLACE TABLE {0}.about AS
SELECT {1} AS version, count(*) AS series, coalesce(avg(length), 1) AS length,
       (SELECT max(asked) FROM {0}.months) AS asked
FROM {0}.series;
"""
_HITS = """
SELECT q.concept, q.alternative, d.accession, '{0}' AS place, any_value(d.words) AS text,
       any_value(q.phrase) AS phrase,
       sum(q.weight * p.times * ({k1} + 1)
           / (p.times + {k1} * (1 - {b} + {b} * d.length / $length))) AS score
FROM query q JOIN {0}.words w USING (word) JOIN {0}.postings p ON p.word = w.id
     JOIN {0}.series d ON d.id = p.series
WHERE {1} GROUP BY ALL HAVING count(*) = any_value(q.size)
"""
_RANKED = """
WITH hits AS ({hits}),
     concepts AS (SELECT accession, place, concept, max(score) AS score FROM hits
                  WHERE phrase IS NULL OR contains(' ' || text || ' ', phrase) GROUP BY ALL),
     places AS (SELECT accession, count(*) AS found, sum(score) AS score
                FROM concepts GROUP BY accession, place),
     ranked AS (SELECT accession, max(found) AS found, max(score) AS score
                FROM places GROUP BY accession QUALIFY max(found) = max(max(found)) OVER ())
SELECT accession, found, count(*) OVER () FROM ranked ORDER BY score DESC, accession LIMIT $limit
"""
_LISTED = """
SELECT accession, 0, count(*) OVER () FROM ({0}) GROUP BY accession
ORDER BY max(date) DESC, accession LIMIT $limit
"""
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
    return folder / "genotex" / "geo.duckdb"


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
    with lock(path, wait=False):
        if force:
            for left in (part, part.with_name(f"{part.name}.wal")):
                left.unlink(missing_ok=True)
        old = path if path.exists() and not force else None
        with _opened(path, old, part) as base:
            _begin(base, old)
            asked = dict(base.execute("FROM part.months").fetchall())
            due = [month for month in _months(now) if _is_due(month, asked.get(month), now)]
            _ask(entrez, base, due, now, progress)
            with _transaction(base):
                base.execute(_ARRANGE.format("part", _VERSION))
            series, *_ = _about(base, "part", path)
        flush(part)
        part.replace(path)
        flush(path.parent)
    return series


def _months(now: date) -> Iterator[date]:
    for number in range(_FIRST_YEAR * 12, now.year * 12 + now.month):
        yield date(number // 12, number % 12 + 1, 1)


def _next(month: date) -> date:
    return (month + timedelta(days=31)).replace(day=1)


def _is_due(month: date, asked: date | None, now: date) -> bool:
    """Return whether a month was not asked for since it was settled, nor today."""
    return asked is None or (asked < _next(month) + _SETTLED and asked != now)


def _begin(base: Any, old: Path | None) -> None:
    """Make the tables of an update, with what the old index has, unless they are there."""
    if base.execute("SELECT 1 FROM duckdb_tables() WHERE database_name = 'part'").fetchall():
        return
    if old is not None:
        _about(base, "geo", old)
    with _transaction(base):
        base.execute(_TABLES.format("part"))
        for table in ("series", "months") if old is not None else ():
            base.execute(f"INSERT INTO part.{table} FROM geo.{table}")


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


def _ask(
    entrez: Entrez, base: Any, due: Sequence[date], now: date, progress: Callable[[str, int], None]
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


def _store(base: Any, months: Mapping[date, Sequence[GeoSummary]], now: date) -> None:
    with _transaction(base):
        for month, found in months.items():
            ids = [int(each.accession.removeprefix("GSE")) for each in found]
            base.execute("DELETE FROM part.months WHERE month = ?", [month])
            old = "month = ? OR id IN (SELECT unnest(?::INTEGER[]))"
            base.execute(f"DELETE FROM part.series WHERE {old}", [month, ids])
            _insert(base, "part", month, dict(zip(ids, found, strict=True)))
            base.execute("INSERT INTO part.months VALUES (?, ?)", [month, now])


def _insert(base: Any, schema: str, month: date | None, entries: Mapping[int, GeoSummary]) -> None:
    found = entries.values()
    words = [_words(each) for each in found]
    columns = {
        "id": list(entries),
        "accession": [each.accession for each in found],
        "title": [each.title for each in found],
        "samples": [each.samples for each in found],
        "platforms": [list(each.platforms) for each in found],
        "species": [list(each.organisms) for each in found],
        "kinds": [list(each.study_types) for each in found],
        "date": [each.date for each in found],
        "words": words,
        "length": [len(each.split()) for each in words],
    }
    base.execute(_INSERT.format(schema), {"month": month, **columns})


def _words(summary: GeoSummary) -> str:
    """Return the words of a series; those of its title count twice."""
    # Not the cached function: no text comes twice.
    plain = simplify.__wrapped__
    title, text, of_samples = (
        plain(each) for each in (summary.title, summary.text, " ".join(summary.titles))
    )
    kept = dict.fromkeys(word for word in of_samples.split() if not word.isdigit())
    return _BREAK.join((title, title, text, " ".join(list(kept)[:_MOST_TITLE_WORDS])))


def search_series(
    concepts: Sequence[Concept],
    options: FindOptions,
    index: Path | None,
    here: Iterable[GeoSummary],
) -> IndexMatches:
    """Search GEO's index and series of one's own for all concepts; the best series come first.

    Where no series has all of them, those that have the most are found.

    Parameters
    ----------
    index : Path or None
        The index; None to search `here` alone.

    Raises
    ------
    FormatError
        If the index is damaged, or of another version.
    """
    with _opened(index, index) as base:
        places = ("here",) if index is None else ("geo", "here")
        base.execute(_TABLES.format("here"))
        _insert(base, "here", None, dict(enumerate(here)))
        base.execute(_ARRANGE.format("here", _VERSION))
        about = [_about(base, place, index) for place in places]
        rows = _ranked(base, concepts, options, places, about)
        best = [accession for accession, *_ in rows]
        facts = "accession, title, '', species, kinds, platforms, samples, date"
        # GEO's own entry comes before the same series on this disk.
        entries = {
            row[0]: GeoSummary(*row[:3], *map(tuple, row[3:6]), *row[6:])
            for place in reversed(places)
            for row in base.execute(
                f"SELECT {facts} FROM {place}.series WHERE list_contains($1, accession)", [best]
            ).fetchall()
        }
    indexed, _, asked = (0, 0, None) if index is None else about[0]
    series = tuple(entries[name] for name in best)
    found, total = rows[0][1:] if rows else (0, 0)
    return IndexMatches(series, total, found, indexed, asked)


def _ranked(
    base: Any,
    concepts: Sequence[Concept],
    options: FindOptions,
    places: Sequence[str],
    about: Sequence[tuple[int, float, date | None]],
) -> list[tuple[str, int, int]]:
    """Return the best accessions, each with its number of concepts and that of all that fit."""
    where, given = _filter(options)
    given["limit"] = options.max_series
    if not concepts:
        parts = (f"SELECT accession, date FROM {name}.series d WHERE {where}" for name in places)
        return list(base.execute(_LISTED.format(" UNION ALL ".join(parts)), given).fetchall())
    total = sum(series for series, *_ in about)
    words = {word for each in concepts for phrase in each.phrases for word in phrase.split()}
    counts = " UNION ALL ".join(
        f"SELECT word, series FROM {place}.words WHERE list_contains($1, word)" for place in places
    )
    counted = f"SELECT word, sum(series) FROM ({counts}) GROUP BY word"
    known = dict(base.execute(counted, [sorted(words)]).fetchall())
    base.execute(
        "CREATE TABLE here.query (concept INTEGER, alternative INTEGER, word VARCHAR, "
        "weight DOUBLE, size INTEGER, phrase VARCHAR)"
    )
    base.execute("USE here")
    for row in _query(concepts, known, total):
        base.execute("INSERT INTO query VALUES (?, ?, ?, ?, ?, ?)", row)
    hits = " UNION ALL ".join(_HITS.format(place, where, k1=_K1, b=_B) for place in places)
    length = sum(series * mean for series, mean, _ in about) / max(total, 1) or 1.0
    return list(base.execute(_RANKED.format(hits=hits), {**given, "length": length}).fetchall())


def _query(
    concepts: Sequence[Concept], known: dict[str, int], total: int
) -> Iterator[tuple[int, int, str, float, int, str | None]]:
    """Give the words of each phrase with their weights: rare words weigh more."""
    for number, concept in enumerate(concepts):
        for other, phrase in enumerate(concept.phrases):
            words = list(dict.fromkeys(phrase.split()))
            whole = f" {phrase} " if " " in phrase else None
            for word in words:
                there = known.get(word, 0)
                weight = math.log(1 + (max(total, there) - there + 0.5) / (there + 0.5))
                yield number, other, word, weight, len(words), whole


def _filter(options: FindOptions) -> tuple[str, dict[str, Any]]:
    """Return the condition on a series `d`, and the values that it names."""
    conditions = {
        "d.samples >= $fewest": ("fewest", options.min_samples),
        "d.samples <= $most": ("most", options.max_samples),
        "d.date >= $first": ("first", options.year_from and str(options.year_from)),
        "d.date <= $last": ("last", options.year_to and f"{options.year_to}~"),
        "(d.species = [] OR list_has_any(d.species, $species))": ("species", list(options.species)),
        "list_has_any(d.platforms, $platforms)": (
            "platforms",
            [name.strip().upper() for name in options.platform],
        ),
        "contains(lower(array_to_string(d.kinds, ';')), $kind)": ("kind", _KINDS[options.kind]),
    }
    used = {text: each for text, each in conditions.items() if each[1]}
    return " AND ".join(used), dict(used.values())


@contextmanager
def _opened(at: Path | None, index: Path | None, part: Path | None = None) -> Iterator[Any]:
    """Give a connection with an index as `geo`, one to be written as `part`, and an empty `here`.

    Errors of DuckDB become errors of the index `at`.
    """
    try:
        import duckdb
    except ImportError as error:
        msg = "to find series, the package duckdb is needed: pip install 'genotex[atlas]'"
        raise UsageError(msg) from error
    # What does not fit into memory goes next to the index, not into the current folder.
    near = Path(tempfile.gettempdir()) if at is None else at.parent
    try:
        with duckdb.connect(config={**_CONFIG, "temp_directory": str(near / ".geo.tmp")}) as base:
            for name, path, how in (("geo", index, " (READ_ONLY)"), ("part", part, "")):
                if path is not None:
                    place = str(path).replace("'", "''")
                    base.execute(f"ATTACH '{place}' AS {name}{how}")
            base.execute("ATTACH ':memory:' AS here")
            # An index may come from elsewhere: a view in it opens no other file.
            base.execute("SET enable_external_access = false")
            yield base
    except duckdb.Error as error:
        reason = str(error).partition("\n")[0][:200]
        msg = f"the index of GEO cannot be read or written: {reason}"
        raise FormatError(msg, path=at, hint=_CURE) from error


@contextmanager
def _transaction(base: Any) -> Iterator[None]:
    base.execute("BEGIN")
    try:
        yield
    except BaseException:
        base.execute("ROLLBACK")
        raise
    base.execute("COMMIT")


def _about(base: Any, schema: str, path: Path | None) -> tuple[int, float, date | None]:
    """Return number of series, mean length and date of an index of this version."""
    rows = base.execute(f"SELECT version, series, length, asked FROM {schema}.about").fetchall()
    if len(rows) != 1 or rows[0][0] != _VERSION:
        msg = "is the index of another version of genotex"
        raise FormatError(msg, path=path, hint=_CURE)
    _, series, length, asked = rows[0]
    return series, length, asked
