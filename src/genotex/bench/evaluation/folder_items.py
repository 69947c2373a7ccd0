"""What an output folder holds: traits, tables and answers by the names of its files, and its kind.

With the rows that the paper published (arXiv:2406.15341).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, TypeVar

from genotex.bench.evaluation.figures import Table
from genotex.bench.evaluation.options import ScoringRules
from genotex.errors import FormatError, UsageError
from genotex.layout import TCGA_COHORT, OutputFolder, trait_folder_name
from genotex.outside import packaged_toml
from genotex.problems import Problem
from genotex.problems.cohort_choice import TCGA_NAMES

ANSWER = "significant_genes_condition_"


def one_name(cohort: str) -> str:
    """Return the id of a cohort by which releases are compared: ``TCGA`` for ``Xena`` too."""
    return TCGA_COHORT if cohort in TCGA_NAMES else cohort


class ScoredFolder(OutputFolder):
    """An output folder of any release: TCGA tables are found under either name of their cohort.

    The name need not be that in ``cohort_info.json``.
    """

    def clinical_csv(self, trait: str, cohort: str) -> Path:
        """Return the path of the clinical features (features x samples)."""
        return _under_either_name(super().clinical_csv(trait, cohort))

    def gene_csv(self, trait: str, cohort: str) -> Path:
        """Return the path of the gene expression (genes x samples)."""
        return _under_either_name(super().gene_csv(trait, cohort))

    def linked_csv(self, trait: str, cohort: str) -> Path:
        """Return the path of the linked table (samples x features)."""
        return _under_either_name(super().linked_csv(trait, cohort))


def _under_either_name(table: Path) -> Path:
    """Return the path of the table under either name; unchanged if neither exists."""
    if table.stem not in TCGA_NAMES or table.is_file():
        return table
    others = [table.with_stem(name) for name in sorted(TCGA_NAMES - {table.stem})]
    return next((path for path in others if path.is_file()), table)


def described_traits(folder: OutputFolder) -> list[str]:
    """Return the traits with a ``cohort_info.json``, sorted."""
    traits = _traits(folder.root / "preprocess")
    return [trait for trait in traits if folder.cohort_info(trait).is_file()]


def cohorts_with(folder: OutputFolder, table: Table) -> list[tuple[str, str]]:
    """Return trait and cohort of every table of a kind, sorted."""
    return [
        (trait, cohort)
        for trait in _traits(folder.root / "preprocess")
        for cohort in _stems(table_path(folder, table, trait, "*"))
    ]


def table_path(folder: OutputFolder, table: Table, trait: str, cohort: str) -> Path:
    """Return the path of a cohort's table."""
    paths = {"gene": folder.gene_csv, "clinical": folder.clinical_csv, "linked": folder.linked_csv}
    return paths[table](trait, cohort)


def answered_problems(folder: OutputFolder) -> list[Problem]:
    """Return every problem with a result file, sorted; each trait alone comes first."""
    problems = []
    for trait in _traits(folder.root / "regress"):
        pattern = folder.significant_genes(trait, "*")
        conditions = [stem.removeprefix(ANSWER) for stem in _stems(pattern)]
        conditions.sort(key=lambda name: (name != "None", name))
        for condition in conditions:
            problems.append(_problem(trait, condition, pattern.parent))
    return problems


def _problem(trait: str, condition: str, place: Path) -> Problem:
    try:
        return Problem(trait, None if condition == "None" else condition)
    except UsageError as error:
        msg = f"{place / f'{ANSWER}{condition}.json'} does not belong to a problem: {error}"
        raise UsageError(msg) from error


def _traits(parent: Path) -> list[str]:
    if not parent.is_dir():
        return []
    names = sorted(p.name for p in parent.iterdir() if p.is_dir() and p.name[0] != ".")
    for name in names:
        if trait_folder_name(name) != name:
            msg = f"{parent / name} is not named as a trait's folder; rename it to "
            raise UsageError(msg + trait_folder_name(name))
    return names


def _stems(pattern: Path) -> list[str]:
    found: Iterable[Path] = pattern.parent.glob(pattern.name) if pattern.parent.is_dir() else ()
    return sorted(path.stem for path in found if path.is_file() and path.name[0] != ".")


MISSING = "missing"
"""Why a missing prediction was scored 0."""

_Content = TypeVar("_Content")


def read_or_why(path: Path, read: Callable[[Path], _Content]) -> _Content | str:
    """Return the content of a file, or the reason why there is none."""
    if not path.is_file():
        return MISSING
    try:
        return read(path)
    except FormatError as error:
        place = "" if error.line is None else f"line {error.line}: "
        return f"cannot be read: {place}{error.field + ': ' if error.field else ''}{error.message}"


def read_reference(
    path: Path, read: Callable[[Path], _Content], rules: ScoringRules
) -> _Content | str:
    """Return the content of a file of the reference; why there is none where the rules drop it."""
    return read_or_why(path, read) if rules.drops_unreadable else read(path)


@dataclass(frozen=True)
class _PublishedRow:
    """A row of the paper."""

    table: int
    name: str
    start: str | None
    values: Mapping[str, float]


@dataclass(frozen=True)
class _Published:
    """All rows, their source and how many problems they are averages of."""

    source: str
    problems: int
    rows: tuple[_PublishedRow, ...]


@cache
def published() -> _Published:
    """Return the published rows."""
    content = packaged_toml("genotex.bench.evaluation", "data/published.toml")
    rows = []
    for table in content["table"]:
        for cells in table["rows"]:
            row = dict(zip(table["columns"], cells, strict=True))
            name, start = row.pop("name"), row.pop("start", None)
            values = {key: float(value) for key, value in row.items() if value != "-"}
            rows.append(_PublishedRow(table["number"], name, start, values))
    return _Published(content["source"], content["problems"], tuple(rows))


ReferenceKind = Literal["simulated", "made by genotex", "published", "other", "unknown"]

_WORDS: Mapping[ReferenceKind, str] = {
    "simulated": "simulated reference",
    "made by genotex": "reference made by genotex",
    "published": "published reference",
    "other": "another reference",
    "unknown": "reference of unknown kind",
}
_TRUTH = "truth.json"
TRAPS_FILE = "traps.json"
"""Name of the traps of a simulated reference."""


def kind_of_reference(folder: OutputFolder) -> ReferenceKind:
    """Return what an output folder is, by its content.

    The published one is known by its number of answers, since every release differs in bytes.
    """
    root = folder.root.absolute()
    if any((place / _TRUTH).is_file() for place in (root, root.parent)):
        return "simulated"
    if (root / "run" / "run.json").is_file() or any(root.glob("preprocess/*/evidence")):
        return "made by genotex"
    return "published" if len(answered_problems(folder)) == published().problems else "other"


def reference_kind_of(settings: Mapping[str, object]) -> ReferenceKind:
    """Return what scores were made against; earlier versions did not record it."""
    found = settings.get("reference_kind")
    return next((kind for kind in _WORDS if kind == found), "unknown")


def reference_words(kind: ReferenceKind) -> str:
    """Return a kind of reference in words."""
    return _WORDS[kind]
