"""What a user may choose about an analysis: declared in `genotex.options`, with the help texts."""

from genotex.options import AnalysisOptions, Hidden, LevelsMode, Model, SampleWeights, Solver

__all__ = ["AnalysisOptions", "Hidden", "LevelsMode", "Model", "SampleWeights", "Solver"]
