"""From linked tables to the genes of a problem."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from genotex.agents.task import Task
from genotex.agents.toolkit.linking import OfSamples
from genotex.agents.toolkit.tool import Made, listed, tool
from genotex.errors import UsageError
from genotex.formats import write_json
from genotex.layout import OutputFolder

if TYPE_CHECKING:
    from genotex.analysis import AnalysisResult, DataChoice, ProblemData
    from genotex.options import AnalysisOptions

OWN_ANALYSIS = "own"
"""In the record of an answer: generated code wrote the analysis itself."""

ModelName = Literal["moderated", "mixed", "all"]


@dataclass(frozen=True, eq=False)
class Choice(Made):
    """The cohort of a problem, or the pair of cohorts."""

    made_by: ClassVar[str] = "choose_data(task)"
    task: Task
    found: DataChoice

    @property
    def cohort(self) -> str:
        """Cohort of the trait."""
        return self.found.cohort

    @property
    def condition_cohort(self) -> str | None:
        """Two-step: cohort of the condition."""
        return self.found.condition_cohort

    @property
    def regressors(self) -> tuple[str, ...]:
        """Two-step: genes by which the condition is predicted."""
        return self.found.regressors

    @property
    def reason(self) -> str:
        """Why this one."""
        return self.found.reason

    @property
    def others(self) -> Mapping[str, str]:
        """Every other cohort of the trait and why not it."""
        return self.found.others

    def __repr__(self) -> str:
        """Show what was chosen and why."""
        pair = "" if self.condition_cohort is None else f" with {self.condition_cohort}"
        lines = [f"{self.cohort}{pair}: {self.reason}"]
        lines += [f"  not {name}: {why}" for name, why in self.others.items()]
        if self.regressors:
            lines.append(f"  regressor genes: {listed(self.regressors, 30)}")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False, repr=False)
class LoadedData(OfSamples):
    """The linked table of a problem's cohort; two-step: that of the condition, too."""

    made_by: ClassVar[str] = "load_data(choice)"
    data: ProblemData

    def __repr__(self) -> str:
        """Show the sizes."""
        text = f"{self.data.choice.cohort}: {self.size}"
        if self.data.condition is not None:
            table = self.data.condition.table
            text += f"\n{self.data.condition.cohort}: {len(table.samples)} samples x {table.trait}"
        return text


@dataclass(frozen=True, eq=False)
class Result(Made):
    """The genes found for a problem."""

    made_by: ClassVar[str] = "analyse(data)"
    task: Task
    found: AnalysisResult

    @property
    def genes(self) -> tuple[str, ...]:
        """The significant (or selected) genes, best first."""
        return tuple(self.found.significant["Variable"].to_list())

    @property
    def warnings(self) -> tuple[str, ...]:
        """What should be known before the list is trusted."""
        return self.found.warnings

    def __repr__(self) -> str:
        """Show number of genes, the first ones, and the warnings."""
        lines = [f"{len(self.genes)} genes in {self.found.cohort}: {listed(self.genes, 10)}"]
        return "\n".join([*lines, *(f"  warning: {warning}" for warning in self.warnings)])


@dataclass(frozen=True, eq=False)
class OwnResult(Made):
    """The genes of an analysis that the code wrote itself."""

    made_by: ClassVar[str] = "own_result(data, genes)"
    data: LoadedData
    genes: tuple[str, ...]
    coefficients: tuple[float, ...] = ()
    interactions: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Show number of genes, and the first ones."""
        cohort = self.data.data.choice.cohort
        return f"{len(self.genes)} genes in {cohort}, own analysis: {listed(self.genes, 10)}"

    def to_json(self) -> dict[str, Any]:
        """Return the answer in the benchmark's format."""
        columns: dict[str, Any] = {"Variable": list(self.genes)}
        if self.coefficients:
            columns["Coefficient"] = list(self.coefficients)
            columns["Absolute Coefficient"] = [abs(size) for size in self.coefficients]
        content: dict[str, Any] = {"significant_genes": columns}
        if self.interactions:
            content["significant_interactions"] = {"Variable": list(self.interactions)}
        choice = self.data.data.choice
        content["cohort"] = {"id": choice.cohort}
        return {**content, "method": {"analysis": OWN_ANALYSIS}}


@tool
def choose_data(task: Task) -> Choice:
    """Choose the largest usable cohort of the problem, or the largest pair of cohorts.

    For the conditions Age and Gender only cohorts that have them are considered. For another trait
    as condition a pair is chosen that shares a gene by which the condition can be predicted.

    Parameters
    ----------
    task : Task
        The task of the notebook.

    Returns
    -------
    Choice
        ``cohort``, ``reason``, ``others``, and for a pair ``condition_cohort`` and
        ``regressors``; print it.

    Examples
    --------
    >>> choice = choose_data(task)
    """
    from genotex.analysis import check_request
    from genotex.analysis import choose_data as choose

    _check_kind(task)
    tasks, options = task.read_task_info(), _options(task)
    check_request(task.problem, options, tasks)
    return Choice(task, choose(_folder(task), task.problem, options, tasks))


@tool
def load_data(choice: Choice) -> LoadedData:
    """Read the linked table of the cohort that was chosen, or those of the pair.

    Parameters
    ----------
    choice : Choice
        As `choose_data` gives it.

    Returns
    -------
    LoadedData
        ``values``, samples x (trait, Age, Gender, genes), with their names in ``rows`` and
        ``columns``.

    Examples
    --------
    >>> data = load_data(choice)
    """
    from genotex.analysis import read_data

    task = choice.task
    data = read_data(
        _folder(task), task.problem, choice.found, _options(task).procedure, task.read_task_info()
    )
    return LoadedData(task, data.table, data)


@tool
def analyse(
    data: LoadedData,
    model: ModelName = "moderated",
    covariates: tuple[str, ...] = ("Age", "Gender"),
) -> Result:
    """Find the genes associated with the trait, given the condition of the task.

    Without condition, or with Age or Gender, the model is fitted to the cohort's own table. With
    another trait, the condition is first learned from the other cohort's table and predicted for
    the samples of this one. Procedure ``sound`` tests every gene (moderated t, false discovery
    rate 5 %); ``benchmark`` fits a Lasso, or its mixed form where it sees a batch effect.

    Parameters
    ----------
    data : LoadedData
        As `load_data` gives it.
    model : str
        ``sound`` only: ``"moderated"``, ``"mixed"`` or ``"all"``.
    covariates : tuple of str
        ``sound`` only: what is adjusted for, as far as the cohort has it.

    Returns
    -------
    Result
        ``genes`` (tuple of symbols, best first) and ``warnings``; print it.

    Examples
    --------
    >>> result = analyse(data)
    """
    from genotex.analysis import analyze_data

    options = _options(data.task, model=model, covariates=tuple(covariates))
    threads = os.cpu_count() or 1
    found = analyze_data(data.data, data.task.problem, options, threads=threads)
    return Result(data.task, found)


@tool
def moderated_t(expression: Any, design: Any) -> Any:
    """Test the last column of a design in every gene by a moderated t (limma's, with a trend).

    Parameters
    ----------
    expression : DataFrame
        Samples x genes, on a logarithmic scale, with names of genes as columns.
    design : DataFrame or array
        Samples x (intercept, what is adjusted for, what is tested), as numbers.

    Returns
    -------
    DataFrame
        ``coefficient``, ``standard_error``, ``t``, ``p`` and ``q`` (Benjamini and Hochberg) by
        gene, the smallest p first.

    Examples
    --------
    >>> found = moderated_t(table[genes], table.assign(one=1.0)[["one", "Age", task.trait]])
    """
    import pandas as pd

    from genotex.analysis import benjamini_hochberg, fit_last_column, moderate

    values, columns = (np.asarray(one, dtype=np.float64) for one in (expression, design))
    if values.ndim != 2 or columns.ndim != 2 or len(values) != len(columns):
        shapes = f"{values.shape} and {columns.shape}"
        msg = f"moderated_t(): samples x genes and samples x columns are needed; given: {shapes}"
        raise UsageError(msg)
    if not np.isfinite(columns).all():
        msg = "moderated_t(): the design has missing values; drop those samples from both"
        raise UsageError(msg)
    if np.linalg.matrix_rank(columns) < columns.shape[1]:
        msg = "moderated_t(): a column of the design follows from the others; leave it out"
        raise UsageError(msg)
    found = moderate(fit_last_column(columns, values), np.nanmean(values, axis=0))
    names = getattr(expression, "columns", range(values.shape[1]))
    table = pd.DataFrame(
        {
            "coefficient": found.coefficient,
            "standard_error": found.standard_error,
            "t": found.t,
            "p": found.p,
            "q": benjamini_hochberg(np.nan_to_num(found.p, nan=1.0)),
        },
        index=names,
    )
    return table.sort_values("p", kind="stable")


@tool
def own_result(
    data: LoadedData, genes: Any, coefficients: Any = (), interactions: Any = ()
) -> OwnResult:
    """Take the genes of an analysis of your own, in place of `analyse`.

    Parameters
    ----------
    data : LoadedData
        As `load_data` gives it.
    genes : sequence of str
        Symbols that the cohort has, the most important first.
    coefficients : sequence of float
        Their effects, in the same order, or none.
    interactions : sequence of str
        Conditions Age and Gender: genes whose difference depends on it.

    Returns
    -------
    OwnResult
        For `save_result`; print it.

    Examples
    --------
    >>> result = own_result(data, found.index[found.q < 0.05])
    """
    names, others = tuple(map(str, genes)), tuple(map(str, interactions))
    sizes = tuple(map(float, coefficients))
    known = set(data.columns) - {data.task.trait, "Age", "Gender"}
    if strangers := [name for name in (*names, *others) if name not in known]:
        msg = f"own_result(): {strangers[0]} is not a gene of {data.data.choice.cohort}"
        raise UsageError(msg)
    if len(set(names)) < len(names):
        msg = "own_result(): a gene is named twice; drop repeats"
        raise UsageError(msg)
    if sizes and (len(sizes) != len(names) or not np.isfinite(sizes).all()):
        msg = f"own_result(): {len(names)} genes need as many coefficients, all of them numbers"
        raise UsageError(msg)
    return OwnResult(data, names, sizes, others)


@tool
def save_result(result: Result | OwnResult) -> Path:
    """Write the genes of the problem to their place in the output folder.

    Parameters
    ----------
    result : Result or OwnResult
        As `analyse` or `own_result` gives it.

    Returns
    -------
    Path
        The JSON file with the significant genes; of `analyse` the table of all genes is next to it.

    Examples
    --------
    >>> print(save_result(result))
    """
    from genotex.analysis import write_result

    if isinstance(result, OwnResult):
        task = result.data.task
        path = task.output_folder.significant_genes(task.trait, task.condition)
        write_json(path, result.to_json())
        return path
    return write_result(result.task.output_folder, result.found)


def _check_kind(task: Task) -> None:
    if task.kind != "statistics":
        msg = "choose_data(): this task is a cohort, not a problem; use find_files(task)"
        raise UsageError(msg)


def _folder(task: Task) -> OutputFolder:
    return OutputFolder(task.input_folder)


def _options(
    task: Task, *, model: ModelName = "moderated", covariates: tuple[str, ...] = ("Age", "Gender")
) -> AnalysisOptions:
    from genotex.options import AnalysisOptions

    return AnalysisOptions(procedure=task.procedure, model=model, covariates=covariates)
