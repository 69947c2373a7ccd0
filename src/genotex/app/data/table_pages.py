"""Own tables: how they were read, their design, and an analysis as `genotex de` does it."""

from __future__ import annotations

import shlex
import time

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.app.data.analysis_pages import history_of
from genotex.app.pages import form_of, not_found, render, workbench_of
from genotex.cohorts import OwnTables
from genotex.errors import GenotexError, UsageError
from genotex.formats import why_no_formula
from genotex.options import MissingValues
from genotex.studies import (
    TABLES,
    CheckedDesign,
    TablesFiles,
    TablesRecord,
    columns_of,
    find_tables,
)

MISSING: dict[MissingValues, str] = {
    "error": "an error", "drop": "left out", "fill": "filled",
}  # fmt: skip


def _opened(request: Request) -> tuple[TablesFiles, OwnTables]:
    """Return the own tables that an address names, read."""
    workbench = workbench_of(request)
    name = request.query_params.get("name", "")
    files = find_tables(workbench.workspace, name)
    if files is None:
        what = f"a pair of tables {name!r}"
        raise not_found(what)
    return files, workbench.tables.get(workbench.workspace, files)


def tables(request: Request) -> Response:
    """Show own tables, and the form of an analysis."""
    files, read = _opened(request)
    return render(
        request,
        "tables.html.j2",
        files=files,
        tables=read,
        columns=columns_of(read),
        missing=MISSING,
        checked=None,
        error="",
        **history_of(request),
    )


async def design(request: Request) -> Response:
    """Show what a design compares, or what is wrong with it, for htmx."""
    async with form_of(request) as form:
        asked = [_text(form, name) for name in ("design", "contrast", "time", "event")]
        if not all(asked[:2]) and not any(asked[2:]):
            return render(request, "table_design.html.j2", checked=None, error="")
        try:
            files, record, checked = await run_in_threadpool(_checked, request, form)
        except GenotexError as error:
            return render(request, "table_design.html.j2", checked=None, error=str(error))
    command = _command(files, record)
    return render(request, "table_design.html.j2", checked=checked, error="", command=command)


def _checked(request: Request, form: FormData) -> tuple[TablesFiles, TablesRecord, CheckedDesign]:
    """Return what a form asks for, and what its design compares."""
    files, read = _opened(request)
    record = _record(files, form)
    return files, record, workbench_of(request).previews.check(read, record)


def _command(files: TablesFiles, record: TablesRecord) -> str:
    """Return the `genotex de` command of the same analysis."""
    folder = f"{TABLES}/{files.name}"
    samples = files.samples or files.expression
    words = ["genotex", "de", f"{folder}/{files.expression}", f"{folder}/{samples}", "results"]
    words += ["--design", record.design] if record.design else []
    words += ["--survival", record.survival] if record.survival else []
    for contrast in record.contrasts:
        words += ["--contrast", contrast]
    for each in record.order:
        words += ["--order", each]
    given = {
        "--block": (record.block, None),
        "--missing": (record.missing, "error"),
        "--q": (f"{record.q_cut:g}", "0.05"),
        "--hidden": ("auto" if record.survival else record.hidden, "auto"),
        "--scale": (files.scale, "auto"),
        "--cohort": (files.name, files.expression.partition(".")[0]),
        "--platform": (files.platform and f"{folder}/{files.platform}", None),
    }
    for option, (value, default) in given.items():
        if value != default and value is not None:
            words += [option, value]
    if not record.panel and record.survival is None:
        words.append("--no-panel")
    return shlex.join(words)


def _text(form: FormData, name: str) -> str:
    return str(form.get(name, "")).strip()


def _record(files: TablesFiles, form: FormData) -> TablesRecord:
    """Return the analysis that a form states, before it has a name."""

    def text(name: str) -> str:
        return _text(form, name)

    def lines(name: str) -> list[str]:
        return [line.strip() for line in text(name).splitlines() if line.strip()]

    contrasts, survival = lines("contrast"), _survival(text("time"), text("event"))
    if survival is None and not (text("design") and contrasts):
        msg = (
            "state a design, as ~ group + age, and a contrast, as group: case - control; or the "
            "columns of the time to an event"
        )
        raise UsageError(msg)
    try:
        q_cut = float(text("q") or "0.05")
    except ValueError as error:
        msg = f"{text('q')!r} is not a number"
        raise UsageError(msg) from error
    for name, given in (("design", text("design")), *(("contrast", each) for each in contrasts)):
        if why := why_no_formula(given):
            msg = f"the {name} {why}"
            raise UsageError(msg)
    usual: MissingValues = "error"
    return TablesRecord(
        name="",
        created=time.time(),
        tables=files.name,
        design=text("design"),
        contrasts=contrasts,
        traits=[],
        survival=survival,
        block=text("block") or None,
        missing=next((word for word in MISSING if word == text("missing")), usual),
        order=lines("order"),
        q_cut=q_cut,
        hidden="none" if text("hidden") == "none" else "auto",
        panel=text("panel") == "yes",
    )


def _survival(time_column: str, event_column: str) -> str | None:
    """Return time and event as `genotex de --survival` takes them."""
    if not time_column and not event_column:
        return None
    if not time_column or not event_column or time_column == event_column:
        msg = "choose a column for the time and another for the event"
        raise UsageError(msg)
    return f"{time_column},{event_column}"


async def start(request: Request) -> Response:
    """Start an analysis, and show the history."""
    async with form_of(request) as form:
        try:
            await run_in_threadpool(_submit, request, form)
        except GenotexError as error:
            raise HTTPException(400, str(error)) from error
    return render(request, "history.html.j2", **history_of(request))


def _submit(request: Request, form: FormData) -> None:
    jobs = workbench_of(request).jobs
    jobs.check_room()
    files, record, checked = _checked(request, form)
    traits = [row.trait for row in checked.rows if record.survival is None]
    name = jobs.new_folder(files.name).name
    jobs.submit(record.model_copy(update={"name": name, "traits": traits}))


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/tables", tables, methods=["GET"]),
        Route("/tables", start, methods=["POST"]),
        Route("/tables/design", design, methods=["POST"]),
    ]
