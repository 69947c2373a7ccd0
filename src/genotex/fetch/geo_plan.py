"""What of a GEO series would be fetched, and why a series is not: known before any download."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from genotex.errors import NotThereError
from genotex.fetch.geo_search import Criteria, GeoSummary
from genotex.fetch.geo_tree import GeoTree, ListedFile
from genotex.fetch.geo_word import SummaryWord

__all__ = ["GeoOptions", "SeriesPlan", "choose_series", "megabytes", "plan_series"]


@dataclass(frozen=True)
class GeoOptions:
    """What is fetched of a series.

    Attributes
    ----------
    platform_only : bool
        The tables of its platforms in place of the family SOFT, which holds every sample again.
    any_assay : bool
        Also series that are no human gene expression by their summary, as the benchmark has them.
    """

    platform_only: bool = False
    any_assay: bool = False


@dataclass(frozen=True)
class SeriesPlan:
    """A series and its files.

    Attributes
    ----------
    accession, title : str
        Of the series.
    samples : int
        Number of samples.
    kind : str
        Study types.
    is_sequencing : bool
        Whether NCBI's counts are looked for when GEO's matrix is empty.
    platforms : tuple of str
        Whose tables are fetched; empty where the family SOFT is.
    matrices, family : tuple of ListedFile
        What is fetched.
    expression : bool
        Whether the summary speaks for human gene expression.
    word : str
        Why, in words.
    trait_in : str
        Where the summary speaks of the trait; empty where it does not.
    refused : str
        Why nothing of it is fetched; empty where it is.
    """

    accession: str
    title: str
    samples: int
    kind: str
    is_sequencing: bool
    platforms: tuple[str, ...] = ()
    matrices: tuple[ListedFile, ...] = ()
    family: tuple[ListedFile, ...] = ()
    expression: bool = True
    word: str = ""
    trait_in: str = ""
    refused: str = ""

    @property
    def size(self) -> int:
        """Bytes to come, as far as the folders tell them; platform tables and counts do not."""
        return sum(file.size or 0 for file in (*self.matrices, *self.family))

    def to_json(self) -> dict[str, Any]:
        """Return the plan as plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SeriesPlan:
        """Return the plan that `to_json` gave."""
        files = {
            name: tuple(ListedFile(**file) for file in data[name])
            for name in ("matrices", "family")
        }
        return cls(**{**data, "platforms": tuple(data["platforms"]), **files})


def choose_series(
    ranked: Iterable[tuple[GeoSummary, SummaryWord]],
    tree: GeoTree,
    criteria: Criteria,
    options: GeoOptions,
) -> Iterator[SeriesPlan]:
    """Go through series, best first, until enough of them fit.

    Parameters
    ----------
    ranked : iterable of (GeoSummary, SummaryWord)
        The result of a search.
    tree : GeoTree
        Whose folders tell the files.
    criteria : Criteria
        What is wanted.
    options : GeoOptions
        What is fetched.

    Yields
    ------
    SeriesPlan
        Also those that are refused.

    Raises
    ------
    FetchError
        If a folder cannot be read.
    """
    taken = 0
    for summary, word in ranked:
        if taken >= criteria.most:
            return
        plan = plan_series(summary, word, tree, criteria, options)
        taken += not plan.refused
        yield plan


def plan_series(
    summary: GeoSummary,
    word: SummaryWord,
    tree: GeoTree,
    criteria: Criteria,
    options: GeoOptions,
    *,
    by_name: bool = False,
) -> SeriesPlan:
    """Return what of a series would be fetched, or why nothing of it.

    Parameters
    ----------
    summary : GeoSummary
        The series.
    word : SummaryWord
        What the rules say of it.
    tree : GeoTree
        Whose folders tell the files.
    criteria : Criteria
        What is wanted.
    options : GeoOptions
        What is fetched.
    by_name : bool
        Whether a person named the series: then only its size can speak against it.

    Raises
    ------
    FetchError
        If a folder cannot be read.
    """
    facts: dict[str, Any] = {
        "accession": summary.accession,
        "title": summary.title,
        "samples": summary.samples,
        "kind": "; ".join(summary.study_types),
        "is_sequencing": summary.is_sequencing,
        "expression": word.expression,
        "word": word.why,
        "trait_in": word.trait,
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
        told = f"family SOFT of {megabytes(family)}; at most {limit} with --max-family"
        return f"{told}; or --platform-only"
    return ""


def megabytes(size: int) -> str:
    """Return bytes as people read them."""
    amount = size / 1e6
    if amount < 0.1:
        return f"{size / 1e3:.3g} kB"
    return f"{amount:,.0f} MB" if amount >= 100 else f"{amount:.3g} MB"
