"""What a reference is: simulated, made by genotex, the published one, or another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from genotex.bench.evaluation.folder_items import answered_problems
from genotex.bench.evaluation.published import published
from genotex.layout import OutputFolder

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
