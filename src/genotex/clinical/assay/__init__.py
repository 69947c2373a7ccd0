"""Does a series hold human gene expression? What is measured, and in whom."""

from genotex.clinical.assay.judging import judge_expression
from genotex.clinical.assay.verdicts import NOT_HUMAN

__all__ = ["NOT_HUMAN", "judge_expression"]
