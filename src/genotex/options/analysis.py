"""Options of an analysis."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any, get_args

from genotex.errors import UsageError
from genotex.features import column_named, default_covariates
from genotex.options.fields import (
    BENCHMARK,
    CONTROLS,
    TWO_STEP,
    ChosenProcedure,
    Controls,
    CountTest,
    Hidden,
    LevelsMode,
    Model,
    Option,
    RankBy,
    RegressorRule,
    SampleWeights,
    Solver,
    check_q,
    refuse_unknown,
    sound,
)
from genotex.procedure import Procedure


def _covariate_names(text: str) -> tuple[str, ...]:
    """Return the covariates of a text with commas; ``none`` for no covariates."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if [name.lower() for name in names] == ["none"]:
        return ()
    return tuple(dict.fromkeys(column_named(name) for name in names))


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
        sound(
            "Statistical test that ranks the genes: the moderated t-test, or that of a mixed "
            "model, a conservative second opinion; all reports both.",
            "--test",
            designs=False,
        ),
    ] = "moderated"
    counts: Annotated[
        CountTest,
        sound(
            "Test of counts of reads: voom's weights with limma's moderated t, or DESeq2's "
            "negative binomial regression (the extra deseq2).",
            "--counts",
            label="Test of counts",
        ),
    ] = "voom"
    hidden: Annotated[
        Hidden,
        sound(
            "Hidden factors (batches, cell mixture): auto ranks genes without them and grades each "
            "by whether it holds when they are adjusted for; adjust ranks with them; sva and "
            "two-step do so as in R's sva.",
            label="Unmeasured confounding",
            common=True,
        ),
    ] = "auto"
    rank_by: Annotated[
        RankBy,
        sound(
            "Order of the significant genes: by the chance that another cohort shows them again, "
            "or by p-value.",
            label="Order of the genes",
        ),
    ] = "replication"
    next_cohort: Annotated[
        int | None,
        sound(
            "Size of the cohort that this chance is for, in two equal groups; as large as this one "
            "where none is given.",
            metavar="SAMPLES",
            label="Samples of the next cohort",
        ),
    ] = None
    weights: Annotated[
        SampleWeights,
        sound(
            "Weight samples by their variance: auto where groups differ in it, group always, "
            "sample (or array, limma's word) for one weight per sample.",
            label="Sample weights",
        ),
    ] = "auto"
    levels: Annotated[
        LevelsMode,
        sound(
            "A trait with several levels, as 0, 1, 2: line tests a trend, ordered a trend and "
            "departures from it, factor any difference among the levels and each pair. auto takes "
            "3 to 8 values of 3 samples or more each as ordered.",
            label="Levels of the trait",
            designs=False,
        ),
    ] = "auto"
    robust: Annotated[
        bool,
        sound(
            "Keep hypervariable genes out of the prior of the variances (Phipson and others 2016).",
            "--robust/--no-robust",
            label="Robust prior",
        ),
    ] = False
    q_cut: Annotated[
        float,
        sound(
            "Genes with a smaller q-value are significant.",
            "--q",
            panel="",
            above=0,
            most=1,
            label="Significant at q below",
            common=True,
        ),
    ] = 0.05
    min_effect: Annotated[
        float,
        sound(
            "Test whether genes change by more than this (log2 fold change, or change per "
            "standard deviation of a continuous trait), not only whether they change.",
            least=0.0,
            label="Smallest effect of interest",
        ),
    ] = 0.0
    controls: Annotated[Controls, CONTROLS] = "auto"
    exclude_outliers: Annotated[
        bool,
        sound(
            "Leave out samples that differ from all others.",
            "--exclude-outliers",
            label="Leave out outliers",
        ),
    ] = False
    filter_low: Annotated[
        bool,
        sound(
            "Leave out genes that are low in nearly all samples.",
            "--filter/--no-filter",
            label="Leave out low genes",
        ),
    ] = True
    covariates: Annotated[
        tuple[str, ...],
        sound(
            "Adjust for these, separated by commas: Age and Gender where the cohort has them, any "
            "other characteristic of the samples; none for nothing.",
            parse=_covariate_names,
            label="Adjust for",
            common=True,
            designs=False,
        ),
    ] = default_covariates()
    batch: Annotated[
        bool,
        sound(
            "Adjust for a batch that a sample characteristic records.",
            "--batch/--no-batch",
            label="Adjust for a recorded batch",
            designs=False,
        ),
    ] = True
    trend: Annotated[
        bool | None,
        sound(
            "Let the prior variance depend on mean expression (limma's trend): by default for "
            "normalised reads (CPM, TPM, FPKM, DESeq2's) and intensities of proteins.",
            "--trend/--no-trend",
            default="by the kind of values",
            label="Trend of the variances",
        ),
    ] = None
    panel: Annotated[
        bool | None,
        sound(
            "Fit the sparse panel with its cross-validation: by default where it takes less than "
            "about a minute.",
            "--panel/--no-panel",
            default="unless it takes long",
            label="Sparse panel of genes",
            common=True,
        ),
    ] = None
    seed: Annotated[int, sound("Seed of permutations, folds and halves.", least=0)] = 42
    # A form offers the series of one trait; another trait as condition is for the command line.
    cohort: Annotated[
        str | None,
        Option("Use this cohort, not the largest usable one.", browser=False, designs=False),
    ] = None
    condition_cohort: Annotated[
        str | None,
        Option(
            "Predict the condition from this cohort of it.",
            panel=TWO_STEP,
            browser=False,
            designs=False,
        ),
    ] = None
    among: tuple[str, ...] | None = None
    regressors: Annotated[
        RegressorRule,
        Option(
            "exclusive: related genes of the trait do not predict the condition.",
            panel=TWO_STEP,
            browser=False,
            designs=False,
        ),
    ] = "inclusive"
    pair: Annotated[
        str | None,
        sound(
            "Samples with the same value of this characteristic are from the same person: pairs "
            "are compared within themselves, incomplete ones as correlated samples, repeats "
            "averaged. 'detected' finds samples of the same person by the correlation of their "
            "expression. By default repeats alone are averaged, of people recorded or detected; "
            "'none' takes all samples as independent.",
            metavar="KEY",
            label="Same person",
            designs=False,
        ),
    ] = None
    solver: Annotated[
        Solver,
        Option(
            "scikit-learn as the benchmark runs it, or the exact optimum of its objective.",
            panel=BENCHMARK,
            only=Procedure.BENCHMARK,
            browser=False,
            designs=False,
        ),
    ] = "scikit-learn"
    fixed_lambda: float | None = None
    batch_correction: bool = True

    def __post_init__(self) -> None:
        """Refuse what makes no sense before any file is read."""
        object.__setattr__(self, "procedure", Procedure(self.procedure))
        refuse_unknown(
            self,
            {
                "model": get_args(Model),
                "counts": get_args(CountTest),
                "hidden": get_args(Hidden),
                "rank_by": get_args(RankBy),
                "weights": get_args(SampleWeights),
                "levels": get_args(LevelsMode),
                "controls": get_args(Controls),
                "regressors": get_args(RegressorRule),
                "solver": get_args(Solver),
            },
        )
        if self.weights == "array":
            object.__setattr__(self, "weights", "sample")
        check_q(self.q_cut)
        if not 0 <= self.min_effect < float("inf"):
            msg = f"min_effect {self.min_effect} is not an effect size; use 0 or more"
            raise UsageError(msg)
        if self.fixed_lambda is not None and not 0 < self.fixed_lambda < float("inf"):
            msg = f"fixed_lambda {self.fixed_lambda} is not a penalty; use a number above 0"
            raise UsageError(msg)
        if self.levels == "factor":
            self._check_factor()
        if self.counts == "deseq2" and self.model == "mixed":
            msg = "counts 'deseq2' ranks genes itself; use model 'moderated', or counts 'voom'"
            raise UsageError(msg)
        if self.next_cohort is not None and self.next_cohort < 4:
            msg = f"next_cohort {self.next_cohort} has too few samples; use 4 or more"
            raise UsageError(msg)
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
