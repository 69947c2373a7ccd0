"""The quality of the samples of a preprocessed cohort."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.analysis.samples.profiles import FAR
from genotex.app.data.sheets import EditedSheet
from genotex.app.downloads import send_anndata, send_figure
from genotex.app.pages import Workbench, not_found, place_of, render, workbench_of
from genotex.app.quality.cohorts import CohortQuality, marks_of
from genotex.app.quality.raw import RawQuality
from genotex.errors import GenotexError, UsageError
from genotex.figures import Figure, Line, SampleMarks, boxes, correlations, densities, sample_points
from genotex.formats import find_evidence, read_cohort_info, read_linked
from genotex.layout import OutputFolder
from genotex.reports import audit_view
from genotex.studies import state_of
from genotex.workflows import cohort_to_anndata

_PLOTS = {
    "pca": ("PCA", "Principal components of the genes that vary most."),
    "mds": (
        "MDS",
        "Samples that correlate are near each other (classical scaling of 1 - correlation).",
    ),
    "correlation": (
        "Correlation",
        "Correlation of each two samples, those alike next to each other.",
    ),
    "box": (
        "Box plots",
        "5, 25, 50, 75 and 95 % of the values of each sample, as they are analysed.",
    ),
    "density": ("Densities", "Distribution of the values of each sample, as they are analysed."),
    "distance": (
        "Outliers",
        "Distance of each sample from its group; above the dashed line it varies four times as "
        "much as the others or more.",
    ),
    "sex": (
        "Sex",
        "XIST is expressed by women only, genes of the Y chromosome by men only; ringed samples "
        "are not what is recorded.",
    ),
}
"""Plot -> its name, and what it shows."""
_DISTRIBUTIONS = ("box", "density")


def _named_cohort(request: Request) -> tuple[OutputFolder, str, str]:
    """Return output, trait and cohort of an address; the name is looked up in the folder."""
    output, trait, _ = place_of(request)
    name = request.query_params.get("cohort", "")
    workbench = workbench_of(request)
    known = workbench.workspace.file(output.cohort_info(trait))
    what = f"a usable cohort {name!r} of {trait!r}"
    if known is None or name not in read_cohort_info(known):
        raise not_found(what)
    paths = (output.linked_parquet(trait, name), output.evidence(trait, name))
    held = all(workbench.workspace.holds(path) for path in paths)
    if workbench.workspace.file(output.linked_csv(trait, name)) is None or not held:
        raise not_found(what)
    return output, trait, name


def _measured(request: Request, output: OutputFolder, trait: str, name: str) -> CohortQuality:
    """Return a cohort, read from its files the first time."""
    key = state_of(output.linked_csv(trait, name))
    make = partial(CohortQuality.read, output, trait, name)
    return workbench_of(request).cohorts.get(key, make)


def _columns(sheet: EditedSheet | None, cohort: CohortQuality) -> dict[str, list[str]]:
    """Return what samples can be coloured by: the sheet as it is now, then the cohort's record."""
    columns: dict[str, list[str]] = {}
    if sheet is not None:
        rows = {row["sample"]: row for row in sheet.rows}
        columns = {
            name: [rows.get(sample, {}).get(name, "") for sample in cohort.samples]
            for name in (*sheet.edited, *sheet.characteristics)
        }
    columns = {name: cells for name, cells in columns.items() if any(cells)}
    return columns | {name: c for name, c in cohort.columns.items() if name not in columns}


def _sheet(request: Request, trait: str, name: str) -> EditedSheet | None:
    """Return the sheet of the cohort's series; None where the folder does not hold the series."""
    workbench = workbench_of(request)
    path = workbench.workspace.sheet(trait, name)
    if not workbench.workspace.holds(path):
        return None
    for found in workbench.workspace.inputs():
        if name in found.series.get(trait, ()):
            try:
                return workbench.sheets.get(path, found.files(trait, name), trait)
            except GenotexError:
                return None
    return None


def quality(request: Request) -> Response:
    """Show checks and plots."""
    output, trait, name = _named_cohort(request)
    cohort = _measured(request, output, trait, name)
    sheet, record = _sheet(request, trait, name), cohort.record
    return render(
        request,
        "quality.html.j2",
        place={"output": request.query_params["output"], "trait": trait, "cohort": name},
        cohort=cohort,
        plots=[(key, label) for key, (label, _) in _PLOTS.items() if _exists(key, record)],
        columns=list(_columns(sheet, cohort)),
        audit=audit_view(cohort.audit),
        has_sheet=sheet is not None,
    )


def _download(request: Request) -> Response:
    """Send the cohort as AnnData."""
    output, trait, name = _named_cohort(request)
    there = workbench_of(request).workspace.file(output.evidence(trait, name))
    evidence = None if there is None else find_evidence(output, trait, name)
    if evidence is None:
        what = f"a record of {name}"
        raise not_found(what)
    data = cohort_to_anndata(read_linked(output, trait, name), evidence)
    return send_anndata(data, f"{trait}_{name}.h5ad")


def _exists(plot: str, record: dict[str, Any]) -> bool:
    """Return whether the checks measured what a plot shows."""
    judged = bool(record.get("judged"))
    if plot == "distance":
        return judged and any(v is not None for v in record["by_sample"]["distance"])
    if plot == "sex":
        sex = record.get("sex", {})
        measured = (any(v is not None for v in sex.get(axis, ())) for axis in ("xist", "y"))
        return judged and bool(sex.get("judged")) and all(measured)
    return True


def points(request: Request) -> Response:
    """Send a plot, its samples coloured by a column."""
    output, trait, name = _named_cohort(request)
    cohort = _measured(request, output, trait, name)
    plot = request.query_params.get("plot", "pca")
    if plot not in _PLOTS or not _exists(plot, cohort.record):
        what = f"a plot {plot!r} of {name}"
        raise not_found(what)
    by, cells = _chosen(request, cohort, _sheet(request, trait, name))
    rows = _rows(cohort, plot)
    marks = marks_of([cohort.samples[i] for i in rows], by, [cells[i] for i in rows])
    drawn = f" {len(rows)} of {len(cohort.samples)} samples are drawn."
    note = _PLOTS[plot][1] + (drawn if len(rows) < len(cohort.samples) else "")
    return send_figure(request, _figure(plot, cohort, marks), note, by=by)


def before(request: Request) -> Response:
    """Send a plot of the values as in the file, which is read for it."""
    output, trait, name = _named_cohort(request)
    workbench = workbench_of(request)
    cohort = _measured(request, output, trait, name)
    plot = request.query_params.get("plot", "")
    if plot not in _DISTRIBUTIONS:
        what = f"a plot {plot!r} of the values of {name} before processing"
        raise not_found(what)
    try:
        raw = _raw(workbench, output, trait, name, cohort)
    except (GenotexError, OSError) as error:
        return send_figure(request, None, workbench.workspace.without_places(str(error)))
    by, cells = _chosen(request, cohort, _sheet(request, trait, name))
    rows = _rows(cohort, plot)
    marks = marks_of([cohort.samples[i] for i in rows], by, [cells[i] for i in rows])
    figure = _distribution(plot, raw, marks, "value in the file, log2 scale")
    return send_figure(request, figure, raw.note, by=by)


def _raw(
    workbench: Workbench, output: OutputFolder, trait: str, name: str, cohort: CohortQuality
) -> RawQuality:
    """Return the distributions of a cohort in its input, which is read the first time."""
    workspace, path = workbench.workspace, output.evidence(trait, name)
    evidence = None if workspace.file(path) is None else find_evidence(output, trait, name)
    if evidence is None:
        msg = "The cohort has no record of the files that it was made of."
        raise UsageError(msg)
    make = partial(RawQuality.find, workspace, evidence, cohort)
    return workbench.raw.get(state_of(path), make)


def _chosen(
    request: Request, cohort: CohortQuality, sheet: EditedSheet | None
) -> tuple[str, list[str]]:
    """Return the column that samples are coloured by, and its cells."""
    columns = _columns(sheet, cohort)
    by = request.query_params.get("by", "")
    by = by if by in columns else next(iter(columns))
    return by, columns[by]


def _rows(cohort: CohortQuality, plot: str) -> list[int]:
    """Return the samples of a plot: all, those of a heatmap, or those that an analysis compares."""
    if plot in ("correlation", "density"):
        return [*map(int, cohort.drawn)]
    if plot in ("distance", "sex"):
        place = {sample: i for i, sample in enumerate(cohort.samples)}
        return [place[sample] for sample in cohort.record["by_sample"]["sample"]]
    return list(range(len(cohort.samples)))


def _figure(plot: str, cohort: CohortQuality, marks: SampleMarks) -> Figure:
    """Declare a plot of the samples of `marks`."""
    record = cohort.record
    outliers = {row["sample"] for row in record.get("outliers", ())}
    ringed = np.array([sample in outliers for sample in marks.names], dtype=bool)
    if plot in _DISTRIBUTIONS:
        return _distribution(plot, cohort, marks, "log2 expression", ringed)
    if plot == "correlation":
        inside = cohort.correlation[np.ix_(cohort.drawn, cohort.drawn)].astype(float)
        return correlations(inside, marks, np.arange(len(marks.names)))
    if plot == "mds":
        return sample_points(plot, cohort.mds, ("MDS 1", "MDS 2"), marks, ringed)
    if plot == "distance":
        distance = record["by_sample"]["distance"]
        places = np.array([range(1, len(distance) + 1), distance], dtype=float).T
        labels = ["sample", "distance from its group / usual distance"]
        return sample_points(plot, places, labels, marks, ringed, (Line("y", FAR, "threshold"),))
    if plot == "sex":
        sex = record["sex"]
        places = np.array([sex["xist"], sex["y"]], dtype=float).T
        wrong = np.array([sample in sex["mismatches"] for sample in marks.names], dtype=bool)
        labels = ["XIST, log2", "genes of the Y chromosome, log2"]
        return sample_points(plot, places, labels, marks, wrong, ())
    labels = [f"PC{i + 1} ({100 * s:.1f} % of variance)" for i, s in enumerate(cohort.explained)]
    return sample_points(plot, cohort.pca, labels, marks, ringed)


def _distribution(
    plot: str,
    values: CohortQuality | RawQuality,
    marks: SampleMarks,
    label: str,
    ringed: NDArray[np.bool_] | None = None,
) -> Figure:
    every = np.arange(len(marks.names))
    if plot == "box":
        rows = marks.side_by_side(every.tolist())
        return boxes([(label, values.quantiles, False)], marks, rows, named=True)
    return densities(values.middles, values.densities, marks, every, "", label, ringed)


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/quality", quality),
        Route("/quality/points", points),
        Route("/cohort.h5ad", _download),
        Route("/quality/before", before, methods=["POST"]),
    ]
