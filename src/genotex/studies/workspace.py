"""What a folder holds: inputs, outputs, and the analyses in them."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from genotex.analysis.results.stored import AGAIN, StoredMethod, StoredProblem, read_content
from genotex.errors import FormatError, UsageError
from genotex.fetch import UNSORTED
from genotex.formats import CohortInfo, read_cohort_info
from genotex.layout import (
    SERIES_ACCESSION,
    GeoCohortFiles,
    InputFolder,
    OutputFolder,
    series_at,
    trait_folder_name,
)
from genotex.records import Shape, checked

ANALYSES, SHEETS = "analyses", "sheets"
"""Folders of the workbench: an output folder for each analysis, and the sample sheets."""
_OWN_FOLDERS = frozenset({ANALYSES, SHEETS, "tables", "gene_sets", "atlas", "annotator", "run"})
_LAID_OUT, _RESULT_FOLDERS = ("GEO", "TCGA"), ("preprocess", "regress")
"""What an input holds, and an output; one of them is enough."""
_LONGEST_TRAIT = 200
_RESULTS = "significant_genes_condition_*.json"
_PLACE = re.compile(r"(?<![\w/:.<-])(?:/[^\s/'\":;,()<>]+)+/([^\s/'\":;,()<>]+)")


@dataclass(frozen=True)
class FoundInput:
    """A folder with raw files, and the series of each trait; `name` is its place.

    `loose`: series that are in no folder of a trait: they are listed under `UNSORTED`, and are of
    any trait that somebody names.
    """

    name: str
    folder: Path
    series: dict[str, list[str]]
    tcga: int
    loose: Mapping[str, GeoCohortFiles] = field(default_factory=dict)

    def of(self, trait: str) -> list[str]:
        """Return its series of a trait."""
        if not self.loose:
            return self.series.get(trait, [])
        # Of a trait that somebody names, a folder may be made.
        usable = trait.isprintable() and 0 < len(trait.encode()) <= _LONGEST_TRAIT
        return self.series[UNSORTED] if usable else []

    def files(self, trait: str, series: str) -> GeoCohortFiles:
        """Return the files of one of its series."""
        return self.files_of(trait, [series])[series]

    def files_of(self, trait: str, series: Collection[str]) -> dict[str, GeoCohortFiles]:
        """Return the files of some of its series."""
        if self.loose:
            trait = trait_folder_name(trait)
            return {name: replace(self.loose[name], trait=trait) for name in series}
        source = InputFolder(self.folder)
        found = source.geo_cohorts(trait, series) if trait in source.traits() else ()
        return {files.cohort: files for files in found}


@dataclass(frozen=True)
class FoundAnalysis:
    """A problem that was analysed; `written` is the time of its result file."""

    output: str
    trait: str
    condition: str | None
    cohort: str
    significant: int
    tested: int | None
    samples: int | None
    contrast: str
    cohorts: bool
    report: bool
    written: float

    @property
    def address(self) -> dict[str, str]:
        """What names it in an address."""
        return {"output": self.output, "trait": self.trait, "condition": self.condition or ""}


@dataclass(frozen=True)
class _FoundOutput:
    """An output folder: its preprocessed cohorts by trait, and its analyses."""

    name: str
    folder: Path
    cohorts: dict[str, dict[str, CohortInfo]]
    analyses: tuple[FoundAnalysis, ...]
    problems: tuple[str, ...]


class Workspace:
    """A folder that the workbench works in.

    The folder itself, the folders in it and those in ``analyses`` are looked at: each may hold
    raw files (``GEO``, ``TCGA``, or series as `InputFolder` finds them) or results
    (``preprocess``, ``regress``). Nothing outside the folder is read, also not through a link.

    Parameters
    ----------
    root : Path
        The folder.

    Raises
    ------
    UsageError
        If it is not a folder.
    """

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            msg = f"{root} is not a folder; give the folder with your input, results, or both"
            raise UsageError(msg)
        self.root = root.resolve()

    def _places(self, *having: str) -> Iterator[tuple[str, Path]]:
        """Give the folders that are searched, by name; `having`: those that have one of these."""
        if _has_any(str(self.root), having):
            yield ".", self.root
        for parent, prefix in ((self.root, ""), (self.root / ANALYSES, f"{ANALYSES}/")):
            for name in self._folders(parent):
                if _has_any(f"{parent}/{name}", having):
                    yield prefix + name, parent / name

    def _folders(self, parent: Path) -> list[str]:
        """Return the folders in one of ours, without hidden ones and links out of it."""
        if not parent.is_dir() or not self.holds(parent):
            return []
        with os.scandir(parent) as entries:
            # What is no link is inside.
            return sorted(
                each.name
                for each in entries
                if each.is_dir()
                and not each.name.startswith(".")
                and (not each.is_symlink() or self.holds(parent / each.name))
            )

    def _is_place(self, folder: Path) -> bool:
        shown = folder == self.root or not folder.name.startswith(".")
        return shown and folder.is_dir() and self.holds(folder)

    def place(self, name: str) -> Path | None:
        """Return one of the folders that are searched, by its name; any other name is none."""
        if name == ".":
            return self.root
        above, slash, own = name.rpartition("/")
        parent = {"": self.root, f"{ANALYSES}/": self.root / ANALYSES}.get(above + slash)
        there = parent is not None and own in self._folders(parent)
        return parent / own if parent is not None and there else None

    def name_of(self, folder: Path) -> str | None:
        """Return the name of a folder that is searched, or None of any other."""
        inside = folder == self.root or folder.parent in (self.root, self.root / ANALYSES)
        if not inside or ".." in folder.parts or not self._is_place(folder):
            return None
        return folder.relative_to(self.root).as_posix()

    def holds(self, path: Path) -> bool:
        """Return whether a path is in the folder, after links are followed."""
        return path.resolve().is_relative_to(self.root)

    def size(self) -> int:
        """Return the bytes of all files in the folder; links are not followed."""
        total = 0
        for folder, _, names in os.walk(self.root):
            for name in names:
                # A file may go away meanwhile.
                with suppress(OSError):
                    total += os.lstat(f"{folder}/{name}").st_size
        return total

    def without_places(self, text: str) -> str:
        """Return a text with paths as they are in the folder; of others the last name alone."""
        return _PLACE.sub(r"\1", text.replace(f"{self.root}/", ""))

    def inputs(self) -> list[FoundInput]:
        """Return the folders with raw files."""
        found = []
        for name, folder, loose in self._input_folders():
            if loose:
                found.append(FoundInput(name, folder, {UNSORTED: list(loose)}, 0, loose))
            else:
                source = InputFolder(folder)
                tcga = len(source.tcga_folders())
                found.append(FoundInput(name, folder, source.cohort_names(), tcga))
        return found

    def _input_folders(
        self, names: Collection[str] | None = None
    ) -> Iterator[tuple[str, Path, Mapping[str, GeoCohortFiles]]]:
        """Give the folders with raw files by name, and their series where these are of no trait.

        `names`: of these alone; the folders of others are not read.
        """
        laid_out = dict(self._places(*_LAID_OUT))
        others = (n for n in self._folders(self.root) if names is None or _may_hold(n, names))
        here = {name: self.root / name for name in (".", *others)}
        root_series: Mapping[str, GeoCohortFiles] = {}
        for name, folder in {**here, **laid_out}.items():
            # A folder of one series is no input of its own where the folder around it is one.
            if folder.name.upper() in root_series and name != ".":
                continue
            if name in laid_out and any((folder / each).is_dir() for each in _LAID_OUT):
                yield name, folder, {}
            elif self._may_be_loose(folder) and (loose := series_at(folder, names)):
                root_series = loose if name == "." else root_series
                yield name, folder, loose

    def _may_be_loose(self, folder: Path) -> bool:
        """Return whether a place may hold series: it is none of our own, and no results."""
        if folder.parent == self.root / ANALYSES or folder.name in _OWN_FOLDERS:
            return folder == self.root
        return not _has_results(folder)

    def series(self, trait: str, name: str) -> GeoCohortFiles | None:
        """Return the files of a series of the inputs; none through a link out of the folder."""
        return self.several_series(trait, [name])[name]

    def several_series(self, trait: str, names: Sequence[str]) -> dict[str, GeoCohortFiles | None]:
        """Return the files of each series, None where the folder does not hold them."""
        found: dict[str, GeoCohortFiles | None] = dict.fromkeys(names)
        for name, folder, loose in self._input_folders(names):
            source = FoundInput(name, folder, {UNSORTED: [*loose]} if loose else {}, 0, loose)
            there = found.keys() & set(source.of(trait)) if loose else found.keys()
            for series, files in source.files_of(trait, there).items() if there else ():
                if found[series] is None and all(map(self.holds, files.inputs)):
                    found[series] = files
        return found

    def output_names(self) -> dict[str, Path]:
        """Return the output folders by name."""
        found = self._places(*_RESULT_FOLDERS)
        return {name: folder for name, folder in found if _has_results(folder)}

    def holding(self, file: str) -> dict[str, Path]:
        """Return the folders that hold a file (a path within the folder), by name."""
        return {
            name: folder
            for name, folder in self._places(file)
            if self.file(folder / file) is not None
        }

    def outputs(self) -> list[_FoundOutput]:
        """Return the folders with results, the newest first."""
        found = [self._describe(name, folder) for name, folder in self.output_names().items()]
        found.sort(key=lambda each: max((a.written for a in each.analyses), default=0.0))
        return found[::-1]

    def output(self, name: str) -> OutputFolder | None:
        """Return an output folder by its name, or None if there is no such folder here."""
        folder = self.place(name)
        return OutputFolder(folder) if folder is not None and _has_results(folder) else None

    def _describe(self, name: str, folder: Path) -> _FoundOutput:
        """Return what an output folder holds; a damaged file is named among its problems."""
        output = OutputFolder(folder)
        problems: list[str] = []
        cohorts = {}
        for trait in output.traits():
            path = self.file(output.cohort_info(trait))
            try:
                cohorts[trait] = {} if path is None else read_cohort_info(path)
            except FormatError as error:
                problems.append(str(error))
        analyses = []
        for path in sorted(folder.glob(f"regress/*/{_RESULTS}")):
            try:
                if self.holds(path):
                    analyses.append(_describe_result(name, output, path))
            except (FormatError, OSError) as error:
                problems.append(str(error))
        return _FoundOutput(name, folder, cohorts, tuple(analyses), tuple(problems))

    def file(self, path: Path) -> Path | None:
        """Return a file of the folder, or None if it does not exist or is outside."""
        return path if path.is_file() and self.holds(path) else None

    def sheet(self, trait: str, series: str) -> Path:
        """Return where the sample sheet of a series is saved."""
        return self.root / SHEETS / trait_folder_name(trait) / f"{trait_folder_name(series)}.csv"


def _has_any(folder: str, names: Sequence[str]) -> bool:
    return not names or any(os.access(f"{folder}/{name}", os.F_OK) for name in names)


def _may_hold(folder: str, series: Collection[str]) -> bool:
    """Return whether a folder may hold one of these series: it is not named after another one."""
    return folder.upper() in series or not SERIES_ACCESSION.fullmatch(folder.upper())


def _has_results(folder: Path) -> bool:
    return any((folder / name).is_dir() for name in _RESULT_FOLDERS)


def safe_name(name: str) -> str:
    """Return a name with underscores for what a file name or a header may not hold."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in name)


def _describe_result(name: str, output: OutputFolder, path: Path) -> FoundAnalysis:
    state = path.stat()
    facts = _result_facts(path, state.st_mtime_ns, state.st_size)
    trait, condition = facts["trait"], facts["condition"]
    return FoundAnalysis(
        output=name,
        cohorts=output.meta_genes(trait, condition).is_file(),
        report=output.report(trait, condition).is_file(),
        written=state.st_mtime,
        **facts,
    )


@lru_cache(maxsize=4096)
def _result_facts(path: Path, changed: int, size: int) -> dict[str, Any]:
    """Return what a result file holds; it is read again only when it has changed."""
    content = read_content(path)
    shown = checked(_ShownResult, {**content, "significant_genes": {}}, path=path, hint=AGAIN)
    genes = content.get("significant_genes")
    listed = genes.get("Variable") if isinstance(genes, dict) else None
    if not isinstance(listed, list):
        msg = "lists no genes"
        raise FormatError(msg, path=path, field="significant_genes.Variable", hint=AGAIN)
    contrast = shown.method.get("contrast", {})
    groups = contrast.get("samples", {})
    return {
        "trait": shown.problem["trait"],
        "condition": shown.problem["condition"],
        "cohort": shown.cohort.id,
        "significant": len(listed),
        "tested": shown.method.get("filter", {}).get("tested"),
        "samples": sum(len(ids) for name, ids in groups.items() if name != "left_out") or None,
        "contrast": contrast.get("text", ""),
    }


@dataclass(frozen=True)
class _ResultCohort:
    """The cohort of a result."""

    id: str


@dataclass(frozen=True)
class _ShownResult:
    """What pages show of a result."""

    problem: Annotated[dict[str, Any], Shape(StoredProblem)]
    cohort: _ResultCohort
    method: Annotated[dict[str, Any], Shape(StoredMethod)] = field(default_factory=dict)
