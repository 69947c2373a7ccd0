"""Labelled cases: which row and coding tell trait, age and gender of a series, by who labelled it.

A case is one JSON object on a line: ``id``, ``trait``, ``cohort``, and ``labels``, which holds one
label for each set of labels that knows the case.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from genotex.bench.evaluation.labels.label import Label, LabelledCase
from genotex.bench.evaluation.labels.label_json import case_from_json
from genotex.errors import FormatError, UsageError
from genotex.formats import read_json_lines
from genotex.layout import trait_folder_name

__all__ = ["label_sets", "labelled_by", "of_traits", "read_labelled_cases"]


def read_labelled_cases(path: Path) -> tuple[LabelledCase, ...]:
    """Read labelled cases from a JSON Lines file, plain or gzip.

    Parameters
    ----------
    path : Path
        Fields that are not listed in `LabelledCase` are passed over.

    Raises
    ------
    FormatError
        If the file holds no case, a line is none, or two have the same id or the same trait and
        cohort; it names the line and the field.
    """
    cases: list[LabelledCase] = []
    ids: dict[str, int] = {}
    places: dict[str, int] = {}
    for number, data in read_json_lines(path, "a case"):
        try:
            case = case_from_json(data)
        except FormatError as error:
            raise error.at(path, number) from error
        for seen, key, field in (
            (ids, case.id, "id"),
            (places, f"{case.trait}/{case.cohort}", "cohort"),
        ):
            first = seen.setdefault(key, number)
            if first != number:
                msg = f"{key!r} is labelled in line {first} already"
                hint = "keep one of the two lines"
                raise FormatError(msg, path=path, line=number, field=field, hint=hint)
        cases.append(case)
    if not cases:
        msg = "holds no case"
        raise FormatError(msg, path=path, hint="a case is one JSON object on one line")
    return tuple(cases)


def of_traits(
    cases: Sequence[LabelledCase], traits: Sequence[str] | None
) -> tuple[LabelledCase, ...]:
    """Return the cases of some traits, or all where none is named.

    Raises
    ------
    UsageError
        If a trait has no case.
    """
    if not traits:
        return tuple(cases)
    wanted = [trait_folder_name(trait) for trait in traits]
    for asked, folder in zip(traits, wanted, strict=True):
        if not any(case.trait == folder for case in cases):
            msg = f"no labelled case is of the trait {asked!r}"
            raise UsageError(msg)
    return tuple(case for case in cases if case.trait in wanted)


def label_sets(cases: Sequence[LabelledCase]) -> tuple[str, ...]:
    """Return the names of all sets of labels, those that label the most cases first."""
    counts: dict[str, int] = {}
    for case in cases:
        for name in case.labels:
            counts[name] = counts.get(name, 0) + 1
    return tuple(sorted(counts, key=lambda name: -counts[name]))


def labelled_by(cases: Sequence[LabelledCase], name: str) -> dict[str, Label]:
    """Return the labels of one set by case id.

    Raises
    ------
    UsageError
        If no case has labels of that name; it names those there are.
    """
    found = {case.id: case.labels[name] for case in cases if name in case.labels}
    if not found:
        there = ", ".join(label_sets(cases)) or "none"
        msg = f"no case has labels {name!r}; there are: {there}"
        raise UsageError(msg)
    return found
