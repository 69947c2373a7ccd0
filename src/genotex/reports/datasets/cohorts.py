"""Cohorts and answered problems of a data set, and what is missing or damaged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from genotex.formats import CohortInfo
from genotex.reports.datasets.files import FileFacts, FileKind, FolderPart

_GEO: tuple[FileKind, ...] = (
    "series matrix", "family SOFT", "platform table", "RNA-seq counts", "annotation of counts",
)  # fmt: skip
_TCGA: tuple[FileKind, ...] = ("TCGA clinical matrix", "TCGA expression")


Column = tuple[Literal["TEXT", "INTEGER", "FLOAT", "BOOL"], str]
"""Type, by its name in `mlcroissant.DataType`, and meaning of a column."""

_PART: Column = ("TEXT", "Folder within the data set; empty for the data set itself.")
RAW_COLUMNS: tuple[str, Mapping[str, Column]] = (
    "One record for each series of GEO under a trait, and for each TCGA study.",
    {
        "part": _PART,
        "source": ("TEXT", "GEO or TCGA."),
        "trait": ("TEXT", "Folder name of the trait; empty for TCGA."),
        "cohort": ("TEXT", "Accession of the series, or name of the TCGA folder."),
        "platform": ("TEXT", "GPL accession."),
        "samples": ("INTEGER", "Number of samples."),
        "rows": ("INTEGER", "Probes or genes of the expression table."),
        "files": ("INTEGER", "Number of files."),
        "bytes": ("INTEGER", "Size of the files."),
    },
)
"""Meaning and columns of ``raw_cohorts.csv``."""
COHORT_COLUMNS: tuple[str, Mapping[str, Column]] = (
    "The records of all cohort_info.json, one for each cohort of a trait, and the size of its "
    "linked table.",
    {
        "part": _PART,
        "trait": ("TEXT", "Folder name of the trait."),
        "cohort": ("TEXT", "Accession of the series, or TCGA."),
        "is_usable": ("BOOL", "Whether genes of the trait can be studied in it."),
        "is_gene_available": ("BOOL", "Whether it holds gene expression."),
        "is_trait_available": ("BOOL", "Whether the trait of its samples is recorded."),
        "is_available": ("BOOL", "Both of these."),
        "is_biased": ("BOOL", "Whether the trait is too one-sided to be studied."),
        "has_age": ("BOOL", "Whether age is recorded."),
        "has_gender": ("BOOL", "Whether gender is recorded."),
        "sample_size": ("INTEGER", "Samples of the linked table, by its record."),
        "linked_samples": ("INTEGER", "Rows of the linked table."),
        "linked_genes": ("INTEGER", "Genes of the linked table."),
    },
)
"""Meaning and columns of ``cohorts.csv``."""


@dataclass(frozen=True)
class RawCohort:
    """A series of GEO for one trait, or a TCGA study."""

    part: str
    source: str
    trait: str
    cohort: str
    platform: str
    samples: int | None
    rows: int | None
    files: int
    bytes: int


@dataclass(frozen=True)
class DatasetCohort:
    """A cohort of an output folder: its record, and what its tables hold."""

    part: str
    trait: str
    cohort: str
    info: CohortInfo | None
    linked: FileFacts | None

    @property
    def is_usable(self) -> bool:
        """Whether its record marks it as usable."""
        return self.info is not None and self.info.is_usable

    @property
    def samples(self) -> int | None:
        """Samples by its record, else by its linked table."""
        recorded = None if self.info is None else self.info.sample_size
        return self.linked.samples if recorded is None and self.linked is not None else recorded

    @property
    def genes(self) -> int | None:
        """Genes of its linked table."""
        return None if self.linked is None else self.linked.genes

    @property
    def row(self) -> dict[str, Any]:
        """What ``cohorts.csv`` records of it."""
        known = {} if self.info is None else vars(self.info)
        linked = None if self.linked is None else self.linked.samples
        known = {**known, **vars(self), "linked_samples": linked, "linked_genes": self.genes}
        return {name: known[name] for name in COHORT_COLUMNS[1] if name in known}


@dataclass(frozen=True)
class AnswerFacts:
    """The list of genes for one problem; `condition` is "None" for the trait alone."""

    part: str
    trait: str
    condition: str
    genes: int | None


def raw_cohorts(files: Iterable[FileFacts]) -> tuple[RawCohort, ...]:
    """Return the raw cohorts, in the order of their files."""
    groups: dict[tuple[str, str, str, str], list[FileFacts]] = {}
    for facts in files:
        place = facts.place
        if place.kind in _GEO + _TCGA:
            source = "GEO" if place.kind in _GEO else "TCGA"
            groups.setdefault((place.part, source, place.trait, place.name), []).append(facts)
    return tuple(_raw(*key, members) for key, members in groups.items())


def _raw(part: str, source: str, trait: str, cohort: str, files: Sequence[FileFacts]) -> RawCohort:
    main = _main_file(files)
    rows = None if main is None else main.rows
    if rows == 0:
        # The genes of the count matrix that `preprocess` reads, the first.
        counts = (f.rows for f in files if f.place.kind == "RNA-seq counts" and f.rows is not None)
        rows = next(counts, 0)
    return RawCohort(
        part,
        source,
        trait,
        cohort,
        platform="" if main is None else main.platform,
        samples=None if main is None else main.samples,
        rows=rows,
        files=len(files),
        bytes=sum(facts.size for facts in files),
    )


def _main_file(files: Sequence[FileFacts]) -> FileFacts | None:
    """Return the file with the samples: the largest matrix, as `choose_series` does."""
    order: tuple[FileKind, ...] = (
        "series matrix", "family SOFT", "TCGA expression", "TCGA clinical matrix",
    )  # fmt: skip
    for kind in order:
        with_samples = [f for f in files if f.place.kind == kind and f.samples is not None]
        if with_samples:
            return max(with_samples, key=lambda facts: facts.samples or 0)
    return None


def prepared_cohorts(files: Sequence[FileFacts]) -> tuple[DatasetCohort, ...]:
    """Return the cohorts that have a record or a linked table, sorted."""
    records = {
        (facts.place.part, facts.place.trait, name): info
        for facts in files
        for name, info in facts.records.items()
    }
    linked = {
        (facts.place.part, facts.place.trait, facts.place.name): facts
        for facts in files
        if facts.place.kind == "linked table"
    }
    keys = sorted({*records, *linked})
    return tuple(DatasetCohort(*key, records.get(key), linked.get(key)) for key in keys)


def collect_answers(files: Iterable[FileFacts]) -> tuple[AnswerFacts, ...]:
    """Return the answered problems; those of a trait alone come first."""
    answers = (
        AnswerFacts(facts.place.part, facts.place.trait, facts.place.name, facts.genes)
        for facts in files
        if facts.place.kind == "result"
    )
    return tuple(
        sorted(answers, key=lambda a: (a.part, a.trait, a.condition != "None", a.condition))
    )


@dataclass(frozen=True)
class Gap:
    """Something that is missing or does not fit."""

    what: str
    where: tuple[str, ...] = ()


def find_gaps(
    parts: Sequence[FolderPart],
    files: Sequence[FileFacts],
    raw: Sequence[RawCohort],
    prepared: Sequence[DatasetCohort],
) -> tuple[Gap, ...]:
    """Return what is missing, damaged or at odds, the parts first."""
    found = [*_folders(parts, files), *_raw_gaps(raw, files), *_prepared_gaps(prepared, files)]
    problems: dict[str, list[str]] = {}
    for facts in files:
        if facts.problem:
            problems.setdefault(facts.problem, []).append(facts.place.path)
    found += [Gap(f"the file {problem}", tuple(paths)) for problem, paths in problems.items()]
    return tuple(found)


def _folders(parts: Sequence[FolderPart], files: Sequence[FileFacts]) -> Iterator[Gap]:
    paths = [facts.place.path for facts in files]
    for part in parts:
        wanted = ("GEO", "TCGA") if part.layout == "input" else ("preprocess", "regress")
        for name in wanted:
            folder = f"{part.prefix}/{name}/".lstrip("/")
            if not any(path.startswith(folder) for path in paths):
                yield Gap(f"no files under {folder}")
    layouts = {part.layout for part in parts}
    if "input" not in layouts:
        yield Gap("no raw data: neither GEO/ nor TCGA/")
    if "output" not in layouts:
        yield Gap("no preprocessed data, so it is unknown which cohorts are usable")
    if not any(facts.place.kind == "task list" for facts in files):
        yield Gap("no list of problems: task_info.json")


def _raw_gaps(raw: Sequence[RawCohort], files: Sequence[FileFacts]) -> Iterator[Gap]:
    kinds: dict[tuple[str, str, str], set[str]] = {}
    for place in (facts.place for facts in files):
        kinds.setdefault((place.part, place.trait, place.name), set()).add(place.kind)
    have = [
        (_path(c.part, c.source, c.trait, c.cohort), c, kinds[c.part, c.trait, c.cohort])
        for c in raw
    ]
    geo = [(name, kind) for name, cohort, kind in have if cohort.source == "GEO"]
    tcga = [(name, kind) for name, cohort, kind in have if cohort.source == "TCGA"]
    yield from _named(
        "GEO cohorts without a series matrix", (n for n, k in geo if "series matrix" not in k)
    )
    yield from _named(
        "GEO cohorts with neither family SOFT nor platform table, so that probes stay probes",
        (n for n, k in geo if not k & {"family SOFT", "platform table", "RNA-seq counts"}),
    )
    for kind in ("TCGA clinical matrix", "TCGA expression"):
        yield from _named(f"TCGA studies without {kind}", (n for n, k in tcga if kind not in k))
    yield from _named(
        "cohorts whose expression table is empty", (n for n, c, _ in have if c.rows == 0)
    )


def _prepared_gaps(prepared: Sequence[DatasetCohort], files: Sequence[FileFacts]) -> Iterator[Gap]:
    described = {(f.place.part, f.place.trait) for f in files if f.place.kind == "cohort records"}
    named = [(_path(cohort.part, cohort.trait, cohort.cohort), cohort) for cohort in prepared]
    yield from _named(
        "traits with linked tables but no cohort_info.json",
        sorted({_path(c.part, c.trait) for c in prepared if (c.part, c.trait) not in described}),
    )
    yield from _named(
        "usable cohorts without a linked table",
        (name for name, c in named if c.is_usable and c.linked is None),
    )
    yield from _named(
        "linked tables without a record in cohort_info.json",
        (name for name, c in named if c.info is None and (c.part, c.trait) in described),
    )
    yield from _named(
        "linked tables with another number of samples than in cohort_info.json",
        (name for name, c in named if _differ(c)),
    )


def _differ(cohort: DatasetCohort) -> bool:
    recorded = None if cohort.info is None else cohort.info.sample_size
    found = None if cohort.linked is None else cohort.linked.samples
    return recorded is not None and found is not None and recorded != found


def _named(what: str, names: Iterator[str] | Sequence[str]) -> Iterator[Gap]:
    if where := tuple(names):
        yield Gap(what, where)


def _path(*names: str) -> str:
    return "/".join(filter(None, names))
