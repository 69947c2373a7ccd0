"""The texts of a series that may name its samples, as a submitter's table does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from genotex.cohorts.own.samples import SampleMatch
from genotex.formats import ExpressionMatrix, Series, TableFile, titled

_TEXTS = ("title", "description", "source_name_ch1", "characteristics_ch1")
_FORMS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("", str.strip),
    (" after the colon", lambda cell: cell.rpartition(":")[2].strip()),
    (" in brackets", lambda cell: " ".join(re.findall(r"[(\[]([^)\]]+)[)\]]", cell)[-1:])),
    (" before brackets", lambda cell: re.split(r"\s*[(\[]", cell)[0].strip()),
    (" before the comma", lambda cell: cell.partition(",")[0].strip()),
)
_LEAST_SHARE = 0.5
_SIGNS = re.compile(r"[\W_]+")


def series_names(series: Series) -> TableFile:
    """Return every text of the series that may name its samples, a column for each."""
    columns = {"accession": list(series.samples)}
    for field, cells in _sample_texts(series):
        for form, change in _FORMS:
            changed = [change(cell or "") for cell in cells]
            filled = [cell for cell in changed if cell]
            # Names differ; groups do not.
            if len(set(filled)) == len(filled) > _LEAST_SHARE * len(cells):
                columns.setdefault(f"{field}{form}", changed)
    return TableFile(series.path, series.path.name, "series matrix", **titled(columns))


def _sample_texts(series: Series) -> Iterator[tuple[str, Sequence[str | None]]]:
    for field in _TEXTS:
        for number, row in enumerate(series.sample_fields.get(field, ())):
            name = field.removesuffix("_ch1").replace("_", " ")
            if field == "characteristics_ch1":
                keys = {cell.partition(":")[0].strip() for cell in row if cell and ":" in cell}
                name = f"characteristic {keys.pop()}" if len(keys) == 1 else f"{name} {number + 1}"
            elif number:
                name = f"{name} {number + 1}"
            yield name, row


def names_inside(columns: Sequence[str], series: Series) -> TableFile | None:
    """Return the texts that hold one name of a column each, as ``Blood of patient P12, day 1``.

    A text that holds several names takes the one that holds the others; None where no text names
    at least half of the columns or samples.
    """
    words = {column: f" {_SIGNS.sub(' ', column).strip().casefold()} " for column in columns}
    words = {column: text for column, text in words.items() if text.strip()}
    found: dict[str, list[str]] = {}
    for field, cells in _sample_texts(series):
        named = [
            _only(f" {_SIGNS.sub(' ', cell or '').strip().casefold()} ", words) for cell in cells
        ]
        filled = [name for name in named if name]
        least = max(2.0, _LEAST_SHARE * min(len(columns), len(cells)))
        if len(set(filled)) == len(filled) >= least:
            found[f"{field}, in which it is a word"] = named
    if not found:
        return None
    return TableFile(series.path, series.path.name, "series matrix", **titled(found))


def _only(text: str, words: dict[str, str]) -> str:
    """Return the name that a text holds, if it holds one alone."""
    there = [column for column, word in words.items() if word in text]
    longest = max(there, key=len, default="")
    return longest if all(words[each] in words[longest] for each in there) else ""


def of_series(matrix: ExpressionMatrix, match: SampleMatch, series: Series) -> ExpressionMatrix:
    """Return the columns that are samples of the series, by accession and in its order."""
    rows = match.rows
    column = {rows[name]: j for j, name in enumerate(matrix.samples) if name in rows}
    order = sorted(column)
    samples = tuple(series.samples[i] for i in order)
    return ExpressionMatrix(matrix.ids, samples, matrix.values[:, [column[i] for i in order]])
