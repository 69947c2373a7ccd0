"""`genotex evaluate-labels`: a score against the benchmark's labels and verified ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.output_file import check_output_folder
from genotex.cli.score_screen import show_table
from genotex.errors import UsageError

if TYPE_CHECKING:
    from genotex.bench.evaluation.labels import LabelEvaluation, LabelledCase

__all__ = ["CasesFile", "evaluate_labels"]

CasesFile = Annotated[
    Path, typer.Option("--cases", help="Labelled cases, one JSON object a line (.gz allowed).")
]

MOST_TOLD = 5


def evaluate_labels(
    cases: CasesFile,
    prediction: Annotated[
        Path | None,
        typer.Argument(
            metavar="PREDICTIONS",
            help="Predictions of 'genotex clinical infer', or an output folder of any tool. "
            "Without: how the sets of labels differ.",
        ),
    ] = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--labels", help="A set of labels; repeat for several.", show_default="all of the file"
        ),
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
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Also write labels.json and CSV files there."
        ),
    ] = None,
    json: o.Json = False,
) -> None:
    r"""Score against sets of labels: the benchmark's, verified ones, yours.

    Labels say which row of a series tells trait, age and gender, and how its
    values are coded. Each figure stands beside its difference to the labels
    "reading" (verified by careful reading), on the cases that both sets
    label; other labels are also scored as if they were predictions.

    Examples:
      genotex clinical infer cases.jsonl.gz -o answers.jsonl

      genotex evaluate-labels answers.jsonl --cases cases.jsonl.gz

      genotex evaluate-labels output --cases cases.jsonl.gz \
          --input input -o scores

      genotex evaluate-labels --cases cases.jsonl.gz
    """
    from genotex.bench.evaluation import labels as room

    _check(prediction, cases, source, output)
    chosen = room.of_traits(room.read_labelled_cases(cases), trait)
    evaluation = _evaluate(prediction, chosen, labels, source)
    named = {"prediction": prediction and str(prediction), "cases": str(cases)}
    content = named | room.evaluation_to_json(evaluation)
    if json:
        screen.print_json(content)
    else:
        _show(evaluation)
    if output is not None:
        from genotex.bench.evaluation.score_files import write_texts

        write_texts(output, room.evaluation_texts(evaluation, content))
        screen.tell(f"scores are written: {output / 'labels.json'}, tables beside it")


def _check(prediction: Path | None, cases: Path, source: Path | None, output: Path | None) -> None:
    if prediction is not None and not prediction.exists():
        msg = f"{prediction} is not there; give predictions by case, or an output folder"
        raise UsageError(msg)
    if prediction is not None and cases.exists() and prediction.samefile(cases):
        msg = f"{prediction} holds the labels; give predictions of 'genotex clinical infer'"
        raise UsageError(msg)
    if source is not None and (prediction is None or not prediction.is_dir()):
        msg = "--input does nothing here: it is for the clinical tables of an output folder"
        raise UsageError(msg)
    if output is not None:
        check_output_folder(output)


def _evaluate(
    prediction: Path | None,
    cases: Sequence[LabelledCase],
    labels: Sequence[str] | None,
    source: Path | None,
) -> LabelEvaluation:
    from genotex.bench.evaluation.labels import (
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


def _show(evaluation: LabelEvaluation) -> None:
    from genotex.bench.evaluation.labels import label_tables

    for table in label_tables(evaluation):
        show_table(table)
    if missing := evaluation.missing:
        told = [f"{one.item} ({one.why})" for one in missing[:MOST_TOLD]]
        more = " ..." if len(missing) > MOST_TOLD else ""
        screen.tell(f"{len(missing)}: {', '.join(told)}{more}", "predictions scored as nothing")
    for note in evaluation.notes:
        screen.tell(note, "note")
