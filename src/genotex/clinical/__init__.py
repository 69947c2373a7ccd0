"""Clinical inference: which characteristic records trait, age and gender, and how it is coded.

In the order of the data: `description` is what may be seen of a series; `assay` judges whether it
holds human gene expression; `cells` gathers values by key; `trait` and `people` judge them, with
the words of `words`; `texts` searches titles where the characteristics are silent; `experts`
combines all of it into a clinical annotation (`encoding`), which `encoded_features` turns into
codes of samples. `summary` puts it into words; `encoding_files` and `groups` hold the choices of a
person, `sample_sheet` those of a spreadsheet, `sample_groups` those of conditions on samples;
`cases` annotates many series at once; `tcga_studies` and `tcga_columns` are for TCGA.
"""

from genotex.clinical.annotation_json import (
    annotation_from_json,
    annotation_to_json,
    recorded_annotation,
)
from genotex.clinical.assay import judge_expression
from genotex.clinical.cases import count_cases, description_from_case, infer_cases, row_and_map
from genotex.clinical.cells import characteristic_candidates, parse_number, split_cell
from genotex.clinical.description import (
    SHOWN_VALUES,
    SeriesDescription,
    describe_series,
)
from genotex.clinical.encoded_features import (
    AnnotationRow,
    EncodedFeature,
    annotation_rows,
    apply_encoding,
    cells_to_code,
    encode_cell,
    encode_with_role,
    is_biased,
    without_samples,
)
from genotex.clinical.encoding import (
    FEATURES,
    GROUP_WORDS,
    ClinicalAnnotation,
    Confidence,
    Feature,
    FeatureEncoding,
    GeneVerdict,
    Parser,
    SampleField,
)
from genotex.clinical.encoding_files import (
    SavedAnnotations,
    add_annotation,
    fit_annotation,
    load_annotations,
    save_annotations,
)
from genotex.clinical.experts import Expert, RuleExpert, check_certainty, rule_expert
from genotex.clinical.groups import KeyValues, characteristics_to_edit, choose_groups, values_by_key
from genotex.clinical.people.values import parse_age_years, parse_sex
from genotex.clinical.sample_groups import (
    check_conditions,
    exclude_samples,
    group_samples,
    need_conditions,
    samples_text,
)
from genotex.clinical.sample_keys import SampleKeys, sample_keys
from genotex.clinical.sample_sheet import (
    SampleSheet,
    SheetSample,
    check_sample_sheet,
    load_sample_sheet,
)
from genotex.clinical.sheet_annotation import (
    annotation_from_sheet,
    sheet_cells,
    sheet_headers,
    sheet_rows,
)
from genotex.clinical.sheet_files import (
    check_kind,
    load_pairs,
    read_sheet_table,
    write_sheet_table,
)
from genotex.clinical.summary import (
    AnnotationSummary,
    FeatureSummary,
    annotation_notes,
    certainty_meaning,
    certainty_text,
    groups_text,
    inferred_from,
    place_text,
    role_text,
    sum_up,
    value_text,
    why_no_trait,
)
from genotex.clinical.tcga_columns import (
    TcgaColumn,
    find_age_column,
    find_gender_column,
    is_age_or_gender_column,
    named_columns,
    plain_column_name,
    read_tcga_cell,
)
from genotex.clinical.tcga_studies import (
    TcgaChoice,
    choose_tcga_study,
    load_tcga_words,
    tcga_study_code,
)
from genotex.clinical.words.keys import KeyKind, kind_of_key
from genotex.clinical.words.trait_names import NamedTrait
from genotex.clinical.words.vocabulary import Vocabulary, load_vocabulary, vocabulary_text
from genotex.clinical.words.wording import simple_key, simplify

__all__ = [
    "FEATURES",
    "GROUP_WORDS",
    "SHOWN_VALUES",
    "AnnotationRow",
    "AnnotationSummary",
    "ClinicalAnnotation",
    "Confidence",
    "EncodedFeature",
    "Expert",
    "Feature",
    "FeatureEncoding",
    "FeatureSummary",
    "GeneVerdict",
    "KeyKind",
    "KeyValues",
    "NamedTrait",
    "Parser",
    "RuleExpert",
    "SampleField",
    "SampleKeys",
    "SampleSheet",
    "SavedAnnotations",
    "SeriesDescription",
    "SheetSample",
    "TcgaChoice",
    "TcgaColumn",
    "Vocabulary",
    "add_annotation",
    "annotation_from_json",
    "annotation_from_sheet",
    "annotation_notes",
    "annotation_rows",
    "annotation_to_json",
    "apply_encoding",
    "cells_to_code",
    "certainty_meaning",
    "certainty_text",
    "characteristic_candidates",
    "characteristics_to_edit",
    "check_certainty",
    "check_conditions",
    "check_kind",
    "check_sample_sheet",
    "choose_groups",
    "choose_tcga_study",
    "count_cases",
    "describe_series",
    "description_from_case",
    "encode_cell",
    "encode_with_role",
    "exclude_samples",
    "find_age_column",
    "find_gender_column",
    "fit_annotation",
    "group_samples",
    "groups_text",
    "infer_cases",
    "inferred_from",
    "is_age_or_gender_column",
    "is_biased",
    "judge_expression",
    "kind_of_key",
    "load_annotations",
    "load_pairs",
    "load_sample_sheet",
    "load_tcga_words",
    "load_vocabulary",
    "named_columns",
    "need_conditions",
    "parse_age_years",
    "parse_number",
    "parse_sex",
    "place_text",
    "plain_column_name",
    "read_sheet_table",
    "read_tcga_cell",
    "recorded_annotation",
    "role_text",
    "row_and_map",
    "rule_expert",
    "sample_keys",
    "samples_text",
    "save_annotations",
    "sheet_cells",
    "sheet_headers",
    "sheet_rows",
    "simple_key",
    "simplify",
    "split_cell",
    "sum_up",
    "tcga_study_code",
    "value_text",
    "values_by_key",
    "vocabulary_text",
    "why_no_trait",
    "without_samples",
    "write_sheet_table",
]
