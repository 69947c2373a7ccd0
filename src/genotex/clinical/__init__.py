"""Clinical inference: which characteristic tells trait, age and gender, and how.

The way through the room: `description` says what may be seen of a series; `assay` judges whether
it holds human gene expression; `candidates` gathers values by key; `trait` and `people` read them,
with the words of `words`; `texts` looks at titles where they are silent; `experts` puts all into
an `encoding`, which `applying` turns into codes of samples; `summary` sums it up for people, in the
words of `telling`; `tcga` chooses studies and columns.
"""

from genotex.clinical.annotation_json import reading_from_json, reading_to_json, recorded_reading
from genotex.clinical.assay import judge_expression
from genotex.clinical.cases import count_cases, description_from_case, infer_cases
from genotex.clinical.cells import parse_number
from genotex.clinical.description import (
    SeriesDescription,
    describe_series,
)
from genotex.clinical.encoded_features import (
    EncodedFeature,
    ReadingRow,
    apply_encoding,
    cells_to_code,
    encode_with_role,
    is_biased,
    reading_table,
)
from genotex.clinical.encoding import (
    ClinicalReading,
    Confidence,
    FeatureEncoding,
    GeneVerdict,
    SampleField,
)
from genotex.clinical.encoding_files import (
    SavedReadings,
    add_reading,
    fit_reading,
    load_readings,
    save_readings,
)
from genotex.clinical.experts import Expert, RuleExpert, check_certainty, rule_expert
from genotex.clinical.groups import KeyValues, characteristics_to_edit, choose_groups, values_by_key
from genotex.clinical.people.values import parse_age_years, parse_sex
from genotex.clinical.summary import (
    FeatureSummary,
    ReadingSummary,
    inferred_from,
    sum_up,
    tell_certainty,
    tell_groups,
    tell_meaning,
    tell_notes,
    tell_place,
    tell_role,
    tell_shown,
    why_no_trait,
)
from genotex.clinical.tcga_columns import (
    TcgaColumn,
    find_age_column,
    find_gender_column,
)
from genotex.clinical.tcga_studies import TcgaChoice, choose_tcga_study, tcga_study_code
from genotex.clinical.words.trait_names import NamedTrait
from genotex.clinical.words.vocabulary import Vocabulary, load_vocabulary, vocabulary_text

__all__ = [
    "ClinicalReading",
    "Confidence",
    "EncodedFeature",
    "Expert",
    "FeatureEncoding",
    "FeatureSummary",
    "GeneVerdict",
    "KeyValues",
    "NamedTrait",
    "ReadingRow",
    "ReadingSummary",
    "RuleExpert",
    "SampleField",
    "SavedReadings",
    "SeriesDescription",
    "TcgaChoice",
    "TcgaColumn",
    "Vocabulary",
    "add_reading",
    "apply_encoding",
    "cells_to_code",
    "characteristics_to_edit",
    "check_certainty",
    "choose_groups",
    "choose_tcga_study",
    "count_cases",
    "describe_series",
    "description_from_case",
    "encode_with_role",
    "find_age_column",
    "find_gender_column",
    "fit_reading",
    "infer_cases",
    "inferred_from",
    "is_biased",
    "judge_expression",
    "load_readings",
    "load_vocabulary",
    "parse_age_years",
    "parse_number",
    "parse_sex",
    "reading_from_json",
    "reading_table",
    "reading_to_json",
    "recorded_reading",
    "rule_expert",
    "save_readings",
    "sum_up",
    "tcga_study_code",
    "tell_certainty",
    "tell_groups",
    "tell_meaning",
    "tell_notes",
    "tell_place",
    "tell_role",
    "tell_shown",
    "values_by_key",
    "vocabulary_text",
    "why_no_trait",
]
