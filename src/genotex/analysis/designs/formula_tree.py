"""What a design may consist of: the parts of a formula, its functions, and how large it may be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from genotex.formats import LONGEST_FORMULA


@dataclass(frozen=True)
class _FormulaLimits:
    """How large a design may be: far beyond any real study, and computed within seconds."""

    characters: int = LONGEST_FORMULA
    depth: int = 40
    terms: int = 1_000
    factors: int = 6
    exponent: int = 6
    columns: int = 3_000
    cells: int = 30_000_000


LIMITS = _FormulaLimits()


@dataclass(frozen=True)
class Argument:
    """What a function takes as an argument: a kind, and its bounds or words."""

    kind: str  # "whole", "number", "numbers", "flag", "word" or "levels"
    low: int = 0
    high: int = 0
    words: tuple[str, ...] = ()


_FLAG, _NUMBER, _NUMBERS = Argument("flag"), Argument("number"), Argument("numbers", high=100)
_COLUMNS, _DEGREE = Argument("whole", 1, 100), Argument("whole", 0, 10)
_BOUNDS = {"lower_bound": _NUMBER, "upper_bound": _NUMBER}
_OUTSIDE = Argument("word", words=("raise", "clip", "na", "zero", "extend"))
_CUBIC = {
    "df": _COLUMNS, "knots": _NUMBERS, **_BOUNDS,
    "constraints": Argument("word", words=("center",)), "extrapolation": _OUTSIDE,
}  # fmt: skip
_LEVELS = {"levels": Argument("levels")}

FUNCTIONS: Mapping[str, Mapping[str, Argument]] = {
    "C": _LEVELS,
    "factor": _LEVELS,
    "I": {},
    "bs": {
        "df": _COLUMNS, "knots": _NUMBERS, "degree": _DEGREE, "include_intercept": _FLAG,
        **_BOUNDS, "extrapolation": _OUTSIDE,
    },
    "cr": _CUBIC,
    "cs": _CUBIC,
    "cc": _CUBIC,
    "ns": {"df": _COLUMNS},
    "poly": {"degree": Argument("whole", 1, 20), "raw": _FLAG},
    "scale": {"center": _FLAG, "scale": _FLAG},
    "center": {},
    "log": {},
    "log2": {},
    "log10": {},
    "exp": {},
}  # fmt: skip
"""Function -> its arguments after the first, in order. The first is a column or arithmetic."""


@dataclass(frozen=True)
class Constant:
    """A number, a text, True, False or None."""

    value: float | int | str | bool | None

    def __str__(self) -> str:
        """As Python writes it."""
        return repr(self.value)


@dataclass(frozen=True)
class ColumnName:
    """A column of the sample table."""

    name: str
    quoted: bool = False

    def __str__(self) -> str:
        """With backticks if it had them."""
        return f"`{self.name}`" if self.quoted else self.name


@dataclass(frozen=True)
class Listing:
    """Constants in brackets, or in R's ``c()``."""

    items: tuple[Constant, ...]

    def __str__(self) -> str:
        """As Python writes it."""
        return f"[{', '.join(map(str, self.items))}]"


@dataclass(frozen=True)
class Arithmetic:
    """Operators of one precedence, applied from left to right; one operand: a sign."""

    operators: tuple[str, ...]
    operands: tuple[Node, ...]

    def __str__(self) -> str:
        """With spaces, and parentheses where precedence needs them."""
        parts = [_in_parentheses(part, self, i) for i, part in enumerate(self.operands)]
        if len(parts) == 1:
            return f"{self.operators[0]}{parts[0]}"
        pairs = zip(self.operators, parts[1:], strict=True)
        return parts[0] + "".join(f" {operator} {part}" for operator, part in pairs)


@dataclass(frozen=True)
class FunctionCall:
    """One of `FUNCTIONS` with a first argument and settings by name."""

    function: str
    first: Node
    settings: tuple[tuple[str, Constant | Listing], ...] = ()
    positional: int = 0

    @property
    def levels(self) -> tuple[object, ...]:
        """The levels that are listed, of a function that makes groups."""
        given = dict(self.settings).get("levels")
        return tuple(item.value for item in given.items) if isinstance(given, Listing) else ()

    def __str__(self) -> str:
        """With settings as they were given, by name or by place."""
        places = [str(value) for _, value in self.settings[: self.positional]]
        named = [f"{name}={value}" for name, value in self.settings[self.positional :]]
        return f"{self.function}({', '.join([str(self.first), *places, *named])})"


Node = Constant | ColumnName | Listing | Arithmetic | FunctionCall
Term = tuple[Node, ...]
"""Factors of a term, whose columns are multiplied; none: the intercept."""

_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 4}


def _rank(node: Node) -> int:
    """Return how tightly the operators of a node bind."""
    if not isinstance(node, Arithmetic):
        return 5
    return 3 if len(node.operands) == 1 else _PRECEDENCE.get(node.operators[0], 0)


def _in_parentheses(part: Node, whole: Arithmetic, place: int) -> str:
    loose = _rank(part) < _rank(whole) or (_rank(part) == _rank(whole) and place > 0)
    return f"({part})" if loose else str(part)


def label(factor: Node) -> str:
    """Return what a factor is called in the columns of the design: a column without backticks."""
    return factor.name if isinstance(factor, ColumnName) else str(factor)


def names_in(node: Node) -> tuple[str, ...]:
    """Return the columns that a node uses, in order, each once."""
    return tuple(dict.fromkeys(_names(node)))


def _names(node: Node) -> Iterator[str]:
    match node:
        case ColumnName():
            yield node.name
        case Arithmetic():
            for part in node.operands:
                yield from _names(part)
        case FunctionCall():
            yield from _names(node.first)


@dataclass(frozen=True)
class ParsedFormula:
    """A formula as terms, by increasing number of factors, and its offsets."""

    terms: tuple[Term, ...]
    offsets: tuple[Node, ...]


def misfit(found: Constant | Listing, argument: Argument) -> str:
    """Return what a setting must be, if it is something else."""
    if isinstance(found, Listing):
        if argument.kind == "levels":
            fine = all(isinstance(i.value, str) or _is_number(i) for i in found.items)
            return "" if fine else "a list of levels"
        fine = all(map(_is_number, found.items)) and len(found.items) <= argument.high
        return "" if fine else f"a list of at most {argument.high} numbers"
    match argument.kind:
        case "whole":
            fits = isinstance(found.value, int) and _is_number(found)
            fine = fits and argument.low <= float(found.value or 0) <= argument.high
            return "" if fine else f"a whole number from {argument.low} to {argument.high}"
        case "number":
            return "" if _is_number(found) else "a number"
        case "flag":
            return "" if isinstance(found.value, bool) else "True or False"
    return "" if found.value in argument.words else f"one of {', '.join(argument.words)}"


def _is_number(found: Constant) -> bool:
    return isinstance(found.value, int | float) and not isinstance(found.value, bool)


def shortened(text: str, most: int = 40) -> str:
    """Return a text with its end cut off if it is long, for a message."""
    return text if len(text) <= most else f"{text[:most]}..."
