"""The datasheet of a data set: Markdown for people, JSON and CSV of the same figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import Any

import genotex
from genotex.bench.evaluation.plain_table import PlainTable, to_markdown
from genotex.bench.evaluation.score_files import json_text, to_csv
from genotex.formats import CohortInfo
from genotex.reports.datasets.cohorts import Answer, PreparedCohort, RawCohort
from genotex.reports.datasets.description import Description
from genotex.reports.datasets.gaps import Gap
from genotex.reports.datasets.tables import datasheet_tables, without_empty_columns
from genotex.reports.words import counted

__all__ = ["COHORT_COLUMNS", "RAW_COLUMNS", "datasheet_json", "datasheet_texts"]

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
            tuple(field.name for field in fields(Answer)), map(asdict, described.answers)
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


def _cohort_row(cohort: PreparedCohort) -> dict[str, Any]:
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
    parts = [f"# {described.about.name}", _told(described)]
    parts += [to_markdown(without_empty_columns(table)) for table in datasheet_tables(described)]
    parts += [_people(described), _missing(described), _for_a_person()]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _told(described: Description) -> str:
    about = described.about
    told = {
        "Version": about.version,
        "Published": about.date,
        "Creators": ", ".join(about.creators) or None,
        "Publisher": about.publisher,
        "Licence": about.license,
        "Address": about.url,
        "How to cite": about.citation,
    }
    lines = [f"- {name}: {value or 'not told'}" for name, value in told.items()]
    if described.whole:
        lines.append("- SHA-256 and figures of every file: files.csv")
    else:
        lines.append("- Read in part: headers and sizes, without digests and numbers of rows")
    return "\n".join(lines)


def _people(described: Description) -> str:
    looked_into = [
        facts
        for facts in described.files
        if facts.place.kind in ("series matrix", "family SOFT") and facts.samples is not None
    ]
    if not looked_into:
        return ""
    return (
        "## People named in the files\n\n"
        f"{_with_contacts(described):,} of {counted(len(looked_into), 'series file')} that were "
        "looked into have GEO's fields for the contact of submitters (name, e-mail, address); a "
        "family SOFT file beside a series matrix, which is not looked into, mostly has them too. "
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
        "## What files cannot tell\n\n"
        "Why the data set was made and who paid for it; how series were searched and chosen; who "
        "decided on the traits, and how their decisions were checked; what consent the people gave "
        "whose samples these are; what the data set should not be used for; who maintains it. "
        "The questions stand in Gebru et al., Datasheets for Datasets "
        "(https://arxiv.org/abs/1803.09010)."
    )
