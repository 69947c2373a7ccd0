"""An attempt by a record: what it changes in a folder, by which door, and what must happen."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

CANARY = "canary"
CODE = f"__import__('pathlib').Path('{CANARY}').touch()"
HIDDEN = f'~ group + C(age, "`" and {CODE} and "`")'
OUT, ABSOLUTE = "../../../secret", "/etc/passwd"
DIGEST = hashlib.sha256(b"").hexdigest()

COHORTS = "preprocess/Asthma"
EVIDENCE, INFO = f"{COHORTS}/evidence/GSE1.json", f"{COHORTS}/cohort_info.json"
RESULT = "regress/Asthma/significant_genes_condition_None.json"

Change = Callable[[Path], None]
Door = Callable[[Path], str]


@dataclass(frozen=True)
class Attempt:
    """One attempt.

    Attributes
    ----------
    name
        What is tried.
    world
        The folder in which it is tried (see `tests.attacks.doors.build_worlds`).
    change
        Changes the folder.
    door
        Opens it, and returns what is told; it may raise an error of ours.
    told
        Words of what is told.
    outcome
        ``refused``, ``ignored`` (all goes on as without it), or ``doubted``.
    """

    name: str
    world: str
    change: Change
    door: Door
    told: str
    outcome: Literal["refused", "ignored", "doubted"] = "refused"


def put(file: str, place: str, value: Any) -> Change:
    """Return what sets a field of a JSON file, by its place with dots."""

    def change(folder: Path) -> None:
        content = json.loads((folder / file).read_text())
        inner = content
        *above, last = place.split(".")
        for name in above:
            inner = inner[int(name)] if isinstance(inner, list) else inner[name]
        inner[int(last) if isinstance(inner, list) else last] = value
        (folder / file).write_text(json.dumps(content))

    return change


def text(file: str, change: Callable[[str], str]) -> Change:
    """Return what changes the text of a file."""
    return lambda folder: (folder / file).write_text(change((folder / file).read_text())) and None


def whole(file: str, content: bytes | str) -> Change:
    """Return what replaces a file."""
    data = content.encode() if isinstance(content, str) else content
    return lambda folder: (folder / file).write_bytes(data) and None


def instead(file: str, make: Callable[[Path], object]) -> Change:
    """Return what puts something else where a file was."""

    def change(folder: Path) -> None:
        (folder / file).unlink()
        make(folder / file)

    return change


def journal(file: str, change: Callable[[dict[str, Any]], None]) -> Change:
    """Return what forges the lines of a journal, checksums included."""

    def forged(folder: Path) -> None:
        lines = []
        for line in (folder / file).read_text().splitlines():
            entry = json.loads(line)["entry"]
            change(entry)
            told = json.dumps(entry)
            digest = hashlib.sha256(told.encode()).hexdigest()
            lines.append(f'{{"sha256": "{digest}", "entry": {told}}}\n')
        (folder / file).write_text("".join(lines))

    return forged


def repeated(told: str) -> str:
    """Return an object with its first field a second time."""
    name = next(iter(json.loads(told)))
    return told.rstrip().removesuffix("}") + f', "{name}": 1}}'


def deep(told: str) -> str:
    return told.rstrip().removesuffix("}") + ', "x": ' + "[" * 5000 + "]" * 5000 + "}"


class Unpickled:
    """Would run code where a pickle is opened."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Path(CANARY).touch, ()


_IRREGULAR = "is not a plain file"
MALFORMED: Mapping[str, tuple[Callable[[str], Change], str]] = {
    "not a number": (lambda f: text(f, lambda t: t.replace("{", '{"x": NaN, ', 1)), "NaN"),
    "infinite": (lambda f: text(f, lambda t: t.replace("{", '{"x": 1e999, ', 1)), "too large"),
    "a name twice": (lambda f: text(f, repeated), "appears twice"),
    "deep": (lambda f: text(f, deep), "levels deep"),
    "many entries": (lambda f: whole(f, "[" + "0," * 10_000_001 + "0]"), "limit 'values'"),
    "large": (lambda f: whole(f, b"[" + b" " * 65 * 2**20 + b"]"), "limit 'document'"),
    "packed": (
        lambda f: whole(f, gzip.compress(b"[" + b" " * 70 * 2**20 + b"]")),
        "limit 'document'",
    ),
    "a pipe": (lambda f: instead(f, os.mkfifo), _IRREGULAR),
    "a device": (lambda f: instead(f, lambda p: p.symlink_to("/dev/zero")), _IRREGULAR),
    "a pickle": (lambda f: whole(f, pickle.dumps(Unpickled())), "a pickle of Python"),
    "Python": (lambda f: whole(f, CODE), "not valid JSON"),
    "a list": (lambda f: whole(f, "[1]"), "expected a JSON object"),
}
"""How any JSON file may be malformed, and what is told."""


def sparse(path: Path) -> None:
    with path.open("wb") as handle:
        handle.truncate(65 * 2**20)


def malformed(
    what: str, world: str, file: str, door: Door, *names: str, irregular: str = _IRREGULAR
) -> Iterator[Attempt]:
    """Yield the attempts of `MALFORMED` on a file, all or some of them.

    `irregular` is told where what is no plain file counts as none.
    """
    for name in names or MALFORMED:
        make, told = MALFORMED[name]
        told = irregular if told == _IRREGULAR else told
        yield Attempt(f"{what}: {name}", world, make(file), door, told)


def fields(
    what: str, world: str, file: str, door: Door, changes: Mapping[str, tuple[Any, str]]
) -> Iterator[Attempt]:
    """Yield attempts that set one field each; several of a field are told apart by ``#``."""
    for place, (value, told) in changes.items():
        change = put(file, place.partition("#")[0], value)
        yield Attempt(f"{what}: {place}", world, change, door, told)
