"""`genotex fetch geo`: series of the Gene Expression Omnibus."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.data.fetch_plan import show_sources, source_of_accession
from genotex.cli.data.fetch_screen import note_pause, progress_of_files
from genotex.cli.data.preprocess import note_trait_names
from genotex.cli.option_classes import Only, with_options
from genotex.errors import FetchError, UsageError
from genotex.options import GeoOptions, Option, PreprocessChoices

if TYPE_CHECKING:
    from genotex.fetch import (
        Criteria,
        FetchFolder,
        GeoRequest,
        GeoSource,
        Progress,
        SeriesOutcome,
        SeriesPlan,
    )

_MB = 1_000_000
_MOST_MB = 1_000_000
_CRITERIA = "Which series (paper, appendix E)"


@dataclass(frozen=True)
class _FetchRequest:
    """The series to fetch: of a trait, or by name."""

    trait: Annotated[
        tuple[str, ...], Option("A trait to search series for; repeat for several.")
    ] = ()
    accession: Annotated[
        tuple[str, ...], Option("A series by name; repeat for several.", metavar="GSE...")
    ] = ()
    query: Annotated[str | None, Option("Your own search words, in place of the trait's.")] = None


@dataclass(frozen=True)
class _Criteria:
    """Which series of a search are taken; sizes in megabytes."""

    max_series: Annotated[
        int, Option("Number of series, the best ones first.", panel=_CRITERIA, least=1)
    ] = 10
    min_samples: Annotated[int, Option("Fewest samples.", panel=_CRITERIA, least=1)] = 30
    max_samples: Annotated[int, Option("Most samples.", panel=_CRITERIA, least=1)] = 10_000
    year_from: Annotated[
        int, Option("First year of publication.", "--from", _CRITERIA, least=2000, most=2100)
    ] = 2010
    year_to: Annotated[
        int, Option("Last year of publication.", "--to", _CRITERIA, least=2000, most=2100)
    ] = 2025
    organism: Annotated[str, Option("Organism of the samples.", panel=_CRITERIA)] = "Homo sapiens"
    study_type: Annotated[
        tuple[str, ...],
        Option(
            "GEO's type of a study; repeat for several.",
            panel=_CRITERIA,
            default="expression, genome variation, SNP, reanalysis",
        ),
    ] = ()
    min_matrix: Annotated[
        float, Option("Smallest matrix, MB.", panel=_CRITERIA, least=0, most=_MOST_MB)
    ] = 0.1
    max_matrix: Annotated[
        float, Option("Largest matrix, MB.", panel=_CRITERIA, least=0, most=_MOST_MB)
    ] = 100
    max_family: Annotated[
        float, Option("Largest family SOFT, MB.", panel=_CRITERIA, least=0, most=_MOST_MB)
    ] = 100
    max_values: Annotated[
        float,
        Option(
            "Most of the submitter's files of a series whose matrix is empty, MB.",
            panel=_CRITERIA,
            least=0,
            most=_MOST_MB,
        ),
    ] = 2000

    def criteria(self) -> Criteria:
        """Return the criteria of the library, with sizes in bytes."""
        from genotex.fetch import Criteria
        from genotex.fetch.geo_search import STUDY_TYPES

        return Criteria(
            (self.min_samples, self.max_samples),
            (self.year_from, self.year_to),
            self.organism,
            self.study_type or tuple(STUDY_TYPES),
            (round(self.min_matrix * _MB), round(self.max_matrix * _MB)),
            round(self.max_family * _MB),
            round(self.max_values * _MB),
            self.max_series,
        )


def server(help: str, default: str) -> Option:
    """Return an option for the base address of a server in the place of the usual one."""
    return Option(help, panel="Addresses", metavar="ADDRESS", default=default)


@dataclass(frozen=True)
class GeoServers:
    """Other servers than NCBI's."""

    eutils_address: Annotated[str | None, server("Base address of the E-utilities.", "NCBI's")] = (
        None
    )
    geo_files_address: Annotated[
        str | None, server("Base address of GEO's folder tree.", "NCBI's")
    ] = None
    geo_address: Annotated[
        str | None, server("Base address of GEO's pages, for platform tables and counts.", "NCBI's")
    ] = None

    @property
    def addresses(self) -> tuple[str | None, str | None, str | None]:
        """The addresses that were given, in this order."""
        return self.eutils_address, self.geo_files_address, self.geo_address


@with_options
def geo(
    source: Annotated[Path, o.argument("INPUT", "Input folder to fetch into; made when missing.")],
    wanted: _FetchRequest,
    what: GeoOptions,
    criteria: _Criteria,
    addresses: GeoServers,
    data: Annotated[PreprocessChoices, Only("vocabulary")],
    dry_run: Annotated[
        bool, Option("List what would be fetched, and fetch nothing.", "--dry-run")
    ] = False,
    plan: Annotated[
        bool, Option("Show what expression can be taken from, best first; fetch nothing.", "--plan")
    ] = False,
    json: o.Json = False,
) -> None:
    r"""Fetch series for a trait, or by name, into INPUT/GEO/<Trait>/<GSE>/.

    Series matrix and family SOFT; where the matrix is empty, NCBI's raw counts,
    else the submitter's files that --plan shows first. Every file is checked
    before it is put in place. INPUT may be an accession; it goes to 'input'.
    The same command resumes where it stopped.
    A key of NCBI in the environment (NCBI_API_KEY) makes the search faster.

    Examples:
      genotex fetch geo input --trait Osteoarthritis --dry-run

      genotex fetch geo GSE183947 --plan

      genotex fetch geo input --trait Osteoarthritis --max-series 5

      genotex fetch geo input --trait Osteoarthritis \
          --accession GSE55457 --platform-only
    """
    from genotex.fetch import GeoRequest, read_accessions

    source, named = source_of_accession(source)
    names = read_accessions((*named, *wanted.accession))
    if names and wanted.query is not None:
        msg = "--query searches series and --accession names them; give one of the two"
        raise UsageError(msg)
    asked = _traits(wanted.trait, names, data.vocabulary)
    note_trait_names(wanted.trait, data.vocabulary)
    requests = [GeoRequest(each, names, wanted.query, criteria.criteria(), what) for each in asked]
    with _geo_source(data.vocabulary, addresses) as geo_source:
        if plan:
            show_sources(geo_source, requests, json=json)
        if dry_run:
            _list_only(geo_source, requests, json=json)
        _fetch(source, geo_source, requests, json=json)


def fetch_named(
    source: Path,
    trait: str | None,
    accessions: tuple[str, ...],
    what: GeoOptions,
    addresses: GeoServers,
    vocabulary: Path | None,
) -> None:
    """Fetch series into the folder of a trait, for a command that goes on with them."""
    from genotex.fetch import GeoRequest, open_fetch_folder
    from genotex.fetch.geo import choose_or_go_on, remember_end

    (listed,) = _traits((trait,) if trait else (), accessions, vocabulary)
    request = GeoRequest(listed, accessions, options=what)
    with _geo_source(vocabulary, addresses) as geo_source, open_fetch_folder(source) as folder:
        plans = choose_or_go_on(geo_source, folder, request)
        for plan in plans:
            if plan.refused:
                msg = f"{plan.accession}: {plan.refused}"
                raise UsageError(msg)
        done = _fetch_with_progress(geo_source, folder, request, plans)
        if not any(outcome.may_come_later for outcome in done):
            remember_end(geo_source, folder, request)
    for outcome in done:
        if outcome.error is not None:
            raise outcome.error
        for note in outcome.notes:
            screen.notify(f"{outcome.plan.accession}: {note}", "note")


def _traits(
    trait: Sequence[str], accessions: tuple[str, ...], vocabulary: Path | None
) -> list[str | None]:
    """Return the traits by their listed names, so that each has one folder."""
    from genotex.clinical import load_vocabulary

    if not trait and not accessions:
        msg = "name a trait with --trait, or series with --accession"
        raise UsageError(msg)
    if accessions and len(trait) > 1:
        msg = "series by name go into the folder of one trait; give one --trait"
        raise UsageError(msg)
    words = load_vocabulary(vocabulary)
    # A trait may be named twice, also by an alias.
    return list(dict.fromkeys(words.named(name).name for name in trait)) if trait else [None]


def _geo_source(
    vocabulary: Path | None, addresses: GeoServers
) -> AbstractContextManager[GeoSource]:
    from genotex.fetch import GeoAddresses, open_geo_source

    return open_geo_source(vocabulary, GeoAddresses(*addresses.addresses), note_pause)


def _list_only(source: GeoSource, requests: Sequence[GeoRequest], *, json: bool) -> None:
    """List what would be fetched, and exit."""
    from genotex.fetch.geo import choose
    from genotex.fetch.geo_files import megabytes

    plans = []
    with screen.progress("checking series") as step:
        for request in requests:
            for plan in choose(source, request):
                plans.append((request.folder, plan))
                step(plan.accession, None)
    taken = [plan for _, plan in plans if not plan.refused]
    if json:
        screen.print_json(
            [{"trait": folder, **plan.to_json(), "bytes": plan.size} for folder, plan in plans]
        )
    elif plans:
        columns = ["trait", "series", "samples", "size", "expression", "trait in", "what comes"]
        screen.table(columns, [_plan_row(folder, plan) for folder, plan in plans])
        size = sum(plan.size for plan in taken)
        screen.notify(
            f"{len(taken)} series with {megabytes(size)} would be fetched; nothing was fetched"
        )
    else:
        screen.notify("GEO has no series that fits")
    raise typer.Exit(screen.DONE if taken else screen.NOTHING_USABLE)


def _plan_row(folder: str, plan: SeriesPlan) -> dict[str, Any]:
    from genotex.fetch.geo_files import megabytes

    files = [f"{len(plan.matrices)} matrices" if len(plan.matrices) > 1 else "matrix"]
    if plan.family:
        files.append("family SOFT")
    files += list(plan.platforms)
    if plan.is_sequencing:
        files.append("counts, or the submitter's files, if the matrix is empty")
    return {
        "trait": folder,
        "series": plan.accession,
        "samples": plan.samples,
        "size": megabytes(plan.size) if plan.size else None,
        "expression": plan.expression,
        "trait in": plan.trait_in,
        "what comes": f"refused: {plan.refused}" if plan.refused else ", ".join(files),
    }


def _fetch(place: Path, source: GeoSource, requests: Sequence[GeoRequest], *, json: bool) -> None:
    """Fetch all, print the outcome of each series, and exit."""
    from genotex.fetch import open_fetch_folder
    from genotex.fetch.geo import remember_end

    refused: list[tuple[str, SeriesPlan]] = []
    outcomes: list[tuple[str, SeriesOutcome]] = []
    screen.resumes.set()
    with open_fetch_folder(place) as folder:
        for request in requests:
            try:
                plans = _choose_with_progress(source, folder, request)
            except FetchError:
                # Print what was fetched for earlier traits.
                if outcomes:
                    _show(place, refused, outcomes, json=json)
                raise
            done = _fetch_with_progress(source, folder, request, plans)
            refused += [(request.folder, plan) for plan in plans if plan.refused]
            outcomes += [(request.folder, outcome) for outcome in done]
            if not any(outcome.may_come_later for outcome in done):
                remember_end(source, folder, request)
            if any(outcome.ends_all for outcome in done):
                break
    _show(place, refused, outcomes, json=json)
    raise typer.Exit(_exit_code([outcome for _, outcome in outcomes]))


def _choose_with_progress(
    source: GeoSource, folder: FetchFolder, request: GeoRequest
) -> list[SeriesPlan]:
    from genotex.fetch.geo import choose_or_go_on

    with screen.progress(f"checking series for {request.folder}") as step:

        def checked(plan: SeriesPlan) -> None:
            step(plan.accession, None)

        return choose_or_go_on(source, folder, request, checked)


def _fetch_with_progress(
    source: GeoSource, folder: FetchFolder, request: GeoRequest, plans: Sequence[SeriesPlan]
) -> list[SeriesOutcome]:
    from genotex.fetch import fetch_series

    wanted = [plan for plan in plans if not plan.refused]
    size = sum(plan.size for plan in wanted)
    with progress_of_files(size or None, len(wanted)) as start:

        def progress(plan: SeriesPlan, name: str) -> Progress:
            return start(plan.accession, wanted.index(plan) + 1, name)

        return list(fetch_series(source, folder, request, wanted, progress))


def _show(
    place: Path,
    refused: Sequence[tuple[str, SeriesPlan]],
    outcomes: Sequence[tuple[str, SeriesOutcome]],
    *,
    json: bool,
) -> None:
    from genotex.fetch.geo import UNSORTED
    from genotex.fetch.geo_files import megabytes

    rows = [_outcome_row(folder, outcome) for folder, outcome in outcomes]
    rows += [
        {"trait": folder, "series": plan.accession, "state": "refused", "why": plan.refused}
        for folder, plan in refused
    ]
    if json:
        screen.print_json(rows)
        return
    if not rows:
        screen.notify("GEO has no series that fits")
        return
    for row in rows:
        row["size"] = megabytes(row["bytes"]) if row.get("bytes") else None
        row["files"] = len(row.get("files", ())) or None
    screen.table(["trait", "series", "state", "files", "size", "why"], rows)
    if any(outcome.error is not None for _, outcome in outcomes):
        screen.notify(
            "some could not be fetched now; the same command resumes from here", "not all"
        )
    if any(folder == UNSORTED for folder, _ in outcomes):
        screen.notify(f"series without --trait are in GEO/{UNSORTED}", "note")
    kept = sum(outcome.error is None for _, outcome in outcomes)
    screen.notify(f"{kept} series are complete in {place / 'GEO'}")


def _outcome_row(folder: str, outcome: SeriesOutcome) -> dict[str, Any]:
    why = "; ".join(outcome.notes)
    if outcome.error is not None:
        why = "; ".join(part for part in (str(outcome.error), why) if part)
    elif not any(kept.now for kept in outcome.kept):
        why = "; ".join(part for part in ("was there before", why) if part)
    return {
        "trait": folder,
        "series": outcome.plan.accession,
        "state": _state(outcome),
        "files": [
            {"path": str(kept.path), "sha256": kept.sha256, "bytes": kept.size, "now": kept.now}
            for kept in outcome.kept
        ],
        "bytes": sum(kept.size for kept in outcome.kept),
        "why": why,
    }


def _state(outcome: SeriesOutcome) -> str:
    if outcome.error is None:
        return "whole"
    return "not whole" if outcome.tried else "not asked"


def _exit_code(outcomes: Sequence[SeriesOutcome]) -> int:
    if any(outcome.error is not None for outcome in outcomes):
        return screen.STOPPED
    return screen.DONE if outcomes else screen.NOTHING_USABLE
