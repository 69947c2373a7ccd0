"""The audit of what a notebook left: in a session of its own, where its code ran in one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from genotex.agents.audit.answer import audit_answer
from genotex.agents.audit.cohort import audit_cohort
from genotex.agents.audit.comparison import not_adopted
from genotex.agents.sandbox import CellStatus, Folders, Session
from genotex.agents.task import Task
from genotex.analysis import write_result
from genotex.bench.runs.problem_record import ErrorClass
from genotex.errors import FormatError, MethodFailedError
from genotex.formats import (
    CohortInfo,
    Evidence,
    read_evidence,
    read_json_object,
    read_record,
    write_evidence,
    write_json,
)
from genotex.io import is_no_space
from genotex.layout import OutputFolder
from genotex.records import as_json

SECONDS = 1800.0
"""Time of an audit; a rerun takes about as long as the analysis that it repeats."""

_REPORT, _EVIDENCE, _ANSWER = "report.json", "evidence.json", "answer"
_MOST_FLAGS = 100
_LONGEST = 2000


@dataclass(frozen=True)
class _AuditReport:
    """What an audit found."""

    flags: tuple[str, ...] = ()
    rejected: str = ""  # why nothing of it is accepted
    # Whether the record of a cohort, or the answer to a problem, was computed again.
    recomputed: bool = False


@dataclass(frozen=True)
class Audit:
    """An audit, with what it computed again."""

    flags: tuple[str, ...]  # Reasons to doubt what was left
    # The record of a cohort as the host writes it; None where it cannot be computed
    evidence: Evidence | None = None
    # Folder with the answer to a problem as the rerun gives it; None where that is another one
    answer: OutputFolder | None = None


def audit_here(task: Task, written: Path, about: CohortInfo | str | None, folder: Path) -> Audit:
    """Audit in this process, for code that was not isolated either."""
    folder.mkdir(parents=True)
    try:
        _audit(task, written, about, folder)
    except Exception as error:
        if isinstance(error, OSError) and is_no_space(error):
            raise
        return _unfinished(f"{type(error).__name__}: {error}")
    return _read(folder)


def audit_in_session(
    task: Task,
    written: Path,
    about: CohortInfo | str | None,
    session: Callable[[Folders], Session],
    folder: Path,
    readable: tuple[Path, ...],
) -> Audit:
    """Audit in a session that reads what was left and the files of the task, and nothing else.

    Parameters are those of `audit_here`, and what makes the session. An audit that does not come
    to its end is a flag.
    """
    call = json.dumps([task.to_json(), str(written), as_json(about), str(folder)])
    with session(Folders(folder, (*readable, written))) as running:
        result = running.execute(f"from {__name__} import run\nrun({call!r})", seconds=SECONDS)
    if result.status is not CellStatus.OK:
        told = result.explanation or f"{result.exception}: {result.message}"
        return _unfinished(told)
    return _read(folder)


def run(call: str) -> None:
    """Audit in the session of an audit; the argument is its call as JSON."""
    task, written, about, folder = json.loads(call)
    given = CohortInfo(**about) if isinstance(about, dict) else about
    _audit(Task.from_json(task), Path(written), given, Path(folder))


def _audit(task: Task, written: Path, about: CohortInfo | str | None, folder: Path) -> None:
    """Audit, and write what was found into a folder."""
    try:
        report = (
            _of_cohort(task, written, about, folder)
            if isinstance(about, CohortInfo)
            else _of_answer(task, written, about, folder)
        )
    except MethodFailedError as error:
        report = _AuditReport(rejected=str(error))
    write_json(folder / _REPORT, as_json(report))


def _of_cohort(task: Task, written: Path, info: CohortInfo, folder: Path) -> _AuditReport:
    found = audit_cohort(task, written, info)
    if found.evidence is None:
        return _AuditReport(found.flags)
    path = folder / _EVIDENCE
    write_evidence(path, found.evidence)
    said = read_json_object(OutputFolder(written).evidence(task.trait, task.cohort))
    # The digests are those of files, which are looked at where these are accepted.
    is_so = {**read_json_object(path), "tables": said.get("tables")}
    # The evidence repeats the record of the cohort; both are looked at.
    said["cohort_info"], is_so["cohort_info"] = as_json(info), is_so["info"]
    return _AuditReport(not_adopted(task.kind, said, is_so, found.flags), recomputed=True)


def _of_answer(task: Task, written: Path, cohort: str | None, folder: Path) -> _AuditReport:
    found = audit_answer(task, written, cohort)
    if found.again is None:
        return _AuditReport(found.flags)
    path = write_result(OutputFolder(folder / _ANSWER), found.again)
    said = read_json_object(OutputFolder(written).significant_genes(task.trait, task.condition))
    is_so = read_json_object(path)
    flags = not_adopted(task.kind, said, _without_seal(said, is_so), found.flags)
    return _AuditReport(flags, recomputed=True)


def _without_seal(said: Mapping[str, Any], is_so: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer with the digest that was said: rounding gives the table other bytes."""
    sealed = said.get("all_genes")
    digest = sealed.get("sha256") if isinstance(sealed, dict) else None
    return {**is_so, "all_genes": {**is_so["all_genes"], "sha256": digest}}


def _unfinished(why: str) -> Audit:
    return Audit((f"the audit did not come to its end: {why[:_LONGEST]}",))


def _read(folder: Path) -> Audit:
    """Read what an audit found; it saw what generated code left, and is checked like that."""
    try:
        report = read_record(_AuditReport, folder / _REPORT)
        evidence = folder / _EVIDENCE
        found = read_evidence(evidence) if report.recomputed and evidence.is_file() else None
    except FormatError as error:
        return _unfinished(f"{error.path and error.path.name}: {error.message}")
    if report.rejected:
        raise MethodFailedError(ErrorClass.BAD_OUTPUT, report.rejected[:_LONGEST])
    flags = tuple(flag[:_LONGEST] for flag in report.flags[:_MOST_FLAGS])
    answer = folder / _ANSWER
    there = report.recomputed and answer.is_dir()
    return replace(Audit(flags), evidence=found, answer=OutputFolder(answer) if there else None)
