"""`genotex preprocess`: raw files to linked tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.trait_names import tell_names
from genotex.errors import UsageError

if TYPE_CHECKING:
    from genotex.clinical import ClinicalAnnotation
    from genotex.cohorts import CohortOutcome, PreprocessOptions

__all__ = [
    "build_options",
    "given_reading",
    "preprocess",
    "preprocess_with_progress",
    "show_outcomes",
]


def preprocess(
    source: o.InputDir,
    output: o.OutputDir,
    trait: o.TraitNames = None,
    cohort: o.CohortNames = None,
    procedure: o.ProcedureName = o.Procedures.sound,
    encoding: o.EncodingFile = None,
    case: o.CaseValues = None,
    control: o.ControlValues = None,
    controls: o.Controls = o.ControlRoles.auto,
    scale: o.ScaleName = o.Scales.auto,
    gene_table: o.GeneTableFile = None,
    vocabulary: o.VocabularyFile = None,
    least_certainty: o.LeastCertainty = 0.0,
    jobs: o.Jobs = 1,
    force: o.Force = False,
    json: o.Json = False,
) -> None:
    """Turn raw GEO and TCGA files into linked tables, one for each cohort.

    A cohort that is done already, with the same files and options, is not
    done again.

    Examples:
      genotex preprocess input output

      genotex preprocess input output --trait Osteoarthritis --cohort GSE55457

      genotex preprocess input output --trait Gout --case gout --control normal
    """
    settings = build_options(
        procedure=procedure,
        encoding=encoding,
        case=case,
        control=control,
        controls=controls,
        scale=scale,
        gene_table=gene_table,
        vocabulary=vocabulary,
        least_certainty=least_certainty,
    )
    if not force:
        screen.resumes.set()
    tell_names(trait or (), vocabulary, source, cohort or ())
    outcomes = preprocess_with_progress(
        source, output, trait or (), cohort or (), settings, jobs=jobs, force=force
    )
    if json:
        screen.print_json([asdict(outcome) for outcome in outcomes])
    else:
        show_outcomes(outcomes)
        if any(outcome.info is not None for outcome in outcomes):
            screen.tell(f"tables are in {output / 'preprocess'}")
    raise typer.Exit(_exit_code(outcomes))


def build_options(
    *,
    procedure: o.Procedures,
    encoding: Path | None,
    case: Sequence[str] | None,
    control: Sequence[str] | None,
    controls: o.ControlRoles,
    scale: o.Scales,
    gene_table: Path | None,
    vocabulary: Path | None,
    least_certainty: float,
) -> PreprocessOptions:
    """Gather command-line options into the library's."""
    from genotex.clinical import load_annotations
    from genotex.cohorts import PreprocessOptions

    saved = None if encoding is None else load_annotations(encoding)
    return PreprocessOptions(
        procedure=procedure.value,
        readings={} if saved is None else saved.annotations,
        readings_of=None if saved is None else saved.trait,
        encoding=encoding,
        cases=tuple(case or ()),
        controls=tuple(control or ()),
        control_roles=controls.value,
        scale=scale.value,
        gene_table=gene_table,
        vocabulary=vocabulary,
        least_certainty=least_certainty,
    )


def given_reading(
    settings: PreprocessOptions, cohort: str, trait: str
) -> ClinicalAnnotation | None:
    """Return the reading of one series from the encoding file, where one was given.

    Raises
    ------
    UsageError
        If the file does not hold the series, or was made for another trait.
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


def preprocess_with_progress(
    source: Path,
    output: Path,
    traits: Sequence[str],
    cohorts: Sequence[str],
    settings: PreprocessOptions,
    *,
    jobs: int,
    force: bool,
) -> list[CohortOutcome]:
    """Preprocess behind a progress bar."""
    from genotex import cohorts as room

    with screen.progress("reading cohorts") as step:
        return room.preprocess(
            source,
            output,
            traits=traits,
            cohorts=cohorts,
            options=settings,
            jobs=jobs,
            force=force,
            progress=lambda outcome, total: step(f"{outcome.trait} {outcome.cohort}", total),
        )


def show_outcomes(outcomes: Sequence[CohortOutcome]) -> None:
    """Print one line for each cohort, then what was dropped, and errors."""
    columns = ["trait", "cohort", "usable", "samples", "age", "gender", "why"]
    screen.table(columns, [_row(outcome) for outcome in outcomes])
    for outcome in outcomes:
        name = f"{outcome.trait}/{outcome.cohort}"
        if outcome.zeros_kept:
            screen.tell(f"{name}: {outcome.zeros_kept}", "note")
        if outcome.warnings:
            screen.tell(f"{name}: {'; '.join(outcome.warnings)}", "warning")
        if outcome.error is not None:
            screen.tell(f"{name}: {outcome.error}", "not done", "red")


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
    if any(outcome.error is not None for outcome in outcomes):
        return screen.WRONG_USE
    usable = any(outcome.info is not None and outcome.info.is_usable for outcome in outcomes)
    return screen.DONE if usable else screen.NOTHING_USABLE
