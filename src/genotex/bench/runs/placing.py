"""From the folder of one problem into the output folder, whole or not at all."""

from __future__ import annotations

import shutil
from pathlib import Path

from genotex.analysis import remove_result
from genotex.bench.problems import Problem
from genotex.bench.runs.checking import Answer, check_answer, check_cohorts
from genotex.bench.runs.run_folder import RunFolder, result_name
from genotex.formats import sha256
from genotex.io import atomic_write, remove_leftovers

__all__ = ["place", "take_answer", "take_cohorts", "withdraw"]


def take_answer(
    written: Path,
    run: RunFolder,
    problem: Problem,
    secrets: tuple[str, ...] = (),
    *,
    own_cohorts: bool = False,
) -> tuple[Answer, dict[str, str]]:
    """Check the answer to a problem and copy it into the output folder, in place of an earlier one.

    Parameters
    ----------
    written : Path
        Where the method wrote.
    run : RunFolder
    problem : Problem
    secrets : tuple of str
        Values that must stand in no file.
    own_cohorts : bool
        Whether the plug-in's cohorts may lie beside the answer.

    Returns
    -------
    answer : Answer
    files : dict of str to str
        SHA-256 of what lies in the output folder now, by its path there.

    Raises
    ------
    MethodFailedError
        If there is no answer that can be taken.
    """
    answer = check_answer(written, problem, secrets, own_cohorts=own_cohorts)
    withdraw(run, problem)
    target = run.output.significant_genes(problem.trait, problem.condition)
    # The result comes last: without it there is no answer.
    copies = [(written / result_name(problem), target)]
    if answer.table is not None:
        table = run.output.all_genes(problem.trait, problem.condition)
        copies.insert(0, (answer.table, table))
    return answer, {run.relative(path): place(source, path) for source, path in copies}


def place(source: Path, target: Path) -> str:
    """Copy a file, whole or not at all; return its SHA-256."""
    remove_leftovers(target)
    with atomic_write(target) as part:
        shutil.copyfile(source, part)
    return sha256(target)


def withdraw(run: RunFolder, problem: Problem) -> None:
    """Remove an earlier answer to a problem, and all that was made from it."""
    remove_result(run.output, problem.trait, problem.condition)


def take_cohorts(
    written: Path, run: RunFolder, problem: Problem, secrets: tuple[str, ...] = ()
) -> dict[str, str]:
    """Check the cohorts that a plug-in preprocessed and keep them with its problem.

    They get into the output folder at the end of the run (`merging.merge_cohorts`), as what lies
    there must not depend on which problem was solved first.

    Returns
    -------
    dict of str to str
        SHA-256 of each file, by its path in the run's folder.

    Raises
    ------
    MethodFailedError
        If something is wrong with them.
    """
    kept = run.own_cohorts(problem).root
    shutil.rmtree(kept, ignore_errors=True)
    files = {}
    for name in check_cohorts(written, problem, secrets):
        target = kept / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (written / name).rename(target)
        files[run.relative(target)] = sha256(target)
    return files
