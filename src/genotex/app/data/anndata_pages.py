"""A cohort, or an analysis of it, as an AnnData file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from genotex.app.pages import analysis_of, not_found, workbench_of
from genotex.app.quality.pages import named_cohort
from genotex.formats import find_evidence, read_linked
from genotex.reports import evidence_of, linked_of
from genotex.studies import safe_name
from genotex.workflows import cohort_to_anndata, write_h5ad

if TYPE_CHECKING:
    from anndata import AnnData


def analysis(request: Request) -> Response:
    """Send the samples of an analysis, with its result in ``var``."""
    found = analysis_of(request)
    table = linked_of(found.output, found.result)
    evidence = evidence_of(found.output, found.result)
    data = cohort_to_anndata(table, evidence, found.table_of_all())
    return _send(data, f"{found.result.trait}_{found.result.cohort}.h5ad")


def cohort(request: Request) -> Response:
    """Send a preprocessed cohort."""
    output, trait, name = named_cohort(request)
    there = workbench_of(request).workspace.file(output.evidence(trait, name))
    evidence = None if there is None else find_evidence(output, trait, name)
    if evidence is None:
        what = f"a record of {name}"
        raise not_found(what)
    data = cohort_to_anndata(read_linked(output, trait, name), evidence)
    return _send(data, f"{trait}_{name}.h5ad")


def _send(data: AnnData, name: str) -> Response:
    """Send AnnData; the file that it is written to is removed once it is sent."""
    folder = tempfile.TemporaryDirectory()
    try:
        path = write_h5ad(data, Path(folder.name) / "data.h5ad")
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(path, filename=safe_name(name), background=BackgroundTask(folder.cleanup))


def routes() -> list[Route]:
    """Return the routes of these files."""
    return [Route("/genes.h5ad", analysis), Route("/cohort.h5ad", cohort)]
