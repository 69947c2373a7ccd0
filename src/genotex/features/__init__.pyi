from .cells import (
    named_part as named_part,
    parse_number as parse_number,
    split_cell as split_cell,
    split_pairs as split_pairs,
)
from .feature import (
    MISSING as MISSING,
    Placed as Placed,
    PlacedStatement as PlacedStatement,
    SampleFeature as SampleFeature,
    SeriesTexts as SeriesTexts,
    Statement as Statement,
    parse_plain_number as parse_plain_number,
)
from .known.age import (
    OLDEST_AGE as OLDEST_AGE,
    is_bare_number as is_bare_number,
    parse_age_years as parse_age_years,
)
from .known.batch import names_laboratory as names_laboratory
from .known.donor import (
    FEWEST_PAIRS as FEWEST_PAIRS,
    PAIR_TEXT as PAIR_TEXT,
    PersonStatements as PersonStatements,
    conflicting as conflicting,
    person_ids as person_ids,
    repeated_people as repeated_people,
)
from .known.people_words import (
    PLAIN as PLAIN,
    SAMPLING as SAMPLING,
    STATED as STATED,
    age_rank as age_rank,
    key_unit as key_unit,
    load_words as load_words,
    names_another as names_another,
    names_groups as names_groups,
    sex_rank as sex_rank,
    spelt_sexes as spelt_sexes,
    unit_words as unit_words,
)
from .known.sex import parse_sex as parse_sex, sex_legend as sex_legend, text_legend as text_legend
from .known.treatment import (
    control_group as control_group,
    dose_from_key as dose_from_key,
    dose_from_text as dose_from_text,
    find_treatment_groups as find_treatment_groups,
)
from .plain_text import (
    folded as folded,
    load_wording as load_wording,
    packaged_table as packaged_table,
    plain_key as plain_key,
    simple_key as simple_key,
    simplify as simplify,
    split_words as split_words,
)
from .registry import (
    column_named as column_named,
    default_covariates as default_covariates,
    feature_named as feature_named,
    feature_of_column as feature_of_column,
    parser_named as parser_named,
    recorded_features as recorded_features,
    registered as registered,
    sample_features as sample_features,
    table_features as table_features,
)
