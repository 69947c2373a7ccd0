"""Checks of the table as a file: what spreadsheets do to names and numbers, and cut tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from genotex.analysis.audit.cohort import AuditedCohort
from genotex.analysis.audit.findings import AuditFinding, NotJudged, named
from genotex.genes import date_symbols
from genotex.words import counted

_SCIENTIFIC = re.compile(r"[-+]?\d+([.,]\d+)?E[+-]?\d+", re.IGNORECASE)
_MONTH = r"(jan|feb|mar|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-z]*"
_DATE_CELL = re.compile(
    rf"\d{{1,2}}[-./ ]?{_MONTH}([-./ ]?\d+)?|{_MONTH}[-./ ]?\d{{1,4}}"
    r"|\d{1,4}[-./]\d{1,2}[-./]\d{1,4}( 00:00:00)?",
    re.IGNORECASE,
)
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
ROW_LIMITS = {65_536: "the old Excel format (.xls)", 1_048_576: "Excel"}
COLUMN_LIMITS = {256: "the old Excel format (.xls)", 16_384: "Excel"}
ENDS_EARLY = 0.85
"""Sorted names must come so far in the alphabet: 0 is A, 1 is Z."""
_MOSTLY = 0.99


def _ids(cohort: AuditedCohort) -> Sequence[str]:
    if cohort.raw is None:
        why = "the table as it was given is not at hand"
        raise NotJudged(why)
    return cohort.raw.ids


def check_symbols(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find names of genes that a spreadsheet turned into dates or numbers."""
    ids = [name.strip() for name in _ids(cohort)]
    dates = [name for name in ids if date_symbols(name)]
    if dates:
        yield AuditFinding(
            "warning",
            f"{counted(len(dates), 'name')} of genes are dates ({named(dates)}): a spreadsheet "
            "turned SEPT2, MARCH1 and the like into them.",
            "Take the names from the file before it was opened in a spreadsheet; 2-Mar may be "
            "MARCHF2 or MTARC2.",
        )
    numbers = [name for name in ids if _SCIENTIFIC.fullmatch(name)]
    if numbers:
        yield AuditFinding(
            "warning",
            f"{counted(len(numbers), 'name')} of genes are numbers in scientific notation "
            f"({named(numbers)}): the digits after them are lost.",
            "Take the names from the file before it was opened in a spreadsheet.",
        )


def check_cells(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find cells that should hold numbers and do not."""
    if not cohort.unreadable:
        if cohort.cells is None and cohort.raw is None:
            why = "the table as it was given is not at hand"
            raise NotJudged(why)
        return
    cells = cohort.unreadable
    dates = [text for text in cells if _DATE_CELL.fullmatch(text)]
    commas = [text for text in cells if _DECIMAL_COMMA.fullmatch(text)]
    what, some = "no numbers", list(cells)
    if dates:
        what, some = "dates: a spreadsheet turned numbers such as 1.05 into them", dates
    elif commas:
        what, some = "numbers with a decimal comma among others with a point", commas
    shown = ", ".join(f"{text!r} ({cells[text]})" for text in some[:3])
    yield AuditFinding(
        "serious",
        f"{counted(len(cells), 'different cell')} of the values are {what}: {shown}. They were "
        "taken as missing here.",
        "Export the values again without a spreadsheet, or correct these cells.",
    )


def check_size(cohort: AuditedCohort) -> Iterator[AuditFinding]:
    """Find tables that end where a spreadsheet ends, or in the middle of the alphabet."""
    ids = _ids(cohort)
    rows = len(ids) if cohort.cells is None else cohort.cells.columns.height
    columns = len(cohort.samples) if cohort.cells is None else len(cohort.cells.header)
    for limits, size, what in ((ROW_LIMITS, rows, "rows"), (COLUMN_LIMITS, columns, "columns")):
        for limit, program in limits.items():
            if size in (limit, limit - 1):
                yield AuditFinding(
                    "serious",
                    f"The table has exactly {size:,} {what}, as many as {program} keeps: the rest "
                    "was cut off.",
                    "Take the table from before it was saved by the spreadsheet.",
                )
    letters = [name[0].upper() for name in ids if name[:1].isalpha()]
    if len(letters) < 1000 or len(letters) < 0.9 * len(ids):
        return
    rising = sum(a <= b for a, b in pairwise(letters)) / (len(letters) - 1)
    if rising > _MOSTLY and (ord(letters[-1]) - ord("A")) / 25 < ENDS_EARLY:
        yield AuditFinding(
            "warning",
            f"The rows are in alphabetical order and end with {ids[-1]}: the rest seems to be cut "
            "off.",
            "Compare the number of rows with that of the original table.",
        )
