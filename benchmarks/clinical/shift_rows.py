"""Shift the characteristics of labelled samples as submitters do, and count what is still right.

    python -m benchmarks shift_rows STARGEO.jsonl.gz [--half A|B] [--seed 1] [--wrong]

A series is right if each labelled sample has the code of its label. Of series that one row
separates, (1) a third of the samples lose their first field, so that the others move up a row;
(2) controls have their word in a last field of its own, and the field of the others is missing.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.clinical.labelled_cases import half_of
from genotex.clinical import RuleExpert, apply_encoding, describe_series
from genotex.features import split_cell
from genotex.formats import Series, read_json_lines


@dataclass(frozen=True)
class Labelled:
    """The fields of one sample, the place of the one that tells its group, and its code."""

    fields: tuple[str, ...]
    place: int
    code: float


def without_first(some: Sequence[Labelled], rng: random.Random) -> list[Labelled] | None:
    """Leave out the first field of a third of the samples."""
    if some[0].place == 0 or len(some[0].fields) < 3:
        return None
    return [
        Labelled(s.fields[1:], s.place - 1, s.code) if rng.random() < 1 / 3 else s for s in some
    ]


def under_other_key(some: Sequence[Labelled], rng: random.Random) -> list[Labelled] | None:
    """Put the word of controls into a last field with a key of its own."""
    if len(some[0].fields) < 2 or not all(split_cell(s.fields[s.place])[0] for s in some):
        return None
    key = rng.choice(("sample type", "group", "subject status", "condition"))
    if any(split_cell(field)[0] == key for s in some for field in s.fields):
        return None
    return [
        s
        if s.code
        else Labelled(
            (
                *s.fields[: s.place],
                *s.fields[s.place + 1 :],
                f"{key}: {split_cell(s.fields[s.place])[1]}",
            ),
            len(s.fields) - 1,
            s.code,
        )
        for s in some
    ]


KINDS: Mapping[str, Callable[[Sequence[Labelled], random.Random], list[Labelled] | None]] = {
    "a third of the samples a row early": without_first,
    "controls under another key in the last row": under_other_key,
}


def labelled(case: Mapping[str, Any]) -> list[Labelled]:
    """Return the labelled samples of a case, none unless one row has different cells for groups."""
    samples = [s for s in case["samples"].values() if s["case"] is not None]
    rows = zip(*(s["cells"] for s in samples), strict=False)
    codes = [s["case"] for s in samples]
    telling = [
        (len(set(row)), place)
        for place, row in enumerate(rows)
        if None not in row and len(set(zip(row, codes, strict=True))) == len(set(row)) < len(row)
    ]
    whole = [s for s in samples if None not in s["cells"]] if telling else []
    return [Labelled(tuple(s["cells"]), min(telling)[1], s["case"]) for s in whole]


def series_of(case: Mapping[str, Any], some: Sequence[Labelled]) -> Series:
    """Return labelled samples as a series."""
    texts = {
        name: tuple([text] if isinstance(text, str) else text or ())
        for name, text in case["background"].items()
    }
    rows = tuple(zip_longest(*(sample.fields for sample in some)))
    samples = tuple(f"GSM{number}" for number in range(len(some)))
    return Series(Path(case["id"]), samples, texts, {"characteristics_ch1": rows})


def is_right(case: Mapping[str, Any], some: Sequence[Labelled], expert: RuleExpert) -> bool:
    """Return whether each sample has the code of its label."""
    series = series_of(case, some)
    found = expert.annotate(describe_series(series), case["trait"]).trait
    codes = [] if found is None else apply_encoding(found, series, procedure="sound").codes
    return np.array_equal(codes, [sample.code for sample in some])


def counts(
    cases: Sequence[Mapping[str, Any]], seed: int
) -> Iterator[tuple[str, list[tuple[str, bool, bool]]]]:
    """Yield for each kind the cases that allow it, and whether they are right before and after."""
    expert = RuleExpert()
    for name, shift in KINDS.items():
        found = []
        for case in cases:
            before = labelled(case)
            after = shift(before, random.Random(f"{seed} {case['id']}")) if before else None
            if after is not None:
                found.append((case["id"], *(is_right(case, s, expert) for s in (before, after))))
        yield name, found


def main() -> None:
    """Run the script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--half", choices="AB")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--wrong", action="store_true")
    arguments = parser.parse_args()
    cases = [case for _, case in read_json_lines(arguments.cases, "a case")]
    kept = [case for case in cases if arguments.half in (None, half_of(case["id"]))]
    for name, found in counts(kept, arguments.seed):
        right = [sum(each) for each in list(zip(*found, strict=True))[1:]]
        print(f"{name}: {len(found)} series, right before {right[0]}, after {right[1]}")
        if arguments.wrong:
            print(*(f"  {case}" for case, before, after in found if before > after), sep="\n")


if __name__ == "__main__":
    main()
