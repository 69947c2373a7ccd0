"""Figures by name: a module of this package registers its figures, and every surface finds them.

A figure is a function of a subject (the genes of a result, the samples of a cohort, ...) that
returns a `Figure`, or None where the subject has nothing to show.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from genotex.figures.model import Figure

Drawn = Callable[..., "Figure | None"]


@dataclass(frozen=True)
class Registered:
    """A figure by its name: the class of its subject, its short name, and its place in the order.

    `pages` says whether the report shows it by itself; the workbench and Python show all.
    """

    key: str
    label: str
    of: type
    place: int
    declare: Drawn
    pages: bool = True


_FOUND: dict[str, Registered] = {}


def figure(
    key: str, label: str, of: type, *, place: int, pages: bool = True
) -> Callable[[Drawn], Drawn]:
    """Register the function below as a figure of a kind of subject."""

    def register(declare: Drawn) -> Drawn:
        _FOUND[key] = Registered(key, label, of, place, declare, pages)
        return declare

    return register


@cache
def _all() -> dict[str, Registered]:
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    return dict(sorted(_FOUND.items(), key=lambda item: item[1].place))


def figures_of(subject: type) -> tuple[Registered, ...]:
    """Return the figures of a kind of subject, in their order."""
    return tuple(each for each in _all().values() if each.of is subject)


def declared(subject: Any, *, pages_only: bool = False) -> list[Figure]:
    """Return all figures that a subject has something to show in."""
    found = (
        each.declare(subject) for each in figures_of(type(subject)) if each.pages or not pages_only
    )
    return [each for each in found if each is not None]
