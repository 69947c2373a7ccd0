"""What an evaluation will score: everything in the reference for the chosen tasks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from genotex.bench.evaluation.analysis_task import AnsweredTrait, UniverseFile, read_universe
from genotex.bench.evaluation.folder_items import (
    TRAPS_FILE,
    ScoredFolder,
    answered_problems,
    described_traits,
)
from genotex.bench.evaluation.options import RULES, TASKS, EvaluationOptions, Task
from genotex.bench.evaluation.preprocessing import WantedTable, wanted_tables
from genotex.bench.evaluation.selection import CohortChooser
from genotex.errors import UsageError
from genotex.layout import OutputFolder
from genotex.problems import Problem, ProblemKind, TaskInfo


@dataclass(frozen=True)
class _ChosenPart:
    """Some problems and the cohorts that they need; all of them where none were named."""

    problems: frozenset[Problem] | None

    def has_problem(self, problem: Problem) -> bool:
        """Return whether a problem is scored."""
        return self.problems is None or problem in self.problems

    def has_trait(self, trait: str) -> bool:
        """Return whether the cohorts of a trait are scored."""
        return self.problems is None or trait in self._traits

    def note(self) -> str:
        """Describe what is scored; empty if it is everything."""
        if self.problems is None:
            return ""
        problems, traits = len(self.problems), len(self._traits)
        return (
            f"only {problems:,} problem{'' if problems == 1 else 's'} and the cohorts of "
            f"{traits:,} trait{'' if traits == 1 else 's'} were asked for; the rest of the "
            "reference does not count"
        )

    @cached_property
    def _traits(self) -> frozenset[str]:
        return frozenset(trait for problem in self.problems or () for trait in problem.traits)


_PUBLISHED_PLACE = Path("metadata") / "task_info.json"


@dataclass(frozen=True)
class _PosedProblems:
    """The problems whose cohorts the reference knows."""

    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


def load_tasks(given: Path | None, reference: OutputFolder) -> tuple[TaskInfo | None, str]:
    """Read the task list, with a note when it was not asked for by name.

    Without a given file it is ``metadata/task_info.json`` next to the reference folder or in the
    working folder, as in the published layout, or none.
    """
    if given is not None:
        return TaskInfo.load(given), ""
    for folder in (reference.root.absolute().parent, Path()):
        path = folder / _PUBLISHED_PLACE
        if path.is_file():
            return TaskInfo.load(path), f"problems and related genes are those of {path}"
    return None, ""


def pose_problems(reference: OutputFolder, tasks: TaskInfo | None) -> _PosedProblems:
    """Return the problems that dataset selection can be asked.

    Those of the task list; without one, those that the reference answers; without answers, each
    trait alone. The reference must have the ``cohort_info.json`` of the trait and, where the
    condition is another trait, of the condition. A condition that is another trait also needs the
    related genes of both, so the task list.
    """
    described = described_traits(reference)
    if tasks is not None:
        asked = list(tasks.problems())
    else:
        asked = answered_problems(reference) or [Problem(trait) for trait in described]
    with_cohorts = [p for p in asked if set(p.traits) <= set(described)]
    posed = [p for p in with_cohorts if is_decidable(p, tasks)]
    notes = []
    if unknown := len(asked) - len(with_cohorts):
        notes.append(
            f"selection: {_problems(unknown)} of {len(asked):,} not posed, because the reference "
            "has no cohort_info.json of the trait or of the condition"
        )
    if undecided := len(with_cohorts) - len(posed):
        why = (
            "whose related genes are unknown; give --task-info"
            if tasks is None
            else f"that is not in {tasks.path}"
        )
        notes.append(
            f"selection: {_problems(undecided)} left out with another trait as condition {why}"
        )
    return _PosedProblems(tuple(posed), tuple(notes))


def is_decidable(problem: Problem, tasks: TaskInfo | None) -> bool:
    """Return whether the related genes that a pair of cohorts is chosen by are known."""
    if problem.kind is not ProblemKind.TWO_STEP:
        return True
    return tasks is not None and set(problem.traits) <= set(tasks.traits)


def _problems(count: int) -> str:
    return f"{count:,} problem{'' if count == 1 else 's'}"


_FOLDERS: dict[Task, str] = {
    "selection": "preprocess",
    "preprocessing": "preprocess",
    "analysis": "regress",
}


@dataclass(frozen=True)
class EvaluationPlan:
    """The work of one evaluation."""

    tasks: tuple[Task, ...]
    known: TaskInfo | None
    traits: tuple[str, ...]
    problems: tuple[Problem, ...]
    tables: tuple[WantedTable, ...]
    answers: tuple[AnsweredTrait, ...]
    chooser: CohortChooser
    notes: tuple[str, ...]

    @property
    def items(self) -> int:
        """Return how many items there are to score in an output folder."""
        answers = sum(len(work.problems) for work in self.answers)
        return len(self.traits) + len(self.problems) + len(self.tables) + answers


def make_plan(reference: ScoredFolder, options: EvaluationOptions) -> EvaluationPlan:
    """List what can be scored in the reference; no table is read."""
    tasks, notes = _choose_tasks(reference, options.tasks)
    if isinstance(options.gene_universe, Path):
        # Report a mistake in it before everything else is read.
        read_universe(UniverseFile("symbols", options.gene_universe))
    known, source = None, ""
    trapped = (reference.root / TRAPS_FILE).is_file()
    if "selection" in tasks or options.gene_universe == "reference" or trapped:
        known, source = load_tasks(options.task_info, reference)
    notes += [source] if source else []
    part = _ChosenPart(None if options.problems is None else frozenset(options.problems))
    notes += [part.note()] if part.note() else []
    chooser = CohortChooser(reference, known, options.regressors, RULES[options.rules])
    described = described_traits(reference) if "selection" in tasks else []
    problems = _posed(reference, described, known, notes) if "selection" in tasks else ()
    tables = _tables(reference, options, notes) if "preprocessing" in tasks else []
    answers = _answers(chooser, options, part, known, notes) if "analysis" in tasks else []
    return EvaluationPlan(
        tasks,
        known,
        tuple(trait for trait in described if part.has_trait(trait)),
        tuple(problem for problem in problems if part.has_problem(problem)),
        tuple(table for table in tables if part.has_trait(table.trait)),
        tuple(answers),
        chooser,
        tuple(notes),
    )


def _choose_tasks(
    reference: OutputFolder, asked: tuple[Task, ...] | None
) -> tuple[tuple[Task, ...], list[str]]:
    wanted = TASKS if asked is None else tuple(task for task in TASKS if task in asked)
    there = tuple(task for task in wanted if (reference.root / _FOLDERS[task]).is_dir())
    lacking = {
        name: whose
        for name, whose in _by_folder(wanted).items()
        if not (reference.root / name).is_dir()
    }
    if asked is not None and lacking:
        name, whose = next(iter(lacking.items()))
        msg = (
            f"{reference.root} has no folder {name}, against which {' and '.join(whose)} would be "
            "scored; give another reference or leave the task out"
        )
        raise UsageError(msg)
    if not there:
        msg = (
            f"{reference.root} contains neither preprocess/ nor regress/; give the output folder "
            "of the reference"
        )
        raise UsageError(msg)
    return there, [
        f"{' and '.join(whose)} left out: {reference.root} has no folder {name}"
        for name, whose in lacking.items()
    ]


def _by_folder(tasks: Iterable[Task]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for task in tasks:
        grouped.setdefault(_FOLDERS[task], []).append(task)
    return grouped


def empty_folders(prediction: OutputFolder, tasks: Iterable[Task]) -> list[str]:
    """Warn where a wrong folder may have been named; a missing prediction is no error."""
    return [
        f"{prediction.root} has no folder {name}, so all of {' and '.join(whose)} is 0"
        for name, whose in _by_folder(tasks).items()
        if not (prediction.root / name).is_dir()
    ]


def _posed(
    reference: OutputFolder, described: Sequence[str], known: TaskInfo | None, notes: list[str]
) -> tuple[Problem, ...]:
    if not described:
        notes.append(f"selection: {reference.root} has no cohort_info.json")
        return ()
    posed = pose_problems(reference, known)
    notes += posed.notes
    return posed.problems


def _tables(
    reference: ScoredFolder, options: EvaluationOptions, notes: list[str]
) -> list[WantedTable]:
    tables = wanted_tables(
        reference, options.tables, repair=options.repair_reference, rules=RULES[options.rules]
    )
    there = {table.kind for table in tables}
    notes += [
        f"preprocessing: {reference.root} has no {kind} tables"
        for kind in options.tables
        if kind not in there
    ]
    return tables


def _answers(
    chooser: CohortChooser,
    options: EvaluationOptions,
    part: _ChosenPart,
    known: TaskInfo | None,
    notes: list[str],
) -> list[AnsweredTrait]:
    """Return the answers of the reference by trait."""
    reference = chooser.folder
    by_trait: dict[str, list[tuple[Problem, UniverseFile | None]]] = {}
    without = 0
    for problem in filter(part.has_problem, answered_problems(reference)):
        source = _all_genes(chooser, problem, options, known)
        without += source is None
        by_trait.setdefault(problem.trait, []).append((problem, source))
    if not by_trait:
        notes.append(f"analysis: {reference.root} has no result")
    if without and options.gene_universe is not None:
        notes.append(
            "analysis: the reference has no linked table for "
            f"{without:,} problem{'' if without == 1 else 's'}, so the padding to 20,000 genes "
            "is used there"
        )
    return [
        AnsweredTrait(reference.root, tuple(problems), options.metrics, chooser.rules)
        for problems in by_trait.values()
    ]


def _all_genes(
    chooser: CohortChooser, problem: Problem, options: EvaluationOptions, known: TaskInfo | None
) -> UniverseFile | None:
    """Return the source of the genes that could have been found; None if unknown."""
    if options.gene_universe is None:
        return None
    if options.gene_universe != "reference":
        return UniverseFile("symbols", options.gene_universe)
    choice = chooser.choose(problem) if is_decidable(problem, known) else None
    path = None if choice is None else chooser.folder.linked_csv(problem.trait, choice[0])
    return None if path is None or not path.is_file() else UniverseFile("linked table", path)
