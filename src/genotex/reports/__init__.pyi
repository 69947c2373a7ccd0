from .problem.annotation import features_of as features_of
from .datasets.datasheet import (
    datasheet_json as datasheet_json,
    own_files as own_files,
    write_description as write_description,
)
from .datasets.description import Description as Description, describe_dataset as describe_dataset
from .genes.findings import (
    Findings as Findings,
    change_words as change_words,
    covariate_bars as covariate_bars,
    gene_result as gene_result,
    ranked as ranked,
)
from .genes.explorer import explorer_data as explorer_data
from .genes.table import (
    Column as Column,
    TableColumn as TableColumn,
    cell as cell,
    csv_columns as csv_columns,
    csv_frame as csv_frame,
    gene_columns as gene_columns,
    page_columns as page_columns,
)
from .problem.groups import mark_samples as mark_samples
from .cohorts.genes import (
    forest_data as forest_data,
    forest_rows as forest_rows,
    gene_forest as gene_forest,
    meta_columns as meta_columns,
    meta_csv_frame as meta_csv_frame,
    shown_genes as shown_genes,
)
from .cohorts.report import (
    MetaPage as MetaPage,
    build_meta_page as build_meta_page,
    write_meta_report as write_meta_report,
)
from .problem.methods import (
    log_steps as log_steps,
    methods_paragraph as methods_paragraph,
    model_methods as model_methods,
)
from .problem.page import (
    ReportPage as ReportPage,
    UnansweredPage as UnansweredPage,
    build_page as build_page,
    build_unanswered_page as build_unanswered_page,
    draw_figures as draw_figures,
    render_page as render_page,
)
from .problem.report import (
    evidence_of as evidence_of,
    linked_of as linked_of,
    result_figures as result_figures,
    write_report as write_report,
    write_unanswered_report as write_unanswered_report,
)
from .problem.records import Surrogates as Surrogates
from .problem.sample_figures import (
    draw_sample_figures as draw_sample_figures,
    steps_between as steps_between,
    with_sample_figures as with_sample_figures,
)
from .sections.hidden_factors import (
    unmeasured_methods as unmeasured_methods,
    unmeasured_note as unmeasured_note,
)
from .sections.mixed_model import mixed_methods as mixed_methods
from .sections.condition import condition_methods as condition_methods
from .sections.samples import samples_methods as samples_methods
from .sections.selection import (
    selection_headline as selection_headline,
    selection_methods as selection_methods,
)
from .problem.software import (
    REFERENCES as REFERENCES,
    citation as citation,
    cited_works as cited_works,
    problem_software as problem_software,
    software_view as software_view,
    written_options as written_options,
)
from .survival_page import (
    SurvivalSource as SurvivalSource,
    build_survival_page as build_survival_page,
    figures_of_survival as figures_of_survival,
    median_time as median_time,
    write_survival_report as write_survival_report,
)
from .scores.figures import average_figures as average_figures, problem_figures as problem_figures
from .scores.leaderboard import (
    Leaderboard as Leaderboard,
    build_leaderboard as build_leaderboard,
    write_leaderboard as write_leaderboard,
)
from .scores.page import (
    best_and_worst as best_and_worst,
    item_tables as item_tables,
    write_comparison as write_comparison,
    write_scores as write_scores,
)
from .sections import FigureView as FigureView, Section as Section, all_sections as all_sections
from .audit_page import audit_view as audit_view, write_audit_page as write_audit_page
