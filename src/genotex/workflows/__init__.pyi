from .anndata_files import (
    KEY as KEY,
    cohort_to_anndata as cohort_to_anndata,
    write_h5ad as write_h5ad,
)
from .annotation import (
    Annotation as Annotation,
    add_age_and_sex as add_age_and_sex,
    annotate_series as annotate_series,
    check_trait as check_trait,
    sample_table as sample_table,
)
from .preparing import (
    prepare as prepare,
    prepare_condition as prepare_condition,
    review_commands as review_commands,
)
from .designs import (
    contrasts_of as contrasts_of,
    DesignInput as DesignInput,
    of_survival as of_survival,
)
from .designs import (
    DesignsTested as DesignsTested,
    SurvivalTested as SurvivalTested,
    analyze_designs as analyze_designs,
    analyze_survival as analyze_survival,
    prepare_designs as prepare_designs,
    save_survival_figures as save_survival_figures,
)
from .problems import enrich as enrich, enrich_results as enrich_results
from .problems import (
    Analysed as Analysed,
    Answered as Answered,
    Combined as Combined,
    analyze as analyze,
    answer as answer,
    combine as combine,
    report as report,
    save_result_figures as save_result_figures,
    write_script as write_script,
)
from .progress import Progress as Progress, silent as silent
from .solving import (
    SamplesRead as SamplesRead,
    plan_cohort as plan_cohort,
    read_samples as read_samples,
    Reading as Reading,
    SolveRequest as SolveRequest,
    Solved as Solved,
    solve as solve,
)
from .auditing import (
    CohortSource as CohortSource,
    audit as audit,
    audited as audited,
    audited_series as audited_series,
    find_sources as find_sources,
    table_source as table_source,
)
from .comparing import (
    SeriesComparisons as SeriesComparisons,
    by_sheet as by_sheet,
    compare as compare,
    comparisons_of as comparisons_of,
    propose_comparison as propose_comparison,
    series_in as series_in,
)
from .finding import (
    FOUND_COLUMNS as FOUND_COLUMNS,
    FoundSeries as FoundSeries,
    concepts_of as concepts_of,
    find_series as find_series,
)
