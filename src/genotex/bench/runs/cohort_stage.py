"""The cohorts of a run: all that its problems need, preprocessed once and shared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from genotex.bench.problems import Problem
from genotex.cohorts import CohortOutcome, PreprocessOptions, choose_folder, preprocess
from genotex.formats import read_evidence, sha256
from genotex.journal import Journal
from genotex.layout import InputFolder, OutputFolder

__all__ = ["Basis", "CohortProgress", "read_cohorts"]

CohortProgress = Callable[[CohortOutcome, int], None]


def read_cohorts(
    source: Path,
    output: OutputFolder,
    problems: Iterable[Problem],
    options: PreprocessOptions,
    journal: Journal,
    *,
    jobs: int = 1,
    progress: CohortProgress | None = None,
) -> None:
    """Preprocess the cohorts of every trait that the problems need.

    Cohorts that are done are not done again. A trait without any input is passed over; its problems
    will have no cohort.

    Raises
    ------
    UsageError
        If `source` is no input folder.
    """
    wanted = dict.fromkeys(trait for problem in problems for trait in problem.traits)
    folder = InputFolder(source)
    tcga = folder.tcga_folders()
    there = [
        trait
        for trait in wanted
        if folder.geo_cohorts(trait) or choose_folder(trait, tcga).folder is not None
    ]
    if not there:
        return

    def step(outcome: CohortOutcome, total: int) -> None:
        if not outcome.unchanged:
            journal.add(_entry(outcome))
        if progress is not None:
            progress(outcome, total)

    preprocess(source, output.root, traits=there, options=options, jobs=jobs, progress=step)


def _entry(outcome: CohortOutcome) -> dict[str, Any]:
    return {
        "step": "cohort",
        "trait": outcome.trait,
        "cohort": outcome.cohort,
        "usable": outcome.info is not None and outcome.info.is_usable,
        "error": outcome.error,
        "seconds": round(outcome.seconds, 3),
    }


class Basis:
    """Digests of the cohorts that problems are asked of.

    An answer holds while the digest is the same: the records of the cohorts, and for each table our
    own record of how it came about, or else its size and time.

    Parameters
    ----------
    cohorts : OutputFolder or None
        The preprocessed cohorts; None where a method reads none.
    """

    def __init__(self, cohorts: OutputFolder | None) -> None:
        self._cohorts = cohorts
        self._of_trait = cache(self._digest)

    def of(self, problem: Problem) -> str:
        """Return the digest for a problem; empty where nothing is read."""
        if self._cohorts is None:
            return ""
        return ":".join(self._of_trait(trait) for trait in problem.traits)

    def _digest(self, trait: str) -> str:
        if self._cohorts is None:
            return ""
        record = self._cohorts.cohort_info(trait)
        if not record.is_file():
            return "none"
        digest = hashlib.sha256(record.read_bytes())
        for table in sorted(record.parent.glob("*.csv")):
            digest.update(_state(self._cohorts.evidence(trait, table.stem), table))
        return digest.hexdigest()[:32]


def _state(evidence: Path, table: Path) -> bytes:
    if evidence.is_file() and read_evidence(evidence).fingerprint:
        return evidence.read_bytes()
    if evidence.is_file():
        # Written code made it: that the same was decided does not mean the same numbers.
        return evidence.read_bytes() + sha256(table).encode()
    state = table.stat()
    facts: Mapping[str, Any] = {
        "name": table.name,
        "size": state.st_size,
        "time": state.st_mtime_ns,
    }
    return json.dumps(facts).encode()
