"""What a step of a notebook can be, and what is asked for in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from genotex.agents.promises import Promised
from genotex.agents.prompts import render_prompt
from genotex.agents.task import NotebookKind, Task
from genotex.errors import UsageError
from genotex.problems import ProblemKind


@dataclass(frozen=True)
class ActionUnit:
    """One step that a notebook may have."""

    kind: NotebookKind  # Kind of notebook: ``geo``, ``tcga`` or ``statistics``
    name: str  # Name of the step, unique within its kind
    # Functions of the toolkit that the step may need; a Domain Expert sees only these.
    functions: tuple[str, ...] = ()
    needs_domain_knowledge: bool = False  # Whether the Domain Expert writes and reviews it
    may_skip: str = ""  # When the step is to be left out; empty if never
    completes: bool = False  # Whether it ends the notebook; it has no code then
    promises: tuple[Promised, ...] = ()  # Variables that later steps use
    # Steps whose output its author sees, in addition to that of the step before.
    shows: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The name in words."""
        return self.name.replace("_", " ")

    @property
    def prompt(self) -> str:
        """Name of the template that holds the instruction."""
        return f"units/{self.kind}/{self.name}.md.j2"

    def instruction(self, task: Task) -> str:
        """Return what is asked for in this step, for a task."""
        return render_prompt(self.prompt, task=task)


_FINISH = ("link", "handle_missing_values", "judge_bias", "save_table", "save_cohort_info")
_SOLVE = ("choose_data", "load_data", "analyse", "moderated_t", "own_result", "save_result")
_SOLVED = (
    Promised("choice", ("Choice",)),
    Promised("data", ("LoadedData",)),
    Promised("result", ("Result", "OwnResult")),
)
_FEATURE = ("Feature", "NoneType")
_NAME = ("str", "NoneType")
_YES_OR_NO = ("bool", "bool_")

_GEO = (
    ActionUnit(
        "geo",
        "load_data",
        ("find_files", "read_series", "unique_values"),
        promises=(Promised("files", ("CohortFiles",)), Promised("series", ("SeriesText",))),
    ),
    ActionUnit(
        "geo",
        "read_clinical_features",
        (
            "unique_values",
            "looks_like_gene_expression",
            "encode_feature",
            "clinical_table",
            "save_table",
            "save_cohort_info",
        ),
        needs_domain_knowledge=True,
        promises=(
            Promised("gene_available", _YES_OR_NO),
            *(Promised(name, _FEATURE) for name in ("trait", "age", "gender")),
            Promised("clinical", ("ClinicalTable",)),
        ),
        shows=("load_data",),
    ),
    ActionUnit(
        "geo",
        "extract_gene_data",
        ("read_expression", "preview", "save_cohort_info"),
        promises=(Promised("expression", ("Expression",)),),
        may_skip="where the series has no gene expression: that is recorded already",
    ),
    ActionUnit(
        "geo",
        "review_gene_ids",
        ("identify_rows", "preview"),
        needs_domain_knowledge=True,
        promises=(Promised("needs_mapping", _YES_OR_NO),),
        shows=("extract_gene_data",),
        may_skip="where the series has no gene expression",
    ),
    ActionUnit(
        "geo",
        "read_annotation",
        ("read_annotation", "preview"),
        promises=(Promised("annotation", ("Annotation",)),),
        may_skip="where the row ids need no mapping, or name genes of a database",
    ),
    ActionUnit(
        "geo",
        "map_gene_ids",
        ("map_probes", "preview", "save_cohort_info"),
        needs_domain_knowledge=True,
        promises=(Promised("mapped", ("MappedRows",)),),
        shows=("read_annotation",),
        may_skip="where the row ids are gene symbols",
    ),
    ActionUnit(
        "geo",
        "normalise_and_link",
        ("normalise_symbols", *_FINISH),
        promises=(Promised("genes", ("Genes",)),),
        may_skip="where the series has no gene expression",
    ),
    ActionUnit("geo", "task_completed", completes=True),
)

_TCGA = (
    ActionUnit(
        "tcga",
        "load_data",
        ("find_files", "read_clinical_matrix", "save_cohort_info"),
        promises=(Promised("files", ("CohortFiles",)), Promised("columns", ("ClinicalColumns",))),
    ),
    ActionUnit(
        "tcga",
        "find_demographic_columns",
        ("preview", "unique_values"),
        needs_domain_knowledge=True,
        promises=(
            Promised("age_candidates", ("list", "tuple")),
            Promised("gender_candidates", ("list", "tuple")),
        ),
        shows=("load_data",),
        may_skip="where no folder means the trait",
    ),
    ActionUnit(
        "tcga",
        "choose_demographic_columns",
        ("preview", "unique_values"),
        needs_domain_knowledge=True,
        promises=(Promised("age_column", _NAME), Promised("gender_column", _NAME)),
        shows=("load_data",),
        may_skip="where no folder means the trait",
    ),
    ActionUnit(
        "tcga",
        "build_features",
        ("encode_feature", "clinical_table", "read_expression", "normalise_symbols", *_FINISH),
        promises=(Promised("clinical", ("ClinicalTable",)),),
        may_skip="where no folder means the trait",
    ),
    ActionUnit("tcga", "task_completed", completes=True),
)

_STATISTICS = (
    ActionUnit(
        "statistics",
        "unconditional_regression",
        _SOLVE,
        promises=_SOLVED,
        may_skip="where the problem has a condition",
    ),
    ActionUnit(
        "statistics",
        "one_step_regression",
        _SOLVE,
        promises=_SOLVED,
        may_skip="where the condition is not Age or Gender",
    ),
    ActionUnit(
        "statistics",
        "two_step_regression",
        _SOLVE,
        promises=_SOLVED,
        may_skip="where the condition is not another trait",
    ),
    ActionUnit("statistics", "task_completed", completes=True),
)

_UNITS: dict[NotebookKind, tuple[ActionUnit, ...]] = {
    "geo": _GEO,
    "tcga": _TCGA,
    "statistics": _STATISTICS,
}


def action_units(kind: NotebookKind) -> tuple[ActionUnit, ...]:
    """Return the steps of a kind of notebook in their usual order."""
    return _UNITS[kind]


def whole_task(kind: NotebookKind) -> ActionUnit:
    """Return all steps of a kind of notebook as one, for an agent that writes one script."""
    functions = {name for unit in _UNITS[kind] for name in unit.functions}
    return ActionUnit(kind, "whole_task", tuple(sorted(functions)), needs_domain_knowledge=True)


def action_unit(kind: NotebookKind, name: str) -> ActionUnit:
    """Return a step, or ``whole_task``, by its name."""
    for unit in (*_UNITS[kind], whole_task(kind)):
        if unit.name == name:
            return unit
    msg = f"{kind} has no step {name!r}; use {', '.join(u.name for u in _UNITS[kind])}"
    raise UsageError(msg)


_REGRESSIONS = {
    ProblemKind.UNCONDITIONAL: "unconditional_regression",
    ProblemKind.ONE_STEP: "one_step_regression",
    ProblemKind.TWO_STEP: "two_step_regression",
}


def usual_steps(task: Task) -> tuple[ActionUnit, ...]:
    """Return the steps in their usual order; of the regressions the one that fits the problem."""
    units = action_units(task.kind)
    if task.kind != "statistics":
        return units
    fitting = _REGRESSIONS[task.problem.kind]
    return tuple(unit for unit in units if unit.completes or unit.name == fitting)


def usual_next(task: Task, done: Sequence[str]) -> ActionUnit:
    """Return the first step after the last one done, in the usual order."""
    units = usual_steps(task)
    names = [unit.name for unit in units]
    last = max((names.index(name) for name in done if name in names), default=-1)
    return units[min(last + 1, len(units) - 1)]
