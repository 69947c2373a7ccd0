"""Options that do nothing beside the others are refused, not passed over in silence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from genotex.cli import options as o
from genotex.errors import UsageError

if TYPE_CHECKING:
    from genotex.analysis import AnalysisOptions
    from genotex.bench.problems import Problem

__all__ = ["check_cohorts", "check_controls", "check_options"]

_SOUND_ONLY = {
    "model": "--test",
    "hidden": "--hidden",
    "weights": "--weights",
    "levels": "--levels",
    "robust": "--robust",
    "covariates": "--covariates",
    "pair": "--pair",
    "q_cut": "--q",
    "min_effect": "--min-effect",
    "exclude_outliers": "--exclude-outliers",
    "filter_low": "--no-filter",
    "batch": "--no-batch",
    "trend": "--trend",
    "panel": "--no-panel",
    "seed": "--seed",
}


def check_options(settings: AnalysisOptions, problems: Sequence[Problem]) -> None:
    """Refuse options that the procedure or the problems have no use for.

    Parameters
    ----------
    settings : AnalysisOptions
        What the user chose; an option at its default asks for nothing.
    problems : sequence of Problem
        What is asked.

    Raises
    ------
    UsageError
        If an option would do nothing.
    """
    from genotex.bench.problems import ProblemKind

    if settings.procedure == "benchmark":
        _refuse_sound_only(settings)
    elif settings.solver != "scikit-learn":
        msg = (
            f"--solver {settings.solver} belongs to the procedure 'benchmark' and does nothing in "
            "the procedure 'sound'; leave it out or add --procedure benchmark"
        )
        raise UsageError(msg)
    if any(problem.kind is ProblemKind.TWO_STEP for problem in problems):
        return
    names = []
    if settings.regressors != "inclusive":
        names.append(f"--regressors {settings.regressors}")
    if settings.condition_cohort is not None:
        names.append(f"--condition-cohort {settings.condition_cohort}")
    if names:
        msg = (
            f"{' and '.join(names)} {_do(names)} nothing here: no other trait is the condition; "
            f"leave {_them(names)} out or name another trait with --condition"
        )
        raise UsageError(msg)


def check_controls(settings: AnalysisOptions) -> None:
    """Refuse to choose controls for tables that the procedure takes as they are.

    Raises
    ------
    UsageError
        If the procedure is ``benchmark`` and controls were chosen.
    """
    if settings.procedure == "benchmark" and settings.controls != "auto":
        msg = (
            f"--controls {settings.controls} does nothing in the procedure 'benchmark', which "
            "takes every sample of the linked table; choose controls when preprocessing"
        )
        raise UsageError(msg)


def check_cohorts(cohorts: o.CohortsUsed, settings: AnalysisOptions) -> None:
    """Refuse to combine what has no standard errors, or one cohort that was named.

    Raises
    ------
    UsageError
        If the options do not go together.
    """
    if cohorts is o.CohortsUsed.all and settings.procedure == "benchmark":
        msg = (
            "the procedure 'benchmark' gives no standard errors, so cohorts cannot be combined; "
            "use --procedure sound or --cohorts largest"
        )
        raise UsageError(msg)
    if cohorts is o.CohortsUsed.all and settings.levels == "factor":
        msg = (
            "--levels factor gives each gene several effects, so cohorts cannot be combined; use "
            "--levels ordered or --cohorts largest"
        )
        raise UsageError(msg)
    if cohorts is o.CohortsUsed.all and settings.cohort is not None:
        msg = f"--cohorts all and --cohort {settings.cohort} do not go together; use one of them"
        raise UsageError(msg)


def _refuse_sound_only(settings: AnalysisOptions) -> None:
    usual = type(settings)()
    names = [
        option
        for field, option in _SOUND_ONLY.items()
        if getattr(settings, field) != getattr(usual, field)
    ]
    if names:
        msg = (
            f"{', '.join(names)} {_do(names)} nothing in the procedure 'benchmark'; leave "
            f"{_them(names)} out or use --procedure sound"
        )
        raise UsageError(msg)


def _do(names: Sequence[str]) -> str:
    return "does" if len(names) == 1 else "do"


def _them(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"
