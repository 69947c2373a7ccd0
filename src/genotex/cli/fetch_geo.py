"""`genotex fetch geo`: series of the Gene Expression Omnibus."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from genotex.cli import fetch_options as f
from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.fetch_screen import progress_of_files, tell_wait
from genotex.cli.trait_names import tell_names
from genotex.errors import FetchError, UsageError

if TYPE_CHECKING:
    from genotex.fetch import FetchFolder, Progress
    from genotex.fetch.geo import GeoRequest, GeoSource, SeriesOutcome
    from genotex.fetch.geo_plan import SeriesPlan

__all__ = ["geo"]

MB = 1_000_000


def geo(
    source: f.InputToFill,
    trait: f.SeriesTraits = None,
    accession: f.Accessions = None,
    query: f.Query = None,
    dry_run: f.DryRun = False,
    platform_only: f.PlatformOnly = False,
    any_assay: f.AnyAssay = False,
    vocabulary: o.VocabularyFile = None,
    json: o.Json = False,
    max_series: f.MaxSeries = 10,
    min_samples: f.MinSamples = 30,
    max_samples: f.MaxSamples = 10_000,
    year_from: f.YearFrom = 2010,
    year_to: f.YearTo = 2025,
    organism: f.Organism = "Homo sapiens",
    study_type: f.StudyTypes = None,
    min_matrix: f.MinMatrix = 0.1,
    max_matrix: f.MaxMatrix = 100,
    max_family: f.MaxFamily = 100,
    eutils_address: f.EutilsAddress = None,
    geo_files_address: f.GeoFilesAddress = None,
    geo_address: f.GeoAddress = None,
) -> None:
    r"""Fetch series for a trait, or by name, into INPUT/GEO/<Trait>/<GSE>/.

    Series matrix and family SOFT; for sequencing whose matrix is empty,
    NCBI's raw counts too. Every file is checked before it takes its place.
    After any end the same command goes on.
    A key of NCBI in the environment (NCBI_API_KEY) makes the search faster.

    Examples:
      genotex fetch geo input --trait Osteoarthritis --dry-run

      genotex fetch geo input --trait Osteoarthritis --max-series 5

      genotex fetch geo input --trait Osteoarthritis \
          --accession GSE55457 --platform-only
    """
    from genotex.fetch.geo import GeoRequest
    from genotex.fetch.geo_plan import GeoOptions
    from genotex.fetch.geo_search import STUDY_TYPES, Criteria, read_accessions

    criteria = Criteria(
        (min_samples, max_samples),
        (year_from, year_to),
        organism,
        tuple(study_type or STUDY_TYPES),
        (round(min_matrix * MB), round(max_matrix * MB)),
        round(max_family * MB),
        max_series,
    )
    options = GeoOptions(platform_only, any_assay)
    names = read_accessions(accession or ())
    if names and query is not None:
        msg = "--query searches series and --accession names them; give one of the two"
        raise UsageError(msg)
    asked = _traits(trait, names, vocabulary)
    tell_names(trait or (), vocabulary)
    requests = [GeoRequest(each, names, query, criteria, options) for each in asked]
    with _geo_source(vocabulary, eutils_address, geo_files_address, geo_address) as geo_source:
        if dry_run:
            _list_only(geo_source, requests, json=json)
        _fetch(source, geo_source, requests, json=json)


def _traits(
    trait: list[str] | None, accessions: tuple[str, ...], vocabulary: Path | None
) -> list[str | None]:
    """Return the traits by their listed names, so that one has one folder however it is called."""
    from genotex.clinical import load_vocabulary

    if not trait and not accessions:
        msg = "name a trait with --trait, or series with --accession"
        raise UsageError(msg)
    if accessions and len(trait or ()) > 1:
        msg = "series by name go into the folder of one trait; give one --trait"
        raise UsageError(msg)
    words = load_vocabulary(vocabulary)
    # A trait may be named twice, also by an alias.
    return list(dict.fromkeys(words.named(name).name for name in trait)) if trait else [None]


@contextmanager
def _geo_source(
    vocabulary: Path | None, eutils: str | None, files: str | None, pages: str | None
) -> Iterator[GeoSource]:
    from genotex.clinical import load_vocabulary
    from genotex.fetch import ClientLimits, WebClient, base_address
    from genotex.fetch.entrez import Entrez, read_key
    from genotex.fetch.geo import EUTILS, GEO_FILES, GEO_PAGES, GeoSource
    from genotex.fetch.geo_plan import GeoTree

    key = read_key(os.environ)
    given = [
        base_address(address)
        for address in (eutils or EUTILS, files or GEO_FILES, pages or GEO_PAGES)
    ]
    limits = ClientLimits(ncbi_per_second=10.0 if key else 3.0)
    with WebClient(given, limits=limits, seed=os.getpid(), waiting=tell_wait) as client:
        yield GeoSource(
            client,
            Entrez(client, given[0], key),
            GeoTree(client, given[1], given[2]),
            load_vocabulary(vocabulary),
        )


def _list_only(source: GeoSource, requests: Sequence[GeoRequest], *, json: bool) -> None:
    """List what would come, and leave."""
    from genotex.fetch.geo import choose
    from genotex.fetch.geo_plan import megabytes

    plans = []
    with screen.progress("looking at series") as step:
        for request in requests:
            for plan in choose(source, request):
                plans.append((request.folder, plan))
                step(plan.accession, None)
    taken = [plan for _, plan in plans if not plan.refused]
    if json:
        screen.print_json([_plan_facts(folder, plan) for folder, plan in plans])
    elif plans:
        columns = ["trait", "series", "samples", "size", "expression", "trait in", "what comes"]
        screen.table(columns, [_plan_row(folder, plan) for folder, plan in plans])
        size = sum(plan.size for plan in taken)
        screen.tell(f"{len(taken)} series with {megabytes(size)} would come; nothing was fetched")
    else:
        screen.tell("GEO has no series that fits")
    raise typer.Exit(screen.DONE if taken else screen.NOTHING_USABLE)


def _plan_facts(folder: str, plan: SeriesPlan) -> dict[str, Any]:
    return {"trait": folder, **plan.to_json(), "bytes": plan.size}


def _plan_row(folder: str, plan: SeriesPlan) -> dict[str, Any]:
    from genotex.fetch.geo_plan import megabytes

    files = [f"{len(plan.matrices)} matrices" if len(plan.matrices) > 1 else "matrix"]
    if plan.family:
        files.append("family SOFT")
    files += list(plan.platforms)
    if plan.is_sequencing:
        files.append("counts if the matrix is empty")
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
    """Fetch all, say what became of each series, and leave."""
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
                # What came for the traits before is told all the same.
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

    with screen.progress(f"looking at series for {request.folder}") as step:

        def looked_at(plan: SeriesPlan) -> None:
            step(plan.accession, None)

        return choose_or_go_on(source, folder, request, looked_at)


def _fetch_with_progress(
    source: GeoSource, folder: FetchFolder, request: GeoRequest, plans: Sequence[SeriesPlan]
) -> list[SeriesOutcome]:
    from genotex.fetch.geo import fetch_series

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
    from genotex.fetch.geo_plan import megabytes

    rows = [_outcome_row(folder, outcome) for folder, outcome in outcomes]
    rows += [
        {"trait": folder, "series": plan.accession, "state": "refused", "why": plan.refused}
        for folder, plan in refused
    ]
    if json:
        screen.print_json(rows)
        return
    if not rows:
        screen.tell("GEO has no series that fits")
        return
    for row in rows:
        row["size"] = megabytes(row["bytes"]) if row.get("bytes") else None
        row["files"] = len(row.get("files", ())) or None
    screen.table(["trait", "series", "state", "files", "size", "why"], rows)
    if any(outcome.error is not None for _, outcome in outcomes):
        screen.tell("some could not be had now; the same command goes on from here", "not all")
    if any(folder == UNSORTED for folder, _ in outcomes):
        screen.tell(f"series without --trait lie in GEO/{UNSORTED}", "note")
    kept = sum(outcome.error is None for _, outcome in outcomes)
    screen.tell(f"{kept} series are whole in {place / 'GEO'}")


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
