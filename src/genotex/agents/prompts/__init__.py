"""Prompts: templates in files, and the documentation of the toolkit in them."""

from __future__ import annotations

import hashlib
import inspect
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from genotex.clinical import question_digests
from genotex.errors import UsageError
from genotex.outside import packaged

__all__ = [
    "PACKAGES",
    "prompt_digest",
    "prompt_digests",
    "render_prompt",
    "toolkit_documentation",
    "toolkit_functions",
    "toolkit_reference",
]

PACKAGES = ("numpy", "pandas", "polars", "scipy", "scikit-learn", "statsmodels")
"""Packages that generated code may use; the agents need them, so that they are there."""


def render_prompt(name: str, **values: object) -> str:
    """Return the prompt of a template, such as ``units/geo/load_data.md.j2``, with its values."""
    return _environment().get_template(name).render(**values).strip() + "\n"


def prompt_digest(name: str) -> str:
    """Return the SHA-256 of a template, by which a run records the text it used."""
    return hashlib.sha256(packaged(__package__, name)).hexdigest()


def prompt_digests() -> dict[str, str]:
    """Return the SHA-256 of every template, by its name."""
    names = _environment().list_templates(extensions=["j2"])
    return {name: prompt_digest(name) for name in names} | question_digests()


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("genotex.agents", "prompts"),
        # Prompts are plain text and are never shown in a browser.
        autoescape=False,
        undefined=StrictUndefined,
        # Files of an installed package do not change.
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def toolkit_functions() -> tuple[str, ...]:
    """Return the names of all functions of the toolkit, in order of use."""
    from genotex.agents import toolkit

    return tuple(name for name in toolkit.__all__ if inspect.isfunction(getattr(toolkit, name)))


def toolkit_documentation(names: Sequence[str] | None = None) -> str:
    """Return signatures and docstrings of toolkit functions (by default of all) for a prompt.

    They are in order of use, so that the same names give the same text.
    """
    known = toolkit_functions()
    for name in names or ():
        if name not in known:
            msg = f"the toolkit has no function {name!r}; use {', '.join(known)}"
            raise UsageError(msg)
    return _documentation(tuple(name for name in known if names is None or name in names))


@dataclass(frozen=True)
class _Documented:
    signature: str
    text: str


@cache
def _documentation(names: tuple[str, ...]) -> str:
    from genotex.agents import toolkit

    functions = [_document(getattr(toolkit, name)) for name in names]
    return render_prompt("toolkit.md.j2", functions=functions)


def toolkit_reference(names: Sequence[str], others: Sequence[str] = ()) -> str:
    """Return the documentation of functions for a prompt, in few words; of `others` a line each.

    The functions are in order of use, so that the same names give the same text.
    """
    known = toolkit_functions()
    brief = tuple(name for name in known if name in others and name not in names)
    return _reference(tuple(name for name in known if name in names), brief)


@cache
def _reference(names: tuple[str, ...], others: tuple[str, ...]) -> str:
    from genotex.agents import toolkit

    return render_prompt(
        "toolkit_reference.md.j2",
        functions=[_in_few_words(getattr(toolkit, name)) for name in names],
        others=[_document(getattr(toolkit, name)) for name in others],
    )


_SECTION = re.compile(r"^(\w+)\n-+\n", re.MULTILINE)


def _in_few_words(function: Callable[..., Any]) -> _Documented:
    """Return a function with its docstring's summary, parameters and result as running text."""
    documented = _document(function)
    summary, *rest = _SECTION.split(inspect.getdoc(function) or "")
    sections = dict(zip(rest[::2], rest[1::2], strict=True))
    parts = [" ".join(summary.split())]
    entries = _entries(sections.get("Parameters", ""))
    # What the signature and the example show is not repeated.
    parts += [f"- {entry}" for entry in entries if not _PLAIN.search(entry)]
    parts += [f"Returns {entry}" for entry in _entries(sections.get("Returns", ""))]
    parts += [f"Example: {line[4:]}" for line in sections.get("Examples", "").splitlines()]
    return _Documented(documented.signature, "\n".join(parts))


_PLAIN = re.compile(r": (As `\w+` gives it|The task of the notebook)\.$")


def _entries(section: str) -> list[str]:
    """Return each entry of a section of a docstring in a line: name, type and text."""
    entries: list[list[str]] = []
    for line in section.splitlines():
        if line and not line.startswith(" "):
            name, _, kind = line.partition(" : ")
            entries.append([f"{name} ({kind}):" if kind else f"{name}:"])
        elif line.strip():
            entries[-1].append(line.strip())
    return [" ".join(entry) for entry in entries]


def _document(function: Callable[..., Any]) -> _Documented:
    signature = inspect.signature(function)
    # The docstring describes the types in words.
    plain = signature.replace(
        parameters=[p.replace(annotation=p.empty) for p in signature.parameters.values()],
        return_annotation=signature.empty,
    )
    text = textwrap.indent(inspect.getdoc(function) or "", "    ")
    return _Documented(f"{function.__name__}{plain} -> {signature.return_annotation}", text)
