"""`genotex apply-labels`: a reference folder made of labels."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from genotex.cli import options as o
from genotex.cli import screen

__all__ = ["apply_labels"]

MOST_TOLD = 5


def apply_labels(
    cases: Annotated[
        Path,
        typer.Argument(
            metavar="CASES", help="Labelled cases, one JSON object a line (.gz allowed)."
        ),
    ],
    source: o.InputDir,
    output: Annotated[
        Path, typer.Argument(metavar="REFERENCE", help="Folder for the reference; new or empty.")
    ],
    labels: Annotated[str, typer.Option("--labels", help="The set of labels.")] = "reading",
    trait: o.TraitNames = None,
    json: o.Json = False,
) -> None:
    """Make a reference of labels, in the benchmark's layout.

    Every labelled cohort of the input gets its record of availability and,
    where its label has a trait, its clinical table. There is no expression in
    it: score dataset filtering and clinical tables against it, not selection.

    Examples:
      genotex apply-labels cases.jsonl.gz input verified --labels reading

      genotex evaluate -p output -r verified -t preprocessing -s clinical
    """
    from genotex.bench.evaluation import labels as room
    from genotex.layout import InputFolder, OutputFolder

    chosen = room.of_traits(room.read_labelled_cases(cases), trait)
    raw = InputFolder(source)
    with screen.progress("applying labels", len(chosen)) as step:
        applied = room.apply_labels(chosen, labels, raw, OutputFolder(output), cases, step)
    if json:
        screen.print_json({"folder": str(output), "labels": labels, **asdict(applied)})
        return
    screen.say(
        f"{output}, by labels {labels!r}: traits {applied.traits}, cohorts {applied.cohorts}, "
        f"clinical tables {applied.tables}"
    )
    if applied.not_at_hand:
        screen.tell(f"labelled cohorts that are not in {source}: {applied.not_at_hand}", "note")
    for note in applied.notes[:MOST_TOLD]:
        screen.tell(note, "note")
    if len(applied.notes) > MOST_TOLD:
        screen.tell(f"and {len(applied.notes) - MOST_TOLD} more without a table", "note")
