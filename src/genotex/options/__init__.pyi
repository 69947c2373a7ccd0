from .words import (
    BENCHMARK as BENCHMARK,
    LIMITS as LIMITS,
    MODELS as MODELS,
    Option as Option,
    SOUND as SOUND,
    TABLE_COVARIATES as TABLE_COVARIATES,
    TWO_STEP as TWO_STEP,
    WAYS as WAYS,
    ChosenProcedure as ChosenProcedure,
    Controls as Controls,
    Hidden as Hidden,
    LevelsMode as LevelsMode,
    MissingValues as MissingValues,
    Model as Model,
    RegressorRule as RegressorRule,
    SampleWeights as SampleWeights,
    Scale as Scale,
    SetTest as SetTest,
    Solver as Solver,
    refuse_idle as refuse_idle,
    refuse_unknown as refuse_unknown,
)
from .preprocessing import (
    PreprocessChoices as PreprocessChoices,
)
from .analysis import (
    AnalysisOptions as AnalysisOptions,
)
from .design import (
    DesignOptions as DesignOptions,
)
from .benchmark import (
    EnrichmentOptions as EnrichmentOptions,
    MethodOptions as MethodOptions,
)
