"""`genotex preprocess`: raw files to linked tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.option_classes import with_options
from genotex.errors import UsageError
from genotex.options import PreprocessChoices

if TYPE_CHECKING:
    from genotex.clinical import ClinicalAnnotation
    from genotex.cohorts import CohortOutcome, PreprocessOptions
    from genotex.layout import InputFolder

import typer


@with_options
def preprocess(
    source: o.InputDir,
    output: o.OutputDir,
    data: PreprocessChoices,
    running: o.Running,
    machines: o.Machines,
    trait: o.TraitNames = (),
    cohort: o.CohortNames = (),
) -> None:
    r"""Turn raw GEO and TCGA files into linked tables, one for each cohort.

    Cohorts already processed with the same files and options are skipped.

    Examples:
      genotex preprocess input output

      genotex preprocess input output --trait Osteoarthritis --cohort GSE55457

      genotex preprocess input output --trait Gout --samples samples.csv

      genotex preprocess input output --trait Gout \
          --case "disease state=gout" --control "title~healthy"
    """
    from genotex.cohorts.stores import folders_of
    from genotex.parallel import Processes
    from genotex.workflows import prepare, review_commands

    settings = load_options(data)
    if not running.force:
        screen.resumes.set()
    needed = _needed(source, output, settings)
    with (
        machines.executor(*needed) as executor,
        folders_of(source, output, executor or Processes(running.jobs)) as (here, there, hands),
    ):
        note_trait_names(trait, data.vocabulary, here, cohort)
        with screen.work() as progress:
            outcomes = prepare(
                here,
                there,
                trait,
                settings,
                progress,
                cohorts=cohort,
                jobs=running.jobs,
                executor=hands,
                force=running.force,
            )
    if running.json:
        screen.print_json([asdict(outcome) for outcome in outcomes])
    else:
        show_outcomes(outcomes, review_commands(source, outcomes, settings, cohort))
        if any(outcome.info is not None for outcome in outcomes):
            screen.notify(f"tables are in {output / 'preprocess'}")
    raise typer.Exit(_exit_code(outcomes))


def _needed(source: Path, output: Path, settings: PreprocessOptions) -> list[Path | None]:
    """Return what every worker must see; refuses for stores what reads all files beforehand."""
    from genotex.cohorts.stores import store_at

    named = [settings.gene_table, settings.vocabulary]
    if store_at(source) is None and store_at(output) is None:
        return [source, *named]
    if settings.asks:
        msg = "a model is asked by this process, which needs the files of the series; use folders"
        raise UsageError(msg)
    groups = (settings.sheet, settings.cases, settings.controls, settings.pair_of)
    if any((*groups, settings.exclude, settings.series_platform)):
        msg = "choices about samples are checked against all files beforehand; use folders"
        raise UsageError(msg)
    return named


def load_options(chosen: PreprocessChoices) -> PreprocessOptions:
    """Return the choices with what is in the sample sheet, the pairs and the encoding file."""
    from genotex import cohorts

    options = cohorts.load_options(chosen)
    if options.sheet is not None:
        screen.notify(options.sheet.understood, "note")
    return options


def given_annotation(
    settings: PreprocessOptions, cohort: str, trait: str
) -> ClinicalAnnotation | None:
    """Return the annotation of one series from the encoding file, if a file was given.

    Raises `UsageError` if the file lacks the series, or was made for another trait.
    """
    from genotex.clinical import load_vocabulary

    if settings.encoding is None:
        return None
    meant = settings.readings_of
    same_trait = load_vocabulary(settings.vocabulary).names.same
    if meant is not None and not same_trait(meant, trait):
        msg = f"{settings.encoding} was made for {meant}, not for {trait}"
        raise UsageError(msg)
    if cohort not in settings.readings:
        there = ", ".join(settings.readings) or "no series"
        msg = f"{settings.encoding} does not hold {cohort}; it holds {there}"
        raise UsageError(msg)
    return settings.readings[cohort]


def note_trait_names(
    traits: Sequence[str],
    vocabulary: Path | None,
    source: Path | None = None,
    cohorts: Sequence[str] = (),
) -> None:
    """Note how each trait name is interpreted if it is not the listed one, and unused definitions.

    `traits`: the names, as they were given. `vocabulary`: the user's own vocabulary file. `source`:
    the input folder. A trait with TCGA data alone is found by sample barcodes, not by words, so its
    name gets no note. `cohorts`: the cohorts that are used; empty for all.
    """
    from genotex.clinical import load_vocabulary
    from genotex.layout import InputFolder

    words = load_vocabulary(vocabulary)
    for trait in traits:
        if source is not None and _is_tcga_alone(trait, InputFolder(source), cohorts):
            continue
        if note := words.named(trait).note:
            screen.notify(note, "note")
    others = words.unused_tables(traits) if traits else ()
    if others:
        screen.notify(f"{vocabulary}: {', '.join(others)} is not the trait asked for", "note")


def _is_tcga_alone(trait: str, source: InputFolder, cohorts: Sequence[str]) -> bool:
    from genotex.cohorts import choose_folder

    series = [found.cohort for found in source.geo_cohorts(trait)]
    if any(name in cohorts for name in series) if cohorts else series:
        return False
    return choose_folder(trait, source.tcga_folders()).folder is not None


def show_outcomes(outcomes: Sequence[CohortOutcome], commands: Sequence[str] = ()) -> None:
    """Print one line for each cohort, then what was dropped or is open, and errors.

    `commands`: write sheets of what is to be reviewed.
    """
    columns = ["trait", "cohort", "usable", "samples", "age", "gender", "why"]
    screen.table(columns, [_row(outcome) for outcome in outcomes])
    for outcome in outcomes:
        name = f"{outcome.trait}/{outcome.cohort}"
        if outcome.by_person:
            screen.notify(f"{name}: {outcome.by_person}", "note")
        if outcome.groups_to_choose:
            screen.notify(f"{name}: {outcome.groups_to_choose}", "note")
        for what, text in outcome.review.items():
            screen.notify(f"{name}, {what}: {text}", "review", "yellow")
        for text in outcome.expression:
            screen.notify(f"{name}: {text}", "note")
        if outcome.warnings:
            screen.notify(f"{name}: {'; '.join(outcome.warnings)}", "warning")
        if outcome.error is not None:
            screen.notify(f"{name}: {outcome.error}", "not done", "red")

    if commands:
        screen.show("\nA sheet to review, with the uncertain samples first:")
        for command in commands:
            screen.show(f"  {command}")


def _row(outcome: CohortOutcome) -> dict[str, Any]:
    row: dict[str, Any] = {"trait": outcome.trait, "cohort": outcome.cohort}
    info = outcome.info
    if info is None:
        return row | {"usable": False, "why": "not done, see below"}
    row |= {
        "usable": info.is_usable,
        "samples": info.sample_size,
        "age": info.has_age,
        "gender": info.has_gender,
    }
    if not info.is_usable:
        row["why"] = outcome.why_not_usable
    elif outcome.unchanged:
        row["why"] = "done before"
    return row


def _exit_code(outcomes: Sequence[CohortOutcome]) -> int:
    if any(outcome.stopped for outcome in outcomes):
        return screen.STOPPED
    if any(outcome.error is not None for outcome in outcomes):
        return screen.WRONG_USE
    usable = any(outcome.info is not None and outcome.info.is_usable for outcome in outcomes)
    return screen.DONE if usable else screen.NOTHING_USABLE
