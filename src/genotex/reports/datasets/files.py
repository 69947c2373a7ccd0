"""The files of a data set: which cohort or problem each belongs to, and the figures of its content.

Only counts, names of the layout and platform accessions are taken from a file: series files of GEO
hold names, e-mails and addresses of people, and their free texts may.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from genotex.bench.evaluation.analysis_task import read_gene_list
from genotex.bench.evaluation.folder_items import ANSWER
from genotex.errors import (
    FormatError,
    NotDataError,
    SuperSeriesError,
    TruncatedFileError,
    UsageError,
)
from genotex.formats import (
    COVARIATES,
    CohortInfo,
    Series,
    count_lines,
    count_series_rows,
    read_clinical_matrix,
    read_cohort_info,
    read_family_soft,
    read_json_object,
    read_linked_header,
    read_series_matrix,
    read_xena_samples,
    sha256,
)
from genotex.io import PART
from genotex.layout import InputFolder

FileKind = Literal[
    "series matrix", "family SOFT", "platform table", "RNA-seq counts", "annotation of counts",
    "TCGA clinical matrix", "TCGA expression",
    "cohort records", "gene table", "clinical table", "linked table", "decisions", "result",
    "task list", "other",
]  # fmt: skip
"""What a file holds, by its place and name."""

_TASK_LISTS = ("task_info.json", "metadata/task_info.json")


@dataclass(frozen=True)
class FolderPart:
    """A folder in one of the two layouts."""

    prefix: str
    layout: Literal["input", "output"]


@dataclass(frozen=True)
class FilePlace:
    """A file and what it belongs to."""

    path: str
    kind: FileKind = "other"
    part: str = ""
    trait: str = ""
    name: str = ""


def find_parts(root: Path) -> tuple[FolderPart, ...]:
    """Return the parts of a data set: the folder itself, and folders directly inside it."""
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


def _parts_at(root: Path, prefix: str) -> Iterator[FolderPart]:
    folder = root / prefix
    if any((folder / name).is_dir() for name in ("GEO", "TCGA")):
        yield FolderPart(prefix, "input")
    if any((folder / name).is_dir() for name in ("preprocess", "regress")):
        yield FolderPart(prefix, "output")


def list_files(root: Path, leave_out: Sequence[Path] = ()) -> list[str]:
    """Return the paths of all files, sorted; links are followed once.

    Hidden files and those of which only a part has come are left out.
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


def place_files(root: Path, parts: Sequence[FolderPart], paths: Sequence[str]) -> list[FilePlace]:
    """Return what each file belongs to; a file of no known place is "other"."""
    raw = {place.path: place for part in parts for place in _raw_places(root, part)}
    outputs = [part.prefix for part in parts if part.layout == "output"]
    return [raw.get(path) or _output_place(path, outputs) for path in paths]


def _raw_places(root: Path, part: FolderPart) -> Iterator[FilePlace]:
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
    return FilePlace(path, "task list" if path in _TASK_LISTS else "other")


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


COEFFICIENTS = ("Coefficient", "Absolute Coefficient")


@dataclass(frozen=True)
class FileFacts:
    """What is known of a file; None where it does not apply or was not examined."""

    place: FilePlace
    size: int
    sha256: str | None = None
    samples: int | None = None
    rows: int | None = None
    genes: int | None = None
    platform: str = ""
    contacts: bool = False
    trait_column: str = ""
    covariates: tuple[str, ...] = ()
    coefficients: tuple[str, ...] = ()
    records: Mapping[str, CohortInfo] = field(default_factory=dict)
    problem: str = ""


def examine(root: Path, place: FilePlace, *, whole: bool, samples_from_soft: bool) -> FileFacts:
    """Return the facts of one file."""
    path = root / place.path
    try:
        facts = FileFacts(place, path.stat().st_size, sha256(path) if whole else None)
    except OSError:
        return FileFacts(place, 0, problem="cannot be opened")
    if place.kind == "family SOFT" and not (whole and samples_from_soft):
        return facts
    try:
        return replace(facts, **_content(place.kind, path, whole))
    except FormatError as error:
        return replace(facts, problem=_in_a_word(error))


def _in_a_word(error: FormatError) -> str:
    """Return what is wrong, without words of the file, which may be names of people."""
    if isinstance(error, SuperSeriesError):
        return "is a SuperSeries without samples of its own"
    if isinstance(error, NotDataError):
        return "holds a web page or other things in place of the data"
    if isinstance(error, TruncatedFileError):
        return "ends too early or is damaged"
    return "is not in the format that its name promises"


def _content(kind: FileKind, path: Path, whole: bool) -> dict[str, Any]:
    """Return what a file holds: of large ones the numbers of rows, if they are read `whole`."""
    match kind:
        case "series matrix":
            rows = count_series_rows(path) if whole else None
            return {**_of_series(read_series_matrix(path, expression=False)), "rows": rows}
        case "family SOFT":
            return _of_series(read_family_soft(path, expression=False)[0])
        case "TCGA clinical matrix":
            # A few megabytes at most; a cell may go over several lines, so lines are no rows.
            return {"samples": len(read_clinical_matrix(path).samples)}
        case "TCGA expression" | "RNA-seq counts":
            return {"samples": len(read_xena_samples(path)), "rows": _rows(path, whole)}
        case "cohort records":
            return {"records": read_cohort_info(path)}
        case "gene table":
            return {"samples": len(read_linked_header(path)), "genes": _rows(path, whole)}
        case "clinical table":
            return {"samples": len(read_linked_header(path))}
        case "linked table":
            return _linked(path) | {"samples": _rows(path, whole)}
        case "result":
            return _result(path)
        case _:
            return {}


def _rows(path: Path, whole: bool) -> int | None:
    return max(count_lines(path) - 1, 0) if whole else None


def _of_series(series: Series) -> dict[str, Any]:
    platform = series.platform or ""
    return {
        "samples": len(series.samples),
        "platform": platform if re.fullmatch(r"GPL\d{1,12}", platform) else "",
        "contacts": any(
            key.startswith("contact") for key in (*series.series_fields, *series.sample_fields)
        ),
    }


def _linked(path: Path) -> dict[str, Any]:
    trait, *columns = read_linked_header(path)
    covariates = tuple(name for name in COVARIATES if name in columns)
    genes = len(columns) - len(covariates)
    return {"trait_column": trait, "covariates": covariates, "genes": genes}


def _result(path: Path) -> dict[str, Any]:
    genes = len(read_gene_list(path).genes)
    lists = read_json_object(path)["significant_genes"]
    alike = (name for name in COEFFICIENTS if isinstance(lists.get(name), list))
    coefficients = tuple(name for name in alike if len(lists[name]) == genes)
    return {"genes": genes, "coefficients": coefficients}
