"""The signs of other assays and other species, from ``data/assay.toml``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from genotex.features import packaged_table


@dataclass(frozen=True)
class AssaySign:
    """What one rule found."""

    rule: str  # Name of the rule: a key of the certainty table
    available: bool  # Whether it speaks for human gene expression
    reason: str  # The finding in words
    evidence: str  # What was seen, and where
    human: bool = True  # Whether the samples are human, as far as this rule shows


@dataclass(frozen=True)
class Kind:
    """What a sign means: another species, another assay, or human gene expression."""

    species: str = ""
    measures: str = ""

    @property
    def human(self) -> bool:
        """Whether it means human gene expression."""
        return not self.species and not self.measures


_EntryAndPattern = tuple[dict[str, Any], re.Pattern[str]]


class _Signs:
    """All known signs."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = data
        self._patterns: dict[tuple[str, ...], re.Pattern[str]] = {}
        self._entries: dict[tuple[str, ...], list[_EntryAndPattern]] = {}

    def entries(self, *path: str) -> list[dict[str, Any]]:
        """Return the tables of an array of tables."""
        found: list[dict[str, Any]] = self.value(*path)
        return found

    def with_patterns(self, *path: str) -> list[_EntryAndPattern]:
        """Return the tables of an array of tables, each with its ``patterns`` as one pattern."""
        if path not in self._entries:
            self._entries[path] = [(e, compile_any(e["patterns"])) for e in self.entries(*path)]
        return self._entries[path]

    def value(self, *path: str) -> Any:
        """Return the value under a dotted name."""
        found: Any = self._data
        for name in path:
            found = found[name]
        return found

    def pattern(self, *path: str) -> re.Pattern[str]:
        """Return the alternatives under a dotted name as one pattern; case is ignored."""
        if path not in self._patterns:
            self._patterns[path] = compile_any(self.value(*path))
        return self._patterns[path]

    def certainty(self, rule: str) -> float:
        """Return how often a verdict by this rule is right."""
        return float(self._data["certainty"][rule])


def compile_any(alternatives: Iterable[str]) -> re.Pattern[str]:
    """Return one pattern for all alternatives; case is ignored."""
    return re.compile("|".join(f"(?:{text})" for text in alternatives), re.IGNORECASE)


@lru_cache(maxsize=1)
def load_signs() -> _Signs:
    """Return the packaged signs."""
    return _Signs(packaged_table("genotex.clinical", "assay"))


def kind_of(entry: Mapping[str, Any]) -> Kind:
    """Return what a table of the file means."""
    return Kind(entry.get("species", ""), entry.get("measures", ""))


_NOT_HUMAN = "the organism is not human"
"""How the reason of a verdict begins when the samples are not human."""


def not_human(rule: str, who: str, evidence: str) -> AssaySign:
    """Return the finding that the samples are of another species."""
    reason = f"{_NOT_HUMAN}: {who}" if who else _NOT_HUMAN
    return AssaySign(rule, False, reason, evidence, human=False)


def not_expression(rule: str, reason: str, evidence: str) -> AssaySign:
    """Return the finding that something else than gene expression was measured."""
    return AssaySign(rule, False, reason, evidence)


def known_ids(first_ids: Sequence[str]) -> list[str]:
    """Return the row ids without control probes and empty ones."""
    controls = load_signs().pattern("row_ids", "controls")
    return [i for i in first_ids if i and not controls.fullmatch(i)]
