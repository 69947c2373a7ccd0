"""The figures of a data set as tables that people read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from statistics import median

from genotex.bench.evaluation.plain_table import PlainTable
from genotex.reports.datasets.cohorts import Answer, PreparedCohort, RawCohort
from genotex.reports.datasets.description import Description
from genotex.reports.words import file_size

__all__ = ["datasheet_tables", "without_empty_columns"]

NOTHING = "-"


def datasheet_tables(described: Description) -> tuple[PlainTable, ...]:
    """Return the tables of what is there; one without rows is left out.

    In this order: raw cohorts, preprocessed cohorts, answered problems, problems to solve, traits,
    kinds of files.
    """
    tables = (
        _raw(described),
        _prepared(described),
        _answers(described),
        _problems(described),
        _traits(described),
        _files(described),
    )
    return tuple(table for table in tables if table.rows)


def without_empty_columns(table: PlainTable) -> PlainTable:
    """Return the table without the columns in which nothing is known, as people read it."""
    told = [i for i in range(len(table.head)) if any(row[i] != NOTHING for row in table.rows)]
    rows = tuple(tuple(row[i] for i in told) for row in table.rows)
    return replace(table, head=tuple(table.head[i] for i in told), rows=rows)


def _raw(described: Description) -> PlainTable:
    head = ("folder", "traits", "GEO cohorts", "different series", "TCGA studies", "samples",
            "samples counted once", "without expression")  # fmt: skip
    rows = tuple(
        _raw_row(part, [c for c in described.raw if c.part == part])
        for part in _folders(described.raw)
    )
    note = (
        "A series that lies under several traits is a cohort of each; its samples are counted once "
        "in the column of that name."
    )
    return PlainTable("Raw cohorts", head, rows, note=note)


def _raw_row(part: str, cohorts: list[RawCohort]) -> tuple[str, ...]:
    geo = [cohort for cohort in cohorts if cohort.source == "GEO"]
    once = {(c.source, c.cohort): c.samples for c in cohorts}
    empty = [cohort for cohort in cohorts if cohort.rows == 0]
    counts = (
        len({cohort.trait for cohort in geo}),
        len(geo),
        len({cohort.cohort for cohort in geo}),
        len(cohorts) - len(geo),
        _sum(cohort.samples for cohort in cohorts),
        _sum(once.values()),
        len(empty) if _rows_counted(cohorts) else None,
    )
    return (part or ".", *map(_count, counts))


def _rows_counted(cohorts: Iterable[RawCohort]) -> bool:
    """Tell whether rows were counted in any of the cohorts."""
    return any(cohort.rows is not None for cohort in cohorts)


def _prepared(described: Description) -> PlainTable:
    head = ("folder", "traits", "cohorts", "usable", "samples of usable", "with age",
            "with gender", "fewest genes", "most genes")  # fmt: skip
    rows = []
    for part in _folders(described.prepared):
        cohorts = [cohort for cohort in described.prepared if cohort.part == part]
        usable = [cohort for cohort in cohorts if cohort.is_usable]
        counts = (
            len({cohort.trait for cohort in cohorts}),
            len(cohorts),
            len(usable),
            _sum(cohort.samples for cohort in usable),
            sum(1 for c in usable if c.info is not None and c.info.has_age),
            sum(1 for c in usable if c.info is not None and c.info.has_gender),
        )
        rows.append((part or ".", *map(_count, counts), *_gene_range(cohorts)))
    note = "Age and gender: of the usable cohorts. Genes: columns of the linked tables."
    return PlainTable("Preprocessed cohorts", head, tuple(rows), note=note)


def _answers(described: Description) -> PlainTable:
    head = ("folder", "traits", "answered problems", "without condition", "with age or gender",
            "with another trait", "fewest genes", "most genes", "median")  # fmt: skip
    rows = []
    for part in _folders(described.answers):
        answers = [answer for answer in described.answers if answer.part == part]
        sizes = [answer.genes for answer in answers if answer.genes is not None]
        alone = sum(1 for answer in answers if answer.condition == "None")
        people = sum(1 for answer in answers if answer.condition in ("Age", "Gender"))
        traits = len({answer.trait for answer in answers})
        counts = (traits, len(answers), alone, people, len(answers) - alone - people)
        middle = f"{median(sizes):,g}" if sizes else NOTHING
        rows.append((part or ".", *map(_count, counts), *_range(sizes), middle))
    return PlainTable("Answered problems", head, tuple(rows))


def _problems(described: Description) -> PlainTable:
    if described.problems is None:
        return PlainTable("Problems to solve", (), ())
    row = tuple(_count(number) for number in described.problems.values())
    return PlainTable("Problems to solve", tuple(described.problems), (row,), words=0)


def _traits(described: Description) -> PlainTable:
    head = ("folder", "trait", "raw cohorts", "raw samples", "cohorts", "usable",
            "samples of usable", "fewest genes", "most genes", "answers")  # fmt: skip
    return PlainTable("Traits", head, tuple(_trait_rows(described)), words=2)


def _trait_rows(described: Description) -> Iterator[tuple[str, ...]]:
    every: tuple[RawCohort | PreparedCohort | Answer, ...] = (
        *described.raw, *described.prepared, *described.answers
    )  # fmt: skip
    for part, trait in sorted({(item.part, item.trait) for item in every if item.trait}):
        raw = [c for c in described.raw if (c.part, c.trait) == (part, trait)]
        prepared = [c for c in described.prepared if (c.part, c.trait) == (part, trait)]
        usable = [cohort for cohort in prepared if cohort.is_usable]
        answers = [a for a in described.answers if (a.part, a.trait) == (part, trait)]
        yield (
            part or ".",
            trait,
            _count(len(raw) or None),
            _count(_sum(cohort.samples for cohort in raw)),
            _count(len(prepared) or None),
            _count(len(usable) if prepared else None),
            _count(_sum(cohort.samples for cohort in usable)),
            *_gene_range(prepared),
            _count(len(answers) or None),
        )


def _files(described: Description) -> PlainTable:
    numbers = Counter(facts.place.kind for facts in described.files)
    sizes: Counter[str] = Counter()
    for facts in described.files:
        sizes[facts.place.kind] += facts.size
    rows: list[tuple[str, ...]] = [
        (kind, _count(number), file_size(sizes[kind]), f"{sizes[kind]:,}")
        for kind, number in sorted(numbers.items())
    ]
    total = sum(sizes.values())
    rows.append(("all", _count(len(described.files)), file_size(total), f"{total:,}"))
    return PlainTable("Files", ("kind", "files", "size", "bytes"), tuple(rows))


def _folders(items: Iterable[RawCohort | PreparedCohort | Answer]) -> list[str]:
    return sorted({item.part for item in items})


def _sum(numbers: Iterable[int | None]) -> int | None:
    """Return the sum of what is known; None where nothing is."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _gene_range(cohorts: Iterable[PreparedCohort]) -> tuple[str, str]:
    return _range([cohort.genes for cohort in cohorts if cohort.genes is not None])


def _range(numbers: list[int]) -> tuple[str, str]:
    return _count(min(numbers, default=None)), _count(max(numbers, default=None))


def _count(number: int | None) -> str:
    return NOTHING if number is None else f"{number:,}"
