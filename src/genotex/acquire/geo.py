"""GEO series into an input folder: found, chosen, fetched, and gone on with after any end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from genotex.acquire.contents import Content
from genotex.acquire.download import Progress, Wanted
from genotex.acquire.entrez import Entrez
from genotex.acquire.folder import Fetched, FetchFolder
from genotex.acquire.geo_plan import GeoOptions, SeriesPlan, choose_series, plan_series
from genotex.acquire.geo_search import (
    Criteria,
    find_by_accession,
    find_by_trait,
    trait_term,
    word_of_expert,
)
from genotex.acquire.geo_tree import COUNTS_ANNOTATION, GeoTree
from genotex.acquire.web import WebClient
from genotex.clinical import Vocabulary
from genotex.errors import (
    CaptchaError,
    DiskFullError,
    FetchError,
    FormatError,
    NotThereError,
    ServerUnavailableError,
)
from genotex.formats import read_series_matrix
from genotex.layout import trait_folder_name

__all__ = [
    "EUTILS",
    "GEO_FILES",
    "GEO_PAGES",
    "UNSORTED",
    "GeoRequest",
    "GeoSource",
    "SeriesOutcome",
    "choose",
    "choose_or_go_on",
    "fetch_series",
    "remember_end",
]

EUTILS = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"
GEO_FILES = "https://ftp.ncbi.nlm.nih.gov/geo/"
GEO_PAGES = "https://www.ncbi.nlm.nih.gov/geo/"
UNSORTED = "Unsorted"
"""Folder of series that were named without a trait."""

_MOST_TABLE = 2 << 30
_MOST_COUNTS = 2 << 30
_IN_A_ROW = 3
"""Series in a row that a server fails, before the others are left for later."""


@dataclass(frozen=True)
class GeoRequest:
    """What somebody wants from GEO.

    Attributes
    ----------
    trait : str or None
        Whose series are searched for, or in whose folder the named ones go.
    accessions : tuple of str
        Series by name; empty to search.
    words : str or None
        A search term in Entrez' language in place of the trait's words.
    criteria : Criteria
        Which series fit.
    options : GeoOptions
        What is fetched of them.
    """

    trait: str | None
    accessions: tuple[str, ...] = ()
    words: str | None = None
    criteria: Criteria = field(default_factory=Criteria)
    options: GeoOptions = field(default_factory=GeoOptions)

    @property
    def folder(self) -> str:
        """Name of the trait's folder."""
        return UNSORTED if self.trait is None else trait_folder_name(self.trait)


@dataclass(frozen=True)
class GeoSource:
    """Where series come from.

    Attributes
    ----------
    client : WebClient
        Whom to ask through.
    entrez : Entrez
        Tells which series there are.
    tree : GeoTree
        Tells and has their files.
    vocabulary : Vocabulary
        The words of traits.
    """

    client: WebClient
    entrez: Entrez
    tree: GeoTree
    vocabulary: Vocabulary


@dataclass(frozen=True)
class SeriesOutcome:
    """What became of a series.

    Attributes
    ----------
    plan : SeriesPlan
        The series.
    kept : tuple of Fetched
        Files that lie in their places.
    error : FetchError or None
        What could not be had.
    notes : tuple of str
        What else there is to say.
    """

    plan: SeriesPlan
    kept: tuple[Fetched, ...] = ()
    error: FetchError | None = None
    notes: tuple[str, ...] = ()


def choose(source: GeoSource, request: GeoRequest) -> Iterator[SeriesPlan]:
    """Search, and look into the folders of what was found.

    Yields
    ------
    SeriesPlan
        Also of series that are refused.

    Raises
    ------
    FetchError
        If GEO does not answer as it should, or has none of a name.
    UsageError
        If a name or a trait is none.
    """
    words, criteria, options = source.vocabulary, request.criteria, request.options
    trait = request.trait or UNSORTED
    if request.accessions:
        for summary in find_by_accession(source.entrez, request.accessions):
            word = word_of_expert(summary, trait, words)
            yield plan_series(summary, word, source.tree, criteria, options, by_name=True)
        return
    term = request.words or trait_term(words, trait)
    _, found = find_by_trait(source.entrez, term, criteria)
    ranked = ((summary, word_of_expert(summary, trait, words)) for summary in found)
    yield from choose_series(ranked, source.tree, criteria, options)


def choose_or_go_on(
    source: GeoSource,
    folder: FetchFolder,
    request: GeoRequest,
    looked_at: Callable[[SeriesPlan], None] = lambda plan: None,
) -> list[SeriesPlan]:
    """Return what the same request chose if it was not brought to its end; else choose.

    So going on needs no search, and gives the same series whatever GEO got meanwhile.

    Raises
    ------
    FetchError
        As `choose`.
    UsageError
        As `choose`.
    """
    last = folder.last_note(_key(request))
    if last is not None and last["step"] == "chosen":
        return [SeriesPlan.from_json(plan) for plan in last["series"]]
    plans = []
    for plan in choose(source, request):
        looked_at(plan)
        plans.append(plan)
    folder.note("chosen", _key(request), series=[plan.to_json() for plan in plans])
    return plans


def remember_end(folder: FetchFolder, request: GeoRequest) -> None:
    """Write down that everything chosen was had, so that the next time is a new search."""
    folder.note("finished", _key(request))


def _key(request: GeoRequest) -> str:
    return "geo " + json.dumps(asdict(request), sort_keys=True)


def fetch_series(
    source: GeoSource,
    folder: FetchFolder,
    request: GeoRequest,
    plans: Sequence[SeriesPlan],
    progress: Callable[[SeriesPlan, str], Progress],
) -> Iterator[SeriesOutcome]:
    """Fetch the files of series, one behind the other.

    A series that cannot be had does not keep the others back. A captcha, a full disk or a server
    that fails three series in a row does: what is left is for the same command, later.

    Parameters
    ----------
    source : GeoSource
        Where from.
    folder : FetchFolder
        Where to.
    request : GeoRequest
        What was asked for.
    plans : sequence of SeriesPlan
        The series; refused ones are passed over.
    progress : callable
        Gives for a series and a file name what is called with the bytes.

    Yields
    ------
    SeriesOutcome
        In the order of the plans.
    """
    stop: FetchError | None = None
    in_a_row = 0
    for plan in plans:
        if plan.refused:
            continue
        if stop is not None:
            yield SeriesOutcome(plan, error=FetchError("not tried any more", hint="see above"))
            continue
        work = _SeriesWork(source, folder, request, plan, progress)
        outcome = work.fetch()
        failed = isinstance(outcome.error, ServerUnavailableError)
        in_a_row = in_a_row + 1 if failed else 0
        if isinstance(outcome.error, CaptchaError | DiskFullError) or in_a_row >= _IN_A_ROW:
            stop = outcome.error
        yield outcome


@dataclass
class _SeriesWork:
    """One series on its way."""

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
            self._get(file.name, file.address, most=limits.matrix_bytes[1])
        empty = self._is_empty([kept.path for kept in self.kept])
        if empty and plan.is_sequencing:
            self._fetch_counts()
        for file in plan.family:
            self._get(file.name, file.address, most=limits.family_bytes)
        for platform in plan.platforms:
            self._fetch_platform(platform)

    def _get(self, name: str, address: str, **facts: Any) -> None:
        path = f"GEO/{self.request.folder}/{self.plan.accession}/{name}"
        wanted = Wanted(address, path, **facts)
        progress = self.progress(self.plan, name)
        self.kept.append(self.folder.fetch(self.source.client, wanted, progress))

    def _is_empty(self, matrices: Sequence[Path]) -> bool:
        """Tell whether no matrix has a row; what cannot be read is told and left to the reader."""
        empty = True
        for path in matrices:
            try:
                series = read_series_matrix(path, expression=self.plan.is_sequencing)
            except FormatError as error:
                self.notes.append(f"{path.name}: {error.message}")
                continue
            empty = empty and series.expression is not None and not series.expression.ids
        return empty

    def _fetch_counts(self) -> None:
        tree, accession = self.source.tree, self.plan.accession
        try:
            self._get(tree.counts_name(accession), tree.counts(accession), most=_MOST_COUNTS)
        except NotThereError:
            self.notes.append("its matrix is empty, and NCBI has no counts of it")
            return
        annotation = tree.counts_annotation(accession)
        self._get(COUNTS_ANNOTATION, annotation, most=_MOST_TABLE, same_as=COUNTS_ANNOTATION)

    def _fetch_platform(self, platform: str) -> None:
        """Fetch NCBI's annotation of a platform; else the table that its owner gave."""
        tree = self.source.tree
        try:
            self._get(f"{platform}.annot.gz", tree.annotation(platform), most=_MOST_TABLE)
        except NotThereError:
            address = tree.platform_table(platform)
            self._get(f"{platform}.soft", address, content=Content.soft, most=_MOST_TABLE)
