"""Clinical inference: which characteristic tells trait, age and gender, and how.

The way through the room: `description` says what may be seen of a series; `assay` judges whether
it holds human gene expression; `candidates` gathers values by key; `trait` and `people` read them,
with the words of `words`; `texts` looks at titles where they are silent; `experts` puts all into
an `encoding`, which `applying` turns into codes of samples; `summary` sums it up for people, in the
words of `telling`; `tcga` chooses studies and columns.
"""

from genotex.clinical.applying import (
    EncodedFeature,
    apply_encoding,
    cells_to_code,
    encode_with_role,
)
from genotex.clinical.assay import judge_expression
from genotex.clinical.description import (
    SeriesDescription,
    describe_series,
    description_from_case,
)
from genotex.clinical.encoding import (
    ClinicalReading,
    Confidence,
    FeatureEncoding,
    GeneVerdict,
    SampleField,
)
from genotex.clinical.experts import Expert, RuleExpert
from genotex.clinical.given import fit_reading
from genotex.clinical.groups import choose_groups
from genotex.clinical.inference import ReadingRow, count_cases, infer_cases, reading_table
from genotex.clinical.one_sided import is_biased
from genotex.clinical.people.ages import parse_age_years
from genotex.clinical.people.sexes import parse_sex
from genotex.clinical.procedures import check_certainty, rule_expert
from genotex.clinical.reading_checks import reading_from_json
from genotex.clinical.readings import (
    SavedReadings,
    add_reading,
    load_readings,
    reading_to_json,
    save_readings,
)
from genotex.clinical.recorded import recorded_reading
from genotex.clinical.summary import FeatureSummary, ReadingSummary, sum_up
from genotex.clinical.tcga.choice import TcgaChoice, choose_tcga_study
from genotex.clinical.tcga.columns import (
    TcgaColumn,
    find_age_column,
    find_gender_column,
)
from genotex.clinical.tcga.studies import tcga_study_code
from genotex.clinical.telling import (
    inferred_from,
    tell_certainty,
    tell_groups,
    tell_meaning,
    tell_notes,
    tell_place,
    tell_role,
    tell_shown,
    why_no_trait,
)
from genotex.clinical.values import parse_number
from genotex.clinical.values_by_key import KeyValues, characteristics_to_edit, values_by_key
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
