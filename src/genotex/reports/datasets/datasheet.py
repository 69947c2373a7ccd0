"""The datasheet of a data set: Markdown for people, JSON and CSV of the same figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields, replace
from statistics import median
from typing import Any

import genotex
from genotex.bench.evaluation.plain_table import PlainTable, to_markdown
from genotex.bench.evaluation.score_files import json_text, to_csv
from genotex.formats import CohortInfo
from genotex.reports.datasets.cohorts import AnswerFacts, DatasetCohort, Gap, RawCohort
from genotex.reports.datasets.description import Description
from genotex.words import counted, file_size

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
    known = [i for i in range(len(table.head)) if any(row[i] != NOTHING for row in table.rows)]
    rows = tuple(tuple(row[i] for i in known) for row in table.rows)
    return replace(table, head=tuple(table.head[i] for i in known), rows=rows)


def _raw(described: Description) -> PlainTable:
    head = ("folder", "traits", "GEO cohorts", "different series", "TCGA studies", "samples",
            "samples counted once", "without expression")  # fmt: skip
    rows = tuple(
        _raw_row(part, [c for c in described.raw if c.part == part])
        for part in _folders(described.raw)
    )
    note = (
        "A series under several traits is a cohort of each; its samples are counted once "
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
    """Whether rows were counted in any of the cohorts."""
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
    every: tuple[RawCohort | DatasetCohort | AnswerFacts, ...] = (
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


def _folders(items: Iterable[RawCohort | DatasetCohort | AnswerFacts]) -> list[str]:
    return sorted({item.part for item in items})


def _sum(numbers: Iterable[int | None]) -> int | None:
    """Return the sum of what is known; None where nothing is."""
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _gene_range(cohorts: Iterable[DatasetCohort]) -> tuple[str, str]:
    return _range([cohort.genes for cohort in cohorts if cohort.genes is not None])


def _range(numbers: list[int]) -> tuple[str, str]:
    return _count(min(numbers, default=None)), _count(max(numbers, default=None))


def _count(number: int | None) -> str:
    return NOTHING if number is None else f"{number:,}"


WRITTEN_BY = "genotex describe"
RAW_COLUMNS = tuple(field.name for field in fields(RawCohort))
_FLAGS = tuple(field.name for field in fields(CohortInfo) if field.name != "note")
COHORT_COLUMNS = ("part", "trait", "cohort", *_FLAGS, "linked_samples", "linked_genes")
_FILE_COLUMNS = ("path", "kind", "part", "trait", "name", "bytes", "sha256", "samples", "rows",
                 "genes", "problem")  # fmt: skip
_NAMED = 10
"""Files or cohorts that the Markdown names of each gap; the JSON names all."""


def datasheet_texts(described: Description) -> dict[str, str]:
    """Return name and content of the files of a datasheet; a CSV without rows has its header."""
    return {
        "files.csv": to_csv(_FILE_COLUMNS, _file_rows(described)),
        "raw_cohorts.csv": to_csv(RAW_COLUMNS, map(asdict, described.raw)),
        "cohorts.csv": to_csv(COHORT_COLUMNS, map(_cohort_row, described.prepared)),
        "results.csv": to_csv(
            tuple(field.name for field in fields(AnswerFacts)), map(asdict, described.answers)
        ),
        "datasheet.md": _markdown(described),
        "datasheet.json": json_text(datasheet_json(described)),
    }


def _file_rows(described: Description) -> Iterator[dict[str, Any]]:
    for facts in described.files:
        known = {
            "bytes": facts.size,
            **asdict(facts.place),
            **{name: getattr(facts, name) for name in ("sha256", "samples", "rows", "genes")},
        }
        yield {**known, "problem": facts.problem}


def _cohort_row(cohort: DatasetCohort) -> dict[str, Any]:
    info = {} if cohort.info is None else {name: getattr(cohort.info, name) for name in _FLAGS}
    return {
        "part": cohort.part,
        "trait": cohort.trait,
        "cohort": cohort.cohort,
        **info,
        "linked_samples": None if cohort.linked is None else cohort.linked.samples,
        "linked_genes": cohort.genes,
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
        "tables": {table.title: _rows(table) for table in datasheet_tables(described)},
        "files_with_contacts": _with_contacts(described),
        "not_there": [asdict(gap) for gap in described.gaps],
    }


def _rows(table: PlainTable) -> list[dict[str, Any]]:
    return [
        {name: _value(cell) for name, cell in zip(table.head, row, strict=True)}
        for row in table.rows
    ]


def _value(cell: str) -> Any:
    """Return a written number as a number, a dash as nothing."""
    if cell == "-":
        return None
    try:
        number = float(cell.replace(",", ""))
    except ValueError:
        return cell
    return int(number) if number.is_integer() else number


def _with_contacts(described: Description) -> int:
    return sum(1 for facts in described.files if facts.contacts)


def _markdown(described: Description) -> str:
    parts = [f"# {described.about.name}", _about(described)]
    parts += [to_markdown(without_empty_columns(table)) for table in datasheet_tables(described)]
    parts += [_people(described), _missing(described), _for_a_person()]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _about(described: Description) -> str:
    about = described.about
    facts = {
        "Version": about.version,
        "Published": about.date,
        "Creators": ", ".join(about.creators) or None,
        "Publisher": about.publisher,
        "Licence": about.license,
        "Address": about.url,
        "How to cite": about.citation,
    }
    lines = [f"- {name}: {value or 'not given'}" for name, value in facts.items()]
    if described.whole:
        lines.append("- SHA-256 and figures of every file: files.csv")
    else:
        lines.append("- Read in part: headers and sizes, without digests and numbers of rows")
    return "\n".join(lines)


def _people(described: Description) -> str:
    examined = [
        facts
        for facts in described.files
        if facts.place.kind in ("series matrix", "family SOFT") and facts.samples is not None
    ]
    if not examined:
        return ""
    return (
        "## People named in the files\n\n"
        f"{_with_contacts(described):,} of {counted(len(examined), 'series file')} that were "
        "examined have GEO's fields for the contact of submitters (name, e-mail, address); a "
        "family SOFT file next to a series matrix, which is not examined, usually has them too. "
        "Nothing of them, and none of the free texts, is repeated in this description."
    )


def _missing(described: Description) -> str:
    lines = [_gap_line(gap) for gap in described.gaps]
    return "## What is not there\n\n" + ("\n".join(lines) or "Nothing that the layout asks for.")


def _gap_line(gap: Gap) -> str:
    if not gap.where:
        return f"- {gap.what}"
    names = ", ".join(gap.where[:_NAMED])
    more = len(gap.where) - _NAMED
    return f"- {gap.what} ({len(gap.where):,}): {names}{f' and {more:,} more' if more > 0 else ''}"


def _for_a_person() -> str:
    return (
        "## What files cannot show\n\n"
        "Why the data set was made and who paid for it; how series were searched and chosen; who "
        "decided on the traits, and how their decisions were checked; what consent the people gave "
        "whose samples these are; what the data set should not be used for; who maintains it. "
        "The questions are those of Gebru et al., Datasheets for Datasets "
        "(https://arxiv.org/abs/1803.09010)."
    )
