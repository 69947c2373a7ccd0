"""Dataset filtering: which cohorts were taken to be available (GenoTEX paper, section 3.3)."""

from __future__ import annotations

from collections.abc import Mapping

from genotex.bench.evaluation.folder_items import one_name
from genotex.bench.evaluation.gene_metrics import overlap
from genotex.bench.evaluation.options import CohortFlag
from genotex.bench.evaluation.predictions import read_or_why
from genotex.bench.evaluation.scores import FilteringScore, Missing
from genotex.formats import CohortInfo, read_cohort_info
from genotex.layout import OutputFolder

__all__ = ["compare_filtering", "score_filtering"]


def score_filtering(
    prediction: OutputFolder, reference: OutputFolder, trait: str, field: CohortFlag
) -> tuple[FilteringScore, Missing | None]:
    """Score the cohorts of one trait.

    Parameters
    ----------
    prediction, reference : OutputFolder
        Where their ``cohort_info.json`` lie; without a prediction that can be read all is 0.
    trait : str
    field : CohortFlag
        The flag that must agree.

    Raises
    ------
    FormatError
        If the file of the reference cannot be read.
    """
    wanted = read_cohort_info(reference.cohort_info(trait))
    found = read_or_why(prediction.cohort_info(trait), read_cohort_info)
    if isinstance(found, str):
        return FilteringScore(trait, 0.0, 0.0, 0.0, 0.0), Missing("filtering", trait, found)
    return compare_filtering(trait, found, wanted, field), None


def compare_filtering(
    trait: str,
    predicted: Mapping[str, CohortInfo],
    reference: Mapping[str, CohortInfo],
    field: CohortFlag,
) -> FilteringScore:
    """Compare a flag over the cohorts of both sides; one that a side does not list has it not.

    No cohort with the flag on either side: precision, recall and F1 are 100.
    """
    found, wanted = _with(predicted, field), _with(reference, field)
    cohorts = {one_name(name) for name in (*predicted, *reference)}
    agreed = len(cohorts) - len(found ^ wanted)
    both = overlap(found, wanted)
    accuracy = 100 * agreed / len(cohorts) if cohorts else 100.0
    return FilteringScore(trait, both.precision, both.recall, both.f1, accuracy)


def _with(cohorts: Mapping[str, CohortInfo], field: CohortFlag) -> set[str]:
    return {one_name(name) for name, info in cohorts.items() if getattr(info, field)}
