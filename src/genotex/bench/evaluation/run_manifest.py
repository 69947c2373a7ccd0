"""The digests of a finished run's outputs, by which a submitted folder is checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from genotex.errors import FormatError
from genotex.formats import read_record, sha256, write_json
from genotex.records import InsidePath, Sha256

MANIFEST = Path("run", "manifest.json")
_FORMAT = 1
_OF_THE_RUN = ("run.json", "outcomes.json", "problems.csv", "summary.json")
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
    own = (root / "run" / name for name in _OF_THE_RUN)
    yield from (path for path in own if path.is_file())
    for pattern in (_ANSWERS, *_COHORTS):
        yield from sorted(path for path in root.glob(pattern) if path.is_file())


@dataclass(frozen=True)
class _Manifest:
    """The digests of the files of a run."""

    format: int
    files: Mapping[InsidePath, Sha256]


def check_run(root: Path) -> None:
    """Refuse a folder that is not a finished run with all its outputs as they were written."""
    manifest = root / MANIFEST
    for path in (root / "run" / "run.json", manifest):
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
