"""Which GEO series somebody gets: searched and looked at, or gone on with."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field

from genotex.clinical import Vocabulary
from genotex.errors import AddressRefusedError, UsageError
from genotex.fetch.addresses import safe_name
from genotex.fetch.entrez import Entrez
from genotex.fetch.folder import FetchFolder
from genotex.fetch.geo_plan import GeoOptions, SeriesPlan, choose_series, plan_series
from genotex.fetch.geo_search import Criteria, find_by_accession, find_by_trait, trait_term
from genotex.fetch.geo_tree import GeoTree
from genotex.fetch.geo_word import word_of_expert
from genotex.fetch.web import WebClient
from genotex.layout import trait_folder_name

__all__ = [
    "EUTILS",
    "GEO_FILES",
    "GEO_PAGES",
    "UNSORTED",
    "GeoRequest",
    "GeoSource",
    "choose",
    "choose_or_go_on",
    "remember_end",
]

EUTILS = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"
GEO_FILES = "https://ftp.ncbi.nlm.nih.gov/geo/"
GEO_PAGES = "https://www.ncbi.nlm.nih.gov/geo/"
UNSORTED = "Unsorted"
"""Folder of series that were named without a trait."""


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

    def __post_init__(self) -> None:
        """Refuse a trait that cannot have a folder.

        Raises
        ------
        UsageError
            If its name has signs that names of fetched files never have, or is too long.
        """
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
    _, found = find_by_trait(source.entrez, _words(source, request), criteria)
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
    last = folder.last_note(_key(source, request))
    if last is not None and last["step"] == "chosen":
        return [SeriesPlan.from_json(plan) for plan in last["series"]]
    plans = []
    for plan in choose(source, request):
        looked_at(plan)
        plans.append(plan)
    folder.note("chosen", _key(source, request), series=[plan.to_json() for plan in plans])
    return plans


def remember_end(source: GeoSource, folder: FetchFolder, request: GeoRequest) -> None:
    """Write down that all that can be had was had, so that the next time is a new search."""
    folder.note("finished", _key(source, request))


def _key(source: GeoSource, request: GeoRequest) -> str:
    """Return all that a choice depends on, in words."""
    asked = {**asdict(request), "words": _words(source, request)}
    return "geo " + json.dumps({**asked, "addresses": source.tree.addresses}, sort_keys=True)


def _words(source: GeoSource, request: GeoRequest) -> str:
    return request.words or trait_term(source.vocabulary, request.trait or UNSORTED)
