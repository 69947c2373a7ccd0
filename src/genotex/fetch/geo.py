"""Choose GEO series and fetch their files into an input folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from genotex.clinical import Vocabulary, load_vocabulary
from genotex.errors import (
    AddressRefusedError,
    CaptchaError,
    DiskFullError,
    FetchError,
    FormatError,
    NotThereError,
    ServerUnavailableError,
    UsageError,
    WebPageError,
)
from genotex.fetch.client_limits import ClientLimits, base_address, safe_name
from genotex.fetch.contents import Content
from genotex.fetch.download import Progress, Wanted
from genotex.fetch.folder import Fetched, FetchFolder, Patience, journal_path
from genotex.fetch.geo_files import (
    SeriesPlan,
    check_counts,
    check_family,
    check_platform,
    look_at_values,
    matrix_of,
    megabytes,
    plan_series,
    with_supplementary,
)
from genotex.fetch.geo_search import (
    Criteria,
    Entrez,
    find_by_accession,
    find_by_trait,
    read_key,
    trait_term,
    word_of_expert,
)
from genotex.fetch.geo_tree import GeoTree
from genotex.fetch.web import WebClient
from genotex.formats import count_series_rows
from genotex.layout import trait_folder_name
from genotex.options import GeoOptions
from genotex.records import checked

EUTILS = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"
GEO_FILES = "https://ftp.ncbi.nlm.nih.gov/geo/"
GEO_PAGES = "https://www.ncbi.nlm.nih.gov/geo/"
UNSORTED = "Unsorted"
"""Folder of series that were named without a trait."""


@dataclass(frozen=True)
class GeoRequest:
    """A request for GEO series."""

    trait: str | None  # to search for, or whose folder named series go to
    accessions: tuple[str, ...] = ()  # series by name; empty to search
    words: str | None = None  # term in Entrez' language instead of the trait's
    criteria: Criteria = field(default_factory=Criteria)  # which series fit
    options: GeoOptions = field(default_factory=GeoOptions)  # what is fetched of them

    def __post_init__(self) -> None:
        """Refuse a trait that cannot have a folder."""
        try:
            safe_name(self.folder)
        except AddressRefusedError as error:
            msg = (
                f"{self.trait!r} cannot be the name of a folder to fetch into: use letters, digits,"
                " blanks and . , ( ) ' & + -, 200 bytes at most"
            )
            raise UsageError(msg) from error

    @property
    def folder(self) -> str:
        """Name of the trait's folder."""
        return UNSORTED if self.trait is None else trait_folder_name(self.trait)


@dataclass(frozen=True)
class GeoSource:
    """Sources of series."""

    client: WebClient
    entrez: Entrez  # finds series
    tree: GeoTree  # lists their files
    vocabulary: Vocabulary  # the words of traits


@dataclass(frozen=True)
class GeoAddresses:
    """Base addresses in the place of NCBI's; None for those."""

    eutils: str | None = None  # E-utilities
    files: str | None = None  # folder tree of GEO
    pages: str | None = None  # platform tables and counts


@contextmanager
def open_geo_source(
    vocabulary: Path | None = None,
    addresses: GeoAddresses | None = None,
    waiting: Callable[[str, float], None] = lambda why, seconds: None,
) -> Iterator[GeoSource]:
    """Give the sources of GEO series, with the key of NCBI that the environment holds."""
    key = read_key(os.environ)
    own = addresses or GeoAddresses()
    named = (own.eutils or EUTILS, own.files or GEO_FILES, own.pages or GEO_PAGES)
    given = [base_address(address) for address in named]
    limits = ClientLimits(ncbi_per_second=10.0 if key else 3.0)
    with WebClient(given, limits=limits, seed=os.getpid(), waiting=waiting) as client:
        yield GeoSource(
            client,
            Entrez(client, given[0], key),
            GeoTree(client, given[1], given[2]),
            load_vocabulary(vocabulary),
        )


def choose(source: GeoSource, request: GeoRequest) -> Iterator[SeriesPlan]:
    """Search, and list the folders of the series that were found."""
    words, criteria, options = source.vocabulary, request.criteria, request.options
    trait = request.trait or UNSORTED
    if request.accessions:
        for summary in find_by_accession(source.entrez, request.accessions):
            word = word_of_expert(summary, trait, words)
            yield plan_series(summary, word, source.tree, criteria, options, by_name=True)
        return
    taken, found = 0, find_by_trait(source.entrez, _words(source, request), criteria)[1]
    for summary in found:
        if taken < criteria.most:
            word = word_of_expert(summary, trait, words)
            plan = plan_series(summary, word, source.tree, criteria, options)
            taken += not plan.refused
            yield plan


def plan_values(source: GeoSource, request: GeoRequest) -> Iterator[SeriesPlan]:
    """Choose series, and look at what expression of each can be taken from.

    Raises
    ------
    UsageError
        If the file that was chosen is none of the series.
    """
    for plan in choose(source, request):
        yield look_at_values(plan, source.tree, request.options.values_from)


def choose_or_go_on(
    source: GeoSource,
    folder: FetchFolder,
    request: GeoRequest,
    looked_at: Callable[[SeriesPlan], None] = lambda plan: None,
) -> list[SeriesPlan]:
    """Return the choice of the same request if it is unfinished; else choose."""
    # So continuing needs no search, and gives the same series even if GEO has grown since.
    last = folder.last_note(_key(source, request))
    if last is not None and last["step"] == "chosen":
        path = journal_path(folder.root)
        return checked(list[SeriesPlan], last["series"], extra="forbid", path=path, place="series")
    plans = []
    for plan in choose(source, request):
        looked_at(plan)
        plans.append(plan)
    folder.note("chosen", _key(source, request), series=[plan.to_json() for plan in plans])
    return plans


def remember_end(source: GeoSource, folder: FetchFolder, request: GeoRequest) -> None:
    """Record that the request is finished, so that the next one searches again."""
    folder.note("finished", _key(source, request))


def _key(source: GeoSource, request: GeoRequest) -> str:
    """Return everything that a choice depends on, as text."""
    asked = {**asdict(request), "words": _words(source, request)}
    return "geo " + json.dumps({**asked, "addresses": source.tree.addresses}, sort_keys=True)


def _words(source: GeoSource, request: GeoRequest) -> str:
    return request.words or trait_term(source.vocabulary, request.trait or UNSORTED)


_MOST_TABLE = 2 << 30


@dataclass(frozen=True)
class SeriesOutcome:
    """The outcome of fetching a series."""

    plan: SeriesPlan  # the series
    kept: tuple[Fetched, ...] = ()  # files in their places
    error: FetchError | None = None  # what failed
    notes: tuple[str, ...] = ()
    tried: bool = True  # whether it was requested at all

    @property
    def may_come_later(self) -> bool:
        """Whether the obstacle is temporary."""
        return self.ends_all or isinstance(self.error, ServerUnavailableError)

    @property
    def ends_all(self) -> bool:
        """Whether to stop requesting anything now."""
        return not self.tried or isinstance(self.error, CaptchaError | DiskFullError)


def fetch_series(
    source: GeoSource,
    folder: FetchFolder,
    request: GeoRequest,
    plans: Sequence[SeriesPlan],
    progress: Callable[[SeriesPlan, str], Progress],
) -> Iterator[SeriesOutcome]:
    """Fetch the files of series, one after the other."""
    # A series that fails does not stop the others, unless `Patience` is over: the rest is left for
    # the same command, later.
    patience = Patience()
    for plan in plans:
        if plan.refused:
            continue
        if patience.is_over:
            error = FetchError("not asked for any more", hint="see above")
            yield SeriesOutcome(plan, error=error, tried=False)
            continue
        work = _SeriesWork(source, folder, request, plan, progress)
        outcome = work.fetch()
        patience.take_in(outcome.error)
        yield outcome


@dataclass
class _SeriesWork:
    """One series while it is fetched."""

    source: GeoSource
    folder: FetchFolder
    request: GeoRequest
    plan: SeriesPlan
    progress: Callable[[SeriesPlan, str], Progress]
    kept: list[Fetched] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def fetch(self) -> SeriesOutcome:
        error = None
        try:
            self._fetch_all()
        except FetchError as failed:
            error = failed
        return SeriesOutcome(self.plan, tuple(self.kept), error, tuple(self.notes))

    def _fetch_all(self) -> None:
        limits, plan = self.request.criteria, self.plan
        for file in plan.matrices:
            check = matrix_of(plan.accession, plan.sample_ids)
            self._get(file.name, file.address, most=limits.matrix_bytes[1], refuse=check)
        chosen = self.request.options.values_from
        if chosen or self._is_empty([kept.path for kept in self.kept]):
            self._fetch_values(chosen)
        for file in plan.family:
            check = partial(check_family, plan.accession)
            self._get(file.name, file.address, most=limits.family_bytes, refuse=check)
        for platform in plan.platforms:
            self._fetch_platform(platform)

    def _get(self, name: str, address: str, **facts: Any) -> None:
        path = f"GEO/{self.request.folder}/{self.plan.accession}/{name}"
        wanted = Wanted(address, path, **facts)
        progress = self.progress(self.plan, name)
        self.kept.append(self.folder.fetch(self.source.client, wanted, progress))

    def _is_empty(self, matrices: Sequence[Path]) -> bool:
        """Return whether no matrix has a row; unreadable ones are noted and left to the reader."""
        empty = bool(matrices)
        for path in matrices:
            try:
                rows = count_series_rows(path)
            except FormatError as error:
                self.notes.append(f"{path.name}: {error.message}")
                continue
            empty = empty and not rows
        return empty

    def _fetch_values(self, chosen: str) -> None:
        """Fetch NCBI's counts; else the submitter's files that the plan prefers, or a person."""
        named = self.plan.counted
        if named and chosen in ("", named[0]) and self._fetch_counts(*named):
            return
        plan = with_supplementary(replace(self.plan, rows=0), self.source.tree, chosen)
        best, most = plan.best, self.request.criteria.values_bytes
        size = sum(file.size or 0 for file in plan.wanted_values)
        if best is None:
            why = [f"{each.label} {each.refused}" for each in plan.sources if each.kind != "matrix"]
            self.notes += why[:1] or ["GEO has no supplementary files of it"]
        elif size > most:
            limit = f"at most {megabytes(most)} with --max-values"
            self.notes.append(f"{best.label}: {megabytes(size)}; {limit}")
        else:
            for file in plan.wanted_values:
                self._get(file.name, file.address, most=most, content=Content.of_name(file.name))
            self.notes.append(f"{best.label}: {plan.verdict(best).removeprefix('taken: ')}")

    def _fetch_counts(self, name: str, annotation: str) -> bool:
        """Fetch NCBI's counts of the series; return whether it has some."""
        counts, genes = (
            self.source.tree.counts(self.plan.accession, each) for each in (name, annotation)
        )
        try:
            self._get(name, counts.address, most=_MOST_TABLE, refuse=check_counts)
        except CaptchaError:
            raise
        except (NotThereError, WebPageError):
            # GEO answers with a page if it does not have the file.
            self.notes.append("its matrix is empty, and NCBI has no counts of it")
            return False
        self._get(annotation, genes.address, most=_MOST_TABLE, same_as=annotation)
        return True

    def _fetch_platform(self, platform: str) -> None:
        """Fetch NCBI's annotation of a platform; else the table that its owner gave."""
        tree = self.source.tree
        facts: dict[str, Any] = {"most": _MOST_TABLE, "refuse": partial(check_platform, platform)}
        try:
            self._get(f"{platform}.annot.gz", tree.annotation(platform), **facts)
        except NotThereError:
            address = tree.platform_table(platform)
            self._get(f"{platform}.soft", address, content=Content.soft, **facts)
