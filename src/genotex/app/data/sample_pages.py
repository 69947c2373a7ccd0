"""The samples of a series: a sheet to sort, filter, select in, and assign groups."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from genotex.analysis import FILL_WAYS
from genotex.app.data.analysis_pages import history_of
from genotex.app.data.sheets import GROUPS, EditedSheet
from genotex.app.data.uploads import trait_named
from genotex.app.downloads import attached
from genotex.app.pages import (
    Workbench,
    address,
    form_of,
    not_found,
    refusals,
    render,
    series_state,
    visitor_of,
    workbench_of,
)
from genotex.app.quality.pages import parts_before_analysis
from genotex.app.study import line_of
from genotex.clinical import REPORTED, SeriesComparison
from genotex.cohorts import PreprocessOptions
from genotex.errors import FormatError, GenotexError
from genotex.layout import GeoCohortFiles
from genotex.outside import check_upload
from genotex.studies import ComparisonRecord
from genotex.workflows import SeriesComparisons, comparisons_of

_GIVEN = ("change", "column", "value", "version", "target", "from", "way")


def _series_of(request: Request, trait: str, series: str) -> GeoCohortFiles:
    files = workbench_of(request).workspace.series(trait, series)
    if files is None:
        what = f"the series {series!r} of {trait!r}"
        raise not_found(what)
    return files


def _sheet(request: Request) -> tuple[EditedSheet, dict[str, str]]:
    trait, series = (request.query_params.get(name, "") for name in ("trait", "series"))
    files = _series_of(request, trait, series)
    workbench = workbench_of(request)
    path = workbench.workspace.sheet(trait, series)
    if not workbench.workspace.holds(path):
        what = f"the sheet of {series}"
        raise not_found(what)
    words = trait.replace("_", " ")
    return workbench.sheets.get(path, files, words), {"trait": trait, "series": series}


def samples(request: Request) -> Response:
    """Show the sheet of a series."""
    sheet, place = _sheet(request)
    values = _values(request.query_params, sheet, place)
    files = _series_of(request, **place)
    workbench = workbench_of(request)
    return render(
        request,
        "samples.html.j2",
        groups=GROUPS,
        edited=sheet.edited,
        ways=FILL_WAYS,
        line=line_of(request, "Samples", place),
        results=workbench.results_of(**place),
        loose=files.folder.parent.parent.name != "GEO",
        comparisons=() if visitor_of(request).link else _listed(workbench, files, sheet),
        **parts_before_analysis(request, place, files, sheet),
        **values,
    )


def _of_trait(request: Request) -> Response:
    """Go to the samples of a series as those of a trait that a person typed."""
    trait, series = (request.query_params.get(name, "") for name in ("trait", "series"))
    with refusals():
        named = trait_named(trait)
    return RedirectResponse(address("/samples", {"trait": named, "series": series}), 303)


def table(request: Request) -> Response:
    """Show the table alone, for htmx."""
    sheet, place = _sheet(request)
    return render(request, "sample_table.html.j2", **_values(request.query_params, sheet, place))


def _values(
    query: Mapping[str, str], sheet: EditedSheet, place: dict[str, str], message: str = ""
) -> dict[str, Any]:
    """Return what the table shows: rows with a text, in the order of a column."""
    search, sort = query.get("search", "").strip(), query.get("sort", "")
    descending = query.get("order", "") == "descending"
    texts = [name for name in ("title", "source") if any(row[name] for row in sheet.rows)]
    columns = ["sample", *sheet.edited, *texts, *sheet.characteristics, *REPORTED]
    rows = [row for row in sheet.rows if _fits(row, search)]
    if sort in columns:
        rows.sort(key=lambda row: _order(row.get(sort, "")), reverse=descending)
        rows.sort(key=lambda row: not row.get(sort))
    return {
        "sheet": sheet,
        "rows": rows,
        "columns": columns,
        "state": {"search": search, "sort": sort, "order": "descending" if descending else ""},
        "place": place,
        "message": message,
        "saved_as": "/".join(sheet.path.parts[-3:]),
    }


def _fits(row: Mapping[str, str], search: str) -> bool:
    """Return whether a row holds a text, or ``column=value``."""
    name, is_pair, value = search.partition("=")
    if is_pair and name in row:
        return row[name].casefold() == value.strip().casefold()
    text = search.casefold()
    return not text or any(text in cell.casefold() for cell in row.values())


def _order(cell: str) -> tuple[bool, float, str]:
    """Return the key that sorts a cell: numbers, then texts."""
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    # "nan" has no place among numbers.
    is_text = math.isnan(number)
    return is_text, 0.0 if is_text else number, cell.casefold() if is_text else ""


async def assign(request: Request) -> Response:
    """Set a column of the selected samples, or take the last change back."""
    sheet, place = await run_in_threadpool(_sheet, request)
    async with form_of(request, max_fields=100_000) as form:
        given = {name: str(form.get(name, "")) for name in _GIVEN}
        chosen = [str(sample) for sample in form.getlist("sample")]
        query = {name: str(form.get(name, "")) for name in ("search", "sort", "order")}
    if given["change"] == "people":
        message = await run_in_threadpool(_pair_people, request, sheet, place, given["version"])
    else:
        message = await run_in_threadpool(_change, sheet, given, chosen)
    return render(request, "sample_table.html.j2", **_values(query, sheet, place, message))


async def upload(request: Request) -> Response:
    """Take the groups of a sheet that was edited in a spreadsheet."""
    sheet, place = await run_in_threadpool(_sheet, request)
    async with form_of(request) as form:
        sent, version = form.get("file"), str(form.get("version", ""))
        if not isinstance(sent, UploadFile) or not sent.filename:
            message = "No file chosen."
        else:
            content = await sent.read()
            message = await run_in_threadpool(_take, sheet, sent.filename, content, version)
    return render(request, "sample_table.html.j2", **_values({}, sheet, place, message))


def _take(sheet: EditedSheet, filename: str, content: bytes, version: str) -> str:
    """Read an uploaded sheet by the reader of the commands; return what was done or why not."""
    # Of the name only the kind is used.
    kind = Path(filename).suffix.lower()
    if kind not in (".csv", ".tsv", ".txt", ".xlsx"):
        return "Not changed: a sheet ends in .csv, .tsv or .xlsx."
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"sheet{kind}"
        path.write_bytes(content)
        try:
            check_upload(path, "sheet")
            count = sheet.take(path, _version(version))
        except GenotexError as error:
            return f"Not changed: {_first_mistake(error)}."
    return f"{count} sample{'' if count == 1 else 's'} changed by the file."


def _version(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise HTTPException(400, "the version of the sheet is missing")
    return int(text)


def _first_mistake(error: GenotexError) -> str:
    """Return the first of the mistakes that an error lists."""
    lines = (error.message if isinstance(error, FormatError) else str(error)).split("\n")
    return lines[1 if len(lines) > 1 else 0].strip().rstrip(".")


def _change(sheet: EditedSheet, given: Mapping[str, str], chosen: list[str]) -> str:
    """Make a change, and return what was done or why not."""
    version, change = _version(given["version"]), given["change"]
    try:
        if change == "undo":
            return f"Undone for {sheet.undo(version)} samples."
        column, _, value = change.partition(":")
        if change == "set":
            column, value = given["column"], given["value"].strip()
        if change == "fill":
            return sheet.fill(given["target"], given["way"], given["from"], version)
        if not chosen:
            return "No samples selected."
        count = sheet.assign(chosen, column, value, version)
        samples = f"{count} sample{'' if count == 1 else 's'}"
        return f"{samples}: {column} {value or 'empty'}." if count else "Nothing to change."
    except GenotexError as error:
        return f"Not changed: {_first_mistake(error)}."


def _pair_people(
    request: Request, sheet: EditedSheet, place: Mapping[str, str], version: str
) -> str:
    """Make pairs of the people that the quality of the series has found."""
    files = _series_of(request, place["trait"], place["series"])
    series = workbench_of(request).series.kept(series_state(files))
    if series is None or series.quality.audit is None:
        return "Not changed: the expression of the samples was not read yet."
    blocks = series.quality.record.get("detected_blocks", {})
    people = {sample: block if block != sample else "" for sample, block in blocks.items()}
    try:
        return sheet.pair(people, "their expression", _version(version))
    except GenotexError as error:
        return f"Not changed: {_first_mistake(error)}."


def _listed(
    workbench: Workbench, files: GeoCohortFiles, sheet: EditedSheet
) -> tuple[SeriesComparison, ...]:
    """Return what the series compares; nothing where it cannot be read, which its plots explain."""
    with suppress(GenotexError):
        key = files.trait, series_state(files), tuple(sheet.left_out)
        return workbench.compared.get(key, lambda: _compared(files, sheet).comparisons)
    return ()


def _compared(files: GeoCohortFiles, sheet: EditedSheet) -> SeriesComparisons:
    """Return what the series compares by its texts."""
    return comparisons_of(files, PreprocessOptions(exclude=tuple(sheet.left_out)))


async def compare(request: Request) -> Response:
    """Start a test of one of the comparisons, and show the history."""
    async with form_of(request) as form:
        name = str(form.get("comparison", ""))
    with refusals():
        await run_in_threadpool(_submit, request, name)
    return render(request, "history.html.j2", **history_of(request))


def _submit(request: Request, name: str) -> None:
    sheet, place = _sheet(request)
    jobs = workbench_of(request).jobs
    jobs.check_room(visitor_of(request).user)
    found = _compared(_series_of(request, **place), sheet)
    record = ComparisonRecord(
        name="",
        created=time.time(),
        trait=place["trait"],
        series=place["series"],
        comparison=found.chosen(name).name,
        exclude=sheet.left_out,
    )
    jobs.submit(
        record.model_copy(update={"name": jobs.new_folder(record.comparison).name}),
        visitor_of(request).user,
    )


def _download(request: Request) -> Response:
    """Send the sheet as a file for a spreadsheet; the folder stays as it is."""
    sheet, place = _sheet(request)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "sheet.csv"
        sheet.copy(copy)
        content = copy.read_bytes()
    headers = attached(f"{place['series']}.csv")
    return Response(content, media_type="text/csv; charset=utf-8", headers=headers)


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/samples", samples),
        Route("/samples/trait", _of_trait),
        Route("/samples/table", table),
        Route("/samples/assign", assign, methods=["POST"], name="changes the samples"),
        Route("/samples/upload", upload, methods=["POST"], name="uploads a sample sheet"),
        Route("/samples/compare", compare, methods=["POST"], name="tests a comparison"),
        Route("/samples.csv", _download),
    ]
