from .fields import (
    Declared as Declared,
    Option as Option,
    build as build,
    changed as changed,
    command_words as command_words,
    declared as declared,
)
from .fields import (
    BENCHMARK as BENCHMARK,
    LIMITS as LIMITS,
    MODELS as MODELS,
    SOUND as SOUND,
    TWO_STEP as TWO_STEP,
    WAYS as WAYS,
    ChosenProcedure as ChosenProcedure,
    Controls as Controls,
    CountTest as CountTest,
    Hidden as Hidden,
    LevelsMode as LevelsMode,
    MissingValues as MissingValues,
    Model as Model,
    RankBy as RankBy,
    RegressorRule as RegressorRule,
    SampleWeights as SampleWeights,
    Scale as Scale,
    SetCollection as SetCollection,
    SetTest as SetTest,
    Solver as Solver,
    ValueKind as ValueKind,
    refuse_idle as refuse_idle,
    refuse_unknown as refuse_unknown,
)
from .annotating import (
    ANNOTATOR_FIELDS as ANNOTATOR_FIELDS,
    BOTH as BOTH,
    AnnotatorChoices as AnnotatorChoices,
)
from .preprocessing import GeoOptions as GeoOptions, PreprocessChoices as PreprocessChoices
from .analysis import AnalysisOptions as AnalysisOptions
from .design import DesignOptions as DesignOptions, ReadingOptions as ReadingOptions
from .outputs import (
    FIGURE_FORMATS as FIGURE_FORMATS,
    FigureOptions as FigureOptions,
    refuse_unknown_format as refuse_unknown_format,
    written_formats as written_formats,
)
from .benchmark import EnrichmentOptions as EnrichmentOptions, MethodOptions as MethodOptions
from .outputs import About as About
from .auditing import AuditOptions as AuditOptions
from .finding import SPECIES as SPECIES, FindOptions as FindOptions
