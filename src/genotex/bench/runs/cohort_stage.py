"""The cohorts of a run: preprocessed once for all problems that need them, or given."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from genotex.cohorts import CohortOutcome, PreprocessOptions, choose_folder, preprocess
from genotex.errors import UsageError
from genotex.formats import read_evidence, sha256
from genotex.journal import Journal
from genotex.layout import InputFolder, OutputFolder
from genotex.parallel import Executor
from genotex.problems import Problem
from genotex.procedure import Procedure


def check_given_cohorts(given: Path, target: Path) -> None:
    """Check that a folder contains cohorts and that nothing will be written there."""
    if not (given / "preprocess").is_dir():
        msg = f"{given} contains no preprocess/; give the folder that contains preprocess/<Trait>/"
        raise UsageError(msg)
    written, read = target.resolve(), given.resolve()
    if written == read or read in written.parents:
        msg = f"{target} is the folder of --preprocessed or inside it; give another"
        raise UsageError(msg)


def why_no_cohort(cohorts: OutputFolder | None, problem: Problem) -> str:
    """Return which traits of a problem have no preprocessed cohort; empty where all have one."""
    without = [
        trait
        for trait in problem.traits
        if cohorts is None or not cohorts.cohort_info(trait).is_file()
    ]
    return f"there is no preprocessed cohort of {' and '.join(without)}" if without else ""


CohortProgress = Callable[[CohortOutcome, int], None]


def read_cohorts(
    source: Path,
    output: OutputFolder,
    problems: Iterable[Problem],
    procedure: Procedure,
    journal: Journal,
    executor: Executor | None = None,
    progress: CohortProgress | None = None,
) -> None:
    """Preprocess the cohorts of every trait that the problems need.

    Finished cohorts are kept. A trait without any input is skipped; its problems will have no
    cohort.
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

    lines = [entry for entry in journal.entries if entry.get("step") == "cohort"]
    recorded = {(entry["trait"], entry["cohort"]) for entry in lines}

    def step(outcome: CohortOutcome, total: int) -> None:
        if not outcome.unchanged:
            journal.add(_entry(outcome))
        elif (outcome.trait, outcome.cohort) not in recorded:
            # Killed after it was written and before this line; how long it took is not known.
            journal.add({**_entry(outcome), "seconds": None})
        if progress is not None:
            progress(outcome, total)

    options = PreprocessOptions(procedure=procedure)
    preprocess(source, output.root, traits=there, options=options, executor=executor, progress=step)


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
    """Digests of the cohorts that problems are solved from.

    An answer holds while the digest is the same: the records of the cohorts, and for each table our
    own record of how it came about, or else its size and time.
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
        # Generated code made it: the same decisions do not imply the same numbers.
        return evidence.read_bytes() + sha256(table).encode()
    state = table.stat()
    facts: Mapping[str, Any] = {
        "name": table.name,
        "size": state.st_size,
        "time": state.st_mtime_ns,
    }
    return json.dumps(facts).encode()
