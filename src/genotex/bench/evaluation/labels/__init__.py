"""Scores against labels of series: the benchmark's, verified ones, or your own.

`label` holds labels and predictions and reads them; `scoring` compares case by case,
`clinical_tables` an output folder; `evaluating` scores against several sets of labels side by
side; `reference` makes a reference folder from labels, `release` a folder to publish them.
"""

from genotex.bench.evaluation.labels.clinical_tables import find_raw
from genotex.bench.evaluation.labels.evaluating import (
    LabelEvaluation,
    compare_labels,
    evaluate_answers,
    evaluate_folder,
    evaluation_texts,
    evaluation_to_json,
    label_tables,
)
from genotex.bench.evaluation.labels.label import (
    FEATURES,
    Answers,
    FeatureLabel,
    Label,
    LabelledCase,
    answer_from_json,
    case_from_json,
    label_sets,
    labelled_by,
    of_traits,
    read_answers,
    read_labelled_cases,
)
from genotex.bench.evaluation.labels.reference import (
    AppliedLabels,
    LabelExpert,
    apply_labels,
    claim_folder,
)
from genotex.bench.evaluation.labels.release import Release, release_labels
from genotex.bench.evaluation.labels.scoring import (
    Disagreement,
    LabelScores,
    LabelSection,
    agreement,
    case_figures,
    count_disagreements,
    score_case,
    score_cases,
)

__all__ = [
    "FEATURES",
    "Answers",
    "AppliedLabels",
    "Disagreement",
    "FeatureLabel",
    "Label",
    "LabelEvaluation",
    "LabelExpert",
    "LabelScores",
    "LabelSection",
    "LabelledCase",
    "Release",
    "agreement",
    "answer_from_json",
    "apply_labels",
    "case_figures",
    "case_from_json",
    "claim_folder",
    "compare_labels",
    "count_disagreements",
    "evaluate_answers",
    "evaluate_folder",
    "evaluation_texts",
    "evaluation_to_json",
    "find_raw",
    "label_sets",
    "label_tables",
    "labelled_by",
    "of_traits",
    "read_answers",
    "read_labelled_cases",
    "release_labels",
    "score_case",
    "score_cases",
]
