"""GEO series into an input folder: their files one behind the other, and counts where they lack."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from genotex.errors import (
    CaptchaError,
    DiskFullError,
    FetchError,
    FormatError,
    NotThereError,
    ServerUnavailableError,
    WebPageError,
    WrongContentError,
)
from genotex.fetch.contents import Content
from genotex.fetch.download import Progress, Wanted
from genotex.fetch.folder import Fetched, FetchFolder
from genotex.fetch.geo_choice import GeoRequest, GeoSource
from genotex.fetch.geo_plan import SeriesPlan
from genotex.fetch.geo_tree import COUNTS_ANNOTATION
from genotex.fetch.several import Patience
from genotex.formats import read_series_matrix

__all__ = ["SeriesOutcome", "fetch_series"]

_MOST_TABLE = 2 << 30
_MOST_COUNTS = 2 << 30


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
    tried : bool
        Whether it was asked for at all.
    """

    plan: SeriesPlan
    kept: tuple[Fetched, ...] = ()
    error: FetchError | None = None
    notes: tuple[str, ...] = ()
    tried: bool = True

    @property
    def may_come_later(self) -> bool:
        """Whether what stood against it may pass by itself."""
        return self.ends_all or isinstance(self.error, ServerUnavailableError)

    @property
    def ends_all(self) -> bool:
        """Whether asking on makes no sense now."""
        return not self.tried or isinstance(self.error, CaptchaError | DiskFullError)


def fetch_series(
    source: GeoSource,
    folder: FetchFolder,
    request: GeoRequest,
    plans: Sequence[SeriesPlan],
    progress: Callable[[SeriesPlan, str], Progress],
) -> Iterator[SeriesOutcome]:
    """Fetch the files of series, one behind the other.

    A series that cannot be had does not keep the others back, unless `Patience` is over: what is
    left is for the same command, later.

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


def _refuse_other_series(accession: str, path: Path, address: str) -> None:
    """Refuse a series matrix that says it is of another series; what tells nothing is kept."""
    try:
        told = read_series_matrix(path, expression=False).accession
    except FormatError:
        return  # Whether it can be read is for its reader to say, later.
    if told and told != accession:
        message = f"it is the matrix of {told[:20]!r}, not of {accession}"
        hint = "nothing of it was kept; try again later"
        raise WrongContentError(message, address=address, hint=hint)


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
            other = partial(_refuse_other_series, plan.accession)
            self._get(file.name, file.address, most=limits.matrix_bytes[1], refuse=other)
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
        except CaptchaError:
            raise
        except (NotThereError, WebPageError):
            # What GEO does not have it answers with a page.
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
