"""Cohorts and answers of a data set, put together from what its files tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from genotex.formats import CohortInfo
from genotex.reports.datasets.examining import FileFacts
from genotex.reports.datasets.places import FileKind

__all__ = [
    "Answer",
    "PreparedCohort",
    "RawCohort",
    "collect_answers",
    "prepared_cohorts",
    "raw_cohorts",
]

_GEO: tuple[FileKind, ...] = (
    "series matrix", "family SOFT", "platform table", "RNA-seq counts", "annotation of counts",
)  # fmt: skip
_TCGA: tuple[FileKind, ...] = ("TCGA clinical matrix", "TCGA expression")


@dataclass(frozen=True)
class RawCohort:
    """A series of GEO for one trait, or a TCGA study.

    Attributes
    ----------
    part : str
        Prefix of the part it lies in.
    source : str
        "GEO" or "TCGA".
    trait, cohort : str
        Trait folder, empty for TCGA; series accession or TCGA folder.
    platform : str
        GPL accession; empty where the series tells none.
    samples, rows : int or None
        Samples and rows (probes or genes) of the table with the most samples; where that has no
        rows and NCBI's counts lie beside it, their rows.
    files, bytes : int
        Its files.
    """

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
class PreparedCohort:
    """A cohort of an output folder: its record, and what its tables hold.

    Attributes
    ----------
    part, trait, cohort : str
        Where it is.
    info : CohortInfo or None
        Its record in ``cohort_info.json``.
    linked : FileFacts or None
        Its linked table.
    """

    part: str
    trait: str
    cohort: str
    info: CohortInfo | None
    linked: FileFacts | None

    @property
    def is_usable(self) -> bool:
        """Whether its record says that it can be used."""
        return self.info is not None and self.info.is_usable

    @property
    def samples(self) -> int | None:
        """Samples by its record, else by its linked table."""
        told = None if self.info is None else self.info.sample_size
        return self.linked.samples if told is None and self.linked is not None else told

    @property
    def genes(self) -> int | None:
        """Genes of its linked table."""
        return None if self.linked is None else self.linked.genes


@dataclass(frozen=True)
class Answer:
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
    main = _telling(files)
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
    told = (f.rows for f in files if f.place.kind == "RNA-seq counts" and f.rows is not None)
    return next(told, 0)


def _telling(files: Sequence[FileFacts]) -> FileFacts | None:
    """Return the file that tells of the samples: the largest matrix, as `choose_series` does."""
    order: tuple[FileKind, ...] = (
        "series matrix", "family SOFT", "TCGA expression", "TCGA clinical matrix",
    )  # fmt: skip
    for kind in order:
        told = [f for f in files if f.place.kind == kind and f.samples is not None]
        if told:
            return max(told, key=lambda facts: facts.samples or 0)
    return None


def prepared_cohorts(files: Sequence[FileFacts]) -> tuple[PreparedCohort, ...]:
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
    return tuple(PreparedCohort(*key, records.get(key), linked.get(key)) for key in keys)


def collect_answers(files: Iterable[FileFacts]) -> tuple[Answer, ...]:
    """Return the answered problems; those of a trait alone come first."""
    answers = (
        Answer(facts.place.part, facts.place.trait, facts.place.name, facts.genes)
        for facts in files
        if facts.place.kind == "result"
    )
    return tuple(
        sorted(answers, key=lambda a: (a.part, a.trait, a.condition != "None", a.condition))
    )
