"""Arguments of the Python functions to files and options of the packages below."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

from genotex.cohorts import PreprocessOptions, load_options
from genotex.errors import FormatError, UsageError
from genotex.layout import GeoCohortFiles, geo_cohort_files, series_at, series_of
from genotex.options import PreprocessChoices, declared

_Function = TypeVar("_Function", bound=Callable[..., Any])
Paths = str | Path | Sequence[str | Path]
_OTHER_NAMES = {"case": "cases", "control": "controls", "controls": "control_roles"}
"""Names of arguments whose option has another name."""


def as_path(path: str | Path) -> Path:
    """Return a path with ``~`` resolved."""
    return Path(path).expanduser()


def nearest(name: str, known: Sequence[str]) -> str:
    """Return the names that are spelt like one that is unknown, as the end of a message."""
    folded = {each.casefold(): each for each in known}
    near = get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)
    if near:
        return f"; the nearest are {', '.join(folded[each] for each in near)}"
    few = ", ".join(known[:10])
    return f"; known are {few}" + (f" and {len(known) - 10:,} more" if len(known) > 10 else "")


def shows_options(
    kind: type[Any], names: Mapping[str, str], **defaults: Any
) -> Callable[[_Function], _Function]:
    """Show the options of a design in the signature of a function; `defaults` are its own."""

    def decorate(function: _Function) -> _Function:
        signature = inspect.signature(function)
        argument = {field: name for name, field in names.items()}
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        options = [
            inspect.Parameter(
                argument.get(each.field, each.field),
                inspect.Parameter.KEYWORD_ONLY,
                default=defaults.get(each.field, each.default),
            )
            for each in declared(kind)
            if each.option.designs
        ]
        shown = signature.replace(parameters=[*own, *options])
        function.__signature__ = shown  # type: ignore[attr-defined]
        return function

    return decorate


def options_of(kind: type[Any], given: Mapping[str, Any], names: Mapping[str, str]) -> Any:
    """Return options of a class; arguments without a value keep its defaults."""
    known = {field.name for field in fields(kind) if field.init}
    hints = get_type_hints(kind)
    chosen: dict[str, Any] = {}
    for argument, value in given.items():
        name = names.get(argument, argument)
        if name not in known:
            shown = sorted({n for n in known if n not in names.values()} | set(names))
            msg = f"unknown option {argument!r}{nearest(argument, shown)}"
            raise UsageError(msg)
        if value is None:
            continue
        if hints[name] == tuple[str, ...]:
            value = (value,) if isinstance(value, str) else tuple(value)
        elif "Path" in str(hints[name]):
            if not isinstance(value, str | Path):
                msg = f"{argument} is a {type(value).__name__}; give the path of a file"
                raise UsageError(msg)
            value = as_path(value)
        chosen[name] = value
    try:
        return kind(**chosen)
    except TypeError as error:
        msg = f"an option is of the wrong kind ({error}): {given}"
        raise UsageError(msg) from error


def gather_choices(given: Mapping[str, Any]) -> PreprocessOptions:
    """Return the options of reading a cohort, with the sample sheet and pairs that they name."""
    names = dict(_OTHER_NAMES)
    if given.get("controls") not in (None, "auto", "healthy", "all"):
        msg = (
            f"controls {given['controls']!r} is not known; use auto, healthy or all (for "
            "conditions that pick the controls use control=...)"
        )
        raise UsageError(msg)
    return load_options(options_of(PreprocessChoices, given, names))


def series_files(paths: Paths, trait: str | None) -> GeoCohortFiles:
    """Return the files of one series: its folder, its matrix, or a list of files."""
    if not isinstance(paths, str | Path | Sequence):
        msg = f"a {type(paths).__name__} names no file; give the folder of a GEO series"
        raise UsageError(msg)
    given = [as_path(paths)] if isinstance(paths, str | Path) else [as_path(p) for p in paths]
    if not given:
        msg = "no file was named; give the folder of a GEO series"
        raise UsageError(msg)
    for path in given:
        if not path.exists():
            msg = "no such file or folder"
            hint = "give the folder of a GEO series, or its series matrix"
            raise FormatError(msg, path=path, hint=hint)
    if len(given) == 1:
        found = series_at(given[0])
        if len(found) > 1 or (given[0] / "GEO").is_dir():
            msg = "is a folder of several series; give the folder of one"
            example = next(iter(found), "GEO/<Trait>/<GSE>")
            hint = f"for example {example}; 'genotex solve' takes whole input folders"
            raise FormatError(msg, path=given[0], hint=hint)
        if found or given[0].is_dir():
            one = next(iter(found.values()), None) or geo_cohort_files("", given[0])
            return replace(one, trait=trait or "")
    if folders := [path for path in given if path.is_dir()]:
        msg = f"{folders[0]} is a folder; give one folder, or files"
        raise UsageError(msg)
    return series_of(given, trait or "")
