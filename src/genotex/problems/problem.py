"""Gene-trait association problems, lists of them in a file, and random samples of these."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from genotex.errors import FormatError, UsageError
from genotex.formats import decode, read_bytes
from genotex.io import atomic_write
from genotex.layout import trait_folder_name
from genotex.outside import parse_json

ONE_STEP_CONDITIONS = ("Age", "Gender")
"""Conditions that are columns of the trait's own linked table."""


class ProblemKind(StrEnum):
    """How a problem is solved (GenoTEX paper, section 3)."""

    UNCONDITIONAL = "unconditional"
    ONE_STEP = "one-step"
    TWO_STEP = "two-step"


@dataclass(frozen=True)
class Problem:
    """One trait and one condition, by the names of their folders.

    Parameters
    ----------
    trait
        The trait; brought into the form of a folder name.
    condition
        ``Age``, ``Gender``, another trait, or None.

    Raises
    ------
    UsageError
        If a name cannot be a trait name, or trait and condition are the same.
    """

    trait: str
    condition: str | None = None

    def __post_init__(self) -> None:
        """Bring both names into the form of folder names."""
        object.__setattr__(self, "trait", trait_folder_name(self.trait))
        if self.condition is not None:
            object.__setattr__(self, "condition", trait_folder_name(self.condition))
        if self.trait in ONE_STEP_CONDITIONS:
            msg = f"{self.trait} is a covariate, not a trait; give it as the condition"
            raise UsageError(msg)
        if self.trait == self.condition:
            msg = f"{self.trait} cannot be its own condition; choose another or leave it out"
            raise UsageError(msg)

    @property
    def kind(self) -> ProblemKind:
        """Whether the condition is absent, a column of the cohort, or another trait."""
        if self.condition is None:
            return ProblemKind.UNCONDITIONAL
        if self.condition in ONE_STEP_CONDITIONS:
            return ProblemKind.ONE_STEP
        return ProblemKind.TWO_STEP

    @property
    def traits(self) -> tuple[str, ...]:
        """The traits whose cohorts the problem needs: its own, and a condition that is one."""
        if self.kind is ProblemKind.TWO_STEP and self.condition is not None:
            return (self.trait, self.condition)
        return (self.trait,)

    def __str__(self) -> str:
        """Name the problem in words."""
        return self.trait if self.condition is None else f"{self.trait} given {self.condition}"


def condition_named(name: str) -> str | None:
    """Return the condition that a user named; none, age, gender and sex in any case."""
    known = {"none": None, "age": "Age", "gender": "Gender", "sex": "Gender"}
    return known.get(name.strip().lower(), name)


_FIELDS = ("trait", "condition")
_HINT = "give a JSON list of objects or a CSV, each with trait and condition"


def read_problems(path: Path) -> tuple[Problem, ...]:
    """Read a list of problems, as `write_problems` or a person wrote it.

    Parameters
    ----------
    path
        A JSON list of ``{"trait", "condition"}``, or a CSV with the columns ``trait`` and
        ``condition``; recognised by its content. Null, an empty cell and "None" mean no
        condition; other fields and columns are ignored.

    Returns
    -------
    tuple of Problem
        In the order of the file.

    Raises
    ------
    FormatError
        If the file is neither, a problem is invalid or listed twice, or there is no problem at
        all; names the line or the number of the problem.
    """
    text = decode(read_bytes(path, "document"))
    parse = _from_json if text.lstrip().startswith(("[", "{")) else _from_csv
    places: dict[Problem, str] = {}
    for place, row in parse(text, path):
        problem = _read_problem(row, place, path)
        if problem in places:
            msg = f"{problem} is already listed, at {places[problem]}"
            raise FormatError(msg, path=path, field=place, hint="list it once")
        places[problem] = place
    if not places:
        msg = "contains no problem"
        raise FormatError(msg, path=path, hint=_HINT)
    return tuple(places)


def write_problems(path: Path, problems: Iterable[Problem]) -> None:
    """Write a list of problems, whole or not at all: CSV by the name, else JSON."""
    write = _csv if path.suffix.lower() == ".csv" else _json
    text = write(problems)
    with atomic_write(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


def sample_problems(problems: Sequence[Problem], n: int, seed: int) -> tuple[Problem, ...]:
    """Draw problems at random, each kind in proportion to its number.

    Every kind that is there is drawn at least once where `n` is large enough (three for all kinds).
    The same list, `n` and `seed` give the same sample on every machine.

    Parameters
    ----------
    problems
        The list to draw from; no problem is drawn twice.
    n
        How many.
    seed
        Seed of the draw.

    Returns
    -------
    tuple of Problem
        In the order of the list.

    Raises
    ------
    UsageError
        If `n` is below 1 or above the number of problems.
    """
    there = list(dict.fromkeys(problems))
    if not 1 <= n <= len(there):
        msg = f"a sample of {n} was asked for, of {len(there)} problems; ask for 1 to {len(there)}"
        raise UsageError(msg)
    # Of everything in `random`, only the plain stream is guaranteed never to change.
    stream = random.Random(seed)
    rank = {problem: stream.random() for problem in there}
    drawn: set[Problem] = set()
    kinds = {kind: [p for p in there if p.kind is kind] for kind in ProblemKind}
    shares = _shares({kind: len(members) for kind, members in kinds.items() if members}, n)
    for kind, share in shares.items():
        drawn.update(sorted(kinds[kind], key=rank.__getitem__)[:share])
    return tuple(problem for problem in there if problem in drawn)


def _shares(sizes: Mapping[ProblemKind, int], n: int) -> dict[ProblemKind, int]:
    """Share `n` among the kinds: one each where it suffices, the rest by largest remainders."""
    least = 1 if n >= len(sizes) else 0
    left = n - least * len(sizes)
    rest = {kind: size - least for kind, size in sizes.items()}
    total = sum(rest.values())
    # Whole numbers throughout: a quota of left * size / total, and its remainder in parts of total.
    whole = {kind: left * size // total if total else 0 for kind, size in rest.items()}
    by_remainder = sorted(rest, key=lambda kind: left * rest[kind] % total if total else 0)
    for kind in by_remainder[::-1][: left - sum(whole.values())]:
        whole[kind] += 1
    return {kind: least + share for kind, share in whole.items()}


def _from_json(text: str, path: Path) -> Iterator[tuple[str, Mapping[str, object]]]:
    content = parse_json(text, path, _HINT)
    if not isinstance(content, list):
        msg = "contains one object where a list of problems is expected"
        raise FormatError(msg, path=path, hint=_HINT)
    for number, row in enumerate(content, start=1):
        place = f"problem {number}"
        if not isinstance(row, dict):
            msg = f"is {json.dumps(row)[:40]}, not an object with trait and condition"
            raise FormatError(msg, path=path, field=place, hint=_HINT)
        yield place, row


def _from_csv(text: str, path: Path) -> Iterator[tuple[str, Mapping[str, object]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, skipinitialspace=True)
    columns = [name.strip() for name in reader.fieldnames or ()]
    reader.fieldnames = columns
    if missing := [name for name in _FIELDS if name not in columns]:
        msg = f"has no column {' and no column '.join(missing)}; it has {', '.join(columns)[:80]}"
        raise FormatError(msg, path=path, line=1, hint=_HINT)
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            msg = f"is not CSV: {error}"
            raise FormatError(msg, path=path, line=reader.line_num, hint=_HINT) from error
        if row is None:
            return
        # Missing cells of a short line are None; extra cells of a long one are under the key None.
        if None in row or None in row.values():
            msg = f"does not have {len(columns)} cells like the first line"
            raise FormatError(msg, path=path, line=reader.line_num, hint="quote cells with commas")
        yield f"line {reader.line_num}", row


def _read_problem(row: Mapping[str, object], place: str, path: Path) -> Problem:
    for name in _FIELDS:
        if name not in row:
            msg = f"has no {name}"
            raise FormatError(msg, path=path, field=place, hint='write "condition": null for none')
    trait, condition = row["trait"], row["condition"]
    if not isinstance(trait, str) or not isinstance(condition, str | None):
        wrong = "trait" if not isinstance(trait, str) else "condition"
        msg = f"its {wrong} is {json.dumps(row[wrong])[:40]}, not a name"
        raise FormatError(msg, path=path, field=place, hint=_HINT)
    try:
        return Problem(trait, condition_named(condition or "none"))
    except UsageError as error:
        raise FormatError(str(error), path=path, field=place) from error


def _json(problems: Iterable[Problem]) -> str:
    """Return a list of problems as JSON, one problem on a line."""
    rows = (
        json.dumps({"trait": p.trait, "condition": p.condition}, ensure_ascii=False)
        for p in problems
    )
    listed = ",\n".join(f"  {row}" for row in rows)
    return f"[\n{listed}\n]\n" if listed else "[]\n"


def _csv(problems: Iterable[Problem]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_FIELDS)
    writer.writerows((p.trait, p.condition or "") for p in problems)
    return text.getvalue()
