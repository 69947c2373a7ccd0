"""The columns of a design, computed by walking the tree of its formula; nothing is evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.designs.formula_tree import (
    Arithmetic,
    ColumnName,
    Constant,
    FunctionCall,
    Listing,
    Node,
)
from genotex.errors import AnalysisError, UsageError

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
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
