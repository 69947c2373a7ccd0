"""A folder of associations from Open Targets, in the form that `genotex problems build` reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from genotex.errors import FetchError, NotThereError, UsageError
from genotex.fetch.folder import Fetched, FetchFolder
from genotex.fetch.open_targets import OpenTargets
from genotex.fetch.several import Outcome, Patience
from genotex.formats import read_json_object, write_json
from genotex.io import atomic_write

__all__ = ["ASSOCIATIONS", "DISEASE_IDS", "fetch_associations", "keep_to_one_release"]

ASSOCIATIONS = "associations"
DISEASE_IDS = "disease_ids.tsv"
RELEASE = "release.json"


def keep_to_one_release(source: OpenTargets, root: Path) -> str:
    """Return the release that the service answers from, and write it down in the folder.

    Raises
    ------
    UsageError
        If the folder holds associations of another release: scores of two do not go together.
    """
    path, release = root / RELEASE, source.release()
    if path.exists():
        there = read_json_object(path).get("release")
        if there != release:
            msg = (
                f"{root} holds associations of release {there}, the service answers from {release}:"
                " scores of two releases do not go together; give another folder"
            )
            raise UsageError(msg)
    else:
        write_json(path, {"release": release, "address": source.address})
    return release


def fetch_associations(
    source: OpenTargets, folder: FetchFolder, diseases: Sequence[str]
) -> Iterator[Outcome]:
    """Fetch the associations of diseases, each into a file of its own.

    A file that is there is not asked for again. A disease that cannot be had does not keep the
    others back, unless `Patience` is over.

    Parameters
    ----------
    source : OpenTargets
        Whom to ask.
    folder : FetchFolder
        Where the files go, ``associations/EFO_0000270.json`` and the like: JSON lines.
    diseases : sequence of str
        Ids.

    Yields
    ------
    Outcome
        One for each disease, in order.
    """
    patience = Patience()
    for disease in diseases:
        path = f"{ASSOCIATIONS}/{disease}.json"
        if patience.is_over:
            yield Outcome(path)
            continue
        try:
            outcome = Outcome(path, folder.known(path) or _fetch(source, folder, disease, path))
        except FetchError as error:
            outcome = Outcome(path, error=error)
        patience.take_in(outcome.error)
        yield outcome


def _fetch(source: OpenTargets, folder: FetchFolder, disease: str, path: str) -> Fetched:
    found = source.associations(disease)
    if not found.scores:
        message = f"Open Targets has no direct association of {disease} ({found.disease.name})"
        raise NotThereError(message, hint="choose another id for the trait")
    with atomic_write(folder.place(path)) as part:
        part.write_text(found.to_json_lines(), encoding="utf-8")
    return folder.made(path, source.address)
