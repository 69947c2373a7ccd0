"""The digests of a run's files, and a run as one file that others can check and score.

The record of a submission (`hal.json`) has the parts of that of the Holistic Agent Leaderboard
(https://github.com/princeton-pli/hal-harness): ``config``, ``results``, ``total_usages``. What a
score is no submission states: it is computed from the answers.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256 as digest_of
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from genotex.bench.comparison.run_record import read_run_record, read_stored_run
from genotex.errors import FormatError, UsageError
from genotex.formats import (
    decode,
    json_bytes,
    read_bytes,
    read_json_object,
    read_record,
    sha256,
    write_json,
)
from genotex.io import atomic_write
from genotex.outside import check_zip
from genotex.records import InsidePath, Sha256

MANIFEST = Path("run", "manifest.json")
_FORMAT = 1
_RUN = "run/run.json"
_OF_THE_RUN = (_RUN, "run/outcomes.json", "run/problems.csv", "run/summary.json")
_ANSWERS = "regress/*/significant_genes_condition_*.json"
_COHORTS = ("preprocess/*/*.csv", "preprocess/*/*/*.csv", "preprocess/*/cohort_info.json")
_AGAIN = "repeat the command of the run, which finishes its records, or leave the run out"
_SHOWN = 3


def write_manifest(root: Path) -> None:
    """Write the digests of everything in a run folder that is scored or describes the run."""
    files = {path.relative_to(root).as_posix(): sha256(path) for path in _files(root)}
    write_json(root / MANIFEST, {"format": _FORMAT, "files": files})


def _files(root: Path) -> Iterator[Path]:
    """Yield what is scored, and the records of the run, sorted within each kind."""
    own = (root / name for name in _OF_THE_RUN)
    yield from (path for path in own if path.is_file())
    for pattern in (_ANSWERS, *_COHORTS):
        yield from sorted(path for path in root.glob(pattern) if path.is_file())


@dataclass(frozen=True)
class _Manifest:
    """The digests of the files of a run."""

    format: int
    files: Mapping[InsidePath, Sha256]


def check_run(root: Path) -> Mapping[str, str]:
    """Return the digest of each file of a finished run.

    Raises
    ------
    FormatError
        If the folder is none, or its outputs are not as they were written.
    """
    manifest = root / MANIFEST
    for path in (root / _RUN, manifest):
        if not path.is_file():
            msg = "is missing, so this is no finished run that can be checked"
            raise FormatError(msg, path=path, hint=_AGAIN)
    listed = read_record(_Manifest, manifest, hint=_AGAIN).files
    there = {path.relative_to(root).as_posix(): path for path in _files(root)}
    changed = [name for name, path in there.items() if listed.get(name) not in (None, sha256(path))]
    for what, names in (
        ("changed since the run", changed),
        ("not there any more", sorted(listed.keys() - there.keys())),
        ("not from this run", sorted(there.keys() - listed.keys())),
    ):
        if names:
            more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
            msg = f"{', '.join(names[:_SHOWN])}{more}: {what} (digests do not fit)"
            raise FormatError(msg, path=manifest, hint=_AGAIN)
    return listed


HAL = "hal.json"
_ALWAYS = (1980, 1, 1, 0, 0, 0)
"""The time of every member: equal runs are equal files."""


@dataclass(frozen=True)
class Submission:
    """A run as one file."""

    path: Path
    files: int  # of the run, in it
    sha256: str  # of the file


def submit_run(root: Path, path: Path, *, tables: bool = False) -> Submission:
    """Write a finished run as one zip file, which `open_runs` checks.

    It holds answers, availability of cohorts and the records of the run, without the folders that
    it read; with `tables` those of the cohorts, too. The same run gives the same bytes.

    Raises
    ------
    FormatError
        If the folder is not a finished run with all its files as they were written.
    UsageError
        If the path does not end in .zip.
    """
    if path.suffix != ".zip":
        msg = f"{path} must end in .zip"
        raise UsageError(msg)
    files = {
        name: digest
        for name, digest in check_run(root).items()
        if tables or not (name.startswith("preprocess/") and name.endswith(".csv"))
    }
    record = read_json_object(root / _RUN)
    for field in ("input", "preprocessed"):  # A folder of this machine is nobody's business.
        record[field] = record.get(field) and Path(record[field]).name
    written = {_RUN: json_bytes(record), HAL: json_bytes(hal_record(root))}
    files[_RUN] = digest_of(written[_RUN]).hexdigest()
    written[MANIFEST.as_posix()] = json_bytes({"format": _FORMAT, "files": files})
    with atomic_write(path) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in [*files, HAL, MANIFEST.as_posix()]:
            member = zipfile.ZipInfo(name, _ALWAYS)
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, written.get(name) or (root / name).read_bytes())
    return Submission(path, len(files), sha256(path))


def hal_record(root: Path) -> dict[str, Any]:
    """Return how a run was made and what it took; None is unknown, never 0."""
    stored, record = read_stored_run(root), read_run_record(root)
    table = decode(read_bytes(root / "run" / "problems.csv"))
    rows = list(csv.DictReader(io.StringIO(table, newline="")))
    solved = {f"{r['trait']}/{r['condition'] or None}": r.get("success") == "True" for r in rows}
    total = {name: mean * len(rows) for name, mean in record.per_problem.items()}
    return {
        "config": {
            "agent_name": record.name or record.method,
            "benchmark_name": "GenoTEX",
            "task_list": dict(stored.task_info),
            "agent_args": dict(stored.options),
            "procedure": record.procedure,
            "starts_from": record.start,
            "versions": dict(stored.versions),
        },
        "results": {
            "accuracy": None,
            "total_cost": total.get("cost"),
            "latency_seconds": total.get("seconds"),
            "successful_tasks": [name for name, done in solved.items() if done],
            "failed_tasks": [name for name, done in solved.items() if not done],
        },
        "total_usages": {
            key: total.get(name)
            for key, name in (("prompt_tokens", "tokens_in"), ("completion_tokens", "tokens_out"))
        },
    }


@contextmanager
def open_runs(runs: Mapping[str, Path]) -> Iterator[dict[str, Path]]:
    """Give the checked folder of each run, unpacked for as long where it is a submission.

    Raises
    ------
    FormatError
        If a file is no submission, or a run has not all its files as they were written.
    """
    with TemporaryDirectory(prefix="genotex-") as place:
        folders = dict(runs)
        for number, (name, path) in enumerate(runs.items()):
            if path.suffix == ".zip" and path.is_file():
                folders[name] = _unpack(path, Path(place) / str(number))
            check_run(folders[name])
        yield folders


def _unpack(path: Path, folder: Path) -> Path:
    with path.open("rb") as handle:
        check_zip(handle, path, kind="a submission")
        with zipfile.ZipFile(handle) as archive:
            try:
                archive.extractall(folder)
            except (zipfile.BadZipFile, OSError, ValueError) as error:
                msg = f"is not a submission that can be read: {error}"
                raise FormatError(msg, path=path, hint=_AGAIN) from error
    return folder
