"""Raw files to tables that can be analysed: what `genotex preprocess` and `solve` do first."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from genotex.clinical import load_vocabulary
from genotex.clinical.trait.scoring import NO_NAME
from genotex.cohorts import CohortOutcome, PreprocessOptions, preprocess
from genotex.errors import UsageError
from genotex.layout import InputFolder
from genotex.parallel import Executor
from genotex.problems import Problem, ProblemKind
from genotex.workflows.progress import Progress, silent

_BY_HAND: dict[str, Any] = {
    "readings": {},
    "readings_of": None,
    "encoding": None,
    "samples": None,
    "sheet": None,
    "cases": (),
    "controls": (),
    "exclude": (),
    "pairs": None,
    "pair_of": {},
    "series_platform": (),
}
"""Options that let the rules decide about the samples of another trait."""


def prepare(
    source: Path,
    output: Path,
    traits: Sequence[str],
    options: PreprocessOptions,
    progress: Progress = silent,
    *,
    cohorts: Sequence[str] = (),
    jobs: int = 1,
    executor: Executor | None = None,
    force: bool = False,
) -> list[CohortOutcome]:
    """Preprocess cohorts of traits: raw files to tables that can be analysed.

    Without `traits` or `cohorts` all are taken; those that have not changed are read again only
    with `force`. An `executor` takes the place of this machine's processes (`jobs`).

    Raises
    ------
    UsageError
        If the folder holds no such cohort, a choice does not fit it, or a trait seems misspelled.
    """
    stage, done = "reading cohorts", 0
    progress(stage, 0, None, "")

    def note(outcome: CohortOutcome, total: int) -> None:
        nonlocal done
        done += 1
        progress(stage, done, total, f"{outcome.trait} {outcome.cohort}")

    def note_asked(cohort: str, number: int, total: int) -> None:
        progress("asking about series", number, total, cohort)

    outcomes = preprocess(
        source,
        output,
        traits=traits,
        cohorts=cohorts,
        options=options,
        jobs=jobs,
        executor=executor,
        force=force,
        progress=note,
        asking=note_asked,
    )
    for trait in {outcome.trait for outcome in outcomes} if InputFolder(source).is_loose else ():
        _refuse_misspelled(trait, [each for each in outcomes if each.trait == trait], options)
    return outcomes


def _refuse_misspelled(
    trait: str, outcomes: Sequence[CohortOutcome], options: PreprocessOptions
) -> None:
    """Refuse a name that no series has, and that is written nearly as that of a listed trait."""
    if not all(NO_NAME in outcome.why_not_usable for outcome in outcomes):
        return
    named = load_vocabulary(options.vocabulary).named(trait)
    if named.perhaps and named.disease is None:
        series = ", ".join(outcome.cohort for outcome in outcomes)
        msg = f"{series}: {NO_NAME}: {trait!r} is not listed; perhaps {', '.join(named.perhaps)}"
        raise UsageError(msg)


def prepare_condition(
    source: Path,
    output: Path,
    problem: Problem,
    options: PreprocessOptions,
    progress: Progress = silent,
    *,
    cohort: str | None = None,
    **how: Any,
) -> list[CohortOutcome]:
    """Preprocess the cohorts of a condition that is another trait; none where it is not.

    Encoding and values that the user gave are those of the trait: the rules decide here. `cohort`
    is the one that was chosen; `how` as in `prepare`.
    """
    if problem.kind is not ProblemKind.TWO_STEP:
        return []
    plain = replace(options, **_BY_HAND)
    named = [] if cohort is None else [cohort]
    return prepare(source, output, [str(problem.condition)], plain, progress, cohorts=named, **how)


def review_commands(
    source: Path | str,
    cohorts: Sequence[CohortOutcome],
    options: PreprocessOptions,
    named: Sequence[str] = (),
) -> list[str]:
    """Return for each trait with cohorts to review the command that writes a sheet of them.

    `named`: the cohorts that were asked for; the sheet holds all of these, for it replaces what the
    rules found in each.
    """
    given = {
        "cohort": named,
        "vocabulary": (options.vocabulary,) if options.vocabulary else (),
        "annotator": (options.annotator,) if options.asks else (),
        "series-platform": options.series_platform,
    }
    words = [str(w) for name, values in given.items() for v in values for w in (f"--{name}", v)]
    traits = dict.fromkeys(each.trait for each in cohorts if each.review)
    start = ("genotex", "clinical", "sheet", str(source), "--trait")
    return [shlex.join([*start, trait, *words]) for trait in traits]
