"""`genotex evaluate-labels` and `apply-labels`: scores against sets of labels, and from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from genotex.cli import options as o
from genotex.cli import screen
from genotex.cli.benchmark.score_screen import show_table
from genotex.cli.option_classes import with_options
from genotex.errors import UsageError
from genotex.options import Option

if TYPE_CHECKING:
    from genotex.bench.evaluation.labels import LabelEvaluation, LabelledCase

MOST_SHOWN = 5


@dataclass(frozen=True)
class _Labels:
    """The sets of labels, and what comes of the scores."""

    labels: Annotated[
        tuple[str, ...], Option("A set of labels; repeat for several.", default="all of the file")
    ] = ()
    trait: o.TraitNames = ()
    source: Annotated[
        Path | None,
        Option(
            "Folder that holds GEO/<Trait>/<GSE>/: score clinical tables sample by sample.",
            "--input",
        ),
    ] = None
    output: Annotated[
        Path | None,
        Option("Also write labels.json and CSV files there.", short="-o", metavar="FOLDER"),
    ] = None
    json: o.Json = False


@with_options
def evaluate_labels(
    cases: Annotated[Path, Option("Labelled cases, one JSON object a line (.gz allowed).")],
    prediction: Annotated[
        Path | None,
        o.argument(
            "PREDICTIONS",
            "Predictions of 'genotex clinical infer', or an output folder of any tool. "
            "Without: how the sets of labels differ.",
        ),
    ] = None,
    *,
    how: _Labels,
) -> None:
    r"""Score against sets of labels: the benchmark's, verified ones, yours.

    Labels state which row of a series records trait, age and gender, and how
    its values are coded. Each figure is shown with its difference to the labels
    "reading" (verified by careful reading), on the cases that both sets
    label; other labels are also scored as if they were predictions.

    Examples:
      genotex clinical infer cases.jsonl.gz -o answers.jsonl

      genotex evaluate-labels answers.jsonl --cases cases.jsonl.gz

      genotex evaluate-labels output --cases cases.jsonl.gz \
          --input input -o scores

      genotex evaluate-labels --cases cases.jsonl.gz
    """
    from genotex.bench.evaluation import labels as known

    _check(prediction, cases, how.source, how.output)
    chosen = known.of_traits(known.read_labelled_cases(cases), how.trait)
    evaluation = _evaluate(prediction, chosen, how.labels, how.source)
    named = {"prediction": prediction and str(prediction), "cases": str(cases)}
    content = named | known.evaluation_to_json(evaluation)
    if how.json:
        screen.print_json(content)
    else:
        _show(evaluation)
    if how.output is not None:
        from genotex.bench.evaluation.score_files import write_texts

        write_texts(how.output, known.evaluation_texts(evaluation, content))
        screen.notify(f"scores written: {how.output / 'labels.json'}, with tables next to it")


def _check(prediction: Path | None, cases: Path, source: Path | None, output: Path | None) -> None:
    if prediction is not None and not prediction.exists():
        msg = f"{prediction} does not exist; give predictions by case, or an output folder"
        raise UsageError(msg)
    if prediction is not None and cases.exists() and prediction.samefile(cases):
        msg = f"{prediction} holds the labels; give predictions of 'genotex clinical infer'"
        raise UsageError(msg)
    if source is not None and (prediction is None or not prediction.is_dir()):
        msg = "--input does nothing here: it is for the clinical tables of an output folder"
        raise UsageError(msg)
    if output is not None:
        o.check_output_folder(output)


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
        shown = [f"{one.item} ({one.why})" for one in missing[:MOST_SHOWN]]
        more = " ..." if len(missing) > MOST_SHOWN else ""
        screen.notify(f"{len(missing)}: {', '.join(shown)}{more}", "predictions scored as nothing")
    for note in evaluation.notes:
        screen.notify(note, "note")


@with_options
def apply_labels(
    cases: Annotated[
        Path, o.argument("CASES", "Labelled cases, one JSON object a line (.gz allowed).")
    ],
    source: o.InputDir,
    output: Annotated[Path, o.argument("REFERENCE", "Folder for the reference; new or empty.")],
    labels: Annotated[str, Option("The set of labels.")] = "reading",
    trait: o.TraitNames = (),
    link: Annotated[
        bool, Option("Also map genes and link: a whole reference, with its task_info.json.")
    ] = False,
    json: o.Json = False,
) -> None:
    """Make a reference from labels, in the benchmark's layout.

    Every labelled cohort of the input gets its record of availability and,
    if its label has a trait, its clinical table. Without --link it has no
    expression data: score dataset filtering and clinical tables against it,
    not selection.

    Examples:
      genotex apply-labels cases.jsonl.gz input verified --labels reading

      genotex evaluate -p output -r verified -t preprocessing -s clinical

      genotex apply-labels cases.jsonl.gz input reference --link
      genotex analyze reference --task-info reference/task_info.json
    """
    from genotex.bench.evaluation import labels as known
    from genotex.layout import InputFolder, OutputFolder

    chosen = known.of_traits(known.read_labelled_cases(cases), trait)
    if link:
        _link(chosen, labels, source, output, cases, json)
        return
    raw = InputFolder(source)
    with screen.progress("applying labels", len(chosen)) as step:
        applied = known.apply_labels(chosen, labels, raw, OutputFolder(output), cases, step)
    if json:
        screen.print_json({"folder": str(output), "labels": labels, **asdict(applied)})
        return
    screen.show(
        f"{output}, by labels {labels!r}: traits {applied.traits}, cohorts {applied.cohorts}, "
        f"clinical tables {applied.tables}"
    )
    if applied.not_at_hand:
        screen.notify(f"labelled cohorts that are not in {source}: {applied.not_at_hand}", "note")
    for note in applied.notes[:MOST_SHOWN]:
        screen.notify(note, "note")
    if len(applied.notes) > MOST_SHOWN:
        screen.notify(f"and {len(applied.notes) - MOST_SHOWN} more without a table", "note")


def _link(
    cases: Sequence[LabelledCase], labels: str, source: Path, target: Path, file: Path, json: bool
) -> None:
    from genotex.workflows.labelled_cohorts import TASK_FILE, link_labelled

    with screen.progress("linking", len(cases)) as step:
        done = link_labelled(
            cases,
            labels,
            source,
            target,
            file,
            lambda one, _: step(f"{one.trait} {one.cohort}", len(cases)),
        )
    usable = sum(one.info is not None and one.info.is_usable for one in done)
    if json:
        content = {"folder": str(target), "labels": labels, "cohorts": len(done), "usable": usable}
        screen.print_json(content)
    else:
        screen.show(f"{target}, by labels {labels!r}: cohorts {len(done)}, {usable} usable")
        screen.show(f"genotex analyze {target} --task-info {target / TASK_FILE}")
    for one in done:
        why_not = one.info.note if one.info is not None and not one.info.is_usable else ""
        if why := one.error or why_not:
            screen.notify(f"{one.trait} {one.cohort}: {why}", "note")
