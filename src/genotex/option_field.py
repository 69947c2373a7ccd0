"""How one field of an options class appears on the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from genotex.procedure import Procedure

__all__ = ["Option"]


@dataclass(frozen=True)
class Option:
    """How a field of an options class appears on the command line; part of its ``Annotated`` type.

    A field without one cannot be set from the command line. The type and the default of the option
    are those of the field: a ``Literal`` is a choice, a ``tuple[str, ...]`` an option that can be
    repeated, a ``bool`` a flag.

    Parameters
    ----------
    help : str
        What it does, for ``--help``.
    name : str
        How it is written (``--q``, ``--filter/--no-filter``); empty for the field's name.
    panel : str
        The panel of ``--help`` that lists it; empty for the first one.
    only : Procedure, optional
        The procedure that uses it; in the other one it is refused.
    metavar, default : str
        Placeholder of the value, and text in place of the default.
    least, above, most : float, optional
        Bounds of a number; `above` is exclusive.
    parse : callable, optional
        Makes the value of one text; its default is shown as text, joined by commas.
    """

    help: str
    name: str = ""
    panel: str = ""
    only: Procedure | None = None
    metavar: str = ""
    default: str = ""
    least: float | None = None
    above: float | None = None
    most: float | None = None
    parse: Callable[[str], Any] | None = None
