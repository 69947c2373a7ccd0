"""What methods write: checked, then copied into the output folder, whole or not at all."""

from __future__ import annotations

import json
import mmap
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from genotex.analysis.results.result import remove_result
from genotex.bench.runs.problem_record import ErrorClass, ProblemRecord
from genotex.bench.runs.processes import SHORTEST_SECRET
from genotex.bench.runs.run_folder import RunFolder, result_name
from genotex.errors import FormatError, MethodFailedError
from genotex.formats import (
    CohortInfo,
    read_cohort_info,
    read_json_object,
    read_linked_header,
    sha256,
    write_cohort_info,
)
from genotex.io import atomic_write, remove_leftovers
from genotex.layout import OutputFolder
from genotex.problems import Problem

_LONGEST_NAME = 200
_COHORT = r"[A-Za-z0-9][\w.-]*"
_OF_A_COHORT = re.compile(
    rf"(cohort_info\.json|(clinical_data/|gene_data/)?{_COHORT}\.csv"
    rf"|linked/{_COHORT}\.parquet(\.json)?|evidence/{_COHORT}\.json)"
)


@dataclass(frozen=True)
class AcceptedAnswer:
    """A result that passed the checks."""

    genes: int
    cohort: str | None
    table: Path | None


def check_answer(
    folder: Path, problem: Problem, secrets: Sequence[str] = (), *, own_cohorts: bool = False
) -> AcceptedAnswer:
    """Check the result file of a problem, and that there is nothing else next to it."""
    result = result_name(problem)
    output = OutputFolder(folder)
    table = output.all_genes(problem.trait, problem.condition)
    allowed = {result, table.relative_to(folder)}
    passed_over = "preprocess" if own_cohorts else None
    written = [name for name in _files(folder) if name.parts[0] != passed_over]
    if strangers := [name for name in written if name not in allowed]:
        _refuse(f"it wrote {strangers[0]}; only {result} is expected")
    if result not in written:
        msg = f"the method ended without writing {result}"
        raise MethodFailedError(ErrorClass.NO_ANSWER, msg)
    _check_secrets([folder / name for name in written], folder, secrets)
    content = _read(folder / result, result)
    sealed = content.get("all_genes")
    seal = sealed.get("sha256") if isinstance(sealed, dict) else None
    if table.exists() and sha256(table) != seal:
        _refuse(f"{table.name} is not the table that {result} names by its digest")
    return AcceptedAnswer(
        _count_genes(content, result), _cohort(content), table if table.exists() else None
    )


def check_cohorts(folder: Path, problem: Problem, secrets: Sequence[str] = ()) -> list[Path]:
    """Check the cohorts that a plug-in preprocessed itself: names, records, first columns."""
    written = [name for name in _files(folder) if name.parts[0] == "preprocess"]
    for name in written:
        of_trait = len(name.parts) > 2 and name.parts[1] in problem.traits
        if not of_trait or not _OF_A_COHORT.fullmatch("/".join(name.parts[2:])):
            _refuse(
                f"{name} is not a file of a preprocessed cohort of {' or '.join(problem.traits)}"
            )
    _check_secrets([folder / name for name in written], folder, secrets)
    output = OutputFolder(folder)
    for trait in dict.fromkeys(name.parts[1] for name in written):
        tables = [folder / n for n in written if n.parts[1] == trait and len(n.parts) == 3]
        try:
            known = read_cohort_info(output.cohort_info(trait))
            for table in tables:
                if table.suffix == ".csv":
                    _check_table(table, trait, known)
        except (FormatError, OSError) as error:
            _refuse(str(error))
    return written


def _check_table(table: Path, trait: str, known: Mapping[str, Any]) -> None:
    if table.stem not in known:
        _refuse(f"{table.name} of {trait} is not in cohort_info.json")
    columns = read_linked_header(table)
    if not columns or columns[0] != trait:
        _refuse(f"the first column of {table} is {columns[0] if columns else 'none'}, not {trait}")


def _files(folder: Path) -> list[Path]:
    """Return the files below a folder, relative to it; hidden ones are passed over."""
    return sorted(path.relative_to(folder) for path in _walk(folder))


def _walk(folder: Path) -> Iterator[Path]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                _refuse(f"{entry.name} is a link; links are not followed")
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(Path(entry.path))
            elif not entry.is_file(follow_symlinks=False):
                _refuse(f"{entry.name} is not a plain file")
            elif not entry.name.startswith("."):
                yield Path(entry.path)


def _check_secrets(paths: Sequence[Path], folder: Path, secrets: Sequence[str]) -> None:
    values = [value.encode() for value in secrets if len(value) >= SHORTEST_SECRET]
    for path in paths if values else ():
        if _holds(path, values):
            _refuse(
                f"{path.relative_to(folder)} contains the value of a variable given by --pass-env"
            )


def _holds(path: Path, values: Sequence[bytes]) -> bool:
    """Return whether a file contains one of some values; it may have any size."""
    with path.open("rb") as handle:
        if not os.fstat(handle.fileno()).st_size:
            return False
        with mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return any(content.find(value) >= 0 for value in values)


def _read(path: Path, name: Path) -> dict[str, Any]:
    hint = "write an answer in the benchmark's format"
    try:
        return read_json_object(path, hint, words="is not JSON")
    except FormatError as error:
        _refuse(f"{name} {error.message.replace('expected a', 'is not a')}")


def _count_genes(content: Mapping[str, Any], name: Path) -> int:
    columns = content.get("significant_genes")
    if not isinstance(columns, dict) or not isinstance(columns.get("Variable"), list):
        _refuse(f"{name} has no list significant_genes.Variable")
    genes = columns["Variable"]
    for gene in genes:
        if not isinstance(gene, str) or not gene or gene != gene.strip() or not gene.isprintable():
            _refuse(
                f"{name}: {json.dumps(gene)[:40]} in significant_genes.Variable is not a symbol"
            )
    for column, values in columns.items():
        if not isinstance(values, list) or len(values) != len(genes):
            _refuse(f"{name}: significant_genes.{column} is not a list as long as Variable")
    return len(genes)


def _cohort(content: Mapping[str, Any]) -> str | None:
    cohort = content.get("cohort")
    name = cohort.get("id") if isinstance(cohort, dict) else cohort
    if not isinstance(name, str):
        return None
    if not name.isprintable() or len(name) > _LONGEST_NAME:
        _refuse(f"the cohort {name[:_LONGEST_NAME]!a} cannot be the name of one")
    return name


def _refuse(what: str) -> NoReturn:
    raise MethodFailedError(ErrorClass.BAD_OUTPUT, what)


def take_answer(
    written: Path,
    run: RunFolder,
    problem: Problem,
    secrets: tuple[str, ...] = (),
    *,
    own_cohorts: bool = False,
) -> tuple[AcceptedAnswer, dict[str, str]]:
    """Check the answer to a problem and copy it into the output folder, replacing an older one."""
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

    `merge_cohorts` puts them into the output folder at the end of the run: its content must not
    depend on which problem was solved first.
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


def merge_cohorts(run: RunFolder, records: Sequence[ProblemRecord]) -> None:
    """Put the cohorts of all problems into the output folder.

    Where several problems bring the same cohort of a trait, that of the first problem in the run's
    list counts, whichever was solved first.
    """
    merged = OutputFolder(run.work / "merged")
    folders = [run.own_cohorts(record.problem) for record in records]
    for trait in sorted({trait for folder in folders for trait in folder.traits()}):
        _merge(folders, merged, trait)
        target = run.output.cohort_info(trait).parent
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        merged.cohort_info(trait).parent.rename(target)


def _merge(folders: Sequence[OutputFolder], merged: OutputFolder, trait: str) -> None:
    together: dict[str, CohortInfo] = {}
    target = merged.cohort_info(trait)
    for own in folders:
        info = own.cohort_info(trait)
        if not info.exists():
            continue
        new = {c: record for c, record in read_cohort_info(info).items() if c not in together}
        for path in sorted(info.parent.rglob("*")):
            if path.is_file() and any(_is_of(path, cohort) for cohort in new):
                _link(path, target.parent / path.relative_to(info.parent))
        together |= new
    write_cohort_info(target, together)


def _is_of(path: Path, cohort: str) -> bool:
    """Return whether a file belongs to a cohort: its table, or one next to it of the same name."""
    return path.name.startswith(f"{cohort}.") and "." not in path.name.removeprefix(
        f"{cohort}."
    ).removesuffix(".json")


def _link(source: Path, target: Path) -> None:
    """Give a file a second name, or a copy where the file system has no such names."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
