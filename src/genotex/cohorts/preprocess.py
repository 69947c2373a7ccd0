"""Preprocessing of all cohorts of some traits: restartable, parallel, nothing half-done."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import genotex
from genotex import clinical, models
from genotex.clinical import ROWS_WITH_GROUPS, Expert, annotation_to_json, expert_of, name_annotator
from genotex.cohorts.annotating import annotate_ahead
from genotex.cohorts.geo.cohort import prepare_geo_cohort
from genotex.cohorts.geo.files import SUBMITTED
from genotex.cohorts.linking import REFUSALS
from genotex.cohorts.prepared import BY_PERSON, PreparedCohort, PreprocessOptions
from genotex.cohorts.records import finish_cohort, remove_stale_tables
from genotex.cohorts.tasks import (
    CohortTask,
    check_choices,
    check_options,
    find_tasks,
    tasks_in_sheet,
    tasks_named,
)
from genotex.cohorts.tcga.cohort import prepare_absent_tcga, prepare_tcga_cohort
from genotex.errors import BudgetReachedError, FormatError, GenotexError
from genotex.formats import (
    CohortInfo,
    Evidence,
    check_evidence,
    check_linked_parquet,
    read_evidence,
    sha256,
    update_cohort_info,
)
from genotex.genes import OTHER_SPECIES, PACKAGED_MAP, ZEROS_KEPT
from genotex.io import lock
from genotex.layout import InputFolder, OutputFolder
from genotex.parallel import Executor, Piece, Processes


@dataclass(frozen=True)
class CohortOutcome:
    """The outcome of one cohort."""

    trait: str
    cohort: str
    info: CohortInfo | None
    """None when the cohort could not be read."""
    notes: tuple[str, ...] = ()
    """The cohort's notes, from its evidence."""
    warnings: tuple[str, ...] = ()
    """Why samples, or more than a few genes, are not in its linked table."""
    error: str | None = None
    """Why it could not be read."""
    unchanged: bool = False
    """True if an earlier run did it with the same files, options and version."""
    seconds: float = 0.0
    stopped: bool = False
    """True if it was not read because a limit of the model that annotates was reached."""
    review: Mapping[str, str] = field(default_factory=dict)
    """What a person should decide, by feature; empty where nothing is open."""
    certainty: float | None = None
    """Of what is stated on the trait; None where it was not measured."""

    @property
    def why_not_usable(self) -> str:
        """The reasons among the notes."""
        return "; ".join(note for note in self.notes if note.startswith(REFUSALS))

    @property
    def by_person(self) -> str:
        """The note on groups and samples that a person decided; empty where no person did."""
        return next((note for note in self.notes if note.startswith(BY_PERSON)), "")

    @property
    def groups_to_choose(self) -> str:
        """The note on rows with groups where the trait was not found; empty for other cohorts."""
        return next((note for note in self.notes if note.startswith(ROWS_WITH_GROUPS)), "")

    @property
    def expression(self) -> tuple[str, ...]:
        """The notes on where expression and genes come from that a reader should not miss."""
        return shown_notes(self.notes)


def shown_notes(notes: Sequence[str]) -> tuple[str, ...]:
    """Return the notes on the source of expression and genes that a reader should not miss."""
    shown = (SUBMITTED, OTHER_SPECIES, PACKAGED_MAP, ZEROS_KEPT)
    return tuple(note for note in notes if note.startswith(shown))


def preprocess(
    source: Path,
    target: Path,
    *,
    traits: Sequence[str] = (),
    cohorts: Sequence[str] = (),
    options: PreprocessOptions | None = None,
    expert: Expert | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    force: bool = False,
    progress: Callable[[CohortOutcome, int], None] | None = None,
    asking: Callable[[str, int, int], None] | None = None,
) -> list[CohortOutcome]:
    """Preprocess the cohorts of an input folder.

    `source`: Input folder (``GEO/<Trait>/<GSE>/``, ``TCGA/<name>/``). `target`: Output folder in
    the benchmark's layout; made when missing. `traits`: Traits to do; empty for all that have a GEO
    folder. `cohorts`: Cohort ids to do; empty for all. `expert`: Annotates the series; by default
    those of the options. `jobs`: Number of processes. `executor`: Where the cohorts are done, in
    place of processes of this machine. `force`: Do cohorts again that are already done. `progress`:
    Called with each outcome and the total number of cohorts, in order. `asking`: Called before,
    with each cohort that a model was asked about, its number and how many there are; only this
    process asks. Outcomes are in the order of traits and cohorts. A cohort that cannot be read
    carries its error and stops no other; its earlier output stays as it was. Raises UsageError if
    the input folder, a trait or a cohort does not exist, VocabularyFileError if the vocabulary file
    has a mistake.
    """
    options = name_annotator(options or PreprocessOptions())
    output = OutputFolder(target)
    expert = expert or expert_of(options, output.annotator_calls)
    tasks = _chosen_tasks(InputFolder(source), traits, cohorts, options)
    outcomes = []
    done = {} if force else _find_done(tasks, output, options)
    left = [task for task in tasks if task not in done]
    keys: AbstractContextManager[None] = nullcontext()
    if (jobs > 1 or executor is not None) and isinstance(expert, clinical.AskingExpert):
        expert, keys = annotate_ahead(left, expert, options, asking), models.keys_put_away()
    shared, hands = _Shared(target, options, expert, force), executor or Processes(jobs)
    # Closed at once where a record cannot be written: else processes go on with all that is left.
    with keys, closing(_in_order(tasks, done, left, shared, hands)) as ended:
        for task, outcome in ended:
            if outcome.info is not None:
                update_cohort_info(output.cohort_info(task.trait), task.cohort, outcome.info)
                if not outcome.info.is_usable:
                    remove_stale_tables(output, task.trait, task.cohort)
            outcomes.append(outcome)
            if progress is not None:
                progress(outcome, len(tasks))
    return outcomes


def _chosen_tasks(
    source: InputFolder, traits: Sequence[str], cohorts: Sequence[str], options: PreprocessOptions
) -> list[CohortTask]:
    """Return the cohorts to do, checked against what a person decided."""
    every = find_tasks(source, traits, options.vocabulary)
    tasks = tasks_named(every, cohorts)
    if options.sheet is not None and not cohorts:
        tasks = tasks_in_sheet(tasks, options.sheet)
    check_options(tasks, options)
    check_choices(tasks, [task.cohort for task in every], options)
    return tasks


@dataclass(frozen=True)
class _Shared:
    """What all cohorts of a run share."""

    target: Path
    options: PreprocessOptions
    expert: Expert
    force: bool


def _in_order(
    tasks: Sequence[CohortTask],
    done: Mapping[CohortTask, CohortOutcome],
    left: Sequence[CohortTask],
    shared: _Shared,
    executor: Executor,
) -> Generator[tuple[CohortTask, CohortOutcome], None, None]:
    """Yield the outcome of each task in order; those that are left are done meanwhile."""
    came = dict(done)
    pieces = [Piece(task, _memory(task)) for task in left]
    outcomes = executor.run(_do, shared, pieces)
    for task in tasks:
        while task not in came:
            outcome = next(outcomes)
            which = left[outcome.number]
            came[which] = outcome.result or CohortOutcome(
                which.trait, which.cohort, None, error=outcome.lost
            )
        yield task, came.pop(task)


_LEAST_MEMORY = 500_000_000
_MEMORY_PER_BYTE = 8
"""Bytes of memory for each byte of the largest input file (docs/cluster.md)."""


def _memory(task: CohortTask) -> int:
    """Return the bytes of memory that a cohort is expected to need."""
    return _LEAST_MEMORY + _MEMORY_PER_BYTE * max((p.stat().st_size for p in task.files), default=0)


def preprocess_cohort(
    task: CohortTask,
    output: OutputFolder,
    options: PreprocessOptions,
    expert: Expert,
    *,
    force: bool = False,
) -> tuple[Evidence, bool]:
    """Preprocess one cohort unless it is done already.

    Returns the record of the cohort, and whether it was done before. Raises GenotexError if a
    file cannot be read or an option does not fit; what was there before stays.
    """
    fingerprint = _fingerprint(task, options)
    if not force and (evidence := _done_before(task, output, fingerprint)) is not None:
        return evidence, True
    # Given away, so that nothing keeps the genes of a large cohort once they are written.
    prepared = [_prepare(task, options, expert)]
    with lock(output.evidence(task.trait, task.cohort)):
        return finish_cohort(prepared.pop(), output, options, fingerprint), False


def _prepare(task: CohortTask, options: PreprocessOptions, expert: Expert) -> PreparedCohort:
    if task.geo is not None:
        return prepare_geo_cohort(task.geo, expert, options)
    if task.tcga is not None:
        return prepare_tcga_cohort(task.tcga, task.trait, task.why, options)
    return prepare_absent_tcga(task.trait, task.why)


def _done_before(task: CohortTask, output: OutputFolder, fingerprint: str) -> Evidence | None:
    """Return the cohort's evidence if it and the tables are complete and up to date."""
    path = output.evidence(task.trait, task.cohort)
    try:
        evidence = read_evidence(path) if path.exists() else None
        if evidence is None or evidence.fingerprint != fingerprint:
            return None
        info = CohortInfo(**evidence.info)
    except (FormatError, TypeError):
        # Damaged, or written by a version with other fields: do it again.
        return None
    tables = [output.linked_csv, output.linked_parquet] if info.is_usable else []
    tables += [output.clinical_csv] if "trait" in evidence.encoded else []
    tables += [output.gene_csv] if evidence.mapping else []
    there = all(table(task.trait, task.cohort).exists() for table in tables)
    try:
        check_evidence(evidence, path, task.trait, task.cohort)
        check_linked_parquet(output, task.trait, task.cohort, evidence.tables)
    except FormatError:
        return None
    return evidence if there else None


def _find_done(
    tasks: Sequence[CohortTask], output: OutputFolder, options: PreprocessOptions
) -> dict[CohortTask, CohortOutcome]:
    """Return the cohorts that are done, for which no worker process must start."""
    found = {}
    for task in tasks:
        start = time.monotonic()
        evidence = _done_before(task, output, _fingerprint(task, options))
        if evidence is not None:
            found[task] = _outcome(task, evidence, start, unchanged=True)
    return found


def _outcome(
    task: CohortTask, evidence: Evidence, start: float, *, unchanged: bool
) -> CohortOutcome:
    return CohortOutcome(
        task.trait,
        task.cohort,
        CohortInfo(**evidence.info),
        notes=tuple(evidence.notes),
        warnings=tuple(evidence.warnings),
        unchanged=unchanged,
        seconds=time.monotonic() - start,
        review=evidence.reading.get("review", {}),
        certainty=evidence.reading.get("certainty"),
    )


def _do(shared: _Shared, task: CohortTask) -> CohortOutcome:
    start = time.monotonic()
    try:
        evidence, unchanged = preprocess_cohort(
            task, OutputFolder(shared.target), shared.options, shared.expert, force=shared.force
        )
    except GenotexError as error:
        return CohortOutcome(
            task.trait,
            task.cohort,
            None,
            error=str(error),
            seconds=time.monotonic() - start,
            stopped=isinstance(error, BudgetReachedError),
        )
    return _outcome(task, evidence, start, unchanged=unchanged)


def _fingerprint(task: CohortTask, options: PreprocessOptions) -> str:
    """Digest everything the result depends on: files by name, size and time; options; version."""
    reading = options.readings.get(task.cohort)
    table = options.gene_table
    facts = {
        "files": [(p.name, p.stat().st_size, p.stat().st_mtime_ns) for p in task.files],
        "procedure": options.procedure,
        "reading": None if reading is None else annotation_to_json(reading),
        "groups": [options.cases, options.controls, options.control_roles],
        "scale": options.scale,
        "encoding": options.encoding and options.encoding.name,
        "vocabulary": options.vocabulary and sha256(options.vocabulary),
        "least_certainty": options.least_certainty,
        "gene_table": table and (str(table), table.stat().st_size, table.stat().st_mtime_ns),
        "why": task.why,
        "version": genotex.__version__,
        **_fingerprint_of_choices(options),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _fingerprint_of_choices(options: PreprocessOptions) -> dict[str, object]:
    """Return what a person chose about the samples, and who annotates; only what is not usual."""
    chosen = {
        "samples": options.samples and (options.samples.name, sha256(options.samples)),
        "pairs": dict(options.pair_of),
        "exclude": options.exclude,
        "series_platform": options.series_platform,
        "values_from": options.values_from,
        "cell_type": options.cell_type,
        "annotator": options.annotator if options.asks else "",
    }
    return {name: value for name, value in chosen.items() if value}
