"""The quality of the samples of a preprocessed cohort."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.analysis.samples.profiles import FAR
from genotex.app.data.sheets import EditedSheet
from genotex.app.downloads import send_figure
from genotex.app.pages import not_found, place_of, render, workbench_of
from genotex.app.quality.cohorts import CohortQuality, marks_of
from genotex.app.quality.raw import RawQuality
from genotex.errors import GenotexError
from genotex.figures import (
    Figure,
    Line,
    SampleMarks,
    boxes,
    correlations,
    densities,
    sample_points,
)
from genotex.formats import read_cohort_info
from genotex.layout import OutputFolder
from genotex.reports import checks_of_samples, conspicuous_samples

_PLOTS = {
    "pca": "PCA",
    "mds": "MDS",
    "correlation": "Correlation",
    "box": "Box plots",
    "density": "Densities",
    "distance": "Outliers",
    "sex": "Sex",
}
Flags = NDArray[np.bool_]


def named_cohort(request: Request) -> tuple[OutputFolder, str, str]:
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
    output, trait, name = named_cohort(request)
    cohort = workbench_of(request).cohorts.get(output, trait, name)
    sheet, record = _sheet(request, trait, name), cohort.record
    judged = bool(record.get("judged"))
    return render(
        request,
        "quality.html.j2",
        place={"output": request.query_params["output"], "trait": trait, "cohort": name},
        cohort=cohort,
        plots=[(key, label) for key, label in _PLOTS.items() if _exists(key, record)],
        columns=list(_columns(sheet, cohort)),
        checks=checks_of_samples(record) if judged else (),
        note="" if judged else record.get("note", ""),
        conspicuous=conspicuous_samples(record) if judged else (),
        has_sheet=sheet is not None,
    )


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
    output, trait, name = named_cohort(request)
    cohort = workbench_of(request).cohorts.get(output, trait, name)
    plot = request.query_params.get("plot", "pca")
    if plot not in _PLOTS or not _exists(plot, cohort.record):
        what = f"a plot {plot!r} of {name}"
        raise not_found(what)
    by, cells = _chosen(request, cohort, _sheet(request, trait, name))
    rows = _rows(cohort, plot)
    samples = [cohort.samples[i] for i in rows]
    marks = marks_of(samples, by, [cells[i] for i in rows])
    outliers = {row["sample"] for row in cohort.record.get("outliers", ())}
    ringed = np.array([sample in outliers for sample in samples], dtype=bool)
    figure = _DECLARED[plot](cohort, marks, ringed)
    drawn = f" {len(rows)} of {len(cohort.samples)} samples are drawn."
    note = _NOTES[plot] + (drawn if len(rows) < len(cohort.samples) else "")
    return send_figure(request, figure, note, by=by)


def before(request: Request) -> Response:
    """Send a plot of the values as in the file, which is read for it."""
    output, trait, name = named_cohort(request)
    workbench = workbench_of(request)
    cohort = workbench.cohorts.get(output, trait, name)
    plot = request.query_params.get("plot", "")
    if plot not in _DISTRIBUTIONS:
        what = f"a plot {plot!r} of the values of {name} before processing"
        raise not_found(what)
    try:
        raw = workbench.raw.get(workbench.workspace, output, trait, name, cohort)
    except (GenotexError, OSError) as error:
        return send_figure(request, None, workbench.workspace.without_places(str(error)))
    by, cells = _chosen(request, cohort, _sheet(request, trait, name))
    rows = _rows(cohort, plot)
    marks = marks_of([cohort.samples[i] for i in rows], by, [cells[i] for i in rows])
    label = "value in the file, log2 scale"
    figure = _DISTRIBUTIONS[plot](raw, marks, np.zeros(len(rows), dtype=bool), label)
    return send_figure(request, figure, raw.note, by=by)


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


def _pca(cohort: CohortQuality, marks: SampleMarks, ringed: Flags) -> Figure:
    labels = [f"PC{i + 1} ({100 * s:.1f} % of variance)" for i, s in enumerate(cohort.explained)]
    return sample_points("pca", cohort.pca, labels, marks, ringed)


def _mds(cohort: CohortQuality, marks: SampleMarks, ringed: Flags) -> Figure:
    return sample_points("mds", cohort.mds, ("MDS 1", "MDS 2"), marks, ringed)


def _correlation(cohort: CohortQuality, marks: SampleMarks, ringed: Flags) -> Figure:
    del ringed
    rows = cohort.drawn
    inside = cohort.correlation[np.ix_(rows, rows)].astype(float)
    return correlations(inside, marks, np.arange(len(rows)))


def _boxes(
    values: CohortQuality | RawQuality,
    marks: SampleMarks,
    ringed: Flags,
    label: str = "log2 expression",
) -> Figure:
    del ringed
    rows = marks.side_by_side(range(len(marks.names)))
    return boxes([(label, values.quantiles, False)], marks, rows, named=True)


def _densities(
    values: CohortQuality | RawQuality,
    marks: SampleMarks,
    ringed: Flags,
    label: str = "log2 expression",
) -> Figure:
    rows = np.arange(len(marks.names))
    return densities(values.middles, values.densities, marks, rows, "", label, ringed)


def _distance(cohort: CohortQuality, marks: SampleMarks, ringed: Flags) -> Figure:
    distance = cohort.record["by_sample"]["distance"]
    places = np.array([range(1, len(distance) + 1), distance], dtype=float).T
    labels = ("sample", "distance from its group / usual distance")
    lines = (Line("y", FAR, "threshold"),)
    return sample_points("distance", places, labels, marks, ringed, lines)


def _sex(cohort: CohortQuality, marks: SampleMarks, ringed: Flags) -> Figure:
    del ringed
    sex = cohort.record["sex"]
    places = np.array([sex["xist"], sex["y"]], dtype=float).T
    wrong = np.array([sample in sex["mismatches"] for sample in marks.names], dtype=bool)
    labels = ("XIST, log2", "genes of the Y chromosome, log2")
    return sample_points("sex", places, labels, marks, wrong, ())


_DISTRIBUTIONS = {"box": _boxes, "density": _densities}
_DECLARED: dict[str, Callable[[CohortQuality, SampleMarks, Flags], Figure]] = {
    "pca": _pca,
    "mds": _mds,
    "correlation": _correlation,
    "distance": _distance,
    "sex": _sex,
    **_DISTRIBUTIONS,
}
_NOTES = {
    "pca": "Principal components of the genes that vary most.",
    "mds": "Samples that correlate are near each other (classical scaling of 1 - correlation).",
    "correlation": "Correlation of each two samples, those alike next to each other.",
    "box": "5, 25, 50, 75 and 95 % of the values of each sample, as they are analysed.",
    "density": "Distribution of the values of each sample, as they are analysed.",
    "distance": "Distance of each sample from its group; above the dashed line it varies four "
    "times as much as the others or more.",
    "sex": "XIST is expressed by women only, genes of the Y chromosome by men only; ringed "
    "samples are not what is recorded.",
}


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/quality", quality),
        Route("/quality/points", points),
        Route("/quality/before", before, methods=["POST"]),
    ]
