"""`genotex problems`: the list of problems, looked at and checked."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.output_file import check_other_file, check_output_file
from genotex.cli.problems_build import build
from genotex.cli.problems_json import counts_json, facts_json
from genotex.cli.problems_screen import show_condition, show_counts, show_findings, show_trait

if TYPE_CHECKING:
    from genotex.bench.problems import Problem

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True, help="Which traits are studied, under which conditions, and why."
)


class Kinds(StrEnum):
    """The three kinds of problems."""

    unconditional = "unconditional"
    one_step = "one-step"
    two_step = "two-step"


TaskInfoFile = Annotated[
    Path, typer.Option("--task-info", help="The benchmark's task_info.json, or one of your own.")
]


@app.command("list")
def list_problems(
    task_info: TaskInfoFile,
    trait: o.TraitNames = None,
    kind: Annotated[
        list[Kinds] | None, typer.Option("--kind", help="Problems of this kind; repeat.")
    ] = None,
    category: Annotated[
        list[str] | None,
        typer.Option("--category", help="Traits of this category, such as cancer; repeat."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Write a problem file: JSON, or CSV by its name."),
    ] = None,
    traits: o.TraitListFile = None,
    json: o.Json = False,
) -> None:
    r"""List problems, all or some; with -o as a file for 'genotex bench run'.

    Ends with exit code 1 where no problem is left.

    Examples:
      genotex problems list --task-info task_info.json --trait Asthma

      genotex problems list --task-info task_info.json --category cancer

      genotex problems list --task-info task_info.json \
          --kind unconditional -o problems.json
    """
    from genotex.bench.problems import TaskInfo, TraitList, write_problems

    if output is not None:
        check_output_file(output)
        check_other_file(output, task_info, "task list; write the problems")
    tasks, known = TaskInfo.load(task_info), TraitList.load(traits)
    names = {tasks.trait_name(name) for name in trait or tasks.traits}
    categories = {known.known_category(name) for name in category or ()}
    kinds = {item.value for item in kind or Kinds}
    every = tuple(dict.fromkeys(tasks.problems()))
    found = [
        p
        for p in every
        if p.trait in names
        and p.kind.value in kinds
        and (not categories or known.category(p.trait) in categories)
    ]
    rows = [_row(problem, known.category(problem.trait)) for problem in found]
    if json:
        screen.print_json(rows)
    elif output is None and found:
        screen.table(["trait", "condition", "kind", "category"], rows)
    if not found:
        screen.tell(f"no problem of {task_info} is left by these choices")
        raise typer.Exit(screen.NOTHING_USABLE)
    if output is not None:
        write_problems(output, found)
    where = f" in {output}" if output is not None else ""
    screen.tell(f"{len(found):,} of {len(every):,} problems{where}")


def _row(problem: Problem, category: str | None) -> dict[str, Any]:
    return {
        "trait": problem.trait,
        "condition": problem.condition,
        "kind": problem.kind.value,
        "category": category,
    }


@app.command()
def show(
    trait: Annotated[str, typer.Argument(metavar="TRAIT", help="The trait.")],
    task_info: TaskInfoFile,
    condition: Annotated[
        str | None, typer.Option("--condition", help="Age, Gender or another trait.")
    ] = None,
    traits: o.TraitListFile = None,
    json: o.Json = False,
) -> None:
    """Show a trait: its related genes and conditions, or one condition.

    With --condition it tells which related genes the two share, and whether
    the benchmark's rules make a problem of them.

    Examples:
      genotex problems show Asthma --task-info task_info.json

      genotex problems show Asthma --condition Eczema --task-info task_info.json
    """
    from genotex.bench.problems import (
        TaskInfo,
        TraitList,
        condition_named,
        describe_condition,
        describe_conditions,
    )

    tasks, known = TaskInfo.load(task_info), TraitList.load(traits)
    name = tasks.trait_name(trait)
    genes, category = tasks.related_genes(name), known.category(name)
    about = {"trait": name, "category": category, "related_genes": list(genes)}
    asked = None if condition is None else condition_named(condition)
    if asked is not None:
        facts = describe_condition(tasks, name, asked, known)
        if json:
            screen.print_json(about | facts_json(facts, genes=True))
        else:
            of_condition = tasks.traits.get(facts.condition)
            theirs = None if of_condition is None else len(of_condition.related_genes)
            show_condition(name, len(genes), theirs, facts)
        return
    conditions = describe_conditions(tasks, name, known)
    if json:
        rows = [facts_json(facts) for facts in conditions]
        screen.print_json(about | {"conditions": rows})
    else:
        show_trait(name, known.categories.get(category or ""), genes, conditions)


@app.command()
def stats(task_info: TaskInfoFile, traits: o.TraitListFile = None, json: o.Json = False) -> None:
    """Count traits, problems of each kind and category, and related genes.

    It also names the traits that lack related genes or conditions.

    Example:
      genotex problems stats --task-info task_info.json
    """
    from genotex.bench.problems import TaskInfo, TraitList, count_problems

    counts = count_problems(TaskInfo.load(task_info), TraitList.load(traits))
    if json:
        screen.print_json(counts_json(counts))
    else:
        show_counts(counts)


@app.command()
def check(
    task_info: TaskInfoFile, gene_table: o.GeneTableFile = None, json: o.Json = False
) -> None:
    """Check a task list: names, duplicates, conditions, gene symbols.

    Ends with exit code 1 where there are errors; warnings alone end with 0.

    Example:
      genotex problems check --task-info task_info.json
    """
    from dataclasses import asdict

    from genotex.bench.problems import check_task_info
    from genotex.genes import GeneTable

    findings = check_task_info(task_info, GeneTable.load(gene_table))
    if json:
        screen.print_json([asdict(finding) for finding in findings])
    else:
        show_findings(task_info, findings)
    wrong = any(finding.severity == "error" for finding in findings)
    raise typer.Exit(screen.NOTHING_USABLE if wrong else screen.DONE)


app.command()(build)
