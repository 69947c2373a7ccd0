"""What a user may choose about an analysis."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from genotex.bench.problems import RegressorRule
from genotex.errors import UsageError
from genotex.formats import Controls
from genotex.layout import Procedure

__all__ = ["AnalysisOptions", "Hidden", "LevelsMode", "Model", "SampleWeights", "Solver"]

Model = Literal["moderated", "mixed", "all"]
Hidden = Literal["auto", "none", "sva", "two-step"]
SampleWeights = Literal["auto", "none", "group", "sample"]
LevelsMode = Literal["auto", "line", "factor", "ordered"]
Solver = Literal["scikit-learn", "exact"]

_CHOICES = {
    "procedure": get_args(Procedure),
    "model": get_args(Model),
    "hidden": get_args(Hidden),
    "weights": get_args(SampleWeights),
    "levels": get_args(LevelsMode),
    "controls": get_args(Controls),
    "regressors": get_args(RegressorRule),
    "solver": get_args(Solver),
}


@dataclass(frozen=True)
class AnalysisOptions:
    """Options of an analysis; the defaults are those of the procedure ``sound``.

    Parameters
    ----------
    procedure : {"sound", "benchmark"}
        The procedure. ``benchmark`` uses of the others only `solver`, `fixed_lambda`,
        `batch_correction`, `regressors` and the cohorts.
    model : {"moderated", "mixed", "all"}
        The test that ranks the genes; ``all`` reports both and ranks by ``moderated``.
    hidden : {"auto", "none", "sva", "two-step"}
        Unmeasured confounding: ``auto`` adjusts for surrogate variables estimated from all genes
        (`estimate_confounders`) unless they seem to be the trait's own signal; ``sva`` (R's
        default, iteratively reweighted) and ``two-step`` as R's sva computes them.
    weights : {"auto", "none", "group", "sample"}
        Unequal spread: ``auto`` weighs the groups of a trait where their spread differs, ``group``
        always, ``sample`` estimates a weight for each sample.
    levels : {"auto", "line", "factor", "ordered"}
        A trait with several levels (three to eight values): ``line`` tests a trend alone,
        ``ordered`` a trend and each gene's departure from it, ``factor`` any difference among the
        levels (F test) and each pair of them. ``auto`` takes values that occur in three samples or
        more each for ordered levels, other traits as a line.
    robust : bool
        Keep hypervariable genes out of the prior of the variances (Phipson and others 2016).
    q_cut : float
        A gene is significant when its q-value is below.
    min_effect : float
        ... in a test against effects of at most this size (``treat``, McCarthy and Smyth 2009), as
        log2 fold change, or change per standard deviation of a continuous trait.
    controls : {"auto", "healthy", "all"}
        Who serves as control of a binary trait; ``auto`` takes the healthy controls when there
        are at least five of them.
    exclude_outliers : bool
        Leave out samples that differ from the others as a whole.
    filter_low : bool
        Leave genes out that are low in nearly all samples.
    covariates : tuple of str
        ``Age`` and ``Gender`` are adjusted for where the cohort has them; other names are
        characteristics that it must have.
    batch : bool
        Adjust for a batch that the characteristics name.
    trend : bool
        Let the prior variance depend on mean expression (limma's trend).
    panel : bool
        Fit the sparse panel.
    seed : int
        Seed of the cross-validation folds.
    cohort : str, optional
        Take this cohort instead of the largest.
    condition_cohort : str, optional
        Two-step: take this cohort of the condition.
    among : tuple of str, optional
        Choose among these cohorts only.
    regressors : {"inclusive", "exclusive"}
        Two-step: ``exclusive`` takes the trait's related genes out of the regressor genes.
    pair : str, optional
        Block on this characteristic: samples with the same value belong together. ``detected``
        blocks on people who are detected by the correlation of their expression instead.
    solver : {"scikit-learn", "exact"}
        ``benchmark``: scikit-learn's coordinate descent as it is, or the optimum.
    fixed_lambda : float, optional
        ``benchmark``: take this lambda, without any tuning.
    batch_correction : bool
        ``benchmark``: rotate the genes where there is a batch effect; without it never.

    Raises
    ------
    UsageError
        If a value makes no sense.
    """

    procedure: Procedure = "sound"
    model: Model = "moderated"
    hidden: Hidden = "auto"
    weights: SampleWeights = "auto"
    levels: LevelsMode = "auto"
    robust: bool = False
    q_cut: float = 0.05
    min_effect: float = 0.0
    controls: Controls = "auto"
    exclude_outliers: bool = False
    filter_low: bool = True
    covariates: tuple[str, ...] = ("Age", "Gender")
    batch: bool = True
    trend: bool = False
    panel: bool = True
    seed: int = 42
    cohort: str | None = None
    condition_cohort: str | None = None
    among: tuple[str, ...] | None = None
    regressors: RegressorRule = "inclusive"
    pair: str | None = None
    solver: Solver = "scikit-learn"
    fixed_lambda: float | None = None
    batch_correction: bool = True

    def __post_init__(self) -> None:
        """Refuse what makes no sense before any file is read."""
        for name, known in _CHOICES.items():
            value = getattr(self, name)
            if value not in known:
                msg = f"{name} {value!r} is not known; use {', '.join(known[:-1])} or {known[-1]}"
                raise UsageError(msg)
        if not 0 < self.q_cut <= 1:
            msg = f"q_cut {self.q_cut} is no q-value; use a number above 0 and at most 1"
            raise UsageError(msg)
        if not 0 <= self.min_effect < float("inf"):
            msg = f"min_effect {self.min_effect} is no size of an effect; use 0 or more"
            raise UsageError(msg)
        if self.fixed_lambda is not None and not 0 < self.fixed_lambda < float("inf"):
            msg = f"fixed_lambda {self.fixed_lambda} is no penalty; use a number above 0"
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
