"""What docs/stability.md promises for 1.x is still there: commands, options, and names in Python.

Something new is added to promised.json by hand; nothing leaves it before 2.0.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

import genotex as gx
from genotex.cli import commands as cli

PROMISED: dict[str, dict[str, list[str]]] = json.loads(
    (Path(__file__).parent / "promised.json").read_text(encoding="utf-8")
)


def commands(command: Any, name: str = "genotex") -> Iterator[tuple[str, set[str]]]:
    """Yield each command with its arguments and options."""
    if hasattr(command, "list_commands"):
        for child in command.list_commands(None):
            yield from commands(command.get_command(None, child), f"{name} {child}")
    else:
        yield name, {text for each in command.params for text in (each.opts or [each.name])}


def parts(name: str) -> set[str]:
    """Return the arguments of a function of ``genotex``, or what a class has."""
    found = getattr(gx, name)
    if inspect.isfunction(found):
        return set(inspect.signature(found).parameters)
    error = isinstance(found, type) and issubclass(found, Exception)
    return set() if error else {each for each in dir(found) if not each.startswith("_")}


def test_every_promised_command_takes_what_was_promised() -> None:
    found = dict(commands(typer.main.get_command(cli.app)))
    gone = {
        name: set(options) - found.get(name, set())
        for name, options in PROMISED["commands"].items()
    }
    assert not {name for name in PROMISED["commands"] if name not in found}
    assert not {name: sorted(options) for name, options in gone.items() if options}


def test_every_promised_name_in_python_takes_what_was_promised() -> None:
    assert set(PROMISED["python"]) <= set(gx.__all__)
    gone = {name: set(given) - parts(name) for name, given in PROMISED["python"].items()}
    assert not {name: sorted(given) for name, given in gone.items() if given}
