"""Which figures show the samples as a whole, with captions that explain them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from genotex.figures import (
    Figure,
    SampleMarks,
    boxes,
    correlations,
    densities,
    drawn_samples,
    mds,
    most_variable_genes,
    sample_densities,
    sample_profiles,
    scaled_distances,
    spread_evenly,
)
from genotex.formats import PERCENT, Evidence, LinkedTable, recorded_quantiles, sample_quantiles
from genotex.reports.genes.findings import Findings
from genotex.reports.sections import FigureView, Section, view_figures

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
    """Draw the figures of the samples."""
    return view_figures(sample_figures(table, marks, evidence, findings))


def sample_figures(
    table: LinkedTable, marks: SampleMarks, evidence: Evidence, findings: Findings
) -> list[Figure]:
    """Return box plots before and after, distances, correlations and densities of the samples."""
    if len(table.samples) < _FEWEST or len(table.genes) < _FEWEST:
        return []
    profiles = sample_profiles(most_variable_genes(table.expression))
    drawn, correlation = drawn_samples(table.samples, profiles, findings.record("quality"))
    return [
        _boxes(table, marks, evidence, findings),
        mds(scaled_distances(profiles), profiles.shape[1], marks),
        correlations(correlation, marks, drawn),
        _densities(table, drawn, marks),
    ]


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
) -> Figure:
    """Declare the box plots of at most 240 samples."""
    outliers = {row["sample"] for row in findings.record("quality").get("outliers") or ()}
    named = [i for i, sample in enumerate(table.samples) if sample in outliers][:_MOST_BOXES]
    chosen = np.union1d(spread_evenly(len(table.samples), _MOST_BOXES), named)
    rows = marks.side_by_side(chosen.astype(int).tolist())
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
    caption = (
        "For each sample the thin line spans 5 to 95 % of its values, the thick one 25 to 75 %, "
        f"and the mark is the median{many}. {between}. Samples that were normalised together have "
        "boxes at the same height."
    )
    return boxes(panels, marks, rows, caption)


def _densities(table: LinkedTable, drawn: NDArray[np.intp], marks: SampleMarks) -> Figure:
    rows = np.sort(drawn[spread_evenly(len(drawn), _MOST_CURVES)])
    curves, middles = sample_densities(table.expression[rows], _STEPS_OF_CURVES)
    some = f", {len(rows)} of {len(table.samples):,}" if len(rows) < len(table.samples) else ""
    caption = (
        f"Each curve is a sample{some}: how its expression values are distributed after "
        "preprocessing. Curves that differ in shape or place were not normalised together."
    )
    return densities(middles, curves, marks, rows, caption)
