"""Where a folder holds what: its parts, and to which cohort or problem each file belongs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from genotex.bench.evaluation.folder_items import ANSWER
from genotex.errors import UsageError
from genotex.io import PART
from genotex.layout import InputFolder

__all__ = ["FileKind", "FilePlace", "Part", "find_parts", "list_files", "place_files"]

FileKind = Literal[
    "series matrix", "family SOFT", "platform table", "RNA-seq counts", "annotation of counts",
    "TCGA clinical matrix", "TCGA expression",
    "cohort records", "gene table", "clinical table", "linked table", "decisions", "result",
    "task list", "other",
]  # fmt: skip
"""What a file holds, by its place and name."""

TASK_LISTS = ("task_info.json", "metadata/task_info.json")


@dataclass(frozen=True)
class Part:
    """A folder in one of the two layouts.

    Attributes
    ----------
    prefix : str
        Its path within the data set; empty for the data set itself.
    layout : {"input", "output"}
        Raw cohorts under ``GEO`` and ``TCGA``, or ``preprocess`` and ``regress``.
    """

    prefix: str
    layout: Literal["input", "output"]


@dataclass(frozen=True)
class FilePlace:
    """A file and what it belongs to.

    Attributes
    ----------
    path : str
        Within the data set, with ``/``.
    kind : FileKind
        What it holds.
    part : str
        Prefix of its part.
    trait, name : str
        Trait folder; cohort, or condition of a result. Empty where it has none.
    """

    path: str
    kind: FileKind = "other"
    part: str = ""
    trait: str = ""
    name: str = ""


def find_parts(root: Path) -> tuple[Part, ...]:
    """Return the parts of a data set: the folder itself, and folders directly inside it.

    Raises
    ------
    UsageError
        If it is no folder or holds no part.
    """
    if not root.is_dir():
        msg = f"{root} is not a folder; give the folder of a data set"
        raise UsageError(msg)
    inside = sorted(p.name for p in root.iterdir() if p.is_dir() and not p.name.startswith("."))
    parts = [part for prefix in ("", *inside) for part in _parts_at(root, prefix)]
    if not parts:
        msg = (
            f"{root} holds no data set: expected GEO/ or TCGA/ of an input folder, preprocess/ or "
            "regress/ of an output folder, or folders that hold these"
        )
        raise UsageError(msg)
    return tuple(parts)


def _parts_at(root: Path, prefix: str) -> Iterator[Part]:
    folder = root / prefix
    if any((folder / name).is_dir() for name in ("GEO", "TCGA")):
        yield Part(prefix, "input")
    if any((folder / name).is_dir() for name in ("preprocess", "regress")):
        yield Part(prefix, "output")


def list_files(root: Path, leave_out: Sequence[Path] = ()) -> list[str]:
    """Return the paths of all files, sorted; links are followed once.

    Hidden files and those of which only a part has come are left out.

    Parameters
    ----------
    root : Path
        The data set.
    leave_out : sequence of Path
        Files and folders that are no part of it.
    """
    return sorted(_walk(root, "", {path.resolve() for path in leave_out}, ()))


def _walk(
    folder: Path, prefix: str, leave_out: set[Path], above: tuple[Path, ...]
) -> Iterator[str]:
    here = folder.resolve()
    if here in above:
        return
    for path in folder.iterdir():
        if path.name.startswith(".") or path.resolve() in leave_out:
            continue
        if path.is_dir():
            yield from _walk(path, f"{prefix}{path.name}/", leave_out, (*above, here))
        elif path.is_file() and path.suffix != PART:
            yield prefix + path.name


def place_files(root: Path, parts: Sequence[Part], paths: Sequence[str]) -> list[FilePlace]:
    """Return what each file belongs to; a file of no known place is "other"."""
    raw = {place.path: place for part in parts for place in _raw_places(root, part)}
    outputs = [part.prefix for part in parts if part.layout == "output"]
    return [raw.get(path) or _output_place(path, outputs) for path in paths]


def _raw_places(root: Path, part: Part) -> Iterator[FilePlace]:
    if part.layout != "input":
        return
    folder = InputFolder(root / part.prefix)

    def place(path: Path, kind: FileKind, trait: str, name: str) -> FilePlace:
        return FilePlace(path.relative_to(root).as_posix(), kind, part.prefix, trait, name)

    for trait in folder.traits():
        for geo in folder.geo_cohorts(trait):
            kinds: dict[FileKind, tuple[Path, ...]] = {
                "series matrix": geo.matrices,
                "family SOFT": geo.family_soft,
                "platform table": geo.platforms,
                "RNA-seq counts": geo.counts,
                "annotation of counts": geo.annotations,
            }
            for kind, files in kinds.items():
                yield from (place(path, kind, trait, geo.cohort) for path in files)
    for tcga in folder.tcga_folders():
        if tcga.clinical is not None:
            yield place(tcga.clinical, "TCGA clinical matrix", "", tcga.name)
        for path in filter(None, (tcga.expression, tcga.expression_pancan)):
            yield place(path, "TCGA expression", "", tcga.name)


def _output_place(path: str, prefixes: Sequence[str]) -> FilePlace:
    for prefix in prefixes:
        if not prefix or path.startswith(f"{prefix}/"):
            found = _by_pattern(PurePosixPath(path[len(prefix) :].lstrip("/")))
            if found is not None:
                kind, trait, name = found
                return FilePlace(path, kind, prefix, trait, name)
    return FilePlace(path, "task list" if path in TASK_LISTS else "other")


def _by_pattern(path: PurePosixPath) -> tuple[FileKind, str, str] | None:
    """Return kind, trait and name of a file of an output folder (see `layout.OutputFolder`)."""
    match path.parts, path.suffix:
        case ("preprocess", trait, "cohort_info.json"), _:
            return "cohort records", trait, ""
        case ("preprocess", trait, "gene_data", _), ".csv":
            return "gene table", trait, path.stem
        case ("preprocess", trait, "clinical_data", _), ".csv":
            return "clinical table", trait, path.stem
        case ("preprocess", trait, _), ".csv":
            return "linked table", trait, path.stem
        case ("preprocess", trait, "evidence", _), ".json":
            return "decisions", trait, path.stem
        case ("regress", trait, name), ".json" if name.startswith(ANSWER):
            return "result", trait, path.stem.removeprefix(ANSWER)
        case _:
            return None
