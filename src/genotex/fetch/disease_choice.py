"""Which diseases stand for which traits: as a person says, else as Open Targets' search does."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from genotex.bench.problems import ListedTrait, read_disease_ids
from genotex.fetch.open_targets import Disease, OpenTargets
from genotex.io import atomic_write

__all__ = ["TraitDiseases", "choose_diseases", "write_found"]

HEADING = (
    "# Found by name with the search of Open Targets: check them, above all the nearest names.\n"
    "# Edit a line, and the same command takes your id.\n"
)


@dataclass(frozen=True)
class TraitDiseases:
    """A trait and what stands for it.

    Attributes
    ----------
    trait : str
        Trait folder name.
    ids : tuple of str
        Ids such as ``EFO_0000270``; empty where nothing was found.
    how : str
        ``listed``, ``same name``, ``nearest name`` or ``not found``.
    name : str
        The disease's name, where it was found by name.
    """

    trait: str
    ids: tuple[str, ...]
    how: str
    name: str = ""


def choose_diseases(
    source: OpenTargets,
    traits: Sequence[ListedTrait],
    listed: Path | None,
    *,
    search: bool,
    step: Callable[[str, int], None] = lambda trait, count: None,
) -> tuple[TraitDiseases, ...]:
    """Return the diseases of each trait.

    Parameters
    ----------
    source : OpenTargets
        Whom to ask for names.
    traits : sequence of ListedTrait
    listed : Path, optional
        A table of trait and ids; it goes before those of the trait list.
    search : bool
        Whether the others are looked for by name.
    step : callable
        Told each trait that was looked for, and how many there are.

    Raises
    ------
    FormatError
        If the table cannot be read.
    FetchError
        If the service does not answer.
    """
    given: Mapping[str, tuple[str, ...]] = {} if listed is None else read_disease_ids(listed)
    ids = {trait.name: given.get(trait.name, trait.diseases) for trait in traits}
    wanted = [name for name, known in ids.items() if not known] if search else []
    found = {}
    for name in wanted:
        found[name] = _nearest(name, source.search(_words(name)))
        step(name, len(wanted))
    return tuple(
        found.get(name) or TraitDiseases(name, known, "listed" if known else "not found")
        for name, known in ids.items()
    )


def write_found(path: Path, chosen: Sequence[TraitDiseases]) -> None:
    """Add the diseases that were found by name to a table that a person then looks through."""
    found = [each for each in chosen if each.name]
    if not found:
        return
    before = path.read_text(encoding="utf-8") if path.exists() else HEADING
    lines = [f"{each.trait}\t{each.ids[0]}\t{each.name}\t{each.how}\n" for each in found]
    with atomic_write(path) as part:
        part.write_text("".join([before.rstrip("\n") + "\n", *lines]), encoding="utf-8")


def _nearest(trait: str, hits: Sequence[Disease]) -> TraitDiseases:
    if not hits:
        return TraitDiseases(trait, (), "not found")
    same = [hit for hit in hits if _plain(hit.name) == _plain(_words(trait))]
    best = (same or hits)[0]
    how = "same name" if same else "nearest name"
    return TraitDiseases(trait, (best.id,), how, " ".join(best.name.split()))


def _words(trait: str) -> str:
    """Return a trait's name as people write it, without an abbreviation in brackets."""
    text = trait.replace("_", " ")
    return " ".join(re.sub(r"\([^)]*\)", " ", text).split()) or text


def _plain(name: str) -> str:
    return re.sub(
        r"[^a-z0-9]+", " ", re.sub("['\N{RIGHT SINGLE QUOTATION MARK}]", "", name.lower())
    ).strip()
