"""`genotex fetch opentargets`: associations of the traits' diseases from Open Targets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.fetch_screen import tell_wait

if TYPE_CHECKING:
    from genotex.bench.problems import ListedTrait
    from genotex.fetch.folder import Outcome
    from genotex.fetch.open_targets import TraitDiseases

__all__ = ["opentargets"]


def opentargets(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder for the associations.")],
    trait: o.TraitNames = None,
    disease_ids: Annotated[
        Path | None,
        typer.Option(
            "--disease-ids",
            help="Which disease ids stand for a trait: lines of trait, tab, id, or JSON or TOML.",
            show_default="DIR/disease_ids.tsv; what it lacks is searched by name",
        ),
    ] = None,
    traits: o.TraitListFile = None,
    open_targets_address: Annotated[
        str | None,
        typer.Option(
            "--open-targets-address",
            metavar="ADDRESS",
            help="Base address of the Open Targets Platform's API.",
            show_default="Open Targets'",
            rich_help_panel="Addresses",
        ),
    ] = None,
    json: o.Json = False,
) -> None:
    r"""Fetch the associations of traits and genes for 'genotex problems build'.

    They are the direct ones of the traits' diseases. Without --disease-ids a
    trait's disease is searched by its name, and written to
    DIR/disease_ids.tsv for you to check: edit a line, and the same command
    takes your id. Diseases that are there are not asked for again. Ends with
    exit code 3 where one could not be had.

    Examples:
      genotex fetch opentargets targets --trait Asthma --trait Eczema

      genotex problems build --associations targets/associations \
          --disease-ids targets/disease_ids.tsv -o task_info.json
    """
    from genotex.bench.problems import TraitList
    from genotex.fetch import base_address
    from genotex.fetch.open_targets import DISEASE_IDS, OPEN_TARGETS
    from genotex.layout import trait_folder_name

    base = base_address(open_targets_address or OPEN_TARGETS)
    known = TraitList.load(traits)
    wanted = known.among([trait_folder_name(name) for name in trait or known.traits])
    release, chosen, outcomes = _fetch(folder, base, wanted, disease_ids)
    rows = [row for each in chosen for row in _rows(each, outcomes)]
    if json:
        screen.print_json({"release": release, "diseases": rows})
    else:
        _show(rows)
        _tell(chosen, release, folder / DISEASE_IDS)
    if any(row["state"] not in ("fetched", "was there") for row in rows):
        raise typer.Exit(screen.STOPPED)


def _fetch(
    folder: Path, base: str, wanted: Sequence[ListedTrait], disease_ids: Path | None
) -> tuple[str, Sequence[TraitDiseases], dict[str, Outcome]]:
    """Return the release, the diseases of each trait, and what became of each disease."""
    from genotex.fetch import WebClient, open_fetch_folder
    from genotex.fetch.open_targets import (
        DISEASE_IDS,
        OpenTargets,
        choose_diseases,
        fetch_associations,
        keep_to_one_release,
        write_found,
    )

    kept = folder / DISEASE_IDS
    listed = disease_ids or (kept if kept.exists() else None)
    search = disease_ids is None
    screen.resumes.set()
    with (
        WebClient([base], waiting=tell_wait) as client,
        open_fetch_folder(folder) as place,
        screen.progress_by_stage("Open Targets") as step,
    ):
        source = OpenTargets(client, base)
        release = keep_to_one_release(source, folder)
        searched = partial(step, "searching")
        chosen = choose_diseases(source, wanted, listed, search=search, step=searched)
        if search:
            write_found(kept, chosen)
        diseases = list(dict.fromkeys(disease for each in chosen for disease in each.ids))
        outcomes = {}
        for disease, outcome in zip(
            diseases, fetch_associations(source, place, diseases), strict=True
        ):
            outcomes[disease] = outcome
            step("fetching", disease, len(diseases))
    return release, chosen, outcomes


def _rows(chosen: TraitDiseases, outcomes: dict[str, Outcome]) -> list[dict[str, Any]]:
    front = {"trait": chosen.trait, "how": chosen.how, "name": chosen.name or None}
    if not chosen.ids:
        return [{**front, "disease": None, "state": "no disease"}]
    return [{**front, "disease": disease, **_outcome(outcomes[disease])} for disease in chosen.ids]


def _outcome(outcome: Outcome) -> dict[str, Any]:
    error = None if outcome.error is None else str(outcome.error)
    rows = None
    if outcome.fetched is not None:
        rows = outcome.fetched.path.read_bytes().count(b"\n")
    return {"state": outcome.state, "associations": rows, "error": error}


def _show(rows: Sequence[dict[str, Any]]) -> None:
    columns = ["trait", "disease", "how", "name", "associations", "state"]
    failed = any(row.get("error") for row in rows)
    screen.table([*columns, *(["error"] if failed else [])], rows, fold=("name", "error"))


def _tell(chosen: Sequence[TraitDiseases], release: str, listed: Path) -> None:
    screen.say(f"\nOpen Targets release {release}")
    nearest = [each.trait for each in chosen if each.how == "nearest name"]
    if nearest:
        screen.tell(
            f"{len(nearest)} of the names are only the nearest ones: check them in {listed}",
            "warning",
        )
