"""Which figures show the samples as a whole, with captions that explain them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.formats import PERCENT, Evidence, LinkedTable, recorded_quantiles, sample_quantiles
from genotex.reports.figures import (
    SampleMarks,
    draw_boxes,
    draw_correlations,
    draw_densities,
    draw_mds,
    draw_narrow_boxes,
    samples_by_group,
)
from genotex.reports.figures.expression import order_rows
from genotex.reports.genes.findings import Findings
from genotex.reports.problem.illustrations import FigurePlan, draw_planned, plan_figure
from genotex.reports.sections import FigureView, Section
from genotex.words import counted

Floats = NDArray[np.float64]

_MOST_GENES = 5000
"""Components and correlations are computed over so many genes, those that vary most."""
_MOST_DRAWN = 200
"""Samples with a density curve, or a row of the heatmap."""
_BINS = 80
_SMOOTH = np.array([1, 6, 15, 20, 15, 6, 1]) / 64
"""Weights of a step of a density and its neighbours."""
_MOST_BOXES = 240
_MOST_CURVES = 60
_STEPS_OF_CURVES = 40
_FEWEST = 3
_AXES = {
    "counts": ("read counts", True),
    "linear": ("values of the file", True),
    "log2": ("values of the file", False),
}
"""Label of the values before, by their scale, and whether their axis is logarithmic."""


def draw_sample_figures(
    table: LinkedTable, marks: SampleMarks, evidence: Evidence, findings: Findings
) -> tuple[FigureView, ...]:
    """Return box plots before and after, distances, correlations and densities of the samples."""
    if len(table.samples) < _FEWEST or len(table.genes) < _FEWEST:
        return ()
    boxes = _boxes(table, marks, evidence, findings)
    small = replace(boxes, draw=draw_narrow_boxes)
    chosen = most_variable_genes(table.expression)
    correlation = sample_correlations(chosen)
    drawn = drawn_samples(table.samples, correlation, findings.record("quality"))
    wide, narrow, *others = draw_planned(
        [
            boxes,
            small,
            _mds(scaled_distances(correlation), chosen.shape[1], marks),
            _correlations(correlation, drawn, marks),
            _densities(table, drawn, marks),
        ]
    )
    return (replace(wide, narrow=narrow.svg), *others)


def with_sample_figures(
    sections: Sequence[Section | None], figures: tuple[FigureView, ...], findings: Findings
) -> tuple[Section, ...]:
    """Add the figures to the section on the samples, which is made where there is none."""
    there = [section for section in sections if section is not None]
    if not figures:
        return tuple(there)
    place = next((i for i, section in enumerate(there) if section.key == "samples"), None)
    if place is None:
        note = str(findings.record("quality").get("note") or "")
        lead = "The samples were not checked" + (f": {note}." if note else ".")
        return (Section("samples", "Samples", "Samples", lead, figures=figures), *there)
    section = there[place]
    there[place] = replace(section, figures=(*section.figures, *figures))
    return tuple(there)


def steps_between(evidence: Evidence) -> str:
    """Return what was done between the values of the file and those that were tested."""
    scale = evidence.distributions.get("scale")
    if scale == "counts":
        rule = str(evidence.counts.get("normalisation") or "TMM")
        return (
            f"counts of a gene added up, genes with few counts left out, library sizes normalised "
            f"({rule}), log2 counts per million; no other normalisation"
        )
    steps = []
    logged = evidence.procedure.logs_linear_values
    if scale == "linear" and logged:
        offset = evidence.mapping.get("offset")
        added = f"log2(value + {offset:.4g})" if isinstance(offset, int | float) else "log2"
        steps.append(added)
    elif scale == "linear":
        steps.append("linear values left as they are")
    else:
        steps.append("values taken as log2, as they are in the file")
    divided = evidence.procedure.divides_rows_among_genes
    steps.append("rows of a gene added up" if divided else "mean of the rows of a gene")
    return f"{', '.join(steps)}; samples were not normalised to each other"


def _boxes(
    table: LinkedTable, marks: SampleMarks, evidence: Evidence, findings: Findings
) -> FigurePlan:
    """Plan the box plots of at most 240 samples."""
    outliers = {row["sample"] for row in findings.record("quality").get("outliers") or ()}
    named = [i for i, sample in enumerate(table.samples) if sample in outliers][:_MOST_BOXES]
    chosen = np.union1d(_spread(len(table.samples), _MOST_BOXES), named)
    rows = samples_by_group(marks, chosen.astype(int).tolist())
    panels = [("log2 expression", sample_quantiles(table.expression.T), False)]
    if not evidence.procedure.logs_linear_values:
        panels = [("expression", panels[0][1], False)]
    known = recorded_quantiles(evidence.distributions)
    missing = [np.nan] * len(PERCENT)
    between = "The values as in the input file were not recorded when the cohort was prepared"
    if known:
        before = np.array([known.get(sample, missing) for sample in table.samples], dtype=float)
        label, logarithmic = _AXES.get(str(evidence.distributions.get("scale")), _AXES["log2"])
        panels.insert(0, (label, before, logarithmic))
        between = (
            f"Above: the values as in the input file ({evidence.distributions.get('rows', 0):,} "
            f"rows{', logarithmic axis' if logarithmic else ''}); below: after preprocessing "
            f"({len(table.genes):,} genes). In between: {steps_between(evidence)}"
        )
    many = (
        f"; {len(rows)} of {len(table.samples):,} samples are drawn"
        if (len(rows) < len(table.samples))
        else ""
    )
    alt = f"Box plots of {counted(len(rows), 'sample')}{' before and after' if known else ''}."
    caption = (
        "For each sample the thin line spans 5 to 95 % of its values, the thick one 25 to 75 %, "
        f"and the mark is the median{many}. {between}. Samples that were normalised together have "
        "boxes at the same height."
    )
    title = "Distribution of each sample" + (", before and after" if known else "")
    return plan_figure("boxes", title, caption, draw_boxes, panels, marks, rows, alt, wide=True)


def _spread(total: int, most: int) -> NDArray[np.intp]:
    """Return at most so many places, evenly spaced."""
    return np.unique(np.linspace(0, total - 1, min(total, most)).round().astype(np.intp))


def _mds(places: Floats, genes: int, marks: SampleMarks) -> FigurePlan:
    alt = f"Scatter plot of {counted(len(marks.names), 'sample')} by multidimensional scaling."
    caption = (
        "Classical scaling of the distances 2 (1 - r), with r the correlation of two samples over "
        f"the {genes:,} genes that vary most. Unlike the principal components above, genes keep "
        "their variance: those that vary most count most."
    )
    return plan_figure("mds", "Samples by distance (MDS)", caption, draw_mds, places, marks, alt)


def _correlations(correlation: Floats, rows: NDArray[np.intp], marks: SampleMarks) -> FigurePlan:
    alt = f"Heatmap of the correlations of {counted(len(rows), 'sample')}."
    shows = "groups" if marks.levels is None else f"levels of {marks.level_name}"
    caption = (
        "Samples that are alike are next to each other; rust: more alike than most pairs, blue: "
        f"less. The bar on top shows the {shows}. A block that does not follow them hints at a "
        "batch; a single dark line, at an outlier."
    )
    title = "Correlation of samples"
    arguments = (correlation, marks, rows, alt)
    return plan_figure("correlations", title, caption, draw_correlations, *arguments)


def _densities(table: LinkedTable, drawn: NDArray[np.intp], marks: SampleMarks) -> FigurePlan:
    rows = np.sort(drawn[_spread(len(drawn), _MOST_CURVES)])
    densities, middles = sample_densities(table.expression[rows], _STEPS_OF_CURVES)
    some = f", {len(rows)} of {len(table.samples):,}" if len(rows) < len(table.samples) else ""
    alt = f"Densities of the values of {counted(len(rows), 'sample')}."
    caption = (
        f"Each curve is a sample{some}: how its expression values are distributed after "
        "preprocessing. Curves that differ in shape or place were not normalised together."
    )
    title = "Densities"
    return plan_figure(
        "densities", title, caption, draw_densities, middles, densities, marks, rows, alt
    )


def most_variable_genes(expression: Floats) -> Floats:
    """Return the genes that vary most (n, at most 5000), missing values filled by their mean."""
    known = np.isfinite(expression)
    count = np.maximum(known.sum(axis=0), 1)
    mean = np.where(known, expression, 0.0).sum(axis=0) / count
    square = np.where(known, expression - mean, 0.0)
    spread = np.einsum("ij,ij->j", square, square)
    places = np.sort(np.argsort(spread)[::-1][:_MOST_GENES])
    chosen = expression[:, places]
    return np.where(np.isfinite(chosen), chosen, mean[places])


def sample_correlations(values: Floats) -> Floats:
    """Return the correlation of each two samples; 0 where a sample does not vary."""
    centred = values - values.mean(axis=1, keepdims=True)
    length = np.sqrt(np.einsum("ij,ij->i", centred, centred))
    scaled = centred / np.where(length > 0, length, 1.0)[:, None]
    found: Floats = np.clip(scaled @ scaled.T, -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return found


def scaled_distances(correlation: Floats) -> Floats:
    """Return two coordinates by classical scaling of the squared distances 2 (1 - r)."""
    n = len(correlation)
    centre = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(centre @ correlation @ centre)
    places = np.zeros((n, 2))
    for k in range(min(2, n)):
        column = vectors[:, -1 - k] * np.sqrt(max(values[-1 - k], 0.0))
        places[:, k] = column if column[np.argmax(np.abs(column))] >= 0 else -column
    return places


def drawn_samples(
    samples: Sequence[str], correlation: Floats, record: Mapping[str, Any]
) -> NDArray[np.intp]:
    """Return the samples of heatmap and density plot, those alike next to each other."""
    outliers = {row["sample"] for row in record.get("outliers", ())}
    places = np.unique(np.linspace(0, len(samples) - 1, _MOST_DRAWN).round().astype(np.intp))
    named = [i for i, sample in enumerate(samples) if sample in outliers]
    kept = np.union1d(places, np.array(named[:_MOST_DRAWN], dtype=np.intp))
    order: NDArray[np.intp] = kept[order_rows(correlation[np.ix_(kept, kept)])]
    return order


def sample_densities(expression: Floats, steps: int = _BINS) -> tuple[Floats, Floats]:
    """Return the share of each sample's values per unit in equal steps, and their middles."""
    known = expression[np.isfinite(expression)]
    low, high = (float(v) for v in np.percentile(known, (0.1, 99.9))) if known.size else (0.0, 1.0)
    edges = np.linspace(low, max(high, low + 1e-6), steps + 1)
    counts = np.array(
        [np.histogram(row[np.isfinite(row)], edges)[0] for row in expression],
        dtype=np.float64,
    )
    counts = np.array([np.convolve(row, _SMOOTH, mode="same") for row in counts])
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return counts / total / (edges[1] - edges[0]), (edges[:-1] + edges[1:]) / 2
