"""The files of a GEO series: which would be fetched, and whether one is whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from genotex.errors import FormatError, NotThereError, UsageError
from genotex.fetch.contents import ends_of, first_line, wrong
from genotex.fetch.geo_search import Criteria, GeoSummary, SummaryWord
from genotex.fetch.geo_tree import GeoTree, RemoteFile
from genotex.formats import (
    SeriesFile,
    ValueSource,
    best_source,
    decode,
    ncbi_count_files,
    read_series_matrix,
    value_sources,
)
from genotex.options import GeoOptions


@dataclass(frozen=True)
class SeriesPlan:
    """A series and its files."""

    # Of the series.
    accession: str
    title: str
    samples: int  # number of samples
    kind: str  # study types
    is_sequencing: bool  # whether NCBI's counts are used if GEO's matrix is empty
    platforms: tuple[str, ...] = ()  # whose tables are fetched instead of the family SOFT
    # What is fetched.
    matrices: tuple[RemoteFile, ...] = ()
    family: tuple[RemoteFile, ...] = ()
    expression: bool = True  # whether the summary indicates human gene expression
    word: str = ""  # why
    trait_in: str = ""  # where the summary mentions the trait
    refused: str = ""  # why nothing is fetched; empty if accepted
    sample_ids: tuple[str, ...] = ()  # ``GSM...`` of its samples, as far as Entrez lists them
    organisms: tuple[str, ...] = ("Homo sapiens",)
    # Where expression can come from, if that was looked at (see `look_at_values`).
    supplementary: tuple[RemoteFile, ...] = ()
    rows: int | None = None  # rows of the matrix; None if that is not known
    counts: tuple[RemoteFile, ...] = ()  # NCBI's, where it has them
    chosen: str = ""  # the file that a person chose

    @property
    def size(self) -> int:
        """Bytes to fetch, as far as listed; platform tables and counts are not."""
        files = (*self.matrices, *self.family, *self.wanted_values)
        return sum(file.size or 0 for file in files)

    @property
    def counted(self) -> tuple[str, ...]:
        """The names of NCBI's counts and their annotation, where it may have them."""
        return ncbi_count_files(self.organisms, self.accession) if self.is_sequencing else ()

    @property
    def sources(self) -> tuple[ValueSource, ...]:
        """What expression can be taken from, the best first."""
        return value_sources(
            _listed(self.supplementary),
            samples=self.samples,
            matrix=_listed(self.matrices),
            rows=self.rows,
            counts=_listed(self.counts),
        )

    @property
    def best(self) -> ValueSource | None:
        """What expression is taken from."""
        return best_source(self.sources, self.chosen)

    def verdict(self, source: ValueSource) -> str:
        """Return whether expression is taken from a source, and why."""
        best = self.best
        if best is not None and source.names == best.names and source.kind == best.kind:
            name = f"nothing else is there, though by its name it {source.refused}"
            return f"taken: {name if source.refused else source.why}"
        return f"not used: {source.refused}" if source.refused else source.why

    @property
    def wanted_values(self) -> tuple[RemoteFile, ...]:
        """The submitter's files that are fetched for expression."""
        best = self.best
        if best is None or best.kind in ("matrix", "NCBI counts"):
            return ()
        alone = [each for each in self.supplementary if not each.archive]
        read_too = {each.name for each in _listed(alone) if each.is_read_with(best.kind)}
        return tuple(each for each in alone if each.name in read_too.union(best.names))

    def to_json(self) -> dict[str, Any]:
        """Return the plan as plain data."""
        return asdict(self)

    def values_json(self) -> dict[str, Any]:
        """Return where expression can come from as plain data."""
        best = self.best
        facts = {"accession": self.accession, "title": self.title, "samples": self.samples}
        sources = [each.to_json() for each in self.sources]
        return {**facts, "best": None if best is None else best.to_json(), "sources": sources}


def _listed(files: Iterable[RemoteFile]) -> list[SeriesFile]:
    return [SeriesFile(each.name, each.size, each.archive) for each in files]


def look_at_values(plan: SeriesPlan, tree: GeoTree, chosen: str = "") -> SeriesPlan:
    """Add to a plan what expression can be taken from: by listings and the matrix' header.

    Raises UsageError if the chosen file is none of the series.
    """
    rows = None
    for file in plan.matrices:
        found = re.findall(r"^!Sample_data_row_count\t(.*)$", tree.matrix_head(file), re.MULTILINE)
        numbers = [int(n) for line in found for n in re.findall(r'"(\d{1,9})"', line)]
        rows = max([rows or 0, *numbers]) if numbers else rows
    named = () if rows else plan.counted[:1]
    files = (tree.counts(plan.accession, name) for name in named)
    counts = tuple(each for each in files if tree.is_there(each))
    return with_supplementary(replace(plan, rows=rows, counts=counts), tree, chosen)


def with_supplementary(plan: SeriesPlan, tree: GeoTree, chosen: str = "") -> SeriesPlan:
    """Add the submitter's files to a plan, and the one that a person chose."""
    there = tuple(tree.supplementary(plan.accession))
    plan = replace(plan, supplementary=there, chosen=chosen)
    if chosen and plan.best is None:
        names = [name for each in plan.sources for name in each.names]
        msg = f"{plan.accession} has no file {chosen!r}; it has {', '.join(names) or 'none'}"
        raise UsageError(msg)
    return plan


def plan_series(
    summary: GeoSummary,
    word: SummaryWord,
    tree: GeoTree,
    criteria: Criteria,
    options: GeoOptions,
    *,
    by_name: bool = False,
) -> SeriesPlan:
    """Return what of a series would be fetched, or why nothing of it."""
    facts: dict[str, Any] = {
        "accession": summary.accession,
        "title": summary.title,
        "samples": summary.samples,
        "kind": "; ".join(summary.study_types),
        "is_sequencing": summary.is_sequencing,
        "expression": word.expression,
        "word": word.why,
        "trait_in": word.trait,
        "sample_ids": summary.sample_ids,
        "organisms": summary.organisms or ("Homo sapiens",),
    }
    if not (by_name or options.any_assay or word.expression):
        return SeriesPlan(**facts, refused=word.why)
    try:
        facts["matrices"] = tuple(tree.matrices(summary.accession))
        if options.platform_only:
            # Reads of a sequencer have no probes, and their platform has no table.
            facts["platforms"] = () if summary.is_sequencing_alone else summary.platforms
        else:
            facts["family"] = tuple(tree.family(summary.accession))
    except NotThereError:
        return SeriesPlan(**facts, refused="GEO has no folder of its files")
    plan = SeriesPlan(**facts)
    return SeriesPlan(**facts, refused=_why_refused(plan, criteria, options, by_name))


def _why_refused(plan: SeriesPlan, criteria: Criteria, options: GeoOptions, by_name: bool) -> str:
    if not plan.matrices:
        return "GEO has no series matrix of it"
    if not plan.family and not options.platform_only:
        return "GEO has no family SOFT of it"
    smallest, largest = criteria.matrix_bytes
    matrix = sum(file.size or 0 for file in plan.matrices)
    if matrix > largest:
        return f"matrix of {megabytes(matrix)}; at most {megabytes(largest)} with --max-matrix"
    if matrix < smallest and not (by_name or plan.is_sequencing):
        return f"matrix of {megabytes(matrix)}; at least {megabytes(smallest)} with --min-matrix"
    family = sum(file.size or 0 for file in plan.family)
    if family > criteria.family_bytes:
        limit = megabytes(criteria.family_bytes)
        reason = f"family SOFT of {megabytes(family)}; at most {limit} with --max-family"
        return f"{reason}; or --platform-only"
    return ""


def megabytes(size: int) -> str:
    """Return bytes as people read them."""
    amount = size / 1e6
    if amount < 0.1:
        return f"{size / 1e3:.3g} kB"
    return f"{amount:,.0f} MB" if amount >= 100 else f"{amount:.3g} MB"


Refuse = Callable[[Path, str], None]

_SERIES = re.compile(rb"^(?:!Series_geo_accession\t\"?|\^SERIES\s*=\s*)(\w+)", re.MULTILINE)
_FAMILY_END = re.compile(
    rb"!(?:sample|platform)_table_end|!(?:sample|platform)_data_row_count\s*=\s*0"
)


def matrix_of(accession: str, samples: Collection[str] = ()) -> Refuse:
    """Return a check that a file is the whole series matrix of a series.

    `accession`: the series. `samples`: Its GSM accessions by Entrez, by which a file that does not
    state its series is recognised.
    """
    return partial(_check_matrix, accession, frozenset(samples))


def _check_matrix(accession: str, samples: frozenset[str], path: Path, address: str) -> None:
    head, last, _ = ends_of(path, address)
    if not head.lstrip().startswith(b"!"):
        msg = f"it is not a series matrix: it begins with {first_line(head)!r}"
        raise wrong(msg, address)
    found = _SERIES.search(head)
    _refuse_other(found, accession, "the matrix", address)
    if last.strip(b'" \t').lower() != b"!series_matrix_table_end":
        msg = "the series matrix ends too early, although its gzip data are whole"
        raise wrong(msg, address)
    if found is None:
        _refuse_samples(accession, samples, path, address)


def _refuse_samples(accession: str, samples: frozenset[str], path: Path, address: str) -> None:
    """Refuse a matrix that does not state its series, unless its samples are those of Entrez."""
    try:
        there = read_series_matrix(path, expression=False).samples
    except FormatError:
        there = ()
    if not (there and samples):
        message = "the series matrix does not state its series"
        raise wrong(message, address)
    if samples.isdisjoint(there):
        message = f"none of its samples ({there[0]}, ...) is one of {accession}"
        raise wrong(message, address)


def check_family(accession: str, path: Path, address: str) -> None:
    """Refuse what is not the whole family SOFT of a series."""
    head, last, _ = ends_of(path, address)
    found = _SERIES.search(head)
    if not head.lstrip().startswith(b"^") or found is None:
        msg = f"it is not a family SOFT: it begins with {first_line(head)!r}"
        raise wrong(msg, address)
    _refuse_other(found, accession, "the family SOFT", address)
    if _FAMILY_END.fullmatch(last.strip().lower()) is None:
        msg = "the family SOFT ends too early, although its gzip data are whole"
        raise wrong(msg, address)


def check_counts(path: Path, address: str) -> None:
    """Refuse what holds no counts of NCBI."""
    head, _, _ = ends_of(path, address)
    names = decode(head.partition(b"\n")[0]).strip().split("\t")
    if names[0] != "GeneID" or len(names) < 2:
        msg = f"it holds no counts: it begins with {first_line(head)!r}"
        raise wrong(msg, address)


def check_platform(platform: str, path: Path, address: str) -> None:
    """Refuse what does not describe a platform."""
    head, _, _ = ends_of(path, address)
    named = re.search(rf"=\s*{re.escape(platform)}\b".encode(), head)
    if not head.lstrip().startswith(b"^") or named is None:
        message = f"it is not the table of {platform}: it begins with {first_line(head)!r}"
        raise wrong(message, address)


def _refuse_other(found: re.Match[bytes] | None, accession: str, what: str, address: str) -> None:
    if found is not None and (other := decode(found[1])) != accession:
        msg = f"it is {what} of {other[:20]!r}, not of {accession}"
        raise wrong(msg, address)
