"""Does a series hold human gene expression? What is measured, and in whom."""

from genotex.clinical.assay.judging import judge_expression

__all__ = ["judge_expression"]
