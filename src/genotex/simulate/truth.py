"""The truth of a simulated study, its record ``truth.json``, and the score of a list of genes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from genotex.errors import FormatError, UsageError
from genotex.formats import read_json_object
from genotex.records import checked

_Kind = TypeVar("_Kind")

TRUTH_FILE = "truth.json"
"""Name of the record in its folder; it also marks the folder as ours."""
MARK_FILE = "simulated.json"
"""Marks an input folder whose truth is elsewhere."""

STUDY_FORMAT = "genotex simulated study"
WORLD_FORMAT = "genotex simulated world"


def format_of(folder: Path) -> str:
    """Return the format of a folder's record, of this or an earlier version; empty without one."""
    for name in (TRUTH_FILE, MARK_FILE):
        try:
            return str(read_json_object(folder / name).get("format", ""))
        except FormatError:
            continue
    return ""


def record_text(kind: str, version: int, content: Mapping[str, Any]) -> str:
    """Return the text of a record."""
    return json.dumps({"format": kind, "version": version, **content}, indent=1) + "\n"


def read_record(path: Path, form: str, kind: type[_Kind]) -> _Kind:
    """Return the content of a record as its dataclass; an error names the file and the field."""
    path = path / TRUTH_FILE if path.is_dir() else path
    hint = "give the folder that `genotex simulate` has written"
    if not path.exists():
        msg = "there is no such file"
        raise FormatError(msg, path=path, hint=hint)
    document = read_json_object(path, hint)
    if document.pop("format", None) != form:
        msg = f"not the record of a {form.removeprefix('genotex ')}"
        raise FormatError(msg, path=path, field="format", hint=hint)
    document.pop("version", None)
    return checked(kind, document, extra="forbid", path=path, hint=hint)


_VERSION = 1


class Score(NamedTuple):
    """How a list of genes compares with the planted ones."""

    found: int
    """Planted genes in the list."""
    planted: int
    """All genes planted for the trait."""
    false_discovery_proportion: float
    """Share of the list that was not planted; 0 for an empty list."""


@dataclass(frozen=True)
class CohortTruth:
    """One cohort as it was made."""

    trait: str
    """Trait folder it belongs to."""
    source: str
    """GEO or TCGA."""
    platform: str
    """GPL accession, or "HiSeqV2"."""
    usable: bool
    """Whether a careful reader can use it for its trait."""
    reason: str
    """Why, or why not."""
    scale: str
    """"linear", "log2", "counts" (RNA-seq), "beta" (methylation) or "none" (no values)."""
    samples: Mapping[str, Mapping[str, Any]]
    """Sample id -> ``group`` ("case", "healthy control", "other disease", "unknown"), ``age``
    (years, None if not recorded), ``gender`` (female 0, male 1, None if not recorded) and
    ``batch`` (1, 2, or None); of a measured trait ``level`` too (None if not recorded), and
    ``group`` is "unknown"; ``unfit`` where the array failed or belongs to another person."""
    effects: Mapping[str, float]
    """Planted gene -> log2 difference in this cohort: between cases and all others, or of a
    measured trait between people one standard deviation above the mean and one below it."""
    traps: tuple[str, ...] = ()
    """What a careless reader misses."""
    design: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """"age", "sex", "batch" and each trait that genes follow -> its value in each sample, whether
    the files mention it or not."""


@dataclass(frozen=True)
class Truth:
    """Everything true of a simulated study; ``truth.json`` in its folder."""

    seed: int
    """Seed it was made with."""
    trait: str
    """The main trait."""
    condition: str
    """The trait that serves as condition of a two-step problem."""
    tcga_trait: str
    """The trait of the TCGA folder."""
    planted: Mapping[str, tuple[str, ...]]
    """Trait -> symbols of the genes that differ, sorted. A gene that differs with age, sex or batch
    alone is not among them."""
    nuisance: Mapping[str, tuple[str, ...]]
    """"age", "sex" -> symbols that change with it in every cohort."""
    aliases: Mapping[str, str]
    """Official symbol -> the older name of the same gene in the Affymetrix-like platform and in the
    TCGA files."""
    cohorts: Mapping[str, CohortTruth]
    """By cohort id (GSE accession, or ``TCGA``)."""

    def usable_cohorts(self, trait: str) -> list[str]:
        """Return the ids of the cohorts that a careful reader can use for `trait`, sorted."""
        return sorted(k for k, c in self.cohorts.items() if c.trait == trait and c.usable)

    def to_json(self) -> str:
        """Return the text of ``truth.json``."""
        return record_text(STUDY_FORMAT, _VERSION, asdict(self))


def load_truth(path: Path) -> Truth:
    """Read ``truth.json``.

    `path`: the file, or the study's folder.
    """
    return read_record(path, STUDY_FORMAT, Truth)


def score_against_truth(truth: Truth, genes: Iterable[str], trait: str | None = None) -> Score:
    """Compare a list of significant genes with the planted ones.

    `truth`: of the study the genes come from. `genes`: Official symbols; a repeated symbol counts
    once. `trait`: the trait they were found for; by default the main one.
    """
    return score_genes(truth.planted, genes, truth.trait if trait is None else trait)


def score_genes(planted: Mapping[str, Iterable[str]], genes: Iterable[str], trait: str) -> Score:
    """Compare a list of genes with those that were planted for `trait`."""
    if trait not in planted:
        msg = f"nothing was planted for {trait!r}; the study has {', '.join(planted)}"
        raise UsageError(msg)
    listed, there = set(genes), set(planted[trait])
    found = len(listed & there)
    share = (len(listed) - found) / len(listed) if listed else 0.0
    return Score(found, len(there), share)
