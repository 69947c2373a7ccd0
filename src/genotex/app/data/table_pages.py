"""Own tables: how they were read, their design, and an analysis as `genotex de` does it."""

from __future__ import annotations

import shlex
import time
from pathlib import Path

import polars as pl
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.app.data.analysis_pages import history_of
from genotex.app.forms import OptionForm
from genotex.app.pages import form_of, not_found, refusals, render, visitor_of, workbench_of
from genotex.app.study import line_of
from genotex.cohorts import OwnTables
from genotex.errors import GenotexError, UsageError
from genotex.options import AnalysisOptions, DesignOptions, ReadingOptions, command_words
from genotex.studies import (
    TABLES,
    CheckedDesign,
    TablesFiles,
    TablesRecord,
    columns_of,
    find_tables,
    genes_left_out,
    why_no_design,
)

_FORM = OptionForm(DesignOptions, AnalysisOptions(), designs=True)


def _opened(request: Request) -> tuple[TablesFiles, OwnTables]:
    """Return the own tables that an address names, read."""
    workbench = workbench_of(request)
    name = request.query_params.get("name", "")
    files = find_tables(workbench.workspace, name)
    if files is None:
        what = f"a pair of tables {name!r}"
        raise not_found(what)
    return files, workbench.own_tables(files)


def tables(request: Request) -> Response:
    """Show own tables, and the form of an analysis."""
    files, read = _opened(request)
    described = columns_of(read)
    proposed = _proposed(read)
    form = _FORM if proposed is None else OptionForm(proposed, AnalysisOptions(), designs=True)
    before = workbench_of(request).jobs.record(request.query_params.get("again", ""))
    if isinstance(before, TablesRecord) and before.tables == files.name:
        form = OptionForm(before.asked, before.options, designs=True)
    return render(
        request,
        "tables.html.j2",
        files=files,
        tables=read,
        described=described,
        columns=list(described),
        form=form,
        proposed=proposed is not None and form is not _FORM,
        checked=None,
        error="",
        line=line_of(request, "Design", {"name": files.name}),
        **history_of(request),
    )


_MOST_LEVELS, _FEWEST = 6, 2


def _proposed(read: OwnTables) -> DesignOptions | None:
    """Return the comparison of the first column that names groups of samples, if there is one."""
    for column in read.sample_table.drop("sample").iter_columns():
        counts = column.drop_nulls().value_counts(name="n")["n"]
        is_group = 2 <= len(counts) <= _MOST_LEVELS and counts.min() >= _FEWEST  # type: ignore[operator]
        if is_group and column.dtype == pl.String and column.name.isidentifier():
            return DesignOptions(design=f"~ {column.name}", contrasts=(column.name,))
    return None


async def design(request: Request) -> Response:
    """Show what a design compares, or what is wrong with it, for htmx."""
    async with form_of(request) as form:
        stated = [any(form.getlist(name)) for name in ("design", "contrast", "survival")]
        if not all(stated[:2]) and not stated[2]:
            return render(request, "table_design.html.j2", checked=None, error="")
        try:
            files, record, checked = await run_in_threadpool(_checked, request, form)
        except GenotexError as error:
            return render(request, "table_design.html.j2", checked=None, error=str(error))
    command = _command(files, record)
    return render(request, "table_design.html.j2", checked=checked, error="", command=command)


def _checked(request: Request, form: FormData) -> tuple[TablesFiles, TablesRecord, CheckedDesign]:
    """Return what a form asks for, and what its design compares."""
    workbench, (files, read) = workbench_of(request), _opened(request)
    record = _record(files, form)
    found = workbench.previews.check(read, record)
    sizes = [row.group_size for row in found.rows if row.group_size is not None]
    if read.counts and record.options.filter_low and sizes:
        kept = workbench.kept_tables(files)[0]
        found.notes += workbench.apart.run(genes_left_out, kept, sizes)
    return files, record, found


def _command(files: TablesFiles, record: TablesRecord) -> str:
    """Return the `genotex de` command of the same analysis."""
    folder = f"{TABLES}/{files.name}"
    samples = files.samples or files.expression
    words = ["genotex", "de", f"{folder}/{files.expression}", f"{folder}/{samples}", "results"]
    platform = Path(folder, files.platform) if files.platform else None
    named = None if files.name == files.expression.partition(".")[0] else files.name
    reading = ReadingOptions(platform, files.scale, named)
    return shlex.join([*words, *command_words(record.asked, reading, record.options)])


def _record(files: TablesFiles, form: FormData) -> TablesRecord:
    """Return the analysis that a form states, before it has a name."""
    asked, options = _FORM.read(form)
    if why := why_no_design(asked):
        raise UsageError(why)
    return TablesRecord(
        name="", created=time.time(), tables=files.name, asked=asked, options=options, traits=[]
    )


async def start(request: Request) -> Response:
    """Start an analysis, and show the history."""
    async with form_of(request) as form:
        with refusals():
            await run_in_threadpool(_submit, request, form)
    return render(request, "history.html.j2", **history_of(request))


def _submit(request: Request, form: FormData) -> None:
    workbench, user = workbench_of(request), visitor_of(request).user
    jobs = workbench.jobs
    jobs.check_room(user)
    files, record, checked = _checked(request, form)
    traits = [row.trait for row in checked.rows if record.asked.survival is None]
    name = jobs.new_folder(files.name).name
    record = record.model_copy(update={"name": name, "traits": traits})
    jobs.submit(record, user, workbench.kept_tables(files)[0])


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/tables", tables, methods=["GET"]),
        Route("/tables", start, methods=["POST"], name="tests own tables"),
        Route("/tables/design", design, methods=["POST"], name=""),
    ]
