"""One analysis from raw files to its report, by the functions that `genotex solve` uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from genotex.analysis import ProblemOutcome, formula_of
from genotex.clinical import load_sample_sheet
from genotex.cohorts import load_options
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from genotex.workflows import Progress, Reading, SolveRequest, combine, solve

if TYPE_CHECKING:
    from genotex.studies.records import AnalysisRecord

SHEET = "samples.csv"
"""In the folder of an analysis: a copy of the saved sheets of its series."""


@dataclass(frozen=True)
class AnalysisEnd:
    """The end of an analysis, in words, and its design as a formula."""

    solved: bool
    message: str
    formula: str = ""


def run_analysis(root: Path, record: AnalysisRecord, step: Callable[[str], None]) -> AnalysisEnd:
    """Preprocess the chosen series, analyse them, and write the reports."""
    folder = root / record.output
    output, problem = OutputFolder(folder), Problem(record.trait, record.condition)
    if record.only_combine:
        text = _combine(output, problem, record.options, step).removeprefix("; ")
        return AnalysisEnd(not text.startswith("not combined"), text)
    source, readings = root / record.source, _readings(output, record)
    request = SolveRequest(source, output, problem, record.options, readings)
    solved = solve(request, stages(step))
    outcome, errors = solved.outcome, solved.errors
    if outcome.result is None:
        why = outcome.why if len(errors) < len(solved.cohorts) else "; ".join(errors.values())
        return AnalysisEnd(False, why)
    message = _found(outcome)
    if record.every:
        message += _combine(output, problem, solved.analysis, step)
    design = formula_of(outcome.result)
    formula = "" if design is None else f"{design.design}; {design.contrast}"
    return AnalysisEnd(True, message, formula)


def stages(step: Callable[[str], None]) -> Progress:
    """Return what shows a workflow by its stage, and how many of its steps are done."""

    def show(stage: str, done: int, total: int | None, last: str) -> None:
        step(f"{stage}: {done:,} of {total:,}" if done and total and total > 1 else stage)

    return show


def _readings(output: OutputFolder, record: AnalysisRecord) -> list[Reading]:
    """Return how the series are read: those with a saved sheet by it, the others by the rules."""
    chosen = load_options(record.data)
    others = [name for name in record.series if name not in record.by_sheet]
    readings = [Reading(chosen, others)] if others else []
    if record.by_sheet:
        path = output.root / SHEET
        # A sheet decides what the choices of samples would.
        sheet = load_sample_sheet(path)
        by_sheet = replace(chosen, samples=path, sheet=sheet, cases=(), controls=())
        readings.append(Reading(by_sheet, record.by_sheet))
    return readings


def _found(outcome: ProblemOutcome) -> str:
    row = outcome.summary()
    return f"{row['significant']} of {row['genes']} genes significant in {row['cohort']}"


def _combine(
    output: OutputFolder,
    problem: Problem,
    settings: AnalysisOptions,
    step: Callable[[str], None],
) -> str:
    """Combine all cohorts; return how that went."""
    (found,) = combine(output, [problem], settings, None, stages(step))
    if found.result is None:
        return f"; not combined: {found.why}"
    return f"; {found.result.significant.height} over {len(found.result.cohorts)} cohorts"
