"""The quality of the samples of a preprocessed cohort."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from genotex.analysis.samples.profiles import FAR
from genotex.app.data.sheets import EditedSheet
from genotex.app.downloads import send_anndata, send_figure
from genotex.app.pages import (
    Workbench,
    not_found,
    place_of,
    plainly,
    render,
    series_state,
    visitor_of,
    workbench_of,
)
from genotex.app.quality.cohorts import CohortQuality, SeriesQuality, StoredQuality, marks_of
from genotex.app.quality.raw import RawQuality
from genotex.app.study import line_of, studied
from genotex.errors import GenotexError, UsageError
from genotex.figures import Figure, Line, SampleMarks, boxes, correlations, densities, sample_points
from genotex.formats import Evidence, find_evidence, read_cohort_info, read_linked
from genotex.layout import GeoCohortFiles, OutputFolder
from genotex.reports import audit_view
from genotex.studies import state_of
from genotex.workflows import cohort_to_anndata

_PLOTS = {
    "pca": (
        "PCA",
        "Each point is a sample, by the genes that vary most; those near each other are alike. A "
        "split that follows no group hints at a batch, a point far from all at an outlier.",
    ),
    "mds": (
        "MDS",
        "Samples that correlate are near each other (classical scaling of 1 - correlation). Read "
        "it as the PCA; what shows in one of the two alone is weak.",
    ),
    "correlation": (
        "Correlation",
        "Correlation of each two samples, those alike next to each other. A block that follows no "
        "group hints at a batch, a line of low values at an outlier.",
    ),
    "box": (
        "Box plots",
        "5, 25, 50, 75 and 95 % of the values of each sample, as they are analysed. Boxes at "
        "different heights were not normalised, or are of poor samples.",
    ),
    "density": (
        "Densities",
        "Distribution of the values of each sample, as they are analysed. A curve of another shape "
        "than the rest is of a sample to look at.",
    ),
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
_JUDGED = ("distance", "sex")
"""Plots of what the checks measure."""


@dataclass(frozen=True)
class _Opened:
    """A cohort of an address: preprocessed, or a series that was read before any analysis."""

    trait: str
    name: str
    source: StoredQuality | SeriesQuality
    sheet: EditedSheet | None
    output: OutputFolder | None  # None before an analysis
    state: Any  # What changes when its files do
    evidence: Evidence | None = None

    @property
    def cohort(self) -> CohortQuality:
        """What is known of the samples by now."""
        return self.source.quality

    def judge(self) -> None:
        """Judge the samples as they are now."""
        if isinstance(self.source, StoredQuality):
            self.source.judge()
        elif self.sheet is not None:
            self.source.judge(self.sheet)

    @property
    def columns(self) -> dict[str, list[str]]:
        """What samples can be coloured by."""
        return _columns(self.sheet, self.cohort.samples, self.cohort.columns)


def _opened(request: Request) -> _Opened:
    """Return the cohort of an address; the name is looked up in the folder."""
    trait, name = (request.query_params.get(key, "") for key in ("trait", "cohort"))
    workbench = workbench_of(request)
    what = f"a usable cohort {name!r} of {trait!r}"
    if not request.query_params.get("output"):
        found = _found_series(workbench, trait, name)
        if found is None:
            raise not_found(what)
        opened = _read_before(workbench, trait, name, *found)
        if opened is None:
            raise not_found(what)
        return opened
    output, trait, _ = place_of(request)
    known = workbench.workspace.file(output.cohort_info(trait))
    if known is None or name not in read_cohort_info(known):
        raise not_found(what)
    paths = (output.linked_parquet(trait, name), output.evidence(trait, name))
    held = all(workbench.workspace.holds(path) for path in paths)
    if workbench.workspace.file(output.linked_csv(trait, name)) is None or not held:
        raise not_found(what)
    key = state_of(output.linked_csv(trait, name))
    read = partial(StoredQuality, output, trait, name, workbench.apart)
    cohort = workbench.cohorts.get(key, read)
    found = _found_series(workbench, trait, name)
    there = workbench.workspace.file(output.evidence(trait, name))
    evidence = None if there is None else find_evidence(output, trait, name)
    return _Opened(trait, name, cohort, None if found is None else found[1], output, key, evidence)


def _read_before(
    workbench: Workbench, trait: str, name: str, files: GeoCohortFiles, sheet: EditedSheet
) -> _Opened | None:
    """Return a series before any analysis; None where its expression is not in memory."""
    state = series_state(files)
    series = workbench.series.kept(state)
    if series is None:
        return None
    return _Opened(trait, name, series, sheet, None, state, series.evidence)


def _columns(
    sheet: EditedSheet | None, samples: Sequence[str], recorded: Mapping[str, list[str]]
) -> dict[str, list[str]]:
    """Return what samples can be coloured by: the sheet as it is now, then the cohort's record."""
    columns: dict[str, list[str]] = {}
    if sheet is not None:
        out = {"group": "excluded"}
        rows = {row["sample"]: row | (out if row["exclude"] else {}) for row in sheet.rows}
        columns = {
            name: [rows.get(sample, {}).get(name, "") for sample in samples]
            for name in (*sheet.edited, *sheet.characteristics)
        }
    columns = {name: cells for name, cells in columns.items() if any(cells)}
    return columns | {name: c for name, c in recorded.items() if name not in columns}


def _found_series(
    workbench: Workbench, trait: str, name: str
) -> tuple[GeoCohortFiles, EditedSheet] | None:
    """Return files and sheet of a series; None where the folder does not hold it."""
    files, path = workbench.workspace.series(trait, name), workbench.workspace.sheet(trait, name)
    if files is None or not workbench.workspace.holds(path):
        return None
    try:
        return files, workbench.sheets.get(path, files, trait.replace("_", " "))
    except GenotexError:
        return None


def quality(request: Request) -> Response:
    """Show plots, and the checks if they were made; a link, which asks for nothing, has both."""
    opened = _opened(request)
    if visitor_of(request).link is not None:
        opened.judge()
    return _shown(request, opened, "quality.html.j2")


def _shown(request: Request, opened: _Opened, template: str) -> Response:
    place = {"output": request.query_params.get("output", ""), "trait": opened.trait}
    place["cohort"] = opened.name
    line = line_of(request, "Quality", place)
    parts = _parts_of(opened)
    return render(request, template, place=place, line=line, sheet=opened.sheet, **parts)


def _parts_of(opened: _Opened) -> dict[str, Any]:
    notes = () if opened.evidence is None else opened.evidence.notes
    return _parts(opened.cohort, opened.columns, notes)


def _parts(
    cohort: CohortQuality | None, columns: Mapping[str, list[str]], notes: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what plots and verdict of a cohort show: their frame where it is not in memory."""
    record, audit = ({}, None) if cohort is None else (cohort.record, cohort.audit)
    blocks = record.get("detected_blocks", {})
    return {
        "why": "",
        "first_note": _PLOTS["pca"][1],
        "cohort": cohort,
        "plots": [(key, label, _exists(key, record)) for key, (label, _) in _PLOTS.items()],
        "colours": list(columns),
        "audit": None if audit is None else audit_view(audit),
        "notes": notes,
        "people": len({block for sample, block in blocks.items() if sample != block}),
    }


def parts_before_analysis(
    request: Request, place: Mapping[str, str], files: GeoCohortFiles, sheet: EditedSheet
) -> dict[str, Any]:
    """Return what plots and verdict of a series show; before it was read, their frame alone."""
    workbench = workbench_of(request)
    opened = _read_before(workbench, place["trait"], place["series"], files, sheet)
    if opened is not None:
        if opened.cohort.audit is not None and visitor_of(request).link is not None:
            opened.judge()
        return _parts_of(opened)
    return _frame(sheet) | {"why": workbench.unread.get(series_state(files), "")}


def _frame(sheet: EditedSheet) -> dict[str, Any]:
    """Return the parts of a series whose expression is not in memory."""
    return _parts(None, _columns(sheet, [row["sample"] for row in sheet.rows], {}))


async def read(request: Request) -> Response:
    """Read the samples of a cohort and show their plots; then judge them, if that is asked for."""
    return await run_in_threadpool(_read, request)


def _read(request: Request) -> Response:
    query, workbench = request.query_params, workbench_of(request)
    if not query.get("output"):
        trait, name = query.get("trait", ""), query.get("cohort", "")
        found = _found_series(workbench, trait, name)
        if found is None:
            what = f"the series {name!r} of {trait!r}"
            raise not_found(what)
        state = series_state(found[0])
        try:
            made = partial(SeriesQuality, found[0], workbench.apart)
            workbench.series.get(state, made)
        except GenotexError as error:
            why = plainly(workbench.workspace.without_places(str(error)))
            workbench.unread[state] = why
            place = {"output": "", "trait": trait, "cohort": name}
            frame = _frame(found[1]) | {"place": place, "sheet": found[1], "why": why}
            return studied(render(request, "quality_parts.html.j2", **frame))
    opened = _opened(request)
    if query.get("judge"):
        opened.judge()
    return studied(
        _shown(request, opened, "quality_parts.html.j2"), judged=bool(query.get("judge"))
    )


def _download(request: Request) -> Response:
    """Send the cohort as AnnData."""
    opened = _opened(request)
    if opened.evidence is None or opened.output is None:
        what = f"a record of {opened.name}"
        raise not_found(what)
    table = read_linked(opened.output, opened.trait, opened.name)
    data = cohort_to_anndata(table, opened.evidence)
    return send_anndata(data, f"{opened.trait}_{opened.name}.h5ad")


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
    opened, plot = _opened(request), request.query_params.get("plot", "pca")
    if plot in _JUDGED and opened.cohort.audit is None:
        opened.judge()
    cohort = opened.cohort
    if plot not in _PLOTS or not _exists(plot, cohort.record):
        what = f"a plot {plot!r} of {opened.name}"
        raise not_found(what)
    by, marks = _marks(request, opened, plot)
    drawn = f" {len(marks.names)} of {len(cohort.samples)} samples are drawn."
    note = _PLOTS[plot][1] + (drawn if len(marks.names) < len(cohort.samples) else "")
    return send_figure(request, _figure(plot, cohort, marks), note, by=by)


def before(request: Request) -> Response:
    """Send a plot of the values as in the file, which is read for it."""
    opened, workbench = _opened(request), workbench_of(request)
    plot, evidence = request.query_params.get("plot", ""), opened.evidence
    if plot not in _DISTRIBUTIONS:
        what = f"a plot {plot!r} of the values of {opened.name} before processing"
        raise not_found(what)
    try:
        if evidence is None:
            msg = "The cohort has no record of the files that it was made of."
            raise UsageError(msg)
        find = RawQuality.find, workbench.workspace, evidence, opened.cohort
        make = partial(workbench.apart.run, *find)
        raw = workbench.raw.get(opened.state, make)
    except (GenotexError, OSError) as error:
        return send_figure(request, None, workbench.workspace.without_places(str(error)))
    by, marks = _marks(request, opened, plot)
    figure = _distribution(plot, raw, marks, "value in the file, log2 scale")
    return send_figure(request, figure, raw.note, by=by)


def _marks(request: Request, opened: _Opened, plot: str) -> tuple[str, SampleMarks]:
    """Return the column that samples are coloured by, and the samples of a plot marked by it."""
    columns, samples = opened.columns, opened.cohort.samples
    by = request.query_params.get("by", "")
    by = by if by in columns else next(iter(columns))
    rows = _rows(opened.cohort, plot)
    return by, marks_of([samples[i] for i in rows], by, [columns[by][i] for i in rows])


def _rows(cohort: CohortQuality, plot: str) -> list[int]:
    """Return the samples of a plot: all, those of a heatmap, or those that an analysis compares."""
    if plot in ("correlation", "density"):
        return [*map(int, cohort.drawn)]
    if plot in _JUDGED:
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
        return correlations(cohort.correlation, marks, np.arange(len(marks.names)))
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
        Route("/quality/before", before, methods=["POST"], name=""),
        Route("/quality/read", read, methods=["POST"], name=""),
    ]
