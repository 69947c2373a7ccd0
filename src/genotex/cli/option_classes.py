"""From options classes to options of a command.

A command takes an options object as one parameter::

    @with_options
    def analyze(output: Path, analysis: AnalysisOptions) -> None: ...

and the command line gets an option for each field of its class that is declared with one: with a
`genotex.options.Option` in the library, or as Typer's own ``Annotated[..., typer.Option(...)]`` in
classes of this package. Name, type, default, help text and panel come from the field. A command
that offers some of the fields takes ``Annotated[AnalysisOptions, Without("cohort")]``,
``Only(...)`` or ``OfDesigns()``. Two classes may declare the same option; it is offered once and
both receive it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.models import ParameterInfo

from genotex import options as declarations
from genotex.errors import UsageError
from genotex.options import Declared, Option, build


class Without:
    """Offer all fields of an options class but these."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def offers(self, name: str, option: object) -> bool:
        """Return whether a field is offered."""
        return name not in self.names


class Only(Without):
    """Offer these fields of an options class."""

    def offers(self, name: str, option: object) -> bool:
        """Return whether a field is offered."""
        return name in self.names


class OfDesigns(Without):
    """Offer the options that apply to a design of the user's own."""

    def offers(self, name: str, option: object) -> bool:
        """Return whether a field is offered."""
        return not isinstance(option, Option) or option.designs


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with one option per field in place of its parameters for options objects."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, _Group] = {}
    parameters: dict[str, inspect.Parameter] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        if (group := _group(hints[name])) is None:
            new = [parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)]
        else:
            groups[name] = group
            new = [option.parameter for option in group.options]
        for each in new:
            parameters.setdefault(each.name, each)

    @wraps(command)
    def run(**given: Any) -> None:
        objects = {name: group.build(given) for name, group in groups.items()}
        offered = {option.parameter.name for group in groups.values() for option in group.options}
        own = {name: value for name, value in given.items() if name not in offered}
        command(**own, **objects)

    # What Typer reads.
    run.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
    run.__annotations__ = {name: each.annotation for name, each in parameters.items()}
    return run


def changed(options: Any, which: Callable[[Option], bool], *, values: bool = False) -> list[str]:
    """Return the options, as a user writes them, whose values differ from their defaults.

    Parameters
    ----------
    options : dataclass instance
        Its fields are declared with `genotex.options.Option`.
    which : callable
        Picks the options to look at.
    values : bool
        Append values to the names, as in ``--solver exact``; flags have none.
    """
    found = []
    for each, value in declarations.changed(options):
        if which(each.option):
            words = each.words(value) or [each.spellings[0]]
            found.append(" ".join(words if values else words[:1]))
    return found


@dataclass(frozen=True)
class _Offered:
    """An option of a command, and the field that receives its value."""

    field: str
    name: str
    parameter: inspect.Parameter
    convert: Callable[[Any], Any]


@dataclass(frozen=True)
class _Group:
    """The options that make up one options object."""

    made: type
    options: Sequence[_Offered]

    def build(self, given: Mapping[str, Any]) -> Any:
        """Make the object; a message about one of its fields names the option instead."""
        values = {each.field: each.convert(given[each.parameter.name]) for each in self.options}
        names = {each.field: each.name for each in self.options}
        return build(self.made, values, lambda each: names.get(each.field, each.field))


def _group(hint: Any) -> _Group | None:
    """Return the options of a parameter for an options object; None for any other parameter."""
    made, *others = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if not is_dataclass(made) or not isinstance(made, type):
        return None
    choice = next((other for other in others if isinstance(other, Without)), Without())
    return _Group(made, list(_options(made, choice)))


def _options(made: type, choice: Without) -> Iterator[_Offered]:
    """Give the fields that are options of the command line."""
    ours = {each.field: each for each in declarations.declared(made)}
    hints = get_type_hints(made, include_extras=True)
    for field in fields(made):
        hint = hints[field.name]
        option = get_args(hint)[1] if get_origin(hint) is Annotated else None
        if not choice.offers(field.name, option):
            continue
        if field.name in ours:
            yield _offered(ours[field.name])
        elif isinstance(option, ParameterInfo):
            parameter = _parameter(field.name, hint, field.default)
            yield _Offered(field.name, field.name, parameter, _same)


def _offered(each: Declared) -> _Offered:
    option, kind, default = each.option, each.type, each.default
    convert = option.parse or _same
    if option.parse is not None:
        kind, default = str, each.write(default)
    elif each.kind == "lines":
        kind, default, convert = list[str] | None, None, _tuple
    typer_option = _typer("/".join(filter(None, each.spellings)), option)
    parameter = _parameter(each.name, Annotated[kind, typer_option], default)
    return _Offered(each.field, each.spellings[0], parameter, convert)


def _parameter(name: str, hint: Any, default: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if default is MISSING else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _typer(name: str, option: Option) -> Any:
    open_range = f"<float range> [{option.above:g}<x<={option.most:g}]" if _is_open(option) else ""
    return typer.Option(
        name,
        help=option.help,
        rich_help_panel=option.panel or None,
        metavar=option.metavar or open_range or None,
        show_default=option.default or True,
        min=option.least,
        max=None if open_range else option.most,
        callback=_inside(option) if open_range else None,
    )


def _is_open(option: Option) -> bool:
    return option.above is not None and option.most is not None


def _inside(option: Option) -> Callable[[float], float]:
    """Return a check of a range without its lower bound, which Typer has no word for."""

    def check(value: float) -> float:
        try:
            option.check(value)
        except UsageError as error:
            raise typer.BadParameter(str(error)) from error
        return value

    return check


def _same(value: Any) -> Any:
    return value


def _tuple(values: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(values or ())
