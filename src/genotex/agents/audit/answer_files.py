"""A look at an answer that written code left."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from genotex.agents.audit.answer_opinion import answer_opinion
from genotex.agents.audit.refusing import refuse, refuse_endless
from genotex.agents.task import Task
from genotex.analysis import GENE_COLUMNS, read_result
from genotex.errors import FormatError, GenotexError
from genotex.formats import (
    read_cohort_info,
    read_json_object,
    read_linked_header,
)
from genotex.layout import OutputFolder

__all__ = ["look_at_answer"]

_MOST_COLUMNS = 100
"""Of a table of all genes; it has a column for each figure."""


def look_at_answer(
    task: Task, written: Path, cohort: str | None, *, by_code: bool = True
) -> tuple[str, ...]:
    """Return what makes an answer doubtful.

    Parameters
    ----------
    task : Task
        A problem.
    written : Path
        Where its session wrote; the form of the answer is in order.
    cohort : str or None
        The cohort that the answer names.
    by_code : bool
        As for `look_at_cohort`.

    Raises
    ------
    MethodFailedError
        If the answer contradicts itself, or the cohort it names.
    """
    if cohort is None:
        # An answer from knowledge alone, which no code wrote, has none.
        return ("the answer does not name its cohort",) if by_code else ()
    output = OutputFolder(written)
    path = output.significant_genes(task.trait, task.condition)
    content = read_json_object(path)
    listed: dict[str, list[object]] = content["significant_genes"]
    columns = _check_genes(task, cohort, listed["Variable"])
    table = output.all_genes(task.trait, task.condition)
    if table.is_file():
        refuse_endless(table, columns, _MOST_COLUMNS)
    try:
        result = read_result(output, task.trait, task.condition)
    except GenotexError:
        return ("the answer was not written by the toolkit: no table of all genes belongs to it",)
    if dict(result.genes.schema) != dict(GENE_COLUMNS):
        refuse("the table of all genes has other columns than the toolkit writes")
    found = result.significant
    for name, values in listed.items():
        if name in found.columns and found[name].to_list() != values:
            refuse(f"{name} of the genes listed is another than in the table of all genes")
    return answer_opinion(task, result, content) if by_code else ()


def _check_genes(task: Task, cohort: str, listed: Sequence[object]) -> int:
    """Refuse an answer about a cohort that cannot be used, or with genes that it does not have.

    Returns
    -------
    int
        How many columns the cohort's table has.
    """
    prepared = OutputFolder(task.input_folder)
    try:
        info = read_cohort_info(prepared.cohort_info(task.trait)).get(cohort)
        if info is None or not info.is_usable:
            refuse(f"the answer names {cohort}, which is no usable cohort of {task.trait}")
        known = set(read_linked_header(prepared.linked_csv(task.trait, cohort)))
    except FormatError as error:
        refuse(str(error))
    if strangers := [gene for gene in listed if gene not in known]:
        refuse(f"the answer lists {strangers[0]}, which is no gene of {cohort}")
    return len(known)
