"""The quality of the samples of a preprocessed cohort."""

from __future__ import annotations

from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from genotex.analysis.samples.profiles import FAR
from genotex.app.data.sheets import EditedSheet
from genotex.app.genes.plots import rounded
from genotex.app.pages import not_found, place_of, render, workbench_of
from genotex.app.quality.cohorts import CohortQuality, colours_of
from genotex.app.quality.raw import RawQuality
from genotex.errors import GenotexError
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
_DISTRIBUTIONS = ("box", "density")


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


def _cohort(request: Request) -> tuple[CohortQuality, dict[str, str]]:
    """Return the cohort that an address names, measured."""
    output, trait, name = named_cohort(request)
    place = {"output": request.query_params["output"], "trait": trait, "cohort": name}
    return workbench_of(request).cohorts.get(output, trait, name), place


def _columns(
    request: Request, cohort: CohortQuality, place: dict[str, str]
) -> dict[str, list[str]]:
    """Return what samples can be coloured by: the sheet as it is now, then the cohort's record."""
    sheet = _sheet(request, place)
    columns: dict[str, list[str]] = {}
    if sheet is not None:
        rows = {row["sample"]: row for row in sheet.rows}
        columns = {
            name: [rows.get(sample, {}).get(name, "") for sample in cohort.samples]
            for name in (*sheet.edited, *sheet.characteristics)
        }
    columns = {name: cells for name, cells in columns.items() if any(cells)}
    return columns | {name: c for name, c in cohort.columns.items() if name not in columns}


def _sheet(request: Request, place: dict[str, str]) -> EditedSheet | None:
    """Return the sheet of the cohort's series; None where the folder does not hold the series."""
    workbench = workbench_of(request)
    trait, name = place["trait"], place["cohort"]
    path = workbench.workspace.sheet(trait, name)
    if not workbench.workspace.holds(path):
        return None
    for found in workbench.workspace.inputs():
        if name in found.series.get(trait, ()):
            try:
                return workbench.sheets.get(path, found.files(trait, name), place["trait"])
            except GenotexError:
                return None
    return None


def quality(request: Request) -> Response:
    """Show checks and plots."""
    cohort, place = _cohort(request)
    record = cohort.record
    judged = bool(record.get("judged"))
    return render(
        request,
        "quality.html.j2",
        place=place,
        cohort=cohort,
        plots=[(key, label) for key, label in _PLOTS.items() if _exists(key, record)],
        columns=list(_columns(request, cohort, place)),
        checks=checks_of_samples(record) if judged else (),
        note="" if judged else record.get("note", ""),
        conspicuous=conspicuous_samples(record) if judged else (),
        has_sheet=_sheet(request, place) is not None,
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
    """Send the numbers of a plot, and the column that samples are coloured by."""
    cohort, place = _cohort(request)
    plot = request.query_params.get("plot", "pca")
    if plot not in _PLOTS or not _exists(plot, cohort.record):
        what = f"a plot {plot!r} of {place['cohort']}"
        raise not_found(what)
    data, rows = _data(cohort, plot)
    return _sent(request, cohort, place, plot, data, rows)


def before(request: Request) -> Response:
    """Send the numbers of a plot of the values as in the file, which is read for it."""
    cohort, place = _cohort(request)
    plot = request.query_params.get("plot", "")
    if plot not in _DISTRIBUTIONS:
        what = f"a plot {plot!r} of the values of {place['cohort']} before processing"
        raise not_found(what)
    workbench = workbench_of(request)
    try:
        raw = workbench.raw.get(workbench.workspace, *named_cohort(request), cohort)
    except (GenotexError, OSError) as error:
        return JSONResponse({"note": workbench.workspace.without_places(str(error))})
    data, rows = _distribution(raw, cohort, plot)
    return _sent(request, cohort, place, plot, data | {"note": raw.note}, rows)


def _sent(
    request: Request,
    cohort: CohortQuality,
    place: dict[str, str],
    plot: str,
    data: dict[str, Any],
    rows: list[int],
) -> Response:
    """Send the numbers of a plot, and the column that its samples are coloured by."""
    columns = _columns(request, cohort, place)
    by = request.query_params.get("by", "")
    by = by if by in columns else next(iter(columns))
    colours = colours_of([columns[by][i] for i in rows])
    outliers = {row["sample"] for row in cohort.record.get("outliers", ())}
    samples = [cohort.samples[i] for i in rows]
    return JSONResponse(
        data
        | {
            "plot": plot,
            "by": by,
            "colours": colours,
            "sample": samples,
            "ringed": [s in data.get("ring", outliers) for s in samples],
            "of": len(cohort.samples),
        }
    )


def _data(cohort: CohortQuality, plot: str) -> tuple[dict[str, Any], list[int]]:
    """Return the numbers of a plot, and the places of its samples."""
    everything = list(range(len(cohort.samples)))
    if plot in ("pca", "mds"):
        places = cohort.pca if plot == "pca" else cohort.mds
        labels = ["MDS 1", "MDS 2"]
        if plot == "pca":
            labels = [
                f"PC{i + 1} ({100 * s:.1f} % of variance)" for i, s in enumerate(cohort.explained)
            ]
        x, y = (places[:, k].round(4).tolist() for k in (0, 1))
        return {"x": x, "y": y, "x_label": labels[0], "y_label": labels[1]}, everything
    if plot == "correlation":
        rows = cohort.drawn
        z = np.round(cohort.correlation[np.ix_(rows, rows)].astype(float), 4)
        return {"z": z.tolist()}, rows.tolist()
    if plot in _DISTRIBUTIONS:
        return _distribution(cohort, cohort, plot)
    return _measured(cohort, plot)


def _distribution(
    values: CohortQuality | RawQuality, cohort: CohortQuality, plot: str
) -> tuple[dict[str, Any], list[int]]:
    """Return curves or boxes of the samples; a sample without values has none."""
    if plot == "density":
        data = {"x": values.middles.round(4).tolist(), "curves": values.densities.round(5).tolist()}
        return data, cohort.drawn.tolist()
    boxes = [rounded(row) for row in values.quantiles]
    return {"quantiles": boxes}, list(range(len(cohort.samples)))


def _measured(cohort: CohortQuality, plot: str) -> tuple[dict[str, Any], list[int]]:
    """Return the numbers of the checks: of the samples that an analysis compares."""
    record = cohort.record
    place = {sample: i for i, sample in enumerate(cohort.samples)}
    rows = [place[sample] for sample in record["by_sample"]["sample"]]
    if plot == "distance":
        y = record["by_sample"]["distance"]
        labels = {"x_label": "sample", "y_label": "distance from its group / usual distance"}
        return {"x": list(range(1, len(y) + 1)), "y": y, "line": FAR, **labels}, rows
    sex = record["sex"]
    labels = {"x_label": "XIST, log2", "y_label": "genes of the Y chromosome, log2"}
    return {"x": sex["xist"], "y": sex["y"], "ring": sex["mismatches"], **labels}, rows


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/quality", quality),
        Route("/quality/points", points),
        Route("/quality/before", before, methods=["POST"]),
    ]
