"""What a user may choose at each step, declared once.

The library takes objects of these classes. The command line derives its options from their fields
(`genotex.cli.option_classes`): name, type, default, help text and panel are stated here and nowhere
else. To add an option, add a field.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from genotex.errors import UsageError
from genotex.option_field import Option
from genotex.procedure import Procedure

__all__ = [
    "BENCHMARK",
    "LIMITS",
    "MODELS",
    "SOUND",
    "TWO_STEP",
    "WAYS",
    "AnalysisOptions",
    "ChosenProcedure",
    "Controls",
    "EnrichmentOptions",
    "Hidden",
    "LevelsMode",
    "MethodOptions",
    "Model",
    "Option",
    "PreprocessChoices",
    "RegressorRule",
    "SampleWeights",
    "Scale",
    "SetTest",
    "Solver",
    "refuse_idle",
]

Controls = Literal["auto", "healthy", "all"]
"""Which controls cases are compared with."""
RegressorRule = Literal["inclusive", "exclusive"]
"""Which genes predict the condition of a two-step problem."""
Scale = Literal["auto", "log2", "linear", "counts"]
"""Scale of expression values as they are in the file."""
Model = Literal["moderated", "mixed", "all"]
Hidden = Literal["auto", "none", "sva", "two-step"]
SampleWeights = Literal["auto", "none", "group", "sample", "array"]
LevelsMode = Literal["auto", "line", "factor", "ordered"]
Solver = Literal["scikit-learn", "exact"]
SetTest = Literal["camera", "fry", "fry-mixed"]

SOUND, BENCHMARK = "Procedure sound", "Procedure benchmark"
GROUPS = "Samples and groups"
TWO_STEP = "Another trait as condition"
PLUG_IN = "Plug-ins"
MODELS, WAYS, LIMITS = "Models", "Ways of the team", "Limits"


def _sound(help: str, name: str = "", panel: str = SOUND, **others: Any) -> Option:
    return Option(help, name, panel, Procedure.SOUND, **others)


def _groups(help: str, name: str = "", **others: Any) -> Option:
    return Option(help, name, GROUPS, **others)


ChosenProcedure = Annotated[
    Procedure, Option("Sound statistics, or the steps of the published benchmark.")
]
_CONTROLS = Option(
    "Compare cases with healthy controls, or with all. auto: healthy controls if there are at "
    "least five.",
    "--controls",
)


def _refuse_unknown(options: object, known: dict[str, tuple[str, ...]]) -> None:
    """Refuse a word that is not among the known ones of its field."""
    for name, words in known.items():
        value = getattr(options, name)
        if value not in words:
            msg = f"{name} {value!r} is not known; use {', '.join(words[:-1])} or {words[-1]}"
            raise UsageError(msg)


def _covariate_names(text: str) -> tuple[str, ...]:
    """Return the covariates of a text with commas; ``none`` for no covariates."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if [name.lower() for name in names] == ["none"]:
        return ()
    known = {"age": "Age", "gender": "Gender", "sex": "Gender"}
    return tuple(dict.fromkeys(known.get(name.lower(), name) for name in names))


@dataclass(frozen=True)
class PreprocessChoices:
    """What the command line offers about preprocessing; see `genotex.cohorts.PreprocessOptions`."""

    procedure: ChosenProcedure = Procedure.SOUND
    samples: Annotated[
        Path | None,
        _groups(
            "Sample sheet (.csv, .tsv, .xlsx) with the group of each sample, made by 'genotex "
            "clinical sheet' and edited in a spreadsheet."
        ),
    ] = None
    cases: Annotated[
        tuple[str, ...],
        _groups(
            "Samples that are cases: 'key=value', 'key~part of the value', or a bare value; keys "
            "are those of the characteristics, title, source, description and sample. Repeat for "
            "several; any of them is enough.",
            "--case",
        ),
    ] = ()
    controls: Annotated[
        tuple[str, ...], _groups("Samples that are controls, chosen like cases.", "--control")
    ] = ()
    exclude: Annotated[
        tuple[str, ...],
        _groups("Samples to leave out: an id (GSM...), 'key=value' or 'key~part'; repeat."),
    ] = ()
    pairs: Annotated[
        Path | None,
        _groups("Table with the columns sample and pair: samples of the same person or match."),
    ] = None
    series_platform: Annotated[
        tuple[str, ...],
        _groups(
            "Platform (GPL...) to use of a series with several, instead of the one with the most "
            "samples. Parts of the same array are joined; repeat to join several.",
            metavar="GPL",
        ),
    ] = ()
    encoding: Annotated[
        Path | None,
        _groups(
            "Encoding file of 'genotex clinical show --save', for programs; people use --samples."
        ),
    ] = None
    control_roles: Annotated[Controls, _CONTROLS] = "auto"
    scale: Annotated[Scale, Option("Scale of the expression values (sound only).")] = "auto"
    gene_table: Annotated[
        Path | None,
        Option(
            "NCBI gene_info, gene_synonym.json, or the genes.parquet of 'genotex fetch genes', to "
            "use instead of the packaged gene table.",
        ),
    ] = None
    vocabulary: Annotated[
        Path | None,
        Option(
            "Your own vocabulary for recognising traits; start with 'genotex clinical words'.",
        ),
    ] = None
    least_certainty: Annotated[
        float,
        Option(
            "Treat the trait as not available if its annotation is less certain than this.",
            least=0.0,
            most=1.0,
        ),
    ] = 0.0


@dataclass(frozen=True)
class AnalysisOptions:
    """Options of an analysis; the defaults are those of the procedure ``sound``.

    The fields are described by their help texts, as in ``genotex analyze --help``. The procedure
    ``benchmark`` uses of them `solver`, `fixed_lambda`, `batch_correction`, `regressors` and the
    cohorts.

    Parameters
    ----------
    among : tuple of str, optional
        Choose among these cohorts only.
    fixed_lambda : float, optional
        ``benchmark``: take this lambda, without any tuning.
    batch_correction : bool
        ``benchmark``: rotate the genes where there is a batch effect; without it never.

    Raises
    ------
    UsageError
        If a value makes no sense.
    """

    procedure: ChosenProcedure = Procedure.SOUND
    model: Annotated[
        Model,
        _sound(
            "Statistical test that ranks the genes: the moderated t-test, or that of a mixed "
            "model, a conservative second opinion; all reports both.",
            "--test",
        ),
    ] = "moderated"
    hidden: Annotated[
        Hidden,
        _sound(
            "Unmeasured confounding (batches, cell mixture): auto adjusts for surrogate variables "
            "estimated from all genes, unless they look like the trait's own signal; sva and "
            "two-step as in R's sva.",
        ),
    ] = "auto"
    weights: Annotated[
        SampleWeights,
        _sound(
            "Weight samples by their variance: auto where groups differ in it, group always, "
            "sample (or array, limma's word) for one weight per sample.",
        ),
    ] = "auto"
    levels: Annotated[
        LevelsMode,
        _sound(
            "A trait with several levels, as 0, 1, 2: line tests a trend, ordered a trend and "
            "departures from it, factor any difference among the levels and each pair. auto takes "
            "3 to 8 values of 3 samples or more each as ordered.",
        ),
    ] = "auto"
    robust: Annotated[
        bool,
        _sound(
            "Keep hypervariable genes out of the prior of the variances (Phipson and others 2016).",
            "--robust/--no-robust",
        ),
    ] = False
    q_cut: Annotated[
        float,
        _sound("Genes with a smaller q-value are significant.", "--q", panel="", above=0, most=1),
    ] = 0.05
    min_effect: Annotated[
        float,
        _sound(
            "Test whether genes change by more than this (log2 fold change, or change per "
            "standard deviation of a continuous trait), not only whether they change.",
            least=0.0,
        ),
    ] = 0.0
    controls: Annotated[Controls, _CONTROLS] = "auto"
    exclude_outliers: Annotated[
        bool, _sound("Leave out samples that differ from all others.", "--exclude-outliers")
    ] = False
    filter_low: Annotated[
        bool, _sound("Leave out genes that are low in nearly all samples.", "--filter/--no-filter")
    ] = True
    covariates: Annotated[
        tuple[str, ...],
        _sound(
            "Adjust for these, separated by commas: Age and Gender where the cohort has them, any "
            "other characteristic of the samples; none for nothing.",
            parse=_covariate_names,
        ),
    ] = ("Age", "Gender")
    batch: Annotated[
        bool,
        _sound("Adjust for a batch that a sample characteristic records.", "--batch/--no-batch"),
    ] = True
    trend: Annotated[
        bool,
        _sound(
            "Let the prior variance depend on mean expression (limma's trend).",
            "--trend/--no-trend",
        ),
    ] = False
    panel: Annotated[
        bool, _sound("Fit the sparse panel with its cross-validation.", "--panel/--no-panel")
    ] = True
    seed: Annotated[int, _sound("Seed of permutations, folds and halves.", least=0)] = 42
    cohort: Annotated[str | None, Option("Use this cohort, not the largest usable one.")] = None
    condition_cohort: Annotated[
        str | None, Option("Predict the condition from this cohort of it.", panel=TWO_STEP)
    ] = None
    among: tuple[str, ...] | None = None
    regressors: Annotated[
        RegressorRule,
        Option(
            "exclusive: related genes of the trait do not predict the condition.", panel=TWO_STEP
        ),
    ] = "inclusive"
    pair: Annotated[
        str | None,
        _sound(
            "Samples with the same value of this characteristic are from the same person: pairs "
            "are compared within themselves, incomplete ones as correlated samples, repeats "
            "averaged. 'detected' finds samples of the same person by the correlation of their "
            "expression.",
            metavar="KEY",
        ),
    ] = None
    solver: Annotated[
        Solver,
        Option(
            "scikit-learn as the benchmark runs it, or the exact optimum of its objective.",
            panel=BENCHMARK,
            only=Procedure.BENCHMARK,
        ),
    ] = "scikit-learn"
    fixed_lambda: float | None = None
    batch_correction: bool = True

    def __post_init__(self) -> None:
        """Refuse what makes no sense before any file is read."""
        object.__setattr__(self, "procedure", Procedure(self.procedure))
        _refuse_unknown(
            self,
            {
                "model": get_args(Model),
                "hidden": get_args(Hidden),
                "weights": get_args(SampleWeights),
                "levels": get_args(LevelsMode),
                "controls": get_args(Controls),
                "regressors": get_args(RegressorRule),
                "solver": get_args(Solver),
            },
        )
        if self.weights == "array":
            object.__setattr__(self, "weights", "sample")
        _check_q(self.q_cut)
        if not 0 <= self.min_effect < float("inf"):
            msg = f"min_effect {self.min_effect} is not an effect size; use 0 or more"
            raise UsageError(msg)
        if self.fixed_lambda is not None and not 0 < self.fixed_lambda < float("inf"):
            msg = f"fixed_lambda {self.fixed_lambda} is not a penalty; use a number above 0"
            raise UsageError(msg)
        if self.levels == "factor":
            self._check_factor()
        if self.seed < 0:
            msg = f"seed {self.seed} is negative; use 0 or more"
            raise UsageError(msg)

    def _check_factor(self) -> None:
        """Refuse what a factor, which has several effects, cannot be combined with."""
        if self.model != "moderated":
            msg = (
                f"levels 'factor' has no test by the mixed model (model {self.model!r}), which "
                "takes the trait as a number; use model 'moderated', or levels 'ordered'"
            )
            raise UsageError(msg)
        if self.min_effect:
            msg = (
                f"min_effect {self.min_effect:g} needs one effect for each gene, and levels "
                "'factor' has several; use levels 'ordered', or leave min_effect out"
            )
            raise UsageError(msg)

    def as_json(self) -> dict[str, Any]:
        """Return the options as plain JSON values."""
        return {**asdict(self), "covariates": list(self.covariates)}


MissingValues = Literal["error", "drop", "fill"]


@dataclass(frozen=True)
class DesignOptions:
    """A design of the user's own; the fields are described by their help texts.

    Raises
    ------
    UsageError
        If a value makes no sense.
    """

    design: Annotated[
        str,
        Option(
            "What expression depends on, as a formula: '~ group + age', '~ group * sex', '~ group "
            "+ ns(age, 3)', '~ 0 + group + offset(x)'; C(batch) takes numbers as groups, names "
            "with spaces go between backticks."
        ),
    ] = ""
    contrasts: Annotated[
        tuple[str, ...],
        Option(
            "What is tested: 'group: case - control', 'group: (B + C)/2 - A', 'group: B - A | sex "
            "= female', 'stage: trend', or a term such as age, group (any difference) or group:sex "
            "(interaction). Repeat for several.",
            "--contrast",
        ),
    ] = ()
    block: Annotated[
        str | None,
        Option(
            "Column whose equal values are samples of the same person: their correlation is "
            "estimated (limma's duplicateCorrelation).",
            metavar="COLUMN",
        ),
    ] = None
    missing: Annotated[
        MissingValues,
        Option(
            "Samples without a value that the design needs: an error, left out (drop), or filled "
            "with the mean or the most frequent level."
        ),
    ] = "error"
    order: Annotated[
        tuple[str, ...],
        Option("Order of the levels of a factor, as 'stage: I < II < III'; the first is the base."),
    ] = ()
    survival: Annotated[
        str | None,
        Option(
            "Columns of time and event: each gene is tested for association with the time (Cox "
            "score test), the design holds the covariates.",
            metavar="TIME,EVENT",
        ),
    ] = None

    def __post_init__(self) -> None:
        """Refuse what makes no sense before any file is read."""
        _refuse_unknown(self, {"missing": get_args(MissingValues)})
        if self.survival is None and not (self.design and self.contrasts):
            msg = (
                "a design and a contrast are needed, as in --design '~ group + age' --contrast "
                "'group: case - control'; or --survival time,event"
            )
            raise UsageError(msg)
        if self.survival is not None and self.contrasts:
            msg = "--survival tests the time to the event; leave --contrast out"
            raise UsageError(msg)
        if self.survival is not None and len(self.time_and_event) != 2:
            msg = f"--survival {self.survival!r} names no two columns; write TIME,EVENT"
            raise UsageError(msg)
        _ = self.levels

    @property
    def time_and_event(self) -> tuple[str, ...]:
        """The two columns of `survival`."""
        return tuple(part.strip() for part in (self.survival or "").split(",") if part.strip())

    @property
    def levels(self) -> dict[str, tuple[str, ...]]:
        """Factor -> its levels in order."""
        found = {}
        for text in self.order:
            name, colon, rest = text.partition(":")
            levels = tuple(part.strip().strip("'\"") for part in rest.split("<"))
            if not colon or len(levels) < 2 or not all(levels):
                msg = f"order {text!r} cannot be read; write 'stage: I < II < III'"
                raise UsageError(msg)
            found[name.strip().strip("`")] = levels
        return found


@dataclass(frozen=True)
class EnrichmentOptions:
    """Options of gene set tests; the fields are described by their help texts.

    Raises
    ------
    UsageError
        If a value makes no sense.
    """

    q_cut: Annotated[
        float, Option("Sets with a smaller q-value are significant.", "--q", above=0, most=1)
    ] = 0.05
    min_size: Annotated[int, Option("Fewest tested genes of a set.", least=1)] = 10
    max_size: Annotated[int, Option("Most tested genes of a set.", least=1)] = 500
    permutations: Annotated[int, Option("Random sets of each size, to normalise scores.")] = 1000
    seed: Annotated[int, Option("Seed of the random sets.")] = 42
    test: Annotated[
        SetTest,
        Option("Test whose q-values decide which sets are significant, and that orders them."),
    ] = "camera"

    def __post_init__(self) -> None:
        """Refuse what makes no sense before any file is read."""
        _check_q(self.q_cut)
        if not 1 <= self.min_size <= self.max_size:
            msg = f"no set has {self.min_size} to {self.max_size} genes; use sizes from 1 upwards"
            raise UsageError(msg)
        if self.permutations < 100:
            msg = f"{self.permutations} permutations are too few to normalise by; use 100 or more"
            raise UsageError(msg)
        if not 0 <= self.seed < 2**32:
            msg = f"seed {self.seed} is out of range; use 0 to {2**32 - 1}"
            raise UsageError(msg)
        if self.test not in get_args(SetTest):
            msg = f"test {self.test!r} is not known; use {', '.join(get_args(SetTest))}"
            raise UsageError(msg)


def _check_q(q_cut: float) -> None:
    if not 0 < q_cut <= 1:
        msg = f"q_cut {q_cut} is not a q-value; use a number above 0 and at most 1"
        raise UsageError(msg)


@dataclass(frozen=True)
class MethodOptions:
    """The method of a benchmark run, and its options; the fields are described by their help."""

    method: Annotated[
        str | None,
        Option(
            "rules, lasso, mixed-model, no-bec, random, zero-shot, or the name of an installed "
            "plug-in.",
            default="rules",
        ),
    ] = None
    command: Annotated[
        str | None,
        Option("A program that receives each problem as JSON on standard input.", panel=PLUG_IN),
    ] = None
    procedure: Annotated[
        Procedure | None,
        Option(
            "Procedure that preprocesses the cohorts and, with rules, analyses them.",
            default="that of the method, else sound",
        ),
    ] = None
    genes: Annotated[int | None, Option("random: number of genes.", default="300")] = None
    answers: Annotated[
        Path | None, Option('zero-shot: lines of {"trait", "condition", "genes"}.')
    ] = None
    pass_env: Annotated[
        tuple[str, ...],
        Option(
            "Give the command this environment variable; repeat. It gets no other.",
            panel=PLUG_IN,
            metavar="NAME",
        ),
    ] = ()
    own_cohorts: Annotated[
        bool,
        Option("The plug-in preprocesses the cohorts itself.", "--own-cohorts", panel=PLUG_IN),
    ] = False


def refuse_idle(idle: Sequence[str], given: str) -> None:
    """Refuse options that would do nothing."""
    if idle:
        has, it = ("has", "it") if len(idle) == 1 else ("have", "them")
        msg = f"{', '.join(idle)} {has} no effect with {given}; leave {it} out"
        raise UsageError(msg)
