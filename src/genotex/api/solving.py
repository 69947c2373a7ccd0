"""Raw files to the genes of one trait, as ``genotex solve``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from genotex.analysis import check_request, result_table
from genotex.api.choices import as_path, gather_choices, options_of
from genotex.api.data import as_pandas
from genotex.api.designs import OTHER_NAMES
from genotex.api.genes import combined_table
from genotex.errors import AnalysisError, UsageError
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, PreprocessChoices
from genotex.problems import Problem, TaskInfo, condition_named
from genotex.workflows import Progress, Reading, Solved, SolveRequest, silent
from genotex.workflows import solve as run

_EVERY = {"auto": None, "largest": False, "all": True}
_READING = {field.name for field in fields(PreprocessChoices)} | {"case", "control"}


class Solution:
    """The genes of a trait, and what became of its cohorts.

    Attributes
    ----------
    table : pandas.DataFrame
        The answer, indexed by official symbol, significant genes first: of all cohorts together
        with the columns of `meta`, or of one cohort with those of `Result.table`.
    combined, largest : pandas.DataFrame or None
        The same of all cohorts together, and of the largest one; None where there is none.
    cohorts : pandas.DataFrame
        A row for each cohort: ``usable``, ``samples``, ``review`` (what a person should decide),
        and ``notes``.
    warnings : tuple of str
        What a reader should know of the answer, and cohorts that could not be read.
    reports : tuple of Path
        The pages written, that of the answer first.
    """

    def __init__(self, solved: Solved) -> None:
        self._solved = solved
        together = solved.combined
        pages = (None if together is None else together.report, solved.report)
        self.reports = tuple(page for page in pages if page is not None)

    @property
    def table(self) -> pd.DataFrame:
        """The genes of the answer."""
        found = self.largest if self.combined is None else self.combined
        if found is None:
            raise AnalysisError(self._solved.outcome.why)
        return found

    @cached_property
    def combined(self) -> pd.DataFrame | None:
        """The genes of all cohorts together."""
        together = self._solved.combined
        if together is None or together.result is None:
            return None
        return combined_table(together.result)

    @cached_property
    def largest(self) -> pd.DataFrame | None:
        """The genes of the largest cohort."""
        result = self._solved.outcome.result
        return None if result is None else as_pandas(result_table(result), "gene")

    @cached_property
    def cohorts(self) -> pd.DataFrame:
        """What became of each cohort."""
        rows = [
            {
                "cohort": each.cohort,
                "trait": each.trait,
                "usable": each.info is not None and each.info.is_usable,
                "samples": None if each.info is None else each.info.sample_size,
                "review": "; ".join(each.review.values()),
                "notes": "; ".join(each.notes if each.error is None else (each.error,)),
            }
            for each in self._solved.cohorts
        ]
        return pd.DataFrame(rows).set_index("cohort")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader should know of the answer."""
        together, alone = self._solved.combined, self._solved.outcome.result
        answers = (None if together is None else together.result, alone)
        said = [text for each in answers if each is not None for text in each.warnings]
        if together is not None and together.result is None:
            said.append(f"not combined: {together.why}")
        said += [f"{name} could not be read: {why}" for name, why in self._solved.errors.items()]
        return tuple(dict.fromkeys(said))

    def __repr__(self) -> str:
        """Return whose genes these are and how many are significant."""
        outcome, together = self._solved.outcome, self._solved.combined
        if together is not None and together.result is not None:
            names = ", ".join(cohort.name for cohort in together.result.cohorts)
            whose, number = names, together.result.significant.height
        elif outcome.result is not None:
            whose, number = outcome.result.cohort, outcome.result.significant.height
        else:
            return f"{outcome.problem.trait}: {outcome.why}"
        return f"{outcome.problem.trait} in {whose}: {number:,} of {len(self.table):,} genes"


def solve(
    source: str | Path,
    output: str | Path,
    trait: str,
    condition: str = "None",
    *,
    cohort: str | Sequence[str] = (),
    cohorts: Literal["auto", "largest", "all"] = "auto",
    task_info: str | Path | None = None,
    jobs: int = 1,
    progress: Progress = silent,
    **options: Any,
) -> Solution:
    """Go from a folder of raw files to the genes of one trait, with its reports.

    Parameters
    ----------
    source : path
        Folder that holds ``GEO/<Trait>/<GSE>/`` and ``TCGA/<name>/``.
    output : path
        Folder of the results; what it holds of the same files and options is used again.
    trait : str
        The trait, such as ``"Rheumatoid Arthritis"``.
    condition : str
        ``"None"``, ``"Age"``, ``"Gender"`` or another trait.
    cohort : str or sequence of str
        The cohorts used; all of the trait by default.
    cohorts : {"auto", "largest", "all"}
        Whether the answer is what all cohorts show together, where two or more are usable.
    task_info : path, optional
        The benchmark's list of related genes, for another trait as condition.
    jobs : int
        Number of processes.
    progress : callable, optional
        Called with stage, number of steps done, their total or None, and what was done last.
    **options
        As in ``genotex solve --help``, both of reading (``case``, ``control``, ``samples``,
        ``vocabulary``, ``scale``) and of the tests (``q``, ``hidden``, ``controls``, ``pair``).

    Returns
    -------
    Solution

    Raises
    ------
    UsageError
        If the folder holds no such cohort, or an option does not fit.
    AnalysisError
        If no cohort can answer; the message states why.

    Examples
    --------
    >>> import genotex as gx
    >>> found = gx.solve("study", "results", "Simulated Arthritis", cohorts="largest")
    >>> found.table.columns.tolist()[:3]
    ['log2_fold_change', 'ci_low', 'ci_high']
    """
    if cohorts not in _EVERY:
        msg = f"cohorts {cohorts!r} is not known; use auto, largest or all"
        raise UsageError(msg)
    reading = {name: value for name, value in options.items() if name in _READING}
    tests = {name: value for name, value in options.items() if name not in _READING}
    if "controls" in options:
        # One choice for reading and testing, as on the command line.
        reading["controls"] = tests["controls"] = options["controls"]
    settings = options_of(AnalysisOptions, tests, OTHER_NAMES)
    problem = Problem(trait, condition_named(condition))
    tasks = None if task_info is None else TaskInfo.load(as_path(task_info))
    check_request(problem, settings, tasks)
    named = (cohort,) if isinstance(cohort, str) else tuple(cohort)
    request = SolveRequest(
        as_path(source),
        OutputFolder(as_path(output)),
        problem,
        settings,
        [Reading(gather_choices(reading), named)],
        tasks,
        every=_EVERY[cohorts],
        jobs=jobs,
    )
    solved = run(request, progress)
    if solved.outcome.wrong_use and not request.every:
        raise UsageError(solved.outcome.why)
    found = Solution(solved)
    if found.largest is None and found.combined is None:
        why = "; ".join(f"{name}: {text}" for name, text in solved.errors.items())
        msg = f"{solved.outcome.why}{f' ({why})' if why else ''}"
        raise AnalysisError(msg)
    return found
