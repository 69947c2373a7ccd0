"""What a prompt says of the toolkit, made from signatures and docstrings."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from genotex.agents import toolkit
from genotex.agents.prompts import render_prompt
from genotex.errors import UsageError

__all__ = ["toolkit_documentation", "toolkit_functions"]


@dataclass(frozen=True)
class _Documented:
    signature: str
    text: str


def toolkit_functions() -> tuple[str, ...]:
    """Return the names of all functions of the toolkit, in the order of use."""
    return tuple(name for name in toolkit.__all__ if inspect.isfunction(getattr(toolkit, name)))


def toolkit_documentation(names: Sequence[str] | None = None) -> str:
    """Return the documentation of the toolkit as text for a prompt, always the same.

    Parameters
    ----------
    names : sequence of str, optional
        Functions that are wanted, such as those of an action unit; all by default. They come in
        the order of use.

    Raises
    ------
    UsageError
        If the toolkit has no function of a name.
    """
    known = toolkit_functions()
    for name in names or ():
        if name not in known:
            msg = f"the toolkit has no function {name!r}; use {', '.join(known)}"
            raise UsageError(msg)
    return _documentation(tuple(name for name in known if names is None or name in names))


@cache
def _documentation(names: tuple[str, ...]) -> str:
    functions = [_document(getattr(toolkit, name)) for name in names]
    return render_prompt("toolkit.md.j2", functions=functions)


def _document(function: Callable[..., Any]) -> _Documented:
    signature = inspect.signature(function)
    # Types stand in the docstring, in words.
    plain = signature.replace(
        parameters=[p.replace(annotation=p.empty) for p in signature.parameters.values()],
        return_annotation=signature.empty,
    )
    text = textwrap.indent(inspect.getdoc(function) or "", "    ")
    return _Documented(f"{function.__name__}{plain} -> {signature.return_annotation}", text)
