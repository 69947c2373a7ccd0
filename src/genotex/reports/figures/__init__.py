"""The figures of a report, each a function from numbers to inline SVG."""

from genotex.reports.figures.canvas import COLOURS, SampleMarks, get_ready, level_key
from genotex.reports.figures.expression import (
    draw_heatmap,
    draw_narrow_heatmap,
    draw_pca,
    draw_profiles,
)
from genotex.reports.figures.genes import draw_coefficients, draw_histogram, draw_volcano
from genotex.reports.figures.intervals import (
    AverageMark,
    ForestRow,
    RunMarks,
    draw_averages,
    draw_forest,
)
from genotex.reports.figures.problems import (
    ProblemMark,
    draw_cost_and_score,
    draw_list_lengths,
    draw_panels,
    draw_precision_recall,
    draw_stacked,
)
from genotex.reports.figures.sample_maps import (
    draw_boxes,
    draw_correlations,
    draw_densities,
    draw_mds,
    draw_narrow_boxes,
    samples_by_group,
)
from genotex.reports.figures.samples import draw_sample_distances, draw_sex

__all__ = [
    "COLOURS",
    "AverageMark",
    "ForestRow",
    "ProblemMark",
    "RunMarks",
    "SampleMarks",
    "draw_averages",
    "draw_boxes",
    "draw_coefficients",
    "draw_correlations",
    "draw_cost_and_score",
    "draw_densities",
    "draw_forest",
    "draw_heatmap",
    "draw_histogram",
    "draw_list_lengths",
    "draw_mds",
    "draw_narrow_boxes",
    "draw_narrow_heatmap",
    "draw_panels",
    "draw_pca",
    "draw_precision_recall",
    "draw_profiles",
    "draw_sample_distances",
    "draw_sex",
    "draw_stacked",
    "draw_volcano",
    "get_ready",
    "level_key",
    "samples_by_group",
]
