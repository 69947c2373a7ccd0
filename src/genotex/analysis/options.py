"""What a user may choose about an analysis."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, get_args

from genotex.errors import UsageError
from genotex.formats.cohort_record import Controls
from genotex.layout import Procedure

__all__ = ["AnalysisOptions"]


@dataclass(frozen=True)
class AnalysisOptions:
    """Options of an analysis; the defaults are those of the procedure ``sound``.

    Parameters
    ----------
    procedure : {"sound"}
        The procedure; ``benchmark`` is not there yet.
    model : {"moderated"}
        The test of each gene; ``mixed`` is not there yet.
    hidden : {"none"}
        Hidden structure; surrogate variables are not there yet.
    q_cut : float
        A gene is significant when its q-value is below.
    min_effect : float
        ... and its coefficient is at least this large (log2 fold change, or change per standard
        deviation of a continuous trait).
    controls : {"auto", "healthy", "all"}
        Who serves as control of a binary trait; ``auto`` takes the healthy controls when there
        are at least five of them.
    filter_low : bool
        Leave genes out that are low in nearly all samples.
    covariates : tuple of str
        Columns to adjust for where the cohort has them.
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
    among : tuple of str, optional
        Choose among these cohorts only.

    Raises
    ------
    UsageError
        If a value makes no sense or asks for what is not there yet.
    """

    procedure: Procedure = "sound"
    model: str = "moderated"
    hidden: str = "none"
    q_cut: float = 0.05
    min_effect: float = 0.0
    controls: Controls = "auto"
    filter_low: bool = True
    covariates: tuple[str, ...] = ("Age", "Gender")
    batch: bool = True
    trend: bool = False
    panel: bool = True
    seed: int = 42
    cohort: str | None = None
    among: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse what makes no sense before any file is read."""
        _choice("procedure", self.procedure, "sound", ("benchmark",))
        _choice("model", self.model, "moderated", ("mixed", "all"))
        _choice("hidden", self.hidden, "none", ("auto", "sva"))
        if self.controls not in get_args(Controls):
            msg = f"controls {self.controls!r} is not known; use auto, healthy or all"
            raise UsageError(msg)
        if not 0 < self.q_cut <= 1:
            msg = f"q_cut {self.q_cut} is no q-value; use a number above 0 and at most 1"
            raise UsageError(msg)
        if not 0 <= self.min_effect < float("inf"):
            msg = f"min_effect {self.min_effect} is no size of an effect; use 0 or more"
            raise UsageError(msg)
        if self.seed < 0:
            msg = f"seed {self.seed} is negative; use 0 or more"
            raise UsageError(msg)
        unknown = sorted(set(self.covariates) - {"Age", "Gender"})
        if unknown:
            msg = f"covariates {', '.join(unknown)} are not known; use Age and Gender"
            raise UsageError(msg)

    def as_json(self) -> dict[str, Any]:
        """Return the options as plain JSON values."""
        return {**asdict(self), "covariates": list(self.covariates)}


def _choice(name: str, value: str, known: str, later: tuple[str, ...]) -> None:
    if value in later:
        msg = f"{name} {value!r} is not there yet; use {known!r}"
        raise UsageError(msg)
    if value != known:
        msg = f"{name} {value!r} is not known; use {known!r}"
        raise UsageError(msg)
