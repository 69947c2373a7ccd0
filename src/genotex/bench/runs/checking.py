"""Is what a method wrote what it must be? Nothing else gets into the output folder."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from genotex.bench.problems import Problem
from genotex.bench.runs.children.captured_log import SHORTEST_SECRET
from genotex.bench.runs.problem_record import ErrorClass
from genotex.bench.runs.run_folder import result_name
from genotex.errors import FormatError, MethodFailedError
from genotex.formats import read_cohort_info, read_linked_header, sha256
from genotex.layout import OutputFolder

__all__ = ["MOST_BYTES", "Answer", "check_answer", "check_cohorts"]

MOST_BYTES = 64 * 1024 * 1024
"""Of a result file; the benchmark's largest is below one million bytes."""

_LONGEST_NAME = 200
_COHORT = r"[A-Za-z0-9][\w.-]*"
_OF_A_COHORT = re.compile(
    rf"(cohort_info\.json|(clinical_data/|gene_data/)?{_COHORT}\.csv"
    rf"|linked/{_COHORT}\.parquet(\.json)?|evidence/{_COHORT}\.json)"
)


@dataclass(frozen=True)
class Answer:
    """A result that may be taken.

    Attributes
    ----------
    genes : int
        Length of its list.
    cohort : str or None
        The cohort it names.
    table : Path or None
        The table of all genes that belongs to it.
    """

    genes: int
    cohort: str | None
    table: Path | None


def check_answer(
    folder: Path, problem: Problem, secrets: Sequence[str] = (), *, own_cohorts: bool = False
) -> Answer:
    """Check the result file of a problem, and that nothing else lies beside it.

    Parameters
    ----------
    folder : Path
        Where the method wrote.
    problem : Problem
    secrets : sequence of str
        Values that must stand in no file.
    own_cohorts : bool
        Whether cohorts may lie beside it, which `check_cohorts` looks at.

    Raises
    ------
    MethodFailedError
        If there is no answer, or something is wrong with what was written.
    """
    result = result_name(problem)
    output = OutputFolder(folder)
    table = output.all_genes(problem.trait, problem.condition)
    allowed = {result, table.relative_to(folder)}
    passed_over = "preprocess" if own_cohorts else None
    written = [name for name in _files(folder) if name.parts[0] != passed_over]
    if strangers := [name for name in written if name not in allowed]:
        _refuse(f"it wrote {strangers[0]}; expected is {result} and nothing else")
    if result not in written:
        msg = f"the method ended without writing {result}"
        raise MethodFailedError(ErrorClass.NO_ANSWER, msg)
    _check_secrets([folder / name for name in written], folder, secrets)
    content = _read(folder / result, result)
    sealed = content.get("all_genes")
    seal = sealed.get("sha256") if isinstance(sealed, dict) else None
    if table.exists() and sha256(table) != seal:
        _refuse(f"{table.name} is not the table that {result} names by its digest")
    return Answer(
        _count_genes(content, result), _cohort(content), table if table.exists() else None
    )


def check_cohorts(folder: Path, problem: Problem, secrets: Sequence[str] = ()) -> list[Path]:
    """Check the cohorts that a plug-in preprocessed itself: names, records, first columns.

    Returns
    -------
    list of Path
        Their files, relative to `folder`.

    Raises
    ------
    MethodFailedError
        If something is wrong with them.
    """
    written = [name for name in _files(folder) if name.parts[0] == "preprocess"]
    for name in written:
        of_trait = len(name.parts) > 2 and name.parts[1] in problem.traits
        if not of_trait or not _OF_A_COHORT.fullmatch("/".join(name.parts[2:])):
            _refuse(f"{name} is no file of a preprocessed cohort of {' or '.join(problem.traits)}")
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
        _refuse(f"{table.name} of {trait} does not stand in cohort_info.json")
    columns = read_linked_header(table)
    if not columns or columns[0] != trait:
        _refuse(f"the first column of {table} is {columns[0] if columns else 'none'}, not {trait}")


def _files(folder: Path) -> list[Path]:
    """Return the files below a folder, relative to it; hidden ones are passed over.

    Raises
    ------
    MethodFailedError
        If there is anything but plain files and folders.
    """
    return sorted(path.relative_to(folder) for path in _walk(folder))


def _walk(folder: Path) -> Iterator[Path]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                _refuse(f"{entry.name} is a link; links are not followed")
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(Path(entry.path))
            elif not entry.is_file(follow_symlinks=False):
                _refuse(f"{entry.name} is no plain file")
            elif not entry.name.startswith("."):
                yield Path(entry.path)


def _check_secrets(paths: Sequence[Path], folder: Path, secrets: Sequence[str]) -> None:
    values = [value.encode() for value in secrets if len(value) >= SHORTEST_SECRET]
    for path in paths if values else ():
        content = path.read_bytes()
        if any(value in content for value in values):
            _refuse(f"{path.relative_to(folder)} holds the value of a variable given by --pass-env")


def _read(path: Path, name: Path) -> dict[str, Any]:
    if path.stat().st_size > MOST_BYTES:
        _refuse(f"{name} has {path.stat().st_size} bytes; at most {MOST_BYTES} are read")
    try:
        content = json.loads(path.read_bytes(), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        _refuse(f"{name} is not JSON: {error}")
    if not isinstance(content, dict):
        _refuse(f"{name} holds no JSON object")
    return content


def _no_number(name: str) -> NoReturn:
    msg = f"{name} is no JSON number; write null"
    raise ValueError(msg)


def _count_genes(content: Mapping[str, Any], name: Path) -> int:
    columns = content.get("significant_genes")
    if not isinstance(columns, dict) or not isinstance(columns.get("Variable"), list):
        _refuse(f"{name} has no list significant_genes.Variable")
    genes = columns["Variable"]
    for gene in genes:
        if not isinstance(gene, str) or not gene or gene != gene.strip() or not gene.isprintable():
            _refuse(f"{name}: {json.dumps(gene)[:40]} in significant_genes.Variable is no symbol")
    for column, values in columns.items():
        if not isinstance(values, list) or len(values) != len(genes):
            _refuse(f"{name}: significant_genes.{column} is no list as long as Variable")
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
