"""What a design may consist of: the parts of a formula, its functions, and how large it may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from genotex.arrays import Floats
from genotex.errors import AnalysisError, UsageError
from genotex.formats import LONGEST_FORMULA

if TYPE_CHECKING:
    import pandas as pd


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


FACTORS = ("C", "factor")
"""Functions that make groups of a column."""
_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "**": np.power,
    "==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal,
    ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip
_ELEMENTWISE = {"log": np.log, "log2": np.log2, "log10": np.log10, "exp": np.exp}


def as_text(value: object) -> str:
    """Return a value of the sample table as the level that a factor has for it."""
    return f"{value:g}" if isinstance(value, float) else str(value)


class FactorColumns:
    """Computes the factors of a formula; what splines and scales learned is kept for new values."""

    def __init__(self, design: str, levels: Mapping[str, Sequence[str]]) -> None:
        self._design = design
        self._levels = levels
        self._learned: dict[str, dict[str, Any]] = {}

    def compute(self, factor: Node, table: pd.DataFrame) -> Any:
        """Return a number or a category for each sample, or several columns by name.

        Raises
        ------
        UsageError
            If a text is where a number should be, or levels do not fit the column.
        AnalysisError
            If a spline or polynomial cannot be computed.
        """
        if isinstance(factor, ColumnName):
            return table[factor.name]
        if isinstance(factor, FunctionCall) and factor.function in FACTORS:
            return self._as_factor(factor, table)
        with np.errstate(all="ignore"):
            return self._columns(factor, table)

    def numbers(self, node: Node, table: pd.DataFrame) -> Floats:
        """Return a number for each sample; raises as `compute`."""
        with np.errstate(all="ignore"):
            found = self._numbers(node, table)
        return np.broadcast_to(found, len(table)).astype(np.float64)

    def _fail(self, why: str) -> NoReturn:
        msg = f"the design {self._design} cannot be computed: {why}"
        raise UsageError(msg)

    def _as_factor(self, call: FunctionCall, table: pd.DataFrame) -> Any:
        if not isinstance(call.first, ColumnName):
            self._fail(f"{call.function}() takes a column, not {str(call.first)!r}")
        name = call.first.name
        column = table[name]
        asked = [as_text(value) for value in call.levels]
        if not asked:
            return column
        there = self._levels[name]
        if len(set(asked)) < len(asked):
            self._fail(f"{call} names a level twice")
        if lost := [level for level in there if level not in asked]:
            self._fail(
                f"{call} leaves out {', '.join(map(repr, lost))}, which samples have; leave these "
                "samples out of the sample table, or name all levels"
            )
        if unknown := [level for level in asked if level not in there]:
            self._fail(f"{name} has no level {unknown[0]!r}")
        return column.cat.set_categories(asked)

    def _columns(self, node: Node, table: pd.DataFrame) -> Any:
        """Return the result of a function that may give several columns, or numbers."""
        if not isinstance(node, FunctionCall) or node.function in _ELEMENTWISE:
            return np.broadcast_to(self._numbers(node, table), len(table)).astype(np.float64)
        if node.function == "I":
            return self._columns(node.first, table)
        values = self._numbers(node.first, table)
        values = np.broadcast_to(values, len(table)).astype(np.float64)
        if not np.isfinite(values).all():
            self._fail(f"{str(node.first)!r} is not a number in every sample")
        settings = {name: _plain(value) for name, value in node.settings}
        learned = self._learned.setdefault(str(node), {})
        try:
            return _transform(node.function)(values, **settings, _state=learned)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError, IndexError) as error:
            why = str(error).strip().splitlines()[0] if str(error).strip() else "no result"
            msg = f"the design {self._design} cannot be computed: {node}: {why}"
            raise AnalysisError(msg) from error

    def _numbers(self, node: Node, table: pd.DataFrame) -> Any:
        """Return numbers: one, or one for each sample."""
        match node:
            case Constant(value=bool() | str() | None):
                self._fail(f"{node} is not a number")
            case Constant():
                return np.float64(node.value)
            case ColumnName():
                if node.name in self._levels:
                    self._fail(f"{node.name} has groups, where numbers are needed")
                return table[node.name].to_numpy(dtype=np.float64)
            case Arithmetic(operators=operators, operands=(only,)):
                return (
                    -self._numbers(only, table)
                    if operators == ("-",)
                    else self._numbers(only, table)
                )
            case Arithmetic(operators=(("==" | "!=") as sign,)) if self._is_text(node):
                return self._equal(sign, node.operands, table)
            case Arithmetic():
                found = self._numbers(node.operands[0], table)
                for operator, part in zip(node.operators, node.operands[1:], strict=True):
                    found = _OPERATORS[operator](found, self._numbers(part, table))
                return np.asarray(found, dtype=np.float64)
            case FunctionCall() if node.function in _ELEMENTWISE:
                return _ELEMENTWISE[node.function](self._numbers(node.first, table))
            case FunctionCall() if node.function in ("I", "scale", "center"):
                return np.asarray(self._columns(node, table), dtype=np.float64)
        self._fail(f"{str(node)!r} is not a number for each sample")

    def _is_text(self, node: Arithmetic) -> bool:
        return any(
            (isinstance(part, ColumnName) and part.name in self._levels)
            or (isinstance(part, Constant) and isinstance(part.value, str))
            for part in node.operands
        )

    def _equal(self, sign: str, operands: Sequence[Node], table: pd.DataFrame) -> Floats:
        """Compare a factor with a level, or two factors."""
        sides = []
        for part in operands:
            match part:
                case ColumnName():
                    sides.append(np.array([as_text(value) for value in table[part.name]]))
                case Constant():
                    sides.append(np.array([as_text(part.value)]))
                case _:
                    self._fail(f"{str(part)!r} cannot be compared with a text")
        found: Floats = np.broadcast_to(
            _OPERATORS[sign](sides[0], sides[1]).astype(np.float64), len(table)
        )
        return found


def _plain(value: Constant | Listing) -> Any:
    if isinstance(value, Listing):
        return [item.value for item in value.items]
    return value.value


def _transform(function: str) -> Callable[..., Any]:
    """Return the formula library's function of this name."""
    from formulaic.transforms import TRANSFORMS

    found: Callable[..., Any] = _natural_spline if function == "ns" else TRANSFORMS[function]
    return found


def _natural_spline(x: Floats, df: int, *, _state: dict[str, Any]) -> Any:
    """Return R's natural cubic splines, but for a rotation; knots at quantiles."""
    from formulaic.transforms import TRANSFORMS

    if "knots" not in _state:
        _state["knots"] = np.quantile(x, np.linspace(0, 1, df + 1))
    low, *inner, high = _state["knots"]
    return TRANSFORMS["cr"](
        x,
        knots=inner,
        lower_bound=low,
        upper_bound=high,
        constraints="center",
        _state=_state.setdefault("basis", {}),
    )
