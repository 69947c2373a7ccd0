from .encoding import (
    annotation_from_json as annotation_from_json,
    annotation_to_json as annotation_to_json,
    recorded_annotation as recorded_annotation,
)
from .annotator.answer import answer_of as answer_of
from .annotator.asking import (
    AskingExpert as AskingExpert,
    Estimate as Estimate,
    ModelExpert as ModelExpert,
)
from .annotator.comparing import compare as compare
from .annotator.making import (
    CALLS_OF as CALLS_OF,
    expert_of as expert_of,
    name_annotator as name_annotator,
)
from .annotator.question import (
    question_digests as question_digests,
    series_question as series_question,
)
from .assay import judge_expression as judge_expression
from .assay.stated import load_signs as load_signs
from .cases import (
    count_cases as count_cases,
    description_from_case as description_from_case,
    described_cases as described_cases,
    infer_cases as infer_cases,
)
from .cells import Candidate as Candidate, characteristic_candidates as characteristic_candidates
from .description import (
    SHOWN_VALUES as SHOWN_VALUES,
    SeriesDescription as SeriesDescription,
    describe_series as describe_series,
)
from .encoded_features import (
    AnnotationRow as AnnotationRow,
    EncodedFeature as EncodedFeature,
    annotation_rows as annotation_rows,
    apply_encoding as apply_encoding,
    cells_to_code as cells_to_code,
    encode_cell as encode_cell,
    encode_with_role as encode_with_role,
    is_biased as is_biased,
    row_and_map as row_and_map,
    without_samples as without_samples,
)
from .encoding import (
    Asked as Asked,
    FEATURES as FEATURES,
    GROUP_WORDS as GROUP_WORDS,
    NO_CELL as NO_CELL,
    ClinicalAnnotation as ClinicalAnnotation,
    Feature as Feature,
    FeatureEncoding as FeatureEncoding,
    GeneVerdict as GeneVerdict,
)
from .encoding_files import (
    SavedAnnotations as SavedAnnotations,
    add_annotation as add_annotation,
    fit_annotation as fit_annotation,
    load_annotations as load_annotations,
    save_annotations as save_annotations,
)
from .experts import (
    Expert as Expert,
    RuleExpert as RuleExpert,
    check_certainty as check_certainty,
    rule_expert as rule_expert,
)
from .groups import (
    KeyValues as KeyValues,
    characteristics_to_edit as characteristics_to_edit,
    choose_groups as choose_groups,
    check_conditions as check_conditions,
    exclude_samples as exclude_samples,
    group_samples as group_samples,
    need_conditions as need_conditions,
    samples_text as samples_text,
    values_by_key as values_by_key,
)
from .people import find_person_feature as find_person_feature
from .relations import SampleRelations as SampleRelations, find_relations as find_relations
from .cells import SampleKeys as SampleKeys, keys_of_samples as keys_of_samples
from .sheets.sample_sheet import (
    SampleSheet as SampleSheet,
    SheetSample as SheetSample,
    check_sample_sheet as check_sample_sheet,
    is_excluded as is_excluded,
    REPORTED as REPORTED,
    decided_columns as decided_columns,
    load_sample_sheet as load_sample_sheet,
)
from .sheets.annotation import (
    CHECK as CHECK,
    AS_IN_FILE as AS_IN_FILE,
    annotation_from_sheet as annotation_from_sheet,
    sheet_cells as sheet_cells,
    sheet_headers as sheet_headers,
    sheet_rows as sheet_rows,
)
from .sheets.files import (
    check_kind as check_kind,
    load_pairs as load_pairs,
    read_sheet_table as read_sheet_table,
    write_sheet_table as write_sheet_table,
)
from .comparisons import SeriesComparison as SeriesComparison, find_comparisons as find_comparisons
from .likely_rows import ROWS_WITH_GROUPS as ROWS_WITH_GROUPS, likely_groups as likely_groups
from .summary import (
    REVIEW as REVIEW,
    AnnotationSummary as AnnotationSummary,
    FeatureSummary as FeatureSummary,
    annotation_notes as annotation_notes,
    certainty_meaning as certainty_meaning,
    certainty_text as certainty_text,
    groups_text as groups_text,
    inferred_from as inferred_from,
    place_text as place_text,
    reason_texts as reason_texts,
    role_text as role_text,
    sum_up as sum_up,
    value_text as value_text,
    why_no_trait as why_no_trait,
)
from .tcga import (
    TcgaColumn as TcgaColumn,
    find_tcga_column as find_tcga_column,
    is_age_or_gender_column as is_age_or_gender_column,
    named_columns as named_columns,
    plain_column_name as plain_column_name,
    read_tcga_cell as read_tcga_cell,
)
from .tcga import (
    TcgaChoice as TcgaChoice,
    choose_tcga_study as choose_tcga_study,
    load_tcga_words as load_tcga_words,
    tcga_study_code as tcga_study_code,
)
from .trait.row_groups import rest_as_cases as rest_as_cases, rest_as_controls as rest_as_controls
from .trait.row_judge import is_number as is_number, judge_row as judge_row
from .trait.value_judge import ValueJudge as ValueJudge
from .words.keys import KeyKind as KeyKind, kind_of_key as kind_of_key
from .words.lexicon import DiseaseLexicon as DiseaseLexicon, load_lexicon as load_lexicon
from .words.trait_names import NamedTrait as NamedTrait, TraitNames as TraitNames
from .words.vocabulary import (
    Vocabulary as Vocabulary,
    load_vocabulary as load_vocabulary,
    vocabulary_text as vocabulary_text,
)
from .words.wording import Terms as Terms
from .cases import infer_cases_elsewhere as infer_cases_elsewhere
from .texts.samples import group_texts as group_texts
from .words.vocabulary_file import read_vocabulary_file as read_vocabulary_file
