from .adapters.assignments import (
    AGENT_TASKS as AGENT_TASKS,
    AgentTask as AgentTask,
    Assignment as Assignment,
    BenchmarkFolders as BenchmarkFolders,
    list_assignments as list_assignments,
)
from .adapters.scoring import (
    HEADLINES as HEADLINES,
    figure_names as figure_names,
    score_assignment as score_assignment,
)
from .comparison.paired import (
    Difference as Difference,
    RunComparison as RunComparison,
    compare_runs as compare_runs,
)
from .comparison.paper_table import (
    PaperRow as PaperRow,
    paper_json as paper_json,
    paper_markdown as paper_markdown,
    paper_notes as paper_notes,
    paper_rows as paper_rows,
    paper_tables as paper_tables,
)
from .comparison.retest import (
    Component as Component,
    Retest as Retest,
    VarianceComponents as VarianceComponents,
    retest_runs as retest_runs,
    retest_tables as retest_tables,
    variance_components as variance_components,
    with_retest as with_retest,
)
from .comparison.run_record import (
    RunRecord as RunRecord,
    name_runs as name_runs,
    read_run_record as read_run_record,
)
from .comparison.submission import (
    Submission as Submission,
    check_run as check_run,
    open_runs as open_runs,
    submit_run as submit_run,
    write_manifest as write_manifest,
)
from .comparison.tables import (
    comparison_json as comparison_json,
    comparison_texts as comparison_texts,
    difference_tables as difference_tables,
    side_by_side_table as side_by_side_table,
)
from .evaluation.analysis_task import (
    AnsweredTrait as AnsweredTrait,
    GeneList as GeneList,
    UniverseFile as UniverseFile,
    read_gene_list as read_gene_list,
    read_universe as read_universe,
    score_answers as score_answers,
)
from .evaluation.evaluate import (
    Progress as Progress,
    evaluate as evaluate,
    evaluate_all as evaluate_all,
)
from .evaluation.figures import (
    MetricsVersion as MetricsVersion,
    PlainTable as PlainTable,
    ScoreFigure as ScoreFigure,
    Table as Table,
    to_markdown as to_markdown,
)
from .evaluation.folder_items import (
    ReferenceKind as ReferenceKind,
    ScoredFolder as ScoredFolder,
    kind_of_reference as kind_of_reference,
    published as published,
    reference_kind_of as reference_kind_of,
    reference_words as reference_words,
    table_path as table_path,
)
from .evaluation.gene_metrics import (
    GeneAgreement as GeneAgreement,
    TraitPrediction as TraitPrediction,
    compare_genes as compare_genes,
    trait_kind as trait_kind,
    trait_prediction as trait_prediction,
)
from .evaluation.labels.evaluating import (
    compare_labels as compare_labels,
    evaluate_answers as evaluate_answers,
    evaluate_folder as evaluate_folder,
)
from .evaluation.labels.label import (
    FEATURES as FEATURES,
    Answers as Answers,
    FeatureLabel as FeatureLabel,
    Label as Label,
    LabelledCase as LabelledCase,
    case_from_json as case_from_json,
    label_sets as label_sets,
    labelled_by as labelled_by,
    of_traits as of_traits,
    read_answers as read_answers,
    read_labelled_cases as read_labelled_cases,
)
from .evaluation.labels.reference import apply_labels as apply_labels
from .evaluation.labels.release import release_labels as release_labels
from .evaluation.labels.scoring import (
    Disagreement as Disagreement,
    agreement as agreement,
    case_figures as case_figures,
    count_disagreements as count_disagreements,
    score_cases as score_cases,
)
from .evaluation.options import (
    DEFAULT_TABLES as DEFAULT_TABLES,
    RULES as RULES,
    TASKS as TASKS,
    CohortFlag as CohortFlag,
    EvaluationOptions as EvaluationOptions,
    GeneUniverse as GeneUniverse,
    RulesName as RulesName,
    ScoringRules as ScoringRules,
    Task as Task,
)
from .evaluation.plan import load_tasks as load_tasks, pose_problems as pose_problems
from .evaluation.preprocessing import (
    compare_tables as compare_tables,
    feature_correlation as feature_correlation,
    jaccard as jaccard,
    score_table as score_table,
    wanted_tables as wanted_tables,
)
from .evaluation.score_files import (
    average_tables as average_tables,
    json_text as json_text,
    kind_table as kind_table,
    missing_table as missing_table,
    trap_table as trap_table,
    read_scores as read_scores,
    score_texts as score_texts,
    settings_rows as settings_rows,
    write_texts as write_texts,
)
from .evaluation.scores import (
    FIGURES as FIGURES,
    AnalysisScore as AnalysisScore,
    FilteringScore as FilteringScore,
    Missing as Missing,
    PreprocessingScore as PreprocessingScore,
    Scores as Scores,
    SelectionScore as SelectionScore,
    headline_figures as headline_figures,
)
from .evaluation.selection import (
    CohortChooser as CohortChooser,
    score_filtering as score_filtering,
    score_selection as score_selection,
)
from .evaluation.summary import (
    Average as Average,
    Summary as Summary,
    percentile_interval as percentile_interval,
    resampled_means as resampled_means,
    summarise as summarise,
    to_json as to_json,
)
from .runs import (
    Context as Context,
    ErrorClass as ErrorClass,
    Method as Method,
    write_answer as write_answer,
)
from .runs.built_in import FromCohorts as FromCohorts, read_gene_answers as read_gene_answers
from .runs.choosing import BUILT_IN as BUILT_IN, choose_method as choose_method
from .runs.leaderboard import (
    AboutRun as AboutRun,
    Entry as Entry,
    RunGroup as RunGroup,
    RunSetup as RunSetup,
    Used as Used,
    group_runs as group_runs,
    pareto_front as pareto_front,
    read_setup as read_setup,
)
from .runs.method import ChosenMethod as ChosenMethod
from .runs.problem_record import ProblemRecord as ProblemRecord
from .runs.run_folder import RunFolder as RunFolder
from .runs.running import (
    BenchmarkRun as BenchmarkRun,
    Finished as Finished,
    run_benchmark as run_benchmark,
)
from .runs.summary import RunSummary as RunSummary
from .simulated import (
    BenchmarkTruth as BenchmarkTruth,
    SimulatedBenchmark as SimulatedBenchmark,
    TraitTruth as TraitTruth,
    load_benchmark_truth as load_benchmark_truth,
    simulate_benchmark as simulate_benchmark,
)
