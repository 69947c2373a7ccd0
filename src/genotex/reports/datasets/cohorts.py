"""Cohorts and answered problems of a data set, and what is missing or damaged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from genotex.formats import CohortInfo
from genotex.reports.datasets.files import FileFacts, FileKind, FolderPart

_GEO: tuple[FileKind, ...] = (
    "series matrix", "family SOFT", "platform table", "RNA-seq counts", "annotation of counts",
)  # fmt: skip
_TCGA: tuple[FileKind, ...] = ("TCGA clinical matrix", "TCGA expression")


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
    return RawCohort(
        part,
        source,
        trait,
        cohort,
        platform="" if main is None else main.platform,
        samples=None if main is None else main.samples,
        rows=_rows_of_counts(files) if rows == 0 else rows,
        files=len(files),
        bytes=sum(facts.size for facts in files),
    )


def _rows_of_counts(files: Sequence[FileFacts]) -> int:
    """Return the genes of the count matrix that `preprocess` reads, the first; 0 without any."""
    counted = (f.rows for f in files if f.place.kind == "RNA-seq counts" and f.rows is not None)
    return next(counted, 0)


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
    have = [(_raw_name(c), c, kinds[c.part, c.trait, c.cohort]) for c in raw]
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
    yield from _named(
        "traits with linked tables but no cohort_info.json",
        sorted({_path(c.part, c.trait) for c in prepared if (c.part, c.trait) not in described}),
    )
    yield from _named(
        "usable cohorts without a linked table",
        (_prepared_name(c) for c in prepared if c.is_usable and c.linked is None),
    )
    yield from _named(
        "linked tables without a record in cohort_info.json",
        (_prepared_name(c) for c in prepared if c.info is None and (c.part, c.trait) in described),
    )
    yield from _named(
        "linked tables with another number of samples than in cohort_info.json",
        (_prepared_name(c) for c in prepared if _differ(c)),
    )


def _differ(cohort: DatasetCohort) -> bool:
    recorded = None if cohort.info is None else cohort.info.sample_size
    found = None if cohort.linked is None else cohort.linked.samples
    return recorded is not None and found is not None and recorded != found


def _named(what: str, names: Iterator[str] | Sequence[str]) -> Iterator[Gap]:
    if where := tuple(names):
        yield Gap(what, where)


def _raw_name(cohort: RawCohort) -> str:
    return _path(cohort.part, cohort.source, cohort.trait, cohort.cohort)


def _prepared_name(cohort: DatasetCohort) -> str:
    return _path(cohort.part, cohort.trait, cohort.cohort)


def _path(*names: str) -> str:
    return "/".join(filter(None, names))
