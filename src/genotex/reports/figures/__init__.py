"""The figures of a report, each a function from numbers to inline SVG."""

from genotex.reports.figures.averages import AverageMark, RunMarks, draw_averages
from genotex.reports.figures.canvas import get_ready
from genotex.reports.figures.coefficients import draw_coefficients
from genotex.reports.figures.distribution import draw_panels, draw_stacked
from genotex.reports.figures.forest import ForestRow, draw_forest
from genotex.reports.figures.heatmap import draw_heatmap
from genotex.reports.figures.histogram import draw_histogram
from genotex.reports.figures.pca import draw_pca
from genotex.reports.figures.problem_scatter import (
    ProblemMark,
    draw_list_lengths,
    draw_precision_recall,
)
from genotex.reports.figures.profiles import draw_profiles
from genotex.reports.figures.samples import draw_sample_distances, draw_sex
from genotex.reports.figures.style import SampleMarks
from genotex.reports.figures.volcano import draw_volcano

__all__ = [
    "AverageMark",
    "ForestRow",
    "ProblemMark",
    "RunMarks",
    "SampleMarks",
    "draw_averages",
    "draw_coefficients",
    "draw_forest",
    "draw_heatmap",
    "draw_histogram",
    "draw_list_lengths",
    "draw_panels",
    "draw_pca",
    "draw_precision_recall",
    "draw_profiles",
    "draw_sample_distances",
    "draw_sex",
    "draw_stacked",
    "draw_volcano",
    "get_ready",
]
