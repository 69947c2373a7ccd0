"""Cohorts that somebody else has preprocessed, and that a run starts from."""

from __future__ import annotations

from pathlib import Path

from genotex.bench.problems import Problem
from genotex.errors import UsageError
from genotex.layout import OutputFolder

__all__ = ["check_given_cohorts", "why_no_cohort"]


def check_given_cohorts(given: Path, target: Path) -> None:
    """See that a folder holds cohorts, and that nothing will be written there.

    Parameters
    ----------
    given : Path
        The folder of ``--preprocessed``.
    target : Path
        Output folder of the run.

    Raises
    ------
    UsageError
        If it does not, or the run lies in it.
    """
    if not (given / "preprocess").is_dir():
        msg = f"{given} holds no preprocess/; give the folder that holds preprocess/<Trait>/"
        raise UsageError(msg)
    written, read = target.resolve(), given.resolve()
    if written == read or read in written.parents:
        msg = f"{target} is, or lies in, the folder of --preprocessed; name another"
        raise UsageError(msg)


def why_no_cohort(cohorts: OutputFolder | None, problem: Problem) -> str:
    """Return which traits of a problem have no preprocessed cohort; empty where all have one."""
    without = [
        trait
        for trait in problem.traits
        if cohorts is None or not cohorts.cohort_info(trait).is_file()
    ]
    return f"there is no preprocessed cohort of {' and '.join(without)}" if without else ""
