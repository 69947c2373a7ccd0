"""What a reference is, and the rows that the paper published (arXiv:2406.15341)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from genotex.bench.evaluation.folder_items import answered_problems
from genotex.layout import OutputFolder
from genotex.outside import packaged_toml


@dataclass(frozen=True)
class _PublishedRow:
    """A row of the paper."""

    table: int
    name: str
    start: str | None
    values: Mapping[str, float]


@dataclass(frozen=True)
class _Published:
    """All rows, their source and how many problems they are averages of."""

    source: str
    problems: int
    rows: tuple[_PublishedRow, ...]


@cache
def published() -> _Published:
    """Return the published rows."""
    content = packaged_toml("genotex.bench.evaluation", "data/published.toml")
    rows = []
    for table in content["table"]:
        for cells in table["rows"]:
            row = dict(zip(table["columns"], cells, strict=True))
            name, start = row.pop("name"), row.pop("start", None)
            values = {key: float(value) for key, value in row.items() if value != "-"}
            rows.append(_PublishedRow(table["number"], name, start, values))
    return _Published(content["source"], content["problems"], tuple(rows))


ReferenceKind = Literal["simulated", "made by genotex", "published", "other", "unknown"]

_WORDS: Mapping[ReferenceKind, str] = {
    "simulated": "simulated reference",
    "made by genotex": "reference made by genotex",
    "published": "published reference",
    "other": "another reference",
    "unknown": "reference of unknown kind",
}
_TRUTH = "truth.json"


def kind_of_reference(folder: OutputFolder) -> ReferenceKind:
    """Return what an output folder is, by its content.

    The published one is known by its number of answers, since every release differs in bytes.
    """
    root = folder.root.absolute()
    if any((place / _TRUTH).is_file() for place in (root, root.parent)):
        return "simulated"
    if (root / "run" / "run.json").is_file() or any(root.glob("preprocess/*/evidence")):
        return "made by genotex"
    return "published" if len(answered_problems(folder)) == published().problems else "other"


def reference_kind_of(settings: Mapping[str, object]) -> ReferenceKind:
    """Return what scores were made against; earlier versions did not record it."""
    found = settings.get("reference_kind")
    return next((kind for kind in _WORDS if kind == found), "unknown")


def reference_words(kind: ReferenceKind) -> str:
    """Return a kind of reference in words."""
    return _WORDS[kind]
