"""What a notebook wrote becomes a result: checked, audited, and recorded by the host."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import genotex
from genotex.agents.audit import Audit, audit_answer, audit_cohort, own_part, own_reading
from genotex.agents.task import Task
from genotex.agents.team.plan import WRITTEN
from genotex.bench.runs.outputs import (
    AcceptedAnswer,
    check_answer,
    check_cohorts,
    place,
    take_answer,
    withdraw,
)
from genotex.bench.runs.problem_record import ErrorClass
from genotex.bench.runs.run_folder import RunFolder
from genotex.cohorts import PreprocessOptions, options_record
from genotex.errors import FormatError, MethodFailedError
from genotex.formats import (
    CohortInfo,
    Evidence,
    is_gzip,
    read_cohort_info,
    read_json_object,
    seal_linked,
    sha256,
    table_digests,
    update_cohort_info,
    write_evidence,
    write_json,
)
from genotex.io import lock, remove_leftovers
from genotex.layout import OutputFolder
from genotex.problems import Problem
from genotex.records import Scalar, checked

MakeAudit = Callable[[Path, CohortInfo | str | None], Audit]
"""Audits a folder that generated code wrote, about a cohort or about the answer of a cohort."""


@dataclass(frozen=True)
class _Accepted:
    """What was taken."""

    # SHA-256 of each file, by its path in the run's folder.
    files: Mapping[str, str] = field(default_factory=dict)
    # Of a cohort ``usable``; of a problem ``genes`` and ``cohort``.
    facts: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()  # Reasons to doubt it


def accept(task: Task, written: Path, run: RunFolder, audit: MakeAudit | None) -> _Accepted:
    """Take what a notebook has written into the output folder, in place of an earlier attempt.

    Without `audit` no generated code wrote it.
    """
    if not written.is_dir():
        _make_written(written)
    if task.kind == "statistics":
        return _accept_answer(task, written, run, audit)
    info, strangers = _record(task, written)
    if audit is None:
        flags = audit_cohort(task, written, info, by_code=False).flags
        return _accept_files(task, written, run, info, flags)
    found = audit(written, info)
    return _accept_cohort(
        task, written, run, info, replace(found, flags=(*found.flags, *strangers))
    )


def _make_written(written: Path) -> None:
    if written.exists():
        msg = f"{WRITTEN} is a file; it must be the folder of the results"
        raise MethodFailedError(ErrorClass.BAD_OUTPUT, msg)
    written.mkdir()


def _accept_answer(task: Task, written: Path, run: RunFolder, audit: MakeAudit | None) -> _Accepted:
    """Take the answer of the rerun, or the list of genes alone where no rerun gives it."""
    problem = task.problem
    said = check_answer(written, problem)
    if audit is None:
        flags = audit_answer(task, written, said.cohort, by_code=False).flags
        return _accepted(*take_answer(written, run, problem), flags)
    found = audit(written, said.cohort)
    if found.answer is not None:
        try:
            answer, files = take_answer(found.answer.root, run, problem)
        except MethodFailedError as error:
            found = Audit((*found.flags, f"the rerun left no answer: {error}"))
        else:
            return _accepted(answer, files, found.flags)
    own = _own_answer(task, written)
    withdraw(run, problem)
    path = run.output.significant_genes(problem.trait, problem.condition)
    write_json(path, own)
    return _accepted(replace(said, table=None), {run.relative(path): sha256(path)}, found.flags)


def _accepted(
    answer: AcceptedAnswer, files: Mapping[str, str], flags: tuple[str, ...]
) -> _Accepted:
    return _Accepted(files, {"genes": answer.genes, "cohort": answer.cohort}, flags)


_Numbers = Mapping[str, float | None]


@dataclass(frozen=True)
class _NamedCohort:
    """The cohort of an answer."""

    id: str


@dataclass(frozen=True)
class _OwnAnswer:
    """What an answer is of generated code alone."""

    significant_genes: Mapping[str, tuple[Scalar, ...]]
    cohort: _NamedCohort | None = None
    cv_performance: Mapping[str, float | _Numbers | None] = field(default_factory=dict)


def _own_answer(task: Task, written: Path) -> dict[str, Any]:
    """Return the fields of an answer that are those of generated code, checked."""
    path = OutputFolder(written).significant_genes(task.trait, task.condition)
    try:
        own = own_part(task.kind, read_json_object(path))
        own.pop("method", None)
        found = checked(_OwnAnswer, own, extra="forbid", path=path)
    except FormatError as error:
        raise MethodFailedError(ErrorClass.BAD_OUTPUT, str(error)) from error
    problem = {"trait": task.trait, "condition": task.condition}
    known = {name: value for name, value in asdict(found).items() if value}
    return {**known, "problem": problem}


def _accept_cohort(
    task: Task, written: Path, run: RunFolder, info: CohortInfo, found: Audit
) -> _Accepted:
    """Take the tables of a cohort, and write its records."""
    here, there = OutputFolder(written), run.output
    tables = [f for f in _tables_of(task, here) if f.is_file()]
    for path in tables:
        if is_gzip(path):
            msg = f"{path.name} is compressed; tables are plain"
            raise MethodFailedError(ErrorClass.BAD_OUTPUT, msg)
    _remove(task, there)
    parquet, csv = (f(task.trait, task.cohort) for f in (there.linked_parquet, there.linked_csv))
    for source, target in zip(_tables_of(task, here), _tables_of(task, there), strict=True):
        # Without a record nobody knows what is in the file that only we write.
        if source in tables and (target != parquet or found.evidence is not None):
            place(source, target)
    if parquet.is_file():
        seal_linked(parquet, csv)
    if found.evidence is not None:
        info = CohortInfo(**found.evidence.info)
        evidence = _host_record(task, found.evidence, there)
        write_evidence(there.evidence(task.trait, task.cohort), evidence)
    # The record comes last: without it there is no cohort.
    update_cohort_info(there.cohort_info(task.trait), task.cohort, info)
    files = {run.relative(f): sha256(f) for f in _files_of(task, there) if f.is_file()}
    return _Accepted(files, {"usable": info.is_usable}, found.flags)


def _host_record(task: Task, evidence: Evidence, output: OutputFolder) -> Evidence:
    """Return the record of a cohort with what only the host knows and may set."""
    digests = table_digests(output, task.trait, task.cohort)
    reading = own_reading(task.kind, evidence.reading)
    if review := evidence.reading.get("review"):
        # Which groups are to be reviewed was computed with the record.
        reading["review"] = review
    return replace(
        evidence,
        trait=task.trait,
        cohort=task.cohort,
        procedure=task.procedure,
        genotex_version=genotex.__version__,
        options=options_record(PreprocessOptions(procedure=task.procedure), task.cohort),
        reading=reading,
        # The code behind these tables is unknown, so the pipeline never takes them for its own.
        fingerprint="",
        design={},
        tables=digests if evidence.info.get("is_usable") else {},
    )


def _accept_files(
    task: Task, written: Path, run: RunFolder, info: CohortInfo, flags: tuple[str, ...]
) -> _Accepted:
    """Take the files of a cohort as the pipeline has written them."""
    _remove(task, run.output)
    pairs = zip(_files_of(task, OutputFolder(written)), _files_of(task, run.output), strict=True)
    files = {
        run.relative(target): place(source, target) for source, target in pairs if source.is_file()
    }
    update_cohort_info(run.output.cohort_info(task.trait), task.cohort, info)
    return _Accepted(files, {"usable": info.is_usable}, flags)


def _remove(task: Task, output: OutputFolder) -> None:
    """Remove what an earlier attempt left."""
    for path in _files_of(task, output):
        remove_leftovers(path)
        path.unlink(missing_ok=True)


def withdraw_cohort(task: Task, run: RunFolder) -> None:
    """Remove what was accepted for a cohort whose raw files have changed since."""
    path = run.output.cohort_info(task.trait)
    if path.is_file():
        with lock(path):
            records = read_json_object(path)
            if records.pop(task.cohort, None) is not None:
                write_json(path, records)
    for each in _files_of(task, run.output):
        each.unlink(missing_ok=True)


def _record(task: Task, written: Path) -> tuple[CohortInfo, tuple[str, ...]]:
    """Return the cohort's record, once all that was written is in order, and what is not its own.

    What is not its own is not taken.
    """
    path = OutputFolder(written).cohort_info(task.trait)
    if not path.is_file():
        raise MethodFailedError(ErrorClass.NO_ANSWER, _unrecorded(task))
    names = check_cohorts(written, Problem(task.trait))
    try:
        records = read_cohort_info(path)
    except FormatError as error:
        raise MethodFailedError(ErrorClass.BAD_OUTPUT, str(error)) from error
    if task.cohort not in records:
        raise MethodFailedError(ErrorClass.NO_ANSWER, _unrecorded(task))
    if strangers := sorted(set(records) - {task.cohort}):
        msg = f"the notebook recorded {', '.join(strangers)}; it is about {task.cohort} alone"
        raise MethodFailedError(ErrorClass.BAD_OUTPUT, msg)
    info = records[task.cohort]
    if info.is_usable and not OutputFolder(written).linked_csv(task.trait, task.cohort).is_file():
        msg = f"{task.cohort} is recorded as usable, but its linked table is missing"
        raise MethodFailedError(ErrorClass.BAD_OUTPUT, msg)
    return info, _not_its_own(task, written, names)


_MOST_NAMED = 10


def _not_its_own(task: Task, written: Path, names: Sequence[Path]) -> tuple[str, ...]:
    """Return the files that are those of no or another cohort, in words."""
    output = OutputFolder(written)
    own = {output.cohort_info(task.trait), *_files_of(task, output)}
    found = [name for name in names if written / name not in own]
    rest = [f"{len(found) - _MOST_NAMED} more"] if len(found) > _MOST_NAMED else []
    listed = [*(str(name) for name in found[:_MOST_NAMED]), *rest]
    return tuple(f"{name} is no file of {task.cohort}: not taken" for name in listed)


def _unrecorded(task: Task) -> str:
    return f"the notebook ended without recording {task.cohort} in cohort_info.json"


def _tables_of(task: Task, output: OutputFolder) -> Iterator[Path]:
    """Yield every table that a cohort may have, in the order in which they are placed."""
    yield output.clinical_csv(task.trait, task.cohort)
    yield output.gene_csv(task.trait, task.cohort)
    yield output.linked_parquet(task.trait, task.cohort)
    yield output.linked_csv(task.trait, task.cohort)


def _files_of(task: Task, output: OutputFolder) -> Iterator[Path]:
    """Yield every file that a cohort may have."""
    parquet = output.linked_parquet(task.trait, task.cohort)
    yield parquet.with_name(f"{parquet.name}.json")
    yield from _tables_of(task, output)
    yield output.evidence(task.trait, task.cohort)
