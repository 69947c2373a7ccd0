"""Gene sets among the results of a problem."""

from __future__ import annotations

from pathlib import Path

from genotex.analysis import Enrichment, enrich_problem
from genotex.layout import OutputFolder
from genotex.options import EnrichmentOptions
from genotex.problems import Problem
from genotex.workflows.progress import Progress, silent


def enrich(
    output: OutputFolder,
    problem: Problem,
    sets: Path,
    options: EnrichmentOptions,
    progress: Progress = silent,
) -> tuple[Enrichment, dict[str, Path]]:
    """Test gene sets; write table and record, and the report anew where there is one.

    Parameters
    ----------
    output : OutputFolder
        With the result of the problem.
    problem : Problem
        Which result.
    sets : Path
        A GMT file.
    options : EnrichmentOptions
        Options of the tests.
    progress : callable
        See `Progress`.

    Returns
    -------
    Enrichment
        What was found.
    dict of str to Path
        The files, by what they are.

    Raises
    ------
    UsageError
        If there is no such result.
    FormatError
        If a file is not what it should be.
    """
    progress("testing gene sets", 0, None, "")
    found = enrich_problem(output, problem, sets, options, lambda what: progress(what, 0, None, ""))
    path = output.enrichment(problem.trait, problem.condition)
    files = {"all sets": path.with_suffix(".csv"), "record": path}
    if output.report(problem.trait, problem.condition).is_file():
        from genotex.reports import write_report

        progress("writing the report", 0, 1, "")
        files["report"] = write_report(output, problem.trait, problem.condition)
    return found, files
