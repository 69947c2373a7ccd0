"""What a step has promised to leave: variables by name and type, checked in the session."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from genotex.errors import FormatError
from genotex.outside import parse_json

_HEADER = "# Check of the variables that the step leaves."
_MARK = "genotex-variables "
_LONGEST = 220
"""Characters of a variable that are shown."""


@dataclass(frozen=True)
class Promised:
    """A variable that later steps use."""

    name: str
    kinds: tuple[str, ...]  # Names of types; ``NoneType`` where it may be None

    def __str__(self) -> str:
        """Name and types, as prompts show them."""
        kinds = " or ".join("None" if kind == "NoneType" else kind for kind in self.kinds)
        return f"`{self.name}` ({kinds})"


@dataclass(frozen=True)
class Variable:
    """A variable that was found in the session."""

    name: str
    kind: str  # Name of its type
    text: str  # Its size or content, in words


@dataclass(frozen=True)
class CellState:
    """The variables after a cell, of those that its step has promised."""

    found: tuple[Variable, ...] = ()
    lacking: tuple[str, ...] = ()  # A sentence for each that is missing or of another type


def check_code(promises: Sequence[Promised]) -> str:
    """Return the cell that checks variables; it changes nothing."""
    names = [promised.name for promised in promises]
    call = f"__import__({__name__!r}, fromlist=['print_state']).print_state(globals(), {names!r})"
    return f"{_HEADER}\n{call}\n"


def is_check(code: str) -> bool:
    """Return whether a cell is such a check."""
    return code.startswith(_HEADER)


def print_state(variables: Mapping[str, Any], names: Sequence[str]) -> None:
    """Print variables for `read_state`; called in the session."""
    found = {
        name: {
            "kinds": [kind.__name__ for kind in type(variables[name]).__mro__],
            "text": _text(variables[name]),
        }
        for name in names
        if name in variables
    }
    # What is recorded as absent ends the notebook early, with fewer variables.
    absent = variables.get("gene_available") is False or variables.get("folder", "") is None
    print(_MARK + json.dumps({"absent": absent, "found": found}))


def _text(value: object) -> str:
    try:
        shape = getattr(value, "shape", None)
        text = repr(value) if hasattr(value, "made_by") or shape is None else f"shape {shape}"
    except Exception as error:
        # Objects of generated code may fail in any way when they are shown.
        text = f"cannot be shown: {type(error).__name__}"
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def read_state(printed: str, promises: Sequence[Promised]) -> CellState | None:
    """Return what a check printed; None where it cannot be read."""
    _, _, line = printed.rpartition(_MARK)
    try:
        data = parse_json(line.split("\n")[0])
        kinds = {name: [*map(str, each["kinds"])] for name, each in data["found"].items()}
        found = tuple(
            Variable(each.name, kinds[each.name][0], str(data["found"][each.name]["text"]))
            for each in promises
            if each.name in kinds
        )
        absent = bool(data["absent"])
    except (FormatError, KeyError, TypeError, AttributeError, IndexError):
        return None
    lacking = () if absent else tuple(filter(None, (_lacks(each, kinds) for each in promises)))
    return CellState(found, lacking)


def _lacks(promised: Promised, kinds: Mapping[str, Sequence[str]]) -> str:
    """Return what is wrong with a variable; empty where it is as promised."""
    wanted = " or ".join(promised.kinds).replace("NoneType", "None")
    if promised.name not in kinds:
        return f"`{promised.name}` is missing: assign it at top level; it must be {wanted}"
    if not set(promised.kinds) & set(kinds[promised.name]):
        given = re.sub(r"\W", "", kinds[promised.name][0])[:40]
        return f"`{promised.name}` is not set as promised: it is {given} and must be {wanted}"
    return ""
