"""From options classes to options of a command.

A command takes an options object as one parameter::

    @with_options
    def analyze(output: Path, analysis: AnalysisOptions) -> None: ...

and the command line gets an option for each field of its class that is declared with one: with a
`genotex.options.Option` in the library, or as Typer's own ``Annotated[..., typer.Option(...)]`` in
classes of this package. Name, type, default, help text and panel come from the field. A command
that offers some of the fields takes ``Annotated[AnalysisOptions, Without("cohort")]`` or
``Only(...)``. Two classes may declare the same option; it is offered once and both receive it.
"""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer
from typer.models import ParameterInfo

from genotex.errors import UsageError
from genotex.options import Option

__all__ = ["Only", "Without", "changed", "with_options"]


class Without:
    """Offer all fields of an options class but these."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def offers(self, name: str) -> bool:
        """Return whether a field is offered."""
        return name not in self.names


class Only(Without):
    """Offer these fields of an options class."""

    def offers(self, name: str) -> bool:
        """Return whether a field is offered."""
        return name in self.names


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
    for field, hint in _declared(type(options)):
        option = get_args(hint)[1]
        value = getattr(options, field.name)
        if isinstance(option, Option) and which(option) and value != field.default:
            shown, _, off = _name(field, option).partition("/")
            name = off if off and value is False else shown
            found.append(f"{name} {value}" if values and not isinstance(value, bool) else name)
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
        try:
            return self.made(**values)
        except UsageError as error:
            for each in self.options:
                if str(error).startswith(f"{each.field} "):
                    message = each.name + str(error).removeprefix(each.field)
                    raise UsageError(message) from error
            raise


def _group(hint: Any) -> _Group | None:
    """Return the options of a parameter for an options object; None for any other parameter."""
    made, *others = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if not is_dataclass(made) or not isinstance(made, type):
        return None
    choice = next((other for other in others if isinstance(other, Without)), Without())
    offered = [
        _offered(field, hint) for field, hint in _declared(made) if choice.offers(field.name)
    ]
    return _Group(made, offered)


def _declared(options: type) -> list[tuple[Field[Any], Any]]:
    """Return the fields that are options of the command line, with their annotations."""
    hints = get_type_hints(options, include_extras=True)
    return [
        (field, hints[field.name])
        for field in fields(options)
        if get_origin(hints[field.name]) is Annotated
        and isinstance(get_args(hints[field.name])[1], Option | ParameterInfo)
    ]


def _offered(field: Field[Any], hint: Any) -> _Offered:
    kind, option = get_args(hint)[:2]
    if not isinstance(option, Option):
        parameter = _parameter(field.name, hint, field.default)
        return _Offered(field.name, field.name, parameter, _same)
    name = _name(field, option)
    own_name = name.split("/")[0].removeprefix("--").replace("-", "_").replace(".", "_")
    own_name += "_" if keyword.iskeyword(own_name) else ""
    default: Any = field.default
    convert = option.parse or _same
    if option.parse is not None:
        kind, default = str, ",".join(map(str, default))
    elif kind == tuple[str, ...]:
        kind, default, convert = list[str] | None, None, _tuple
    parameter = _parameter(own_name, Annotated[kind, _typer(name, option)], default)
    return _Offered(field.name, name.split("/")[0], parameter, convert)


def _name(field: Field[Any], option: Option) -> str:
    return option.name or "--" + field.name.replace("_", "-")


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
        if not (option.above or 0) < value <= (option.most or 0):
            wanted = f"above {option.above:g} and at most {option.most:g}"
            msg = f"{value:g} is out of range; use a number {wanted}"
            raise typer.BadParameter(msg)
        return value

    return check


def _same(value: Any) -> Any:
    return value


def _tuple(values: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(values or ())
