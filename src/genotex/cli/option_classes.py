"""From declared options, and classes of them, to options of a command.

A command takes an options object as one parameter, or a value with its declaration::

    @with_options
    def analyze(
        output: Path, analysis: AnalysisOptions, seed: Annotated[int, Option("Seed.")] = 0
    ) -> None: ...

and the command line gets an option for each field of the class that is declared with a
`genotex.options.Option`. Name, type, default, help text and panel come from the declaration. A
command that offers some of the fields takes ``Annotated[AnalysisOptions, Without("cohort")]``,
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
    makers: dict[str, _Group | _Offered] = {}
    parameters: dict[str, inspect.Parameter] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        made = makers[name] = _group(hints[name]) or _single(name, hints[name], parameter.default)
        for option in made.options if isinstance(made, _Group) else [made]:
            parameters.setdefault(option.parameter.name, option.parameter)

    @wraps(command)
    def run(**given: Any) -> None:
        command(**{name: maker.build(given) for name, maker in makers.items()})

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

    def build(self, given: Mapping[str, Any]) -> Any:
        """Return its value."""
        return self.convert(given[self.parameter.name])


@dataclass(frozen=True)
class _Group:
    """The options that make up one options object."""

    made: type
    options: Sequence[_Offered]

    def build(self, given: Mapping[str, Any]) -> Any:
        """Make the object; a message about one of its fields names the option instead."""
        values = {each.field: each.build(given) for each in self.options}
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
    hints = get_type_hints(made, include_extras=True)
    for field in fields(made):
        hint = hints[field.name]
        option = get_args(hint)[1] if get_origin(hint) is Annotated else None
        if isinstance(option, Option | ParameterInfo) and choice.offers(field.name, option):
            yield _single(field.name, hint, field.default)


def _single(name: str, hint: Any, default: Any) -> _Offered:
    """Return what is offered for one value: Typer's own parameter, or a declared option."""
    default = inspect.Parameter.empty if default is MISSING else default
    made, *others = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if others and isinstance(others[0], Option):
        return _offered(Declared(name, others[0], made, default))
    return _Offered(name, name, _parameter(name, hint, default), _same)


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
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _typer(name: str, option: Option) -> Any:
    open_range = f"<float range> [{option.above:g}<x<={option.most:g}]" if _is_open(option) else ""
    return typer.Option(
        *filter(None, (name, option.short)),
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
