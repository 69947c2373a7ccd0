"""The benchmark as assignments, for any framework: what an agent is asked, gets and writes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, get_args

from genotex.bench.evaluation.folder_items import (
    ScoredFolder,
    answered_problems,
    cohorts_with,
    table_path,
)
from genotex.bench.evaluation.options import DEFAULT_TABLES
from genotex.bench.evaluation.plan import load_tasks, pose_problems
from genotex.bench.runs.method import Context, problem_json
from genotex.errors import UsageError
from genotex.formats import read_cohort_info
from genotex.layout import TCGA_COHORT, InputFolder, OutputFolder
from genotex.problems import Problem, ProblemKind, TaskInfo

AgentTask = Literal["gta", "preprocess", "select", "analyse"]
"""``gta``: raw files to genes. ``preprocess``: the tables of one cohort. ``select``: which cohorts
are usable. ``analyse``: genes from prepared tables."""

AGENT_TASKS: tuple[AgentTask, ...] = get_args(AgentTask)

INPUT, PREPARED, OUTPUT, SCRATCH = "input", "preprocessed", "output", "scratch"
"""Folders in the agent's working folder."""

TASK_INFO, PROBLEM = "task_info.json", "problem.json"


@dataclass(frozen=True)
class BenchmarkFolders:
    """The folders of a benchmark."""

    # raw files: `GEO/<Trait>/<GSE>/` and `TCGA/`. Not needed for the task `analyse`
    source: InputFolder | None
    reference: ScoredFolder  # an output folder with the reference results
    tasks: TaskInfo | None  # related genes and conditions of the traits; None if unknown

    @classmethod
    def find(
        cls, source: Path | None, reference: Path, task_info: Path | None = None
    ) -> BenchmarkFolders:
        """Return the folders; the task list may be in the input folder or next to the reference."""
        if not reference.is_dir():
            msg = f"{reference} is not a folder; give the output folder of the reference"
            raise UsageError(msg)
        if task_info is None and source is not None and (source / TASK_INFO).is_file():
            task_info = source / TASK_INFO
        folder = ScoredFolder(reference.absolute())
        tasks, _ = load_tasks(task_info, folder)
        raw = None if source is None else InputFolder(source.absolute())
        return cls(raw, folder, tasks)


@dataclass(frozen=True)
class Assignment:
    """One assignment."""

    task: AgentTask
    problem: Problem  # the problem; of the task `preprocess` the trait alone
    cohort: str | None  # the cohort to prepare; None for other tasks
    files: Mapping[str, Path]  # path in the working folder -> the file or folder to put there
    # path in the working folder -> content of a small file: the task list, the problem
    texts: Mapping[str, str]
    # patterns of the files in the output folder that count, such as `regress/Asthma/*.json`
    answers: tuple[str, ...]

    @property
    def name(self) -> str:
        """The problem in words, with the cohort."""
        return str(self.problem) if self.cohort is None else f"{self.problem.trait} {self.cohort}"

    @property
    def result(self) -> str:
        """Where in the output folder the main file of the answer goes."""
        output = OutputFolder(Path())
        trait = self.problem.trait
        if self.cohort is not None:
            return output.linked_csv(trait, self.cohort).as_posix()
        if self.task == "select":
            return output.cohort_info(trait).as_posix()
        return output.significant_genes(trait, self.problem.condition).as_posix()

    @property
    def instruction(self) -> str:
        """What the agent is asked to do, in Markdown."""
        return _instruction_text(self.task, self.problem, self.cohort, f"{OUTPUT}/{self.result}")

    def counts(self, name: str) -> bool:
        """Return whether a file of the output folder belongs to the answer."""
        return any(fnmatchcase(name, pattern) for pattern in self.answers)

    def stage(self, folder: Path, *, copy: Callable[[Path, Path], object] | None = None) -> None:
        """Put everything that the agent gets into a working folder."""
        place = copy or copy_files
        folder.mkdir(parents=True, exist_ok=True)
        for name, source in self.files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            place(source, target)
        for name, text in self.texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        (folder / OUTPUT).mkdir(exist_ok=True)
        (folder / SCRATCH).mkdir(exist_ok=True)


def copy_files(source: Path, target: Path) -> None:
    """Copy a file, or a folder with everything in it."""
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copyfile(source, target)


def list_assignments(
    task: AgentTask,
    folders: BenchmarkFolders,
    problems: Sequence[Problem] | None = None,
    *,
    tcga: bool = True,
) -> list[Assignment]:
    """Return the assignments of a task: the items that ``genotex evaluate`` scores.

    Parameters
    ----------
    task
        ``gta`` and ``analyse``: every problem that the reference answers. ``preprocess``: every
        cohort of which the reference has a table. ``select``: every problem whose cohorts the
        reference lists.
    folders
        The benchmark.
    problems
        Only these problems, and the cohorts of their traits; None: all.
    tcga
        Hand out the TCGA studies as well, all of them; the real ones have several gigabytes.

    Raises
    ------
    UsageError
        If the task needs raw files and there are none, or nothing can be scored.
    """
    if task not in AGENT_TASKS:
        msg = f"unknown task {task!r}; use {', '.join(AGENT_TASKS)}"
        raise UsageError(msg)
    if task != "analyse" and folders.source is None:
        msg = f"the task {task} starts from raw files; give the input folder"
        raise UsageError(msg)
    make = _cohort_assignments if task == "preprocess" else _problem_assignments
    found = list(make(task, folders, None if problems is None else frozenset(problems), tcga))
    if not found:
        msg = f"{folders.reference.root} has nothing that the task {task} could be scored against"
        raise UsageError(msg)
    return found


def _cohort_assignments(
    task: AgentTask, folders: BenchmarkFolders, only: frozenset[Problem] | None, tcga: bool
) -> Iterator[Assignment]:
    traits = None if only is None else {trait for each in only for trait in each.traits}
    reference = folders.reference
    cohorts = dict.fromkeys(
        pair for kind in DEFAULT_TABLES for pair in cohorts_with(reference, kind)
    )
    for trait, cohort in sorted(cohorts):
        if traits is not None and trait not in traits:
            continue
        files = _raw_cohort(folders, trait, cohort, tcga)
        if not files:
            continue
        problem = Problem(trait)
        output = OutputFolder(Path())
        tables = (table_path(output, kind, trait, cohort).as_posix() for kind in DEFAULT_TABLES)
        answers = (output.cohort_info(trait).as_posix(), *tables)
        texts = _texts(task, problem, folders, cohort)
        yield Assignment(task, problem, cohort, files, texts, answers)


def _problem_assignments(
    task: AgentTask, folders: BenchmarkFolders, only: frozenset[Problem] | None, tcga: bool
) -> Iterator[Assignment]:
    if task == "select":
        problems: Sequence[Problem] = pose_problems(folders.reference, folders.tasks).problems
    else:
        problems = answered_problems(folders.reference)
    output = OutputFolder(Path())
    for problem in problems:
        if only is not None and problem not in only:
            continue
        if task == "analyse":
            files = _prepared(folders.reference, problem)
        else:
            files = _raw_files(folders, problem, tcga)
        if task == "select":
            infos = [output.cohort_info(trait) for trait in problem.traits]
            tables = [path.with_name("*.csv") for path in infos] if len(infos) > 1 else []
            answers = tuple(path.as_posix() for path in (*infos, *tables))
        else:
            answers = (output.significant_genes(problem.trait, problem.condition).as_posix(),)
        yield Assignment(task, problem, None, files, _texts(task, problem, folders), answers)


def _raw_files(folders: BenchmarkFolders, problem: Problem, tcga: bool) -> dict[str, Path]:
    found: dict[str, Path] = {}
    assert folders.source is not None
    for trait in problem.traits:
        for series in folders.source.geo_cohorts(trait):
            found[f"{INPUT}/GEO/{trait}/{series.cohort}"] = series.folder
    return found | (_tcga(folders.source) if tcga else {})


def _raw_cohort(folders: BenchmarkFolders, trait: str, cohort: str, tcga: bool) -> dict[str, Path]:
    assert folders.source is not None
    if cohort == TCGA_COHORT or cohort == "Xena":
        return _tcga(folders.source) if tcga else {}
    series = (each for each in folders.source.geo_cohorts(trait) if each.cohort == cohort)
    return {f"{INPUT}/GEO/{trait}/{cohort}": each.folder for each in series}


def _tcga(source: InputFolder) -> dict[str, Path]:
    return {f"{INPUT}/TCGA/{each.name}": each.folder for each in source.tcga_folders()}


def _prepared(reference: ScoredFolder, problem: Problem) -> dict[str, Path]:
    """Return the cohort records and linked tables of a problem's traits, and no answers."""
    found = {}
    there = OutputFolder(Path())
    for trait in problem.traits:
        info = reference.cohort_info(trait)
        if not info.is_file():
            continue
        names = {there.cohort_info(trait): info}
        for cohort in read_cohort_info(info):
            names[there.linked_csv(trait, cohort)] = reference.linked_csv(trait, cohort)
        for name, path in names.items():
            if path.is_file():
                found[f"{PREPARED}/{name.relative_to('preprocess').as_posix()}"] = path
    return found


def _texts(
    task: AgentTask, problem: Problem, folders: BenchmarkFolders, cohort: str | None = None
) -> dict[str, str]:
    """Return the problem as plug-ins of `bench run` get it, and the part of the task list."""
    known = {} if folders.tasks is None else folders.tasks.traits
    part = {
        trait: {
            "related_genes": list(known[trait].related_genes),
            "conditions": list(known[trait].conditions),
        }
        for trait in problem.traits
        if trait in known
    }
    tasks = folders.tasks or TaskInfo(Path(TASK_INFO), {})
    context = Context(OutputFolder(Path(OUTPUT)), Path(SCRATCH), None, None, tasks)
    own: dict[str, Any] = {
        "task": task,
        "cohort": cohort,
        "input": None if task == "analyse" else INPUT,
        "preprocessed": PREPARED if task == "analyse" else None,
        "task_info": TASK_INFO,
    }
    record = problem_json(problem, context) | own
    return {
        PROBLEM: json.dumps(record, indent=2) + "\n",
        TASK_INFO: json.dumps(part, indent=4) + "\n",
    }


_GENES = """\
Write your answer as JSON to `{result}`:

```json
{{"significant_genes": {{"Variable": ["CXCL9", "GBP1"]}}}}
```

`Variable` lists official human gene symbols, the most important first. Further columns, such as
`Coefficient`, must have the same length.
With the condition Age or Gender, `"significant_interactions": {{"Variable": [...]}}` next to it
names the genes whose difference depends on the condition.
"""

_RAW = """\
`input/GEO/<trait>/<series>/` has series matrices and family SOFT files as GEO distributes them,
`input/TCGA/<study>/` the clinical matrix and gene expression of TCGA studies, where there are any.
Not every series is usable: some lack the trait, gene expression, or enough samples.
"""

_RECORD = """\
`output/preprocess/<trait>/cohort_info.json` has one object for each cohort, by its name (the
series accession; `TCGA` for a TCGA study): `is_usable`, `is_gene_available`,
`is_trait_available`, `is_available`, `is_biased`, `has_age`, `has_gender` (true or false),
`sample_size` (a number) and `note`. A cohort is available if it has both gene expression and the
trait, and usable if its trait is not severely biased either.
"""

_TABLES = """\
`output/preprocess/<trait>/<cohort>.csv` is the linked table: one row per sample; the columns are
the sample id, the trait (0 and 1, or a number), Age in years and Gender (0 female, 1 male) where
they are known, then one column per gene, by official symbol.
"""

_OTHER_TABLES = """\
`clinical_data/<cohort>.csv` (trait, Age and Gender in rows, samples in columns) and
`gene_data/<cohort>.csv` (genes in rows, samples in columns) go next to it.
"""


def _instruction_text(task: str, problem: Problem, cohort: str | None, result: str) -> str:
    """Return the instruction of an assignment; all paths are relative to the working folder."""
    opening = {
        "gta": f"Find the genes that are associated with {_words(problem)}, from raw data.",
        "preprocess": f"Prepare the cohort {cohort} for the study of {_plain(problem.trait)}.",
        "select": f"Decide which cohorts can be used to study {_words(problem)}.",
        "analyse": f"Find the genes that are associated with {_words(problem)}, from prepared "
        "tables.",
    }[task]
    parts = {
        "gta": (_RAW, _method(problem), _GENES),
        "preprocess": (_RAW, _RECORD, _TABLES + _OTHER_TABLES),
        "select": (_RAW, _RECORD, _choice(problem)),
        "analyse": (_PREPARED, _method(problem), _GENES),
    }[task]
    closing = (
        "`problem.json` holds this assignment for programs, `task_info.json` genes that are known "
        "to be related to the trait. Use the data here alone; all paths are relative to the "
        "working folder.\n"
    )
    # Only the text of the genes has a place to fill in.
    filled = (part.format(result=result) if part is _GENES else part for part in parts)
    return "\n".join((opening + "\n", *filter(None, filled), closing))


_PREPARED = """\
`preprocessed/<trait>/cohort_info.json` lists the cohorts and which of them are usable;
`preprocessed/<trait>/<cohort>.csv` is a linked table: one row per sample; sample id, trait, Age
and Gender where they are known, then one column per gene.
"""


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _words(problem: Problem) -> str:
    trait = _plain(problem.trait)
    if problem.condition is None:
        return trait
    condition = {"Age": "age", "Gender": "sex"}.get(problem.condition, _plain(problem.condition))
    return f"{trait}, adjusted for {condition}"


def _method(problem: Problem) -> str:
    if problem.kind is ProblemKind.UNCONDITIONAL:
        return "Use the usable cohort with the most samples.\n"
    if problem.kind is ProblemKind.ONE_STEP:
        return (
            f"Use the usable cohort with the most samples among those that have {problem.condition}"
            ", and adjust for it.\n"
        )
    return (
        f"No cohort records {_plain(str(problem.condition))} together with the trait. Predict it "
        "in a cohort of the trait from the expression of its related genes, with a model fitted "
        "in a cohort of the condition, and adjust for the prediction.\n"
    )


def _choice(problem: Problem) -> str:
    if problem.kind is ProblemKind.TWO_STEP:
        return _TABLES + (
            "Write records and linked tables for the cohorts of both traits. The pair that is "
            "chosen is the one with the largest product of sample sizes among the usable pairs "
            "that share a gene related to the condition.\n"
        )
    among = "" if problem.condition is None else f" that have {problem.condition}"
    return (
        f"The cohort that is chosen is the usable one with the most samples{among}, by your "
        "records.\n"
    )
