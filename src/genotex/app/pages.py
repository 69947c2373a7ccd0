"""Pages as HTML: templates, and what all of them need."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

import genotex
from genotex import words
from genotex.analysis import SeriesDesign
from genotex.app.access.activity import study_of
from genotex.app.access.security import MOST_FIELDS, Access, Visitor, too_long
from genotex.app.atlas.atlases import Atlases
from genotex.app.data.sheets import Sheets
from genotex.app.quality.cohorts import SeriesQuality, StoredQuality
from genotex.app.quality.raw import RawQuality
from genotex.app.runs.leaderboard import Leaderboards
from genotex.clinical import SeriesComparison
from genotex.cohorts import OwnTables
from genotex.errors import GenotexError, UsageError
from genotex.extras import is_installed
from genotex.layout import GeoCohortFiles, OutputFolder, trait_folder_name
from genotex.options import (
    AnalysisOptions,
    DesignOptions,
    PreprocessChoices,
    declared,
    written_formats,
)
from genotex.studies import (
    Apart,
    FileState,
    JobQueue,
    JobRecord,
    Kept,
    LoadedAnalyses,
    LoadedAnalysis,
    Previews,
    Recent,
    TablesFiles,
    Workspace,
    load_tables,
    paths_of,
    state_of,
)
from genotex.workflows import SamplesRead

_KeptTables = tuple[Kept[OwnTables], OwnTables]


@dataclass
class Workbench:
    """What the pages share: the folder, loaded analyses, and the genes that are highlighted."""

    workspace: Workspace
    access: Access
    jobs: JobQueue
    apart: Apart = field(default_factory=Apart)
    cohorts: Recent[FileState, StoredQuality] = field(default_factory=partial(Recent, 8))
    series: Recent[Any, SeriesQuality] = field(default_factory=partial(Recent, 2))
    raw: Recent[Any, RawQuality] = field(default_factory=partial(Recent, 8))
    boards: Leaderboards = field(default_factory=Leaderboards)
    atlases: Atlases = field(default_factory=Atlases)
    sheets: Sheets = field(default_factory=Sheets)
    tables: Recent[Any, _KeptTables] = field(default_factory=partial(Recent, 1))
    previews: Previews = field(default_factory=Previews)
    geo_addresses: tuple[str | None, str | None, str | None] = (None, None, None)
    marked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Name of a person -> the genes that they highlight; without accounts, the name is empty."""
    read: Recent[Any, SamplesRead] = field(default_factory=partial(Recent, 40))
    compared: Recent[Any, tuple[SeriesComparison, ...]] = field(default_factory=partial(Recent, 40))
    """Files of a series, and the samples left out -> what it compares by its texts."""
    plans: dict[tuple[str, ...], SeriesDesign] = field(default_factory=dict)
    """Trait and series -> the design that was previewed last."""
    unread: dict[Any, str] = field(default_factory=dict)
    """Files of a series, as they are -> why its expression cannot be read."""

    def __post_init__(self) -> None:
        """Read analyses where other work that takes memory is done."""
        self.loaded = LoadedAnalyses(self.apart)

    def own_tables(self, files: TablesFiles) -> OwnTables:
        """Return own tables, read again when a file has changed."""
        return self.kept_tables(files)[1]

    def kept_tables(self, files: TablesFiles, sent: Kept[OwnTables] | None = None) -> _KeptTables:
        """Return own tables for work apart, and as they are shown; `sent`: as they were read."""
        paths = paths_of(self.workspace, files)
        key = (files.name, *(state_of(path) for path in paths if path is not None))

        def read() -> _KeptTables:
            kept = sent or self.apart.keep(load_tables, self.workspace, files.name)
            return kept, kept.open()

        return self.tables.get(key, read)

    def results_of(self, trait: str, series: str) -> list[JobRecord]:
        """Return the finished analyses of one series alone, the newest first."""
        done = (r for r in self.jobs.records() if r.state == "done" and r.page == "/genes")
        return [record for record in done if record.of_series == (trait, [series])]

    def close(self) -> None:
        """End the processes that work for it."""
        self.apart.close()
        self.previews.close()
        self.jobs.close()


def workbench_of(request: Request) -> Workbench:
    """Return the workbench that answers a request."""
    found: Workbench = request.app.state.workbench
    return found


def visitor_of(request: Request) -> Visitor:
    """Return who sends a request: a person, whoever has a link, or somebody who is no one yet."""
    found: Visitor | None = request.state.visitor
    return found or Visitor()


def marked_of(request: Request) -> tuple[str, ...]:
    """Return the genes that a person highlights; a link shows none."""
    visitor = visitor_of(request)
    found = workbench_of(request).marked.get(visitor.user, ())
    return () if visitor.link is not None else found


def series_state(files: GeoCohortFiles) -> tuple[FileState, ...]:
    """Return what changes when a file of a series does."""
    return tuple(state_of(path) for path in files.inputs)


def not_found(what: str) -> HTTPException:
    """Return the error of something that is not in the folder."""
    return HTTPException(404, f"{what} is not in this folder")


def address_of(request: Request) -> dict[str, str]:
    """Return what names an analysis in the address of a request, as it was given."""
    return {name: request.query_params.get(name, "") for name in ("output", "trait", "condition")}


def place_of(
    request: Request, given: Mapping[str, str] | None = None
) -> tuple[OutputFolder, str, str | None]:
    """Return the output folder, trait and condition that an address names.

    Names of output folders are looked up among those that were found: no path is made of them.
    """
    query = request.query_params if given is None else given
    name = query.get("output", "")
    output = workbench_of(request).workspace.output(name)
    if output is None:
        what = f"an output folder {name!r}"
        raise not_found(what)
    condition = query.get("condition", "")
    try:
        trait = trait_folder_name(query.get("trait", ""))
        return output, trait, trait_folder_name(condition) if condition else None
    except UsageError as error:
        raise HTTPException(404, str(error)) from error


def analysis_of(request: Request, given: Mapping[str, str] | None = None) -> LoadedAnalysis:
    """Return the analysis that an address (or `given`) names, loaded."""
    output, trait, condition = place_of(request, given)
    workbench = workbench_of(request)
    workspace = workbench.workspace
    tables = output.all_genes(trait, condition), output.linked_csv(trait, "x").parent
    path = workspace.file(output.significant_genes(trait, condition))
    if path is None or not all(workspace.holds(table) for table in tables):
        what = f"an analysis of {trait}"
        raise not_found(what)
    return workbench.loaded.get(output, trait, condition)


def render(request: Request, template: str, status: int = 200, **values: object) -> Response:
    """Return a page; every value is escaped."""
    visitor, group = visitor_of(request), workbench_of(request).access.group
    page = _environment().get_template(template)
    html = page.render(
        change_token=visitor.change_token,
        folder=str(workbench_of(request).workspace.root),
        user=visitor.user,
        reads=visitor.reads,
        group=group is not None,
        shared=visitor.link is not None,
        version=genotex.__version__,
        path=request.url.path,
        **values,
    )
    return HTMLResponse(_rooted(request, html), status)


def show_outside(
    request: Request, template: str, status: int = 200, **values: object
) -> HTMLResponse:
    """Return a page for somebody who may not be signed in: no token, nothing of the folder."""
    page = _environment().get_template(template)
    html = page.render(version=genotex.__version__, **values)
    return HTMLResponse(_rooted(request, html), status)


_ADDRESS = re.compile(
    r' ((?:href|src|action|hx-get|hx-post|data-(?:copy|figure|gene|open|pair))=")/(?!/)'
)


def _rooted(request: Request, html: str) -> str:
    """Return a page whose addresses begin with what the request's did: of a proxy, or of a link.

    Text of the data has no quotation marks here: they are escaped.
    """
    root: str = request.state.root
    return _ADDRESS.sub(rf" \g<1>{root}/", html) if root else html


def wants_page(headers: Headers) -> bool:
    """Return whether an answer is shown as a page: not to htmx, nor to another script."""
    accepted = headers.get("accept", "*/*")
    by_script = "hx-request" in headers or headers.get("sec-fetch-dest") == "empty"
    return not by_script and ("text/html" in accepted or "*/*" in accepted)


@asynccontextmanager
async def form_of(
    request: Request, max_fields: int = MOST_FIELDS, max_files: int = 1
) -> AsyncIterator[FormData]:
    """Yield the form that was sent; a field that is too long is refused."""
    async with request.form(max_fields=max_fields, max_files=max_files) as form:
        problem = too_long(form.multi_items())
        if problem:
            raise HTTPException(400, problem)
        request.state.asked.extend(study_of(form))
        yield form


@contextmanager
def refusals() -> Iterator[None]:
    """Answer that a request is wrong where what it asks for is refused."""
    try:
        yield
    except GenotexError as error:
        raise HTTPException(400, str(error)) from error


def job_routes(page: str, kind: type[JobRecord], what: str) -> list[Route]:
    """Return what shows how far a job of a kind is, at its end the result, and what cancels it."""

    def job(request: Request) -> Response:
        found = workbench_of(request).jobs.record(request.query_params.get("name", ""))
        if not isinstance(found, kind):
            raise not_found(what)
        if found.state == "done":
            return Response(headers={"HX-Redirect": address(page, dict(found.place or {}))})
        return render(request, "job.html.j2", job=found, result_page=page)

    async def cancel(request: Request) -> Response:
        name = request.query_params.get("name", "")
        await run_in_threadpool(workbench_of(request).jobs.cancel, name)
        return await run_in_threadpool(job, request)

    return [
        Route(f"{page}/job", job),
        Route(f"{page}/cancel", cancel, methods=["POST"], name="cancels a job"),
    ]


def part_of_page(template: str, **values: object) -> Markup:
    """Return a part of a page, such as one of several tables; every value is escaped."""
    return Markup(_environment().get_template(template).render(**values))


def address(path: str, query: Mapping[str, object]) -> str:
    """Return a path with its query."""
    return f"{path}?{urlencode({k: v for k, v in query.items() if v not in (None, '')})}"


def _moment(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


def _duration(seconds: float) -> str:
    """Return a time in seconds, or in minutes where there are more than 90."""
    return f"{seconds:.0f} s" if seconds <= 90 else f"{seconds / 60:.0f} min"


_OPTION = re.compile(r"--([a-z][a-z-]*)")


@cache
def _labels() -> dict[str, str]:
    """Return the label of each option of an analysis by its name in a command."""
    kinds = (DesignOptions, AnalysisOptions, PreprocessChoices)
    every = [each for kind in kinds for each in declared(kind)]
    return {name.lstrip("-"): each.label for each in every for name in each.spellings if name}


_COMMAND = re.compile(r"'?genotex ([a-z]+)(?: geo)?(?: --[a-z-]+| [A-Z]{2,}\b)*'?")
_INSTEAD = {
    "fetch": "\u2018Add data\u2019", "de": "\u2018Tables of your own\u2019",
    "serve": "the workbench",
    "clinical": "the page of samples", "atlas": "\u2018Atlas\u2019", "solve": "an analysis",
    "analyze": "an analysis", "preprocess": "an analysis",
}  # fmt: skip
"""Command -> what does the same in the workbench."""


def plainly(text: str) -> str:
    """Return a text with commands and their options under the names that the workbench has."""
    text = _COMMAND.sub(lambda found: _INSTEAD.get(found[1], "the command line"), text)
    return _OPTION.sub(lambda found: f"\u2018{_labels().get(found[1], found[1])}\u2019", text)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("genotex.app"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": words.number,
        "interval": words.interval,
        "readable": words.readable,
        "counted": words.counted,
        "sentence": words.sentence,
        "plainly": plainly,
        "thousands": "{:,}".format,
        "moment": _moment,
        "duration": _duration,
        # Unlike `tojson` it is escaped like any text.
        "as_json": partial(json.dumps, indent=2, ensure_ascii=False),
    }
    environment.globals |= {
        "address": address,
        "figure_formats": written_formats,
        "has_anndata": partial(is_installed, "anndata"),
    }
    return environment
