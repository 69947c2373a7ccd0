"""The figures of a report, each a function from numbers to inline SVG."""

from genotex.reports.figures.coefficients import draw_coefficients
from genotex.reports.figures.forest import ForestRow, draw_forest
from genotex.reports.figures.heatmap import draw_heatmap
from genotex.reports.figures.histogram import draw_histogram
from genotex.reports.figures.pca import draw_pca
from genotex.reports.figures.profiles import draw_profiles
from genotex.reports.figures.style import SampleMarks
from genotex.reports.figures.volcano import draw_volcano

__all__ = [
    "ForestRow",
    "SampleMarks",
    "draw_coefficients",
    "draw_forest",
    "draw_heatmap",
    "draw_histogram",
    "draw_pca",
    "draw_profiles",
    "draw_volcano",
]
