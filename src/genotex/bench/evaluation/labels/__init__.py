"""Scores against labels of what a series says: the benchmark's, verified ones, or your own.

The way through: `label` is what is said; `loading` and `answers` read it; `scoring` compares case
by case, `availability` and `clinical_tables` an output folder; `evaluating` puts several
sets of labels side by side; `disagreement` says how the sets differ; `reference` makes a reference
folder of them.
"""

from genotex.bench.evaluation.labels.answers import Answers, read_answers
from genotex.bench.evaluation.labels.comparing import LabelScores, Section
from genotex.bench.evaluation.labels.disagreement import Disagreement, count_disagreements
from genotex.bench.evaluation.labels.evaluating import (
    LabelEvaluation,
    compare_labels,
    evaluate_answers,
    evaluate_folder,
)
from genotex.bench.evaluation.labels.label import FEATURES, FeatureLabel, Label, LabelledCase
from genotex.bench.evaluation.labels.label_files import evaluation_texts, evaluation_to_json
from genotex.bench.evaluation.labels.label_json import answer_from_json, case_from_json
from genotex.bench.evaluation.labels.label_tables import label_tables
from genotex.bench.evaluation.labels.loading import (
    label_sets,
    labelled_by,
    of_traits,
    read_labelled_cases,
)
from genotex.bench.evaluation.labels.reference import AppliedLabels, apply_labels
from genotex.bench.evaluation.labels.scoring import (
    agreement,
    case_figures,
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
    "LabelScores",
    "LabelledCase",
    "Section",
    "agreement",
    "answer_from_json",
    "apply_labels",
    "case_figures",
    "case_from_json",
    "compare_labels",
    "count_disagreements",
    "evaluate_answers",
    "evaluate_folder",
    "evaluation_texts",
    "evaluation_to_json",
    "label_sets",
    "label_tables",
    "labelled_by",
    "of_traits",
    "read_answers",
    "read_labelled_cases",
    "score_case",
    "score_cases",
]
