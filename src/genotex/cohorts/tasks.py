"""The cohorts of an input folder that are to be preprocessed, and whether the choices fit them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from genotex.clinical import describe_series, load_vocabulary
from genotex.cohorts.geo.files import choose_file
from genotex.cohorts.prepared import PreprocessOptions
from genotex.cohorts.tcga.files import choose_folder
from genotex.errors import FormatError, UsageError
from genotex.layout import (
    TCGA_COHORT,
    GeoCohortFiles,
    InputFolder,
    TcgaCohortFiles,
    trait_folder_name,
)

if TYPE_CHECKING:
    from genotex.clinical import SampleSheet


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


def find_tasks(
    source: InputFolder, traits: Sequence[str], vocabulary: Path | None
) -> list[CohortTask]:
    """Return the cohorts of some traits; of all that have a GEO folder where none is named."""
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
    if not tasks and source.is_loose:
        msg = f"the series of {source.root} are in no folder of a trait; name the trait (--trait)"
        raise UsageError(msg)
    if not tasks:
        names = ", ".join(folder.name for folder in folders) or "none"
        msg = (
            f"{source.root}: GEO holds no trait with cohorts; for TCGA name the trait (folders "
            f"there: {names})"
        )
        raise UsageError(msg)
    return tasks


def tasks_named(tasks: list[CohortTask], cohorts: Sequence[str]) -> list[CohortTask]:
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


def check_options(tasks: Sequence[CohortTask], options: PreprocessOptions) -> None:
    """Check that what was decided by hand fits the cohorts."""
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


def tasks_in_sheet(tasks: list[CohortTask], sheet: SampleSheet) -> list[CohortTask]:
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
    if options.sheet is not None and (headers or not tasks):
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
