"""`genotex evaluate-labels`: a score against the benchmark's labels and verified ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.errors import UsageError

if TYPE_CHECKING:
    from genotex.evaluation.labels import LabelEvaluation, LabelledCase, Section

__all__ = ["CasesFile", "evaluate_labels"]

CasesFile = Annotated[
    Path, typer.Option("--cases", help="Labelled cases, one JSON object a line (.gz allowed).")
]

_TITLES = {
    "cases": "cases: row and coding of each feature",
    "filtering": "dataset filtering: gene expression and the trait available, in percent",
    "clinical": "clinical tables: share of samples coded alike",
}
MOST_TOLD = 5


def evaluate_labels(
    cases: CasesFile,
    prediction: Annotated[
        Path | None,
        typer.Argument(
            help="Predictions of 'genotex clinical infer', or an output folder of any tool. "
            "Without: how the sets of labels differ."
        ),
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option("--labels", help="A set of labels; repeat for several. [default: all]"),
    ] = None,
    trait: o.TraitNames = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--input",
            help="Folder that holds GEO/<Trait>/<GSE>/: score clinical tables sample by sample.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Folder for the scores as JSON and CSV."),
    ] = None,
    json: o.Json = False,
) -> None:
    """Score against several sets of labels, side by side: the benchmark's, verified ones, yours.

    Labels say which row of a series tells trait, age and gender, and how its values are coded. Each
    figure stands beside its difference to the labels "reading" (verified by careful reading), on
    the cases that both sets label; other labels are also scored as if they were predictions.

    Examples:
      genotex clinical infer cases.jsonl.gz -o answers.jsonl

      genotex evaluate-labels answers.jsonl --cases cases.jsonl.gz

      genotex evaluate-labels output --cases cases.jsonl.gz --input input -o scores

      genotex evaluate-labels --cases cases.jsonl.gz
    """
    from genotex.evaluation.labels import (
        evaluation_to_json,
        of_traits,
        read_labelled_cases,
        write_evaluation,
    )

    _check(prediction, cases, source, output)
    chosen = of_traits(read_labelled_cases(cases), trait)
    evaluation = _evaluate(prediction, chosen, labels, source)
    named = {"prediction": prediction and str(prediction), "cases": str(cases)}
    content = named | evaluation_to_json(evaluation)
    if output is not None:
        write_evaluation(output, evaluation, content)
    if json:
        screen.print_json(content)
        return
    _show(evaluation, prediction)
    if output is not None:
        screen.say(f"\nscores: {output / 'labels.json'}, and as tables beside it")


def _check(prediction: Path | None, cases: Path, source: Path | None, output: Path | None) -> None:
    if prediction is not None and not prediction.exists():
        msg = f"{prediction} is not there; give predictions by case, or an output folder"
        raise UsageError(msg)
    if prediction is not None and prediction.is_file() and prediction.samefile(cases):
        msg = f"{prediction} holds the labels; give predictions of 'genotex clinical infer'"
        raise UsageError(msg)
    if source is not None and (prediction is None or not prediction.is_dir()):
        msg = "--input does nothing here: it is for the clinical tables of an output folder"
        raise UsageError(msg)
    if output is not None and output.exists() and not output.is_dir():
        msg = f"{output} is a file; name a folder for the scores"
        raise UsageError(msg)


def _evaluate(
    prediction: Path | None,
    cases: Sequence[LabelledCase],
    labels: Sequence[str] | None,
    source: Path | None,
) -> LabelEvaluation:
    from genotex.evaluation.labels import (
        compare_labels,
        evaluate_answers,
        evaluate_folder,
        read_answers,
    )
    from genotex.layout import InputFolder, OutputFolder

    if prediction is None:
        return compare_labels(cases, labels)
    if prediction.is_file():
        return evaluate_answers(cases, read_answers(prediction), labels)
    raw = None if source is None else InputFolder(source)
    with screen.progress("scoring", len(cases)) as step:
        return evaluate_folder(cases, OutputFolder(prediction), labels, raw, step)


def _show(evaluation: LabelEvaluation, prediction: Path | None) -> None:
    for section in evaluation.sections:
        if section.scores or section.own:
            screen.say(f"{_TITLES[section.name]}\n")
            screen.table(*_table(section, evaluation.base))
            screen.say("")
    for name, counts in evaluation.disagreements.items():
        screen.say(f"what labels {name!r} say of the trait, seen from {evaluation.base!r}\n")
        rows = [{"class": kind.value, "cases": count} for kind, count in counts.items() if count]
        screen.table(["cases", "class"], rows)
    if missing := evaluation.missing:
        told = [f"{one.item} ({one.why})" if one.why != "missing" else one.item for one in missing]
        more = " ..." if len(told) > MOST_TOLD else ""
        what = f"{len(told)} of {prediction}: {', '.join(told[:MOST_TOLD])}{more}"
        screen.tell(what, "missing, scored as nothing")
    for note in evaluation.notes:
        screen.tell(note, "note")


def _table(section: Section[Any], base: str) -> tuple[list[str], list[dict[str, str]]]:
    """Return the columns and rows of a table: figures down, sets of labels across."""
    digits = 1 if section.name == "filtering" else 3
    count = "cases" if section.name == "cases" else "cohorts"
    columns: dict[str, dict[str, str]] = {}
    for scores in section.scores:
        column = {name: f"{value:.{digits}f}" for name, value in scores.figures.items()}
        columns[scores.labels] = {count: str(scores.count), **column}
        if scores.labels != base:
            signed = {name: f"{v:+.{digits}f}" for name, v in scores.difference.items()}
            columns[f"{scores.labels} - {base}"] = {count: str(scores.shared), **signed}
    for labels, figures in section.own.items():
        columns[f"{labels}'s own labels"] = {n: f"{v:.{digits}f}" for n, v in figures.items()}
    names = dict.fromkeys(name for column in columns.values() for name in column)
    rows = [
        {"figure": name, **{title: column.get(name, "") for title, column in columns.items()}}
        for name in names
    ]
    return ["figure", *columns], rows
