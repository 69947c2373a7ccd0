"""An option: how a field of an options class is declared, and what surfaces read from that.

The command line makes its options of the declarations (`genotex.cli.option_classes`), the workbench
its inputs (`genotex.app.forms`).
"""

from __future__ import annotations

import keyword
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from genotex.errors import UsageError
from genotex.procedure import Procedure

Kind = Literal["choice", "flag", "integer", "number", "lines", "text"]
"""How a value is entered: ``lines`` are several texts, one on each line."""
_LONGEST = 40
"""Characters of a number."""


@dataclass(frozen=True)
class Option:
    """How a field of an options class appears to a user; part of its ``Annotated`` type.

    A field without one cannot be set by a user. The type and the default of the option are those of
    the field: a ``Literal`` is a choice, a ``tuple[str, ...]`` an option that can be repeated, a
    ``bool`` a flag, a ``bool | None`` a flag that is chosen automatically unless it is given.

    Parameters
    ----------
    help : str
        What it does, for ``--help`` and below its input.
    name : str
        How it is written (``--q``, ``--filter/--no-filter``); empty for the field's name.
    panel : str
        The panel of ``--help`` that lists it; empty for the first one.
    only : Procedure, optional
        The procedure that uses it; in the other one it is refused.
    short : str
        Its one-letter spelling (``-o``), or nothing.
    metavar, default : str
        Placeholder of the value, and text in place of the default.
    least, above, most : float, optional
        Bounds of a number; `above` is exclusive.
    parse : callable, optional
        Makes the value of one text; its default is shown as text, joined by commas.
    label, example : str
        Name of its input in a form, empty for the field's name; and what an empty one shows.
    common : bool
        Whether a form shows it at once, not among its further options.
    browser : bool
        Whether it makes sense in a browser; a path on the server does not, for example.
    designs : bool
        Whether it applies to a design of the user's own.
    columns : int
        Number of columns of a table that it names, joined by commas; 0 for something else.
    """

    help: str
    name: str = ""
    panel: str = ""
    only: Procedure | None = None
    short: str = ""
    metavar: str = ""
    default: str = ""
    least: float | None = None
    above: float | None = None
    most: float | None = None
    parse: Callable[[str], Any] | None = None
    label: str = ""
    example: str = ""
    common: bool = False
    browser: bool = True
    designs: bool = True
    columns: int = 0

    @property
    def lowest(self) -> float | None:
        """The lower bound, which a number may not reach if it is exclusive."""
        return self.least if self.above is None else self.above

    def check(self, number: float) -> None:
        """Refuse a number that is out of bounds, or not finite."""
        fits = (
            (self.above is None or number > self.above)
            and (self.least is None or number >= self.least)
            and (self.most is None or number <= self.most)
        )
        if fits and math.isfinite(number):
            return
        bounds = {"above": self.above, "at least": self.least, "at most": self.most}
        wanted = [f"{words} {bound:g}" for words, bound in bounds.items() if bound is not None]
        msg = f"{number:g} is out of range; use a number {' and '.join(wanted)}".rstrip()
        raise UsageError(msg)


@dataclass(frozen=True)
class Declared:
    """A field that a user may set: its declaration, its type and its default."""

    field: str
    option: Option
    type: Any
    default: Any

    @property
    def spellings(self) -> tuple[str, str]:
        """How it is written on the command line, and how it is switched off, or nothing."""
        on, _, off = (self.option.name or "--" + self.field.replace("_", "-")).partition("/")
        return on, off

    @property
    def name(self) -> str:
        """Its name as a parameter of a command and in a form."""
        name = self.spellings[0].removeprefix("--").replace("-", "_").replace(".", "_")
        return f"{name}_" if keyword.iskeyword(name) else name

    @property
    def label(self) -> str:
        """Its name for a reader."""
        return self.option.label or self.field.replace("_", " ").capitalize()

    @property
    def choices(self) -> tuple[str, ...]:
        """The words among which a user chooses."""
        kind = _without_none(self.type)
        if self.is_automatic:
            return ("auto", "yes", "no")
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            return tuple(kind)
        return get_args(kind) if get_origin(kind) is Literal else ()

    @property
    def is_automatic(self) -> bool:
        """Whether it is a flag that is chosen automatically unless it is given."""
        return _without_none(self.type) is bool and self.type is not bool

    @property
    def kind(self) -> Kind:
        """How its value is entered."""
        kind = _without_none(self.type)
        if self.choices:
            return "choice"
        if kind == tuple[str, ...] and self.option.parse is None:
            return "lines"
        kinds: dict[Any, Kind] = {bool: "flag", int: "integer", float: "number"}
        return kinds.get(kind, "text")

    def write(self, value: Any) -> str:
        """Return a value as a user enters it."""
        if value is None:
            return "auto" if self.is_automatic else ""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, tuple):
            joined = ("\n" if self.kind == "lines" else ",").join(value)
            return joined or ("none" if self.default and self.kind != "lines" else "")
        return f"{value:g}" if isinstance(value, float) else str(value)

    def read(self, text: str) -> Any:
        """Return the value that a user entered.

        Raises
        ------
        UsageError
            If it is not one of the choices, not a number, or out of bounds.
        """
        text = text.strip()
        if self.kind == "lines":
            return tuple(line.strip() for line in text.splitlines() if line.strip())
        if self.option.parse is not None:
            return self.option.parse(text)
        if not text and self.kind != "choice":
            return self.default
        known = self.choices or (("yes", "no") if self.kind == "flag" else ())
        if known and text not in known:
            msg = f"{self.label} {text!r} is not known; use {', '.join(known[:-1])} or {known[-1]}"
            raise UsageError(msg)
        if self.kind in ("integer", "number"):
            return self._number(text)
        if self.is_automatic and text == "auto":
            return None
        return text == "yes" if self.kind == "flag" or self.is_automatic else text

    def _number(self, text: str) -> float:
        whole = self.kind == "integer"
        try:
            if len(text) > _LONGEST:
                raise ValueError
            number = int(text) if whole else float(text)
        except ValueError as error:
            msg = f"{self.label}: {text[:_LONGEST]!r} is not a {'whole ' if whole else ''}number"
            raise UsageError(msg) from error
        try:
            self.option.check(number)
        except UsageError as error:
            msg = f"{self.label}: {error}"
            raise UsageError(msg) from error
        return number

    def words(self, value: Any) -> list[str]:
        """Return what a user writes on the command line for a value."""
        on, off = self.spellings
        if self.kind == "flag" or self.is_automatic:
            return [] if value is None else [on] if value else [off]
        if self.kind == "lines":
            return [word for each in value for word in (on, each)]
        return [on, self.write(value)]


def _without_none(kind: Any) -> Any:
    """Return the type that is not None of an optional one."""
    others = [each for each in get_args(kind) if each is not NoneType]
    return others[0] if NoneType in get_args(kind) and len(others) == 1 else kind


def declared(made: type) -> tuple[Declared, ...]:
    """Return the fields of an options class that a user may set."""
    return _declared(made)


@cache
def _declared(made: Any) -> tuple[Declared, ...]:
    found = []
    hints = get_type_hints(made, include_extras=True)
    for field in fields(made):
        hint = hints[field.name]
        if get_origin(hint) is Annotated and isinstance(get_args(hint)[1], Option):
            kind, option = get_args(hint)[:2]
            found.append(Declared(field.name, option, kind, field.default))
    return tuple(found)


def changed(options: Any) -> list[tuple[Declared, Any]]:
    """Return the options whose values differ from their defaults, with these values."""
    found = [(each, getattr(options, each.field)) for each in declared(type(options))]
    return [(each, value) for each, value in found if value != each.default]


def command_words(*options: Any) -> list[str]:
    """Return the options of a command that give the same; one that several have is given once."""
    found = {each.name: each.words(value) for some in options for each, value in changed(some)}
    return [word for words in found.values() for word in words]


def build(made: type[Any], values: Mapping[str, Any], name: Callable[[Declared], str]) -> Any:
    """Make an options object; a message about one of its fields uses the name that a user knows."""
    try:
        return made(**values)
    except UsageError as error:
        for each in declared(made):
            if str(error).startswith(f"{each.field} "):
                message = name(each) + str(error).removeprefix(each.field)
                raise UsageError(message) from error
        raise


Controls = Literal["auto", "healthy", "all"]
"""Which controls cases are compared with."""
RegressorRule = Literal["inclusive", "exclusive"]
"""Which genes predict the condition of a two-step problem."""
Scale = Literal["auto", "log2", "linear", "counts"]
"""Scale of expression values as they are in the file."""
ValueKind = Literal["", "proteins", "reads"]
"""Values whose variance depends on their level: intensities of proteins, normalised reads."""
Model = Literal["moderated", "mixed", "all"]
CountTest = Literal["voom", "deseq2"]
RankBy = Literal["replication", "p"]
Hidden = Literal["auto", "adjust", "none", "sva", "two-step"]
SampleWeights = Literal["auto", "none", "group", "sample", "array"]
LevelsMode = Literal["auto", "line", "factor", "ordered"]
Solver = Literal["scikit-learn", "exact"]
SetTest = Literal["camera", "fry", "fry-mixed"]
SetCollection = Literal["go-bp", "go-mf", "go-cc"]

SOUND, BENCHMARK = "Procedure sound", "Procedure benchmark"
GROUPS = "Samples and groups"
TWO_STEP = "Another trait as condition"
PLUG_IN = "Plug-ins"
MODELS, WAYS, LIMITS = "Models", "Ways of the team", "Limits"
ANNOTATOR = "Annotator"


ChosenProcedure = Annotated[
    Procedure,
    # The benchmark needs its list of related genes, a file on the server.
    Option(
        "Sound statistics, or the steps of the published benchmark.", browser=False, designs=False
    ),
]
MissingValues = Literal["error", "drop", "fill"]
"""What becomes of samples without a value that a design needs."""


CONTROLS = Option(
    "Compare cases with healthy controls, or with all. auto: healthy controls if there are at "
    "least five.",
    "--controls",
    label="Compared with",
)


def sound(help: str, name: str = "", panel: str = SOUND, **others: Any) -> Option:
    """Return an option of the procedure ``sound``."""
    return Option(help, name, panel, Procedure.SOUND, **others)


def groups(help: str, name: str = "", **others: Any) -> Option:
    """Return an option that says which samples are compared."""
    return Option(help, name, GROUPS, **others)


def refuse_unknown(options: object, known: dict[str, tuple[str, ...]]) -> None:
    """Refuse a word that is not among the known ones of its field."""
    for name, words in known.items():
        value = getattr(options, name)
        if value not in words:
            msg = f"{name} {value!r} is not known; use {', '.join(words[:-1])} or {words[-1]}"
            raise UsageError(msg)


def check_q(q_cut: float) -> None:
    """Refuse a number that is no q-value."""
    if not 0 < q_cut <= 1:
        msg = f"q_cut {q_cut} is not a q-value; use a number above 0 and at most 1"
        raise UsageError(msg)


def refuse_idle(idle: Sequence[str], given: str) -> None:
    """Refuse options that would do nothing."""
    if idle:
        has, it = ("has", "it") if len(idle) == 1 else ("have", "them")
        msg = f"{', '.join(idle)} {has} no effect with {given}; leave {it} out"
        raise UsageError(msg)
