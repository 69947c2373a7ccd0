"""Which TCGA folder means a trait."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from genotex.layout import TcgaCohortFiles

__all__ = ["FolderChoice", "choose_folder"]

# "cancer", "carcinoma" and the like say the same of a TCGA study, where everything is a tumour.
_GENERIC = {"cancer", "carcinoma", "tumor", "tumour", "neoplasm", "malignant", "tcga"}
_TUMOUR = re.compile(r"cancer|tumou?r|neoplasm|malignan|oma$|emia$")
_FILLERS = {"and", "of", "the", "in", "cell"}


@dataclass(frozen=True)
class FolderChoice:
    """The folder that means the trait, or None, and why."""

    folder: TcgaCohortFiles | None
    reason: str


def choose_folder(trait: str, folders: Sequence[TcgaCohortFiles]) -> FolderChoice:
    """Pick the TCGA folder whose name means the trait, the most specific one.

    A folder means the trait when one of its names (the folder's own words, its study abbreviation,
    the study's names) has exactly the trait's words, or else has all of the trait's words and few
    others. A folder with fewer words than the trait is broader than the trait and never chosen.

    Parameters
    ----------
    trait : str
        Trait name or trait folder name.
    folders : sequence of TcgaCohortFiles
        The folders at hand.
    """
    ranked = sorted(
        (rank, folder.name, folder)
        for folder in folders
        if (rank := _distance(trait, folder.name)) is not None
    )
    if not ranked:
        return FolderChoice(None, f"no TCGA folder means {trait}")
    best = [folder for rank, _, folder in ranked if rank == ranked[0][0]]
    if len(best) > 1:
        names = ", ".join(folder.name for folder in best)
        return FolderChoice(None, f"several TCGA folders fit {trait} equally well: {names}")
    return FolderChoice(best[0], f"TCGA folder {best[0].name} means {trait}")


def _distance(trait: str, folder: str) -> tuple[int, int] | None:
    """Return how far the folder's closest name is from the trait; None is "does not mean it"."""
    code = re.search(r"\(([A-Z]+)\)", folder)
    if code and trait.upper() == code.group(1):
        return (0, 0)
    names = [re.sub(r"\([^)]*\)", "", folder)]
    names += _studies().get(code.group(1), []) if code else []
    hits = [d for name in names if (d := _word_distance(trait, name)) is not None]
    return min(hits, default=None)


def _word_distance(trait: str, name: str) -> tuple[int, int] | None:
    wanted, found = _words(re.sub(r"\([^)]*\)", "", trait)), _words(name)
    if wanted - {"tcga"} == found - {"tcga"}:
        return (0, 0)
    if not any(_TUMOUR.search(word) for word in wanted):
        # "Lung" alone, or "Kidney stones", is no cancer.
        return None
    wanted, found = wanted - _GENERIC, found - _GENERIC
    if not wanted:
        return None
    if wanted == found:
        return (1, 0)
    return (2, len(found - wanted)) if wanted < found else None


def _words(text: str) -> frozenset[str]:
    words = re.findall(r"[a-z0-9]+", text.lower().replace("-", "").replace("'", ""))
    return frozenset(re.sub(r"s$", "", w) for w in words if w not in _FILLERS)


@cache
def _studies() -> dict[str, list[str]]:
    text = files("genotex.cohorts").joinpath("data/tcga_studies.json").read_text("utf-8")
    studies: dict[str, list[str]] = json.loads(text)["studies"]
    return studies
