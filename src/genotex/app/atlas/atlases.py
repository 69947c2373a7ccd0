"""The atlases of a folder: which there are, and what was asked of them last, in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from genotex.atlas import (
    MANIFEST,
    AtlasReader,
    GeneFindings,
    Signature,
    SimilarFindings,
    TraitFindings,
    TraitTree,
    compare_traits,
    find_gene,
    find_similar,
    find_trait,
)
from genotex.errors import GenotexError, UsageError
from genotex.studies import FileState, Recent, Workspace, state_of

_ANSWERS = 24
"""Answers of an atlas that are kept: a trait of 20,000 genes takes 3 MB."""
_QUESTIONS = 50
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Question:
    """What was asked of an atlas: where a signature is found, given a condition."""

    atlas: str
    signature: Signature
    condition: str | None


class LoadedAtlas:
    """An atlas, and the answers that were asked for last."""

    def __init__(self, name: str, root: Path) -> None:
        self.name = name
        self.root = root
        self.reader = AtlasReader(root)
        self._answers = Recent[Hashable, Any](_ANSWERS)

    def _once(self, key: Hashable, make: Callable[[], Answer]) -> Answer:
        def twice() -> Answer:
            try:
                return make()
            except UsageError as error:
                # A build replaced the files in the meantime; the reader notices.
                if not isinstance(error.__cause__, FileNotFoundError):
                    raise
                return make()

        answer: Answer = self._answers.get(key, twice)
        return answer

    @property
    def label(self) -> str:
        """Its name, as pages write it."""
        return self.name if self.name != "." else "this folder"

    @property
    def built(self) -> float:
        """When it was brought up to date last."""
        return (self.root / MANIFEST).stat().st_mtime

    def facts(self) -> dict[str, int]:
        """Return how much it holds."""
        results = self._once("results", lambda: self.reader.results)
        genes = self._once("genes", lambda: len(self.reader.symbols))
        cohorts = results.filter(pl.col("cohort") != "")["cohort"].n_unique()
        return {
            "traits": results["trait"].n_unique(),
            "cohorts": cohorts,
            "results": results.height,
            "genes": genes,
        }

    def traits(self) -> pl.DataFrame:
        """Return a row for each trait and condition: cohorts, and what they found together."""
        return self._once("traits", self._traits)

    def _traits(self) -> pl.DataFrame:
        every = self.reader.results.group_by("trait", "condition").agg(
            pl.len().cast(pl.UInt32).alias("cohorts")
        )
        groups = self.reader.groups.select(
            "trait",
            "condition",
            pl.col("used").list.len().alias("combined"),
            "samples",
            "genes",
            "significant",
        )
        joined = every.join(groups, on=["trait", "condition"], how="left", nulls_equal=True)
        return joined.sort("trait", "condition", nulls_last=False)

    def conditions(self) -> list[str | None]:
        """Return the conditions that at least two traits can be compared given, None first."""
        groups = self.reader.groups.filter(pl.col("ranked").is_not_null())
        counts = groups.group_by("condition").len().filter(pl.col("len") > 1)
        return none_first(counts["condition"])

    def tree(self, condition: str | None) -> TraitTree:
        """Return the similarity of all traits."""
        return self._once(
            ("tree", condition), lambda: compare_traits(self.reader, condition or "None")
        )

    def gene(self, name: str) -> GeneFindings:
        """Return a gene in all traits and cohorts."""
        return self._once(("gene", name), lambda: find_gene(self.reader, name))

    def trait(self, name: str, condition: str | None) -> TraitFindings:
        """Return a trait: its genes and cohorts."""
        return self._once(
            ("trait", name, condition), lambda: find_trait(self.reader, name, condition)
        )

    def similar(self, signature: Signature, condition: str | None) -> SimilarFindings:
        """Return where a signature is found."""
        return self._once(
            ("similar", signature, condition),
            lambda: find_similar(self.reader, signature, condition),
        )


def none_first(conditions: Iterable[str | None]) -> list[str | None]:
    """Return conditions by name, none at all first."""
    return sorted(conditions, key=lambda name: (name is not None, name or ""))


class Atlases:
    """The atlases of a folder; one whose manifest has changed is read again."""

    def __init__(self) -> None:
        self._kept: dict[Path, tuple[tuple[str, FileState], LoadedAtlas | None]] = {}
        self._questions: OrderedDict[str, Question] = OrderedDict()
        self._lock = threading.Lock()

    def found(self, workspace: Workspace) -> list[LoadedAtlas]:
        """Return all atlases, by name; a folder with a manifest of something else is none."""
        opened = (
            self._open(workspace, name, folder)
            for name, folder in workspace.holding(MANIFEST).items()
        )
        return [atlas for atlas in opened if atlas is not None]

    def get(self, workspace: Workspace, name: str) -> LoadedAtlas | None:
        """Return an atlas by its name."""
        folder = workspace.place(name)
        if folder is None or workspace.file(folder / MANIFEST) is None:
            return None
        return self._open(workspace, name, folder)

    def _open(self, workspace: Workspace, name: str, folder: Path) -> LoadedAtlas | None:
        stamp = name, state_of(folder / MANIFEST)
        with self._lock:
            kept = self._kept.get(folder)
            if kept is None or kept[0] != stamp:
                kept = self._kept[folder] = stamp, _read(workspace, name, folder)
            return kept[1]

    def remember(self, question: Question) -> str:
        """Keep a question for its pages, and return what names it in an address."""
        up, down = question.signature.up, question.signature.down
        text = "\n".join([question.atlas, question.condition or "", *up, "", *down])
        key = sha256(text.encode()).hexdigest()[:16]
        with self._lock:
            while len(self._questions) >= _QUESTIONS:
                self._questions.popitem(last=False)
            self._questions[key] = question
        return key

    def question(self, key: str) -> Question | None:
        """Return a question that was kept."""
        return self._questions.get(key)


def _read(workspace: Workspace, name: str, folder: Path) -> LoadedAtlas | None:
    """Read an atlas; None where there is none, or where its files are outside the folder."""
    try:
        atlas = LoadedAtlas(name, folder)
    except (GenotexError, OSError):
        return None
    files = atlas.reader.manifest.files
    return atlas if all(workspace.holds(folder / file) for file in files) else None
