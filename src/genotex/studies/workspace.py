"""What a folder holds: inputs, outputs, and the analyses in them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from genotex.analysis.results.stored import AGAIN, StoredMethod, StoredProblem, read_content
from genotex.errors import FormatError, UsageError
from genotex.fetch import UNSORTED
from genotex.formats import CohortInfo, read_cohort_info
from genotex.layout import GeoCohortFiles, InputFolder, OutputFolder, series_at, trait_folder_name
from genotex.records import Shape, checked

ANALYSES, SHEETS = "analyses", "sheets"
"""Folders of the workbench: an output folder for each analysis, and the sample sheets."""
_OWN_FOLDERS = frozenset({ANALYSES, SHEETS, "tables", "gene_sets", "atlas", "annotator", "run"})
_LONGEST_TRAIT = 200
_RESULTS = "significant_genes_condition_*.json"
_PLACE = re.compile(r"(?<![\w/:.<-])(?:/[^\s/'\":;,()<>]+)+/([^\s/'\":;,()<>]+)")


@dataclass(frozen=True)
class FoundInput:
    """A folder with raw files, and the series of each trait; `name` is its place.

    `loose`: its series are in no folder of a trait: they are listed under `UNSORTED`, and are of
    any trait that somebody names.
    """

    name: str
    folder: Path
    series: dict[str, list[str]]
    tcga: int
    loose: bool = False

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
        found = InputFolder(self.folder).geo_cohorts(trait)
        return {files.cohort: files for files in found if files.cohort in series}


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

    def _places(self, file: str = "") -> Iterator[tuple[str, Path]]:
        """Give the folders that are searched, by name; with `file`, those that have it."""
        if (self.root / file).exists():
            yield ".", self.root
        for parent in (self.root, self.root / ANALYSES):
            if parent.is_dir() and self.holds(parent):
                for folder in sorted(parent.iterdir()):
                    # First what is quick: there may be a thousand folders.
                    if (not file or (folder / file).exists()) and self._is_place(folder):
                        yield folder.relative_to(self.root).as_posix(), folder

    def _is_place(self, folder: Path) -> bool:
        shown = folder == self.root or not folder.name.startswith(".")
        return shown and folder.is_dir() and self.holds(folder)

    def place(self, name: str) -> Path | None:
        """Return one of the folders that are searched, by its name; any other name is none."""
        if name == ".":
            return self.root
        above, slash, own = name.rpartition("/")
        parent = {"": self.root, f"{ANALYSES}/": self.root / ANALYSES}.get(above + slash)
        if parent is None or not parent.is_dir():
            return None
        found = next((each for each in parent.iterdir() if each.name == own), None)
        return found if found is not None and self._is_place(found) else None

    def name_of(self, folder: Path) -> str | None:
        """Return the name of a folder that is searched, or None of any other."""
        inside = folder == self.root or folder.parent in (self.root, self.root / ANALYSES)
        if not inside or ".." in folder.parts or not self._is_place(folder):
            return None
        return folder.relative_to(self.root).as_posix()

    def holds(self, path: Path) -> bool:
        """Return whether a path is in the folder, after links are followed."""
        return path.resolve().is_relative_to(self.root)

    def without_places(self, text: str) -> str:
        """Return a text with paths as they are in the folder; of others the last name alone."""
        return _PLACE.sub(r"\1", text.replace(f"{self.root}/", ""))

    def inputs(self) -> list[FoundInput]:
        """Return the folders with raw files."""
        found = []
        root_series: dict[str, GeoCohortFiles] = {}
        for name, folder in self._places():
            # A folder of one series is no input of its own where the folder around it is one.
            if folder.name.upper() in root_series and name != ".":
                continue
            if not ((folder / "GEO").is_dir() or (folder / "TCGA").is_dir()):
                if not self._may_be_loose(folder):
                    continue
                if loose := series_at(folder):
                    root_series = root_series or (loose if name == "." else {})
                    found.append(FoundInput(name, folder, {UNSORTED: list(loose)}, 0, True))
                continue
            source = InputFolder(folder)
            series = {
                trait: [files.cohort for files in source.geo_cohorts(trait)]
                for trait in source.traits()
            }
            found.append(FoundInput(name, folder, series, len(source.tcga_folders())))
        return found

    def _may_be_loose(self, folder: Path) -> bool:
        """Return whether a place may hold series: it is none of our own, and no results."""
        if folder.parent == self.root / ANALYSES or folder.name in _OWN_FOLDERS:
            return folder == self.root
        return not ((folder / "preprocess").is_dir() or (folder / "regress").is_dir())

    def series(self, trait: str, name: str) -> GeoCohortFiles | None:
        """Return the files of a series of the inputs; none through a link out of the folder."""
        return self.several_series(trait, [name])[name]

    def several_series(self, trait: str, names: Sequence[str]) -> dict[str, GeoCohortFiles | None]:
        """Return the files of each series, None where the folder does not hold them."""
        found: dict[str, GeoCohortFiles | None] = dict.fromkeys(names)
        for each in self.inputs():
            wanted = found.keys() & set(each.of(trait))
            for name, files in each.files_of(trait, wanted).items() if wanted else ():
                if found[name] is None and all(map(self.holds, files.inputs)):
                    found[name] = files
        return found

    def output_names(self) -> dict[str, Path]:
        """Return the output folders by name."""
        return {
            name: folder
            for name, folder in self._places()
            if (folder / "preprocess").is_dir() or (folder / "regress").is_dir()
        }

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
        folder = self.output_names().get(name)
        return None if folder is None else OutputFolder(folder)

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
