"""Preprocessing of all cohorts of some traits: restartable, parallel, nothing half-done."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import genotex
from genotex.clinical import (
    Expert,
    annotation_to_json,
    describe_series,
    load_vocabulary,
    rule_expert,
)
from genotex.cohorts.geo import prepare_geo_cohort
from genotex.cohorts.geo_files import SUBMITTED, choose_file
from genotex.cohorts.linking import REFUSALS
from genotex.cohorts.prepared import BY_PERSON, PreprocessOptions
from genotex.cohorts.records import finish_cohort, remove_stale_tables
from genotex.cohorts.tcga import prepare_absent_tcga, prepare_tcga_cohort
from genotex.cohorts.tcga_files import choose_folder
from genotex.errors import FormatError, GenotexError, UsageError
from genotex.formats import CohortInfo, Evidence, read_evidence, sha256, update_cohort_info
from genotex.genes import ZEROS_KEPT
from genotex.io import lock
from genotex.layout import (
    TCGA_COHORT,
    GeoCohortFiles,
    InputFolder,
    OutputFolder,
    TcgaCohortFiles,
    trait_folder_name,
)
from genotex.parallel import side_by_side

if TYPE_CHECKING:
    from genotex.clinical import SampleSheet

__all__ = ["CohortOutcome", "check_choices", "preprocess", "preprocess_cohort"]


@dataclass(frozen=True)
class CohortTask:
    """One cohort to preprocess: `geo` or `tcga` is set, neither for a trait that TCGA lacks."""

    trait: str
    cohort: str
    geo: GeoCohortFiles | None = None
    tcga: TcgaCohortFiles | None = None
    why: str = ""

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that may be read."""
        if self.geo is not None:
            return self.geo.inputs
        if self.tcga is None:
            return ()
        found = (self.tcga.clinical, self.tcga.expression, self.tcga.expression_pancan)
        return tuple(path for path in found if path is not None)


@dataclass(frozen=True)
class CohortOutcome:
    """The outcome of one cohort.

    Attributes
    ----------
    trait, cohort : str
    info : CohortInfo or None
        None when the cohort could not be read.
    notes : tuple of str
        The cohort's notes, from its evidence.
    warnings : tuple of str
        Why samples, or more than a few genes, are not in its linked table.
    error : str or None
        Why it could not be read.
    unchanged : bool
        True if an earlier run did it with the same files, options and version.
    seconds : float
    """

    trait: str
    cohort: str
    info: CohortInfo | None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    error: str | None = None
    unchanged: bool = False
    seconds: float = 0.0

    @property
    def why_not_usable(self) -> str:
        """The reasons among the notes."""
        return "; ".join(note for note in self.notes if note.startswith(REFUSALS))

    @property
    def by_person(self) -> str:
        """The note on groups and samples that a person decided; empty where no person did."""
        return next((note for note in self.notes if note.startswith(BY_PERSON)), "")

    @property
    def submitted(self) -> str:
        """The note on the submitter's table that was used; empty where none was."""
        return next((note for note in self.notes if note.startswith(SUBMITTED)), "")

    @property
    def zeros_kept(self) -> str:
        """The note on zeros that were kept as measurements; empty where none were."""
        return next((note for note in self.notes if note.startswith(ZEROS_KEPT)), "")


def preprocess(
    source: Path,
    target: Path,
    *,
    traits: Sequence[str] = (),
    cohorts: Sequence[str] = (),
    options: PreprocessOptions | None = None,
    expert: Expert | None = None,
    jobs: int = 1,
    force: bool = False,
    progress: Callable[[CohortOutcome, int], None] | None = None,
) -> list[CohortOutcome]:
    """Preprocess the cohorts of an input folder.

    Parameters
    ----------
    source : Path
        Input folder (``GEO/<Trait>/<GSE>/``, ``TCGA/<name>/``).
    target : Path
        Output folder in the benchmark's layout; made when missing.
    traits : sequence of str
        Traits to do; empty for all that have a GEO folder.
    cohorts : sequence of str
        Cohort ids to do; empty for all.
    options : PreprocessOptions, optional
    expert : Expert, optional
        Annotates the series; by default the built-in rules with these options.
    jobs : int
        Number of processes.
    force : bool
        Do cohorts again that are already done.
    progress : callable, optional
        Called with each outcome and the total number of cohorts, in order.

    Returns
    -------
    list of CohortOutcome
        In the order of traits and cohorts. A cohort that cannot be read carries its error and
        stops no other; its earlier output stays as it was.

    Raises
    ------
    UsageError
        If the input folder, a trait or a cohort does not exist.
    VocabularyFileError
        If the vocabulary file of the options has a mistake.
    """
    options = options or PreprocessOptions()
    expert = expert or rule_expert(
        options.procedure,
        vocabulary=options.vocabulary,
        least_certainty=options.least_certainty,
    )
    output = OutputFolder(target)
    every = _find_tasks(InputFolder(source), traits, options.vocabulary)
    tasks = _named(every, cohorts)
    if options.sheet is not None and not cohorts:
        tasks = _in_sheet(tasks, options.sheet)
    _check_options(tasks, options)
    check_choices(tasks, [task.cohort for task in every], options)
    outcomes = []
    done = {} if force else _find_done(tasks, output, options)
    left = [task for task in tasks if task not in done]
    with side_by_side(min(jobs, len(left))) as run:
        results = run(_do, ((task, target, options, expert, force) for task in left))
        for task in tasks:
            outcome = done[task] if task in done else next(results)
            if outcome.info is not None:
                path = output.cohort_info(outcome.trait)
                update_cohort_info(path, outcome.cohort, outcome.info)
                if not outcome.info.is_usable:
                    remove_stale_tables(output, outcome.trait, outcome.cohort)
            outcomes.append(outcome)
            if progress is not None:
                progress(outcome, len(tasks))
    return outcomes


def preprocess_cohort(
    task: CohortTask,
    output: OutputFolder,
    options: PreprocessOptions,
    expert: Expert,
    *,
    force: bool = False,
) -> tuple[Evidence, bool]:
    """Preprocess one cohort unless it is done already.

    Returns
    -------
    evidence : Evidence
        The record of the cohort.
    unchanged : bool
        Whether it was done before.

    Raises
    ------
    GenotexError
        If a file cannot be read or an option does not fit; what was there before stays.
    """
    fingerprint = _fingerprint(task, options)
    if not force and (evidence := _done_before(task, output, fingerprint)) is not None:
        return evidence, True
    if task.geo is not None:
        prepared = prepare_geo_cohort(task.geo, expert, options)
    elif task.tcga is not None:
        prepared = prepare_tcga_cohort(task.tcga, task.trait, task.why, options)
    else:
        prepared = prepare_absent_tcga(task.trait, task.why)
    with lock(output.evidence(task.trait, task.cohort)):
        return finish_cohort(prepared, output, options, fingerprint), False


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
    )


def _do(work: tuple[CohortTask, Path, PreprocessOptions, Expert, bool]) -> CohortOutcome:
    task, target, options, expert, force = work
    start = time.monotonic()
    try:
        evidence, unchanged = preprocess_cohort(
            task, OutputFolder(target), options, expert, force=force
        )
    except GenotexError as error:
        seconds = time.monotonic() - start
        return CohortOutcome(task.trait, task.cohort, None, error=str(error), seconds=seconds)
    return _outcome(task, evidence, start, unchanged=unchanged)


def _find_tasks(
    source: InputFolder, traits: Sequence[str], vocabulary: Path | None
) -> list[CohortTask]:
    folders = source.tcga_folders()
    tasks: list[CohortTask] = []
    for trait in dict.fromkeys(trait_folder_name(t) for t in traits or source.traits()):
        found = [CohortTask(trait, f.cohort, geo=f) for f in source.geo_cohorts(trait)]
        choice = choose_folder(trait, folders)
        if choice.folder is not None:
            found.append(CohortTask(trait, TCGA_COHORT, tcga=choice.folder, why=choice.reason))
        if not found and traits:
            there = ", ".join(source.traits()) or "no trait"
            msg = f"no cohorts of {trait} in {source.root}: GEO holds {there}; {choice.reason}"
            same_trait = load_vocabulary(vocabulary).names.same
            same = [name for name in source.traits() if same_trait(name, trait)]
            raise UsageError(f"{msg}; perhaps --trait {same[0]}" if same else msg)
        if found and folders and choice.folder is None:
            found.append(CohortTask(trait, TCGA_COHORT, why=choice.reason))
        tasks += found
    if not tasks:
        names = ", ".join(folder.name for folder in folders) or "none"
        msg = (
            f"{source.root}: GEO holds no trait with cohorts; for TCGA name the trait (folders "
            f"there: {names})"
        )
        raise UsageError(msg)
    return tasks


def _named(tasks: list[CohortTask], cohorts: Sequence[str]) -> list[CohortTask]:
    """Return the cohorts with these ids; all of them where none is named."""
    if not cohorts:
        return tasks
    missing = set(cohorts) - {task.cohort for task in tasks}
    if missing:
        msg = f"no cohort {', '.join(sorted(missing))} among " + ", ".join(
            f"{task.trait}/{task.cohort}" for task in tasks
        )
        raise UsageError(msg)
    return [task for task in tasks if task.cohort in cohorts]


def _check_options(tasks: Sequence[CohortTask], options: PreprocessOptions) -> None:
    traits = {task.trait for task in tasks}
    by_hand = options.cases or options.controls or options.readings or options.sheet
    if by_hand and len(traits) > 1:
        msg = (
            "groups, sample sheets and encodings made by hand apply to one trait, but "
            f"{len(traits)} are to be preprocessed ({', '.join(sorted(traits))}); name it"
        )
        raise UsageError(msg)
    meant = options.readings_of
    same_trait = load_vocabulary(options.vocabulary).names.same
    if meant is not None and not any(same_trait(meant, trait) for trait in traits):
        msg = (
            f"the encoding file was made for {meant}, not for {', '.join(sorted(traits))}; "
            "make one with 'genotex clinical show --save'"
        )
        raise UsageError(msg)
    unknown = set(options.readings) - {task.cohort for task in tasks}
    if unknown:
        msg = (
            f"the encoding file holds {', '.join(sorted(unknown))}, "
            "which is not among the cohorts to preprocess"
        )
        raise UsageError(msg)
    if options.gene_table is not None and not options.gene_table.is_file():
        msg = f"gene table {options.gene_table} is not a file"
        raise UsageError(msg)


def _in_sheet(tasks: list[CohortTask], sheet: SampleSheet) -> list[CohortTask]:
    """Return the cohorts that a sample sheet names; all of them where it names none."""
    named = {name.casefold() for name in sheet.series}
    unknown = named - {task.cohort.casefold() for task in tasks}
    # An unknown series is a mistake, which the check of the sheet explains.
    kept = [task for task in tasks if task.cohort.casefold() in named]
    return kept if named and kept and not unknown else tasks


def check_choices(
    tasks: Sequence[CohortTask], every: Sequence[str], options: PreprocessOptions
) -> None:
    """Check what a person decided against all series, before any file is written."""
    groups = (options.sheet, options.cases, options.controls)
    if not any((*groups, options.pair_of, options.exclude, options.series_platform)):
        return
    from genotex.clinical import check_conditions, check_sample_sheet, samples_text

    headers = {}
    for task in tasks:
        # A series that cannot be read is reported when it is its turn.
        with suppress(FormatError):
            if task.geo is not None:
                headers[task.cohort] = choose_file(task.geo, options.series_platform).series
    series = {cohort: header.samples for cohort, header in headers.items()}
    others = [cohort for cohort in every if cohort not in headers]
    if options.sheet is not None:
        check_sample_sheet(options.sheet, series, others)
    described = [describe_series(header) for header in headers.values()]
    check_conditions(described, options.cases, options.controls, options.exclude)
    known = {name for samples in series.values() for name in samples}
    if unknown := [name for name in options.pair_of if name not in known]:
        near = get_close_matches(unknown[0], known, n=3)
        perhaps = f"; the nearest are {', '.join(near)}" if near else ""
        msg = (
            f"{options.pairs}: {samples_text(unknown)} not among the samples of "
            f"{', '.join(series)}{perhaps}"
        )
        raise UsageError(msg)


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
    """Return what a person chose about the samples; empty where nothing was."""
    chosen = {
        "samples": options.samples and (options.samples.name, sha256(options.samples)),
        "pairs": dict(options.pair_of),
        "exclude": options.exclude,
        "series_platform": options.series_platform,
    }
    return {name: value for name, value in chosen.items() if value}
