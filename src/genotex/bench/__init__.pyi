from .evaluation.comparison import RunComparison as RunComparison, compare_runs as compare_runs
from .evaluation.evaluate import (
    Progress as Progress,
    evaluate as evaluate,
    evaluate_all as evaluate_all,
)
from .evaluation.options import (
    CohortFlag as CohortFlag,
    DEFAULT_TABLES as DEFAULT_TABLES,
    EvaluationOptions as EvaluationOptions,
    GeneUniverse as GeneUniverse,
    TASKS as TASKS,
    Task as Task,
)
from .evaluation.score_files import read_scores as read_scores
from .evaluation.scores import (
    AnalysisScore as AnalysisScore,
    FIGURES as FIGURES,
    FilteringScore as FilteringScore,
    Missing as Missing,
    PreprocessingScore as PreprocessingScore,
    Scores as Scores,
    SelectionScore as SelectionScore,
    headline_figures as headline_figures,
)
from .evaluation.summary import (
    Average as Average,
    Summary as Summary,
    summarise as summarise,
    to_json as to_json,
)
from .problems import (
    CohortChoice as CohortChoice,
    ConditionFacts as ConditionFacts,
    DEFAULT_SCORE as DEFAULT_SCORE,
    DEFAULT_THRESHOLD as DEFAULT_THRESHOLD,
    Finding as Finding,
    GeneOverlap as GeneOverlap,
    ListedTrait as ListedTrait,
    PairChoice as PairChoice,
    PairComparison as PairComparison,
    PairDifference as PairDifference,
    PairRule as PairRule,
    PairVerdict as PairVerdict,
    Problem as Problem,
    ProblemCounts as ProblemCounts,
    ProblemKind as ProblemKind,
    RelatedGenes as RelatedGenes,
    TaskInfo as TaskInfo,
    TraitInfo as TraitInfo,
    TraitList as TraitList,
    UsableCohorts as UsableCohorts,
    WHERE_TO_GET as WHERE_TO_GET,
    build_conditions as build_conditions,
    check_task_info as check_task_info,
    choose_cohort as choose_cohort,
    choose_pair as choose_pair,
    compare_pairs as compare_pairs,
    condition_named as condition_named,
    count_problems as count_problems,
    describe_condition as describe_condition,
    describe_conditions as describe_conditions,
    find_related_genes as find_related_genes,
    judge_pair as judge_pair,
    read_disease_ids as read_disease_ids,
    read_problems as read_problems,
    regressor_genes as regressor_genes,
    sample_problems as sample_problems,
    usable_cohorts as usable_cohorts,
    write_problems as write_problems,
    write_task_info as write_task_info,
)
from .runs import (
    Context as Context,
    ErrorClass as ErrorClass,
    Method as Method,
    write_answer as write_answer,
)
from .runs.methods.choosing import choose_method as choose_method
from .runs.running import (
    BenchmarkRun as BenchmarkRun,
    Finished as Finished,
    run_benchmark as run_benchmark,
)
from .simulated import (
    BenchmarkTruth as BenchmarkTruth,
    SimulatedBenchmark as SimulatedBenchmark,
    TraitTruth as TraitTruth,
    load_benchmark_truth as load_benchmark_truth,
    simulate_benchmark as simulate_benchmark,
)
