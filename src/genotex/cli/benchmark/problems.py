"""`genotex problems`: list, show, count, check and build gene-trait association problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.benchmark.problems_screen import (
    built_json,
    counts_json,
    facts_json,
    show_built,
    show_condition,
    show_counts,
    show_findings,
    show_trait,
)
from genotex.cli.option_classes import Only, with_options
from genotex.errors import UsageError
from genotex.options import Option, PreprocessChoices

if TYPE_CHECKING:
    from genotex.problems import ListedTrait, Problem, RelatedGenes, TaskInfo, TraitInfo, TraitList

app = typer.Typer(
    no_args_is_help=True, help="Which traits are studied, under which conditions, and why."
)


class _Kind(StrEnum):  # Typer has no lists of literals.
    unconditional = "unconditional"
    one_step = "one-step"
    two_step = "two-step"


TaskInfoFile = Annotated[
    Path, Option("The benchmark's task_info.json, or one of your own.", "--task-info")
]


@dataclass(frozen=True)
class _ListedProblems:
    """Which problems of the task list."""

    trait: o.TraitNames = ()
    kind: Annotated[
        list[_Kind] | None, typer.Option("--kind", help="Problems of this kind; repeat.")
    ] = None
    category: Annotated[
        tuple[str, ...], Option("Traits of this category, such as cancer; repeat.")
    ] = ()

    def among(self, tasks: TaskInfo, known: TraitList) -> list[Problem]:
        """Return them, each once."""
        names = {tasks.trait_name(name) for name in self.trait or tasks.traits}
        categories = {known.known_category(name) for name in self.category}
        kinds = {item.value for item in self.kind or _Kind}
        return [
            p
            for p in dict.fromkeys(tasks.problems())
            if p.trait in names
            and p.kind.value in kinds
            and (not categories or known.category(p.trait) in categories)
        ]


@app.command("list")
@with_options
def list_problems(
    task_info: TaskInfoFile,
    which: _ListedProblems,
    output: Annotated[
        Path | None, Option("Write a problem file: JSON, or CSV by its name.", short="-o")
    ] = None,
    traits: o.TraitListFile = None,
    json: o.Json = False,
) -> None:
    r"""List problems, all or some; with -o as a file for 'genotex bench run'.

    Ends with exit code 1 if no problem is left.

    Examples:
      genotex problems list --task-info task_info.json --trait Asthma

      genotex problems list --task-info task_info.json --category cancer

      genotex problems list --task-info task_info.json \
          --kind unconditional -o problems.json
    """
    from genotex.problems import TaskInfo, TraitList, write_problems

    if output is not None:
        o.check_output_file(output)
        o.check_other_file(output, task_info, "task list; write the problems")
    tasks, known = TaskInfo.load(task_info), TraitList.load(traits)
    found = which.among(tasks, known)
    columns: dict[str, screen.Column] = {
        "trait": "trait",
        "condition": "condition",
        "kind": "kind.value",
        "category": lambda problem: known.category(problem.trait),
    }
    if json:
        screen.print_json(screen.rows(found, columns))
    elif output is None:
        screen.records(found, columns)
    if not found:
        screen.notify(f"{task_info} has no problem of these choices")
        raise typer.Exit(screen.NOTHING_USABLE)
    if output is not None:
        write_problems(output, found)
    where = f" in {output}" if output is not None else ""
    screen.notify(f"{len(found):,} of {len(set(tasks.problems())):,} problems{where}")


@app.command()
@with_options
def show(
    trait: Annotated[str, o.argument("TRAIT", "The trait.")],
    task_info: TaskInfoFile,
    condition: Annotated[str | None, Option("Age, Gender or another trait.")] = None,
    traits: o.TraitListFile = None,
    json: o.Json = False,
) -> None:
    """Show a trait: its related genes and conditions, or one condition.

    With --condition it shows which related genes the two share, and whether
    the benchmark's rules make a problem of them.

    Examples:
      genotex problems show Asthma --task-info task_info.json

      genotex problems show Asthma --condition Eczema --task-info task_info.json
    """
    from genotex.problems import (
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
@with_options
def stats(task_info: TaskInfoFile, traits: o.TraitListFile = None, json: o.Json = False) -> None:
    """Count traits, problems of each kind and category, and related genes.

    It also names the traits that lack related genes or conditions.

    Example:
      genotex problems stats --task-info task_info.json
    """
    from genotex.problems import TaskInfo, TraitList, count_problems

    counts = count_problems(TaskInfo.load(task_info), TraitList.load(traits))
    if json:
        screen.print_json(counts_json(counts))
    else:
        show_counts(counts)


@app.command()
@with_options
def check(
    task_info: TaskInfoFile,
    data: Annotated[PreprocessChoices, Only("gene_table")],
    json: o.Json = False,
) -> None:
    """Check a task list: names, duplicates, conditions, gene symbols.

    Ends with exit code 1 if there are errors; warnings alone end with 0.

    Example:
      genotex problems check --task-info task_info.json
    """
    from genotex.genes import GeneTable
    from genotex.problems import check_task_info

    findings = check_task_info(task_info, GeneTable.load(data.gene_table))
    if json:
        screen.print_json([asdict(finding) for finding in findings])
    else:
        show_findings(task_info, findings)
    wrong = any(finding.severity == "error" for finding in findings)
    raise typer.Exit(screen.NOTHING_USABLE if wrong else screen.DONE)


_COMPARED_AT = (0.05, 0.1, 0.15, 0.2)
"""Thresholds that are compared with the chosen one, to show how much it matters."""


_FRACTION = "<float range> [0<=x<=1]"


@dataclass(frozen=True)
class _Build:
    """What a task list is built from, and by which thresholds."""

    associations: Annotated[
        Path | None,
        Option(
            "Open Targets' associationByOverallDirect: a folder or file, JSON lines or Parquet."
        ),
    ] = None
    disease_ids: Annotated[
        Path | None, Option("Disease ids of the traits: lines of trait, tab, id, or JSON or TOML.")
    ] = None
    genes_from: Annotated[
        Path | None,
        Option("Use the related genes of this task_info.json, and compare with its pairs."),
    ] = None
    traits: o.TraitListFile = None
    threshold: Annotated[
        float, Option("Least Jaccard similarity of a pair that no rule decides.", metavar=_FRACTION)
    ] = 0.1
    score: Annotated[
        float, Option("Related genes have a higher association score.", metavar=_FRACTION)
    ] = 0.2

    def __post_init__(self) -> None:
        """Refuse a number outside 0 to 1, and nan."""
        for value in (self.threshold, self.score):
            if not 0 <= value <= 1:
                msg = f"{value:g} is not a fraction; use a number from 0 to 1"
                raise UsageError(msg)


@app.command()
@with_options
def build(
    choices: _Build,
    data: Annotated[PreprocessChoices, Only("gene_table")],
    output: Annotated[Path | None, Option("The task_info.json to write.", short="-o")] = None,
    json: o.Json = False,
) -> None:
    r"""Build a task list: related genes, then pairs of trait and condition.

    The rules are those of the benchmark's paper. Without -o nothing is
    written, only printed.

    Examples:
      genotex problems build --associations associations \
          --disease-ids ids.tsv -o task_info.json

      genotex problems build --genes-from task_info.json

      genotex problems build --genes-from task_info.json \
          --threshold 0.2 -o fewer.json
    """
    from genotex.problems import (
        GeneOverlap,
        TraitList,
        build_conditions,
        compare_pairs,
        write_task_info,
    )

    if output is not None:
        o.check_output_file(output)
    known = TraitList.load(choices.traits)
    given, threshold = choices.associations, choices.threshold
    if choices.genes_from is not None and given is None and choices.disease_ids is None:
        sources = _from_list(choices.genes_from, known, output)
    elif given is not None and choices.genes_from is None:
        sources = _from_associations(given, choices, known, data.gene_table)
    else:
        msg = "give --associations with --disease-ids, or --genes-from alone"
        raise UsageError(msg)
    overlap = GeneOverlap(sources.genes)
    built = build_conditions(sources.traits, sources.genes, overlap, threshold)
    compared = [
        compare_pairs(sources.traits, sources.published, overlap, at)
        for at in sorted({threshold, *_COMPARED_AT})
        if sources.published is not None
    ]
    if output is not None:
        write_task_info(output, built)
    if json:
        screen.print_json(built_json(built, threshold, sources.related, compared))
    else:
        show_built(built, threshold, sources.related, compared)
    if output is not None:
        screen.notify(f"saved: {output}")


@dataclass(frozen=True)
class _Sources:
    """What a task list is built from: traits, their genes, and where these come from."""

    traits: Sequence[ListedTrait]
    genes: Mapping[str, Sequence[str]]
    related: RelatedGenes | None = None
    published: Mapping[str, TraitInfo] | None = None


def _from_list(path: Path, known: TraitList, output: Path | None) -> _Sources:
    """Use the traits and genes of an existing task list."""
    from genotex.problems import TaskInfo

    if output is not None:
        o.check_other_file(output, path, "published list; write the built one")
    published = TaskInfo.load(path).traits
    genes = {trait: info.related_genes for trait, info in published.items()}
    return _Sources(known.among(published), genes, published=published)


def _from_associations(
    path: Path, choices: _Build, known: TraitList, gene_table: Path | None
) -> _Sources:
    """Find the related genes of all listed traits."""
    from genotex.genes import GeneTable
    from genotex.problems import find_related_genes, read_disease_ids
    from genotex.problems.related_genes import read_associations

    given = {} if choices.disease_ids is None else read_disease_ids(choices.disease_ids)
    known.among(given)
    traits = tuple(known.traits.values())
    diseases = {trait.name: given.get(trait.name, trait.diseases) for trait in traits}
    wanted = {disease for ids in diseases.values() for disease in ids}
    if not wanted:
        msg = "no trait has a disease id; give them with --disease-ids"
        raise UsageError(msg)
    with screen.progress("reading associations") as step:
        found = read_associations(path, wanted, choices.score, progress=step)
    if found.repeated:
        screen.notify(
            f"{found.repeated:,} associations occur more than once, the highest score "
            "counts; is this the data set of overall scores?",
            "warning",
        )
    related = find_related_genes(diseases, found, GeneTable.load(gene_table))
    return _Sources(traits, related.genes, related)
