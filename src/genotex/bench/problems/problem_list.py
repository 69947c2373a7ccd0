"""Lists of problems in a file, to be run or scored together, and random samples of them."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from genotex.bench.problems.problem import Problem, ProblemKind, condition_named
from genotex.errors import FormatError, UsageError
from genotex.formats import decode, parse_json, read_bytes
from genotex.io import atomic_write

__all__ = ["read_problems", "sample_problems", "write_problems"]

FIELDS = ("trait", "condition")
WHAT_TO_GIVE = "give a JSON list of objects or a CSV, each with trait and condition"


def read_problems(path: Path) -> tuple[Problem, ...]:
    """Read a list of problems, as `write_problems` or a person wrote it.

    Parameters
    ----------
    path : Path
        A JSON list of ``{"trait", "condition"}``, or a CSV with the columns ``trait`` and
        ``condition``; told apart by what the file holds. Null, an empty cell and "None" are no
        condition; other fields and columns are passed over.

    Returns
    -------
    tuple of Problem
        In the order of the file.

    Raises
    ------
    FormatError
        If the file is neither, a problem lacks a field or is none, stands there twice, or there is
        no problem at all; names the line or the number of the problem.
    """
    text = decode(read_bytes(path))
    parse = _from_json if text.lstrip().startswith(("[", "{")) else _from_csv
    places: dict[Problem, str] = {}
    for place, row in parse(text, path):
        problem = _problem(row, place, path)
        if problem in places:
            msg = f"{problem} stands there already, at {places[problem]}"
            raise FormatError(msg, path=path, field=place, hint="list it once")
        places[problem] = place
    if not places:
        msg = "holds no problem"
        raise FormatError(msg, path=path, hint=WHAT_TO_GIVE)
    return tuple(places)


def write_problems(path: Path, problems: Iterable[Problem]) -> None:
    """Write a list of problems, whole or not at all: CSV by the name, else JSON.

    Parameters
    ----------
    path : Path
        The file; a name that ends in ``.csv`` gives a CSV.
    problems : iterable of Problem
        In the order in which they shall stand there.
    """
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
    problems : sequence of Problem
        The list to draw from; no problem is drawn twice.
    n : int
        How many.
    seed : int
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
    # Of all that `random` offers only the plain stream is promised to stay as it is.
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
    content = parse_json(text, path, WHAT_TO_GIVE)
    if not isinstance(content, list):
        msg = "holds one object where a list of problems is expected"
        raise FormatError(msg, path=path, hint=WHAT_TO_GIVE)
    for number, row in enumerate(content, start=1):
        place = f"problem {number}"
        if not isinstance(row, dict):
            msg = f"is {json.dumps(row)[:40]}, not an object with trait and condition"
            raise FormatError(msg, path=path, field=place, hint=WHAT_TO_GIVE)
        yield place, row


def _from_csv(text: str, path: Path) -> Iterator[tuple[str, Mapping[str, object]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, skipinitialspace=True)
    columns = [name.strip() for name in reader.fieldnames or ()]
    reader.fieldnames = columns
    if missing := [name for name in FIELDS if name not in columns]:
        msg = f"has no column {' and no column '.join(missing)}; it has {', '.join(columns)[:80]}"
        raise FormatError(msg, path=path, line=1, hint=WHAT_TO_GIVE)
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            msg = f"is no CSV: {error}"
            raise FormatError(msg, path=path, line=reader.line_num, hint=WHAT_TO_GIVE) from error
        if row is None:
            return
        # Cells that a short line lacks are None, those that a long one has more stand under None.
        if None in row or None in row.values():
            msg = f"has not {len(columns)} cells as the first line has"
            raise FormatError(msg, path=path, line=reader.line_num, hint="quote cells with commas")
        yield f"line {reader.line_num}", row


def _problem(row: Mapping[str, object], place: str, path: Path) -> Problem:
    for name in FIELDS:
        if name not in row:
            msg = f"lacks {name}"
            raise FormatError(msg, path=path, field=place, hint='"condition": null is none')
    trait, condition = row["trait"], row["condition"]
    if not isinstance(trait, str) or not isinstance(condition, str | None):
        wrong = "trait" if not isinstance(trait, str) else "condition"
        msg = f"its {wrong} is {json.dumps(row[wrong])[:40]}, not a name"
        raise FormatError(msg, path=path, field=place, hint=WHAT_TO_GIVE)
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
    writer.writerow(FIELDS)
    writer.writerows((p.trait, p.condition or "") for p in problems)
    return text.getvalue()
