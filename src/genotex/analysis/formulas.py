"""A design as a formula, and contrasts named by levels, as numbers.

Formulas are read by formulaic (the language of R's ``model.matrix``). What a contrast of levels
means is found on the design itself: all samples are given the one level, then the other, everything
else as it is, and the rows of the design matrix are averaged. For a sum of terms this is the
difference of two coefficients; with interactions it is the difference averaged over the samples.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.errors import AnalysisError, UsageError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FormulaDesign", "Formulas", "TestedContrast", "find_contrast", "fit_formula"]

Floats = NDArray[np.float64]
Weights = Mapping[str, float]

FUNCTIONS = (
    "C",
    "bs",
    "cr",
    "cc",
    "cs",
    "ns",
    "poly",
    "scale",
    "center",
    "log",
    "log2",
    "log10",
    "exp",
)
"""What a formula may call: nothing that could do more than compute a column."""
TREND = "trend"
MOST_NAMED = 10
_NODES = (
    ast.Expression, ast.Name, ast.Load, ast.Call, ast.keyword, ast.Constant, ast.BinOp, ast.UnaryOp,
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub, ast.List, ast.Tuple,
)  # fmt: skip
_OFFSET = re.compile(r"\+?\s*offset\(\s*(`[^`]+`|\w+)\s*\)")


@dataclass(frozen=True)
class Formulas:
    """A formula as the user wrote it, its offset and the columns that it needs."""

    text: str
    without_offset: str
    offset: str | None
    variables: tuple[str, ...]

    @classmethod
    def read(cls, text: str, columns: Sequence[str]) -> Formulas:
        """Read a formula and check that the sample table has its columns."""
        from formulaic import Formula
        from formulaic.errors import FormulaicError

        found = _OFFSET.search(text)
        rest = _OFFSET.sub("", text, count=1) if found else text
        try:
            formula = Formula(rest)
        except (FormulaicError, SyntaxError) as error:
            why = re.sub(r"\x1b\[[0-9;]*m|⧛|⧚", "", str(error)).strip().splitlines()[0]
            msg = f"the design {text!r} cannot be read: {why} Write for example '~ group + age'"
            raise UsageError(msg) from error
        if hasattr(formula, "lhs"):
            msg = (
                f"the design {text!r} has an outcome before '~'; the outcome is the expression of "
                "each gene: write only what it depends on, as in '~ group + age'"
            )
            raise UsageError(msg)
        needed: set[str] = set()
        for term in formula:
            for factor in term.factors:
                if factor.eval_method.value == "python":
                    needed |= _names_in(text, factor.expr)
                elif factor.eval_method.value == "lookup":
                    needed.add(str(factor.expr))
        offset = None if found is None else found[1].strip("`")
        wanted = sorted(needed | ({offset} if offset else set()))
        for name in wanted:
            _check_column(name, columns, f"the design {text!r}")
        return cls(text, rest, offset, tuple(wanted))


def _names_in(formula: str, expression: str) -> set[str]:
    """Return the columns of an expression, which may hold arithmetic and the known functions."""
    # Formulas run as Python, so nothing else may be in them.
    quoted: dict[str, str] = {}

    def plain(found: re.Match[str]) -> str:
        quoted[f"quoted_{len(quoted)}_"] = found[1]
        return list(quoted)[-1]

    try:
        tree = ast.parse(re.sub(r"`([^`]*)`", plain, expression), mode="eval")
    except SyntaxError as error:
        msg = f"the design {formula!r} cannot be read: {expression!r} is no expression"
        raise UsageError(msg) from error
    for node in ast.walk(tree):
        known = isinstance(node, _NODES)
        if isinstance(node, ast.Call):
            known = isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS
        if not known:
            msg = (
                f"the design {formula!r} holds {expression!r}, which is not allowed; use columns, "
                f"arithmetic and {', '.join(FUNCTIONS)}"
            )
            raise UsageError(msg)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - set(FUNCTIONS)
    return {quoted.get(name, name) for name in names}


def _check_column(name: str, columns: Sequence[str], where: str) -> None:
    if name in columns:
        return
    near = get_close_matches(name, columns, n=1, cutoff=0.6)
    near = near or [column for column in columns if column.lower() == name.lower()]
    hint = f"; perhaps {near[0]!r}" if near else ""
    msg = (
        f"{where} names {name!r}, which is not a column of the sample table{hint}. It has "
        f"{_listed(columns)}; names with spaces go between backticks"
    )
    raise UsageError(msg)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(map(str, names[:MOST_NAMED])) + more


@dataclass(frozen=True, eq=False)
class FormulaDesign:
    """The design matrix of a formula for some samples.

    Attributes
    ----------
    formula
        As the user wrote it.
    names
        Columns of the matrix.
    matrix : ndarray of float64, shape (n, k)
        Full column rank.
    terms
        Term of the formula to its columns, the intercept among them.
    levels
        Variable that is a factor to its levels, the reference first.
    """

    formula: Formulas
    samples: tuple[str, ...]
    names: tuple[str, ...]
    matrix: Floats
    terms: Mapping[str, tuple[int, ...]]
    levels: Mapping[str, tuple[str, ...]]
    _frame: pd.DataFrame = field(repr=False)
    _model: Any = field(repr=False)

    def row(self, given: Mapping[str, str]) -> Floats:
        """Return the mean row of the matrix when all samples had these values."""
        import pandas as pd

        frame = self._frame.copy(deep=False)
        for name, value in given.items():
            if name in self.levels:
                column = pd.Categorical([value] * len(frame), categories=list(self.levels[name]))
                frame[name] = column
            else:
                frame[name] = float(value)
        rows = self._model.get_model_matrix(frame, context={"ns": _natural_spline()})
        mean: Floats = np.asarray(rows, dtype=np.float64).mean(axis=0)
        return mean

    def column(self, name: str) -> tuple[Any, ...]:
        """Return the values of a variable, one for each sample."""
        return tuple(self._frame[name].tolist())


def fit_formula(
    formula: Formulas,
    table: pl.DataFrame,
    samples: Sequence[str],
    order: Mapping[str, Sequence[str]] | None = None,
) -> FormulaDesign:
    """Build the design matrix; the table has a row for each sample and no missing values.

    Parameters
    ----------
    order
        Variable to its levels, the reference first; others are in alphabetical order.

    Raises
    ------
    AnalysisError
        If the design is not estimable: the message names columns and samples.
    """
    from formulaic import Formula
    from formulaic.errors import FormulaicError

    frame, levels = _frame(formula, table, order or {})
    try:
        built = Formula(formula.without_offset).get_model_matrix(
            frame, context={"ns": _natural_spline()}, na_action="ignore"
        )
    except (FormulaicError, ValueError, ArithmeticError) as error:
        why = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).strip().splitlines()[0]
        msg = f"the design {formula.text!r} cannot be computed: {why}"
        raise AnalysisError(msg) from error
    names = tuple(str(name) for name in built.columns)
    matrix = np.asarray(built, dtype=np.float64)
    if not np.isfinite(matrix).all():
        bad = [names[int(j)] for j in np.flatnonzero(~np.isfinite(matrix).all(axis=0))]
        rows = [samples[int(i)] for i in np.flatnonzero(~np.isfinite(matrix).all(axis=1))]
        msg = f"the design {formula.text!r} has no number in {_listed(bad)} for {_listed(rows)}"
        raise AnalysisError(msg)
    terms = {str(term): tuple(at) for term, at in built.model_spec.term_indices.items()}
    design = FormulaDesign(
        formula, tuple(samples), names, matrix, terms, levels, frame, built.model_spec
    )
    _check_estimable(design)
    return design


def _natural_spline() -> Any:
    """Return ``ns(x, df)``: R's natural cubic splines, but for a rotation; knots at quantiles."""
    from formulaic.transforms import TRANSFORMS
    from formulaic.utils.stateful_transforms import stateful_transform

    def ns(x: Any, df: int, _state: dict[str, Any]) -> Any:
        if "knots" not in _state:
            values = np.asarray(x, dtype=np.float64)
            _state["knots"] = np.quantile(values, np.linspace(0, 1, df + 1))
        low, *inner, high = _state["knots"]
        return TRANSFORMS["cr"](
            x,
            knots=inner,
            lower_bound=low,
            upper_bound=high,
            constraints="center",
            _state=_state.setdefault("basis", {}),
        )

    return stateful_transform(ns)


def _frame(
    formula: Formulas, table: pl.DataFrame, order: Mapping[str, Sequence[str]]
) -> tuple[pd.DataFrame, dict[str, tuple[str, ...]]]:
    """Return the variables of a formula, factors as categories, and the levels of these."""
    import pandas as pd

    columns: dict[str, Any] = {}
    levels: dict[str, tuple[str, ...]] = {}
    for name in formula.variables:
        values = table[name]
        as_factor = re.search(rf"C\(\s*`?{re.escape(name)}`?\s*[,)]", formula.text) is not None
        if values.dtype.is_numeric() and not as_factor and name not in order:
            columns[name] = values.cast(pl.Float64).to_numpy()
            continue
        texts = [_as_text(value) for value in values.to_list()]
        levels[name] = _levels(name, texts, order.get(name, ()))
        columns[name] = pd.Categorical(texts, categories=list(levels[name]))
        if len(levels[name]) < 2:
            msg = (
                f"{name} is {levels[name][0]!r} in all {len(texts)} samples: it cannot be in the "
                f"design {formula.text!r}"
            )
            raise AnalysisError(msg)
    frame = pd.DataFrame(columns, index=range(table.height))
    return frame, levels


def _as_text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _levels(name: str, texts: Sequence[str], order: Sequence[str]) -> tuple[str, ...]:
    there = set(texts)
    if missing := [level for level in order if level not in there]:
        msg = f"{name} has no level {missing[0]!r}; it has {_listed(sorted(there))}"
        raise UsageError(msg)
    return (*order, *sorted(there - set(order), key=_natural_order))


def _natural_order(text: str) -> list[tuple[int, float, str]]:
    parts = re.split(r"(\d+(?:\.\d+)?)", text)
    return [(0, float(part), "") if i % 2 else (1, 0.0, part) for i, part in enumerate(parts)]


def _check_estimable(design: FormulaDesign) -> None:
    from genotex.analysis.design import MIN_RESIDUAL_DF, independent_columns

    matrix, names = design.matrix, design.names
    fine = independent_columns(matrix)
    if not fine.all():
        j = int(np.flatnonzero(~fine)[0])
        raise AnalysisError(_why_dependent(design, j))
    needed = matrix.shape[1] + MIN_RESIDUAL_DF
    if len(matrix) < needed:
        msg = (
            f"{len(matrix)} samples are too few for the {len(names)} coefficients of the design "
            f"{design.formula.text!r}: at least {needed} are needed"
        )
        raise AnalysisError(msg)


def _why_dependent(design: FormulaDesign, j: int) -> str:
    """Say which column cannot be told from which others, and in which samples it is not 0."""
    matrix, names = design.matrix, design.names
    start = f"the design {design.formula.text!r} is not estimable: "
    column = matrix[:, j]
    if not column.any():
        return (
            f"{start}no sample has {names[j].replace(':', ' and ')}; leave the interaction out or "
            "join levels"
        )
    weights = np.linalg.lstsq(matrix[:, :j], column, rcond=None)[0]
    others = [name for name, weight in zip(names[:j], weights, strict=True) if abs(weight) > 1e-8]
    here = [s for s, value in zip(design.samples, column, strict=True) if value]
    where = f" (not 0 in {_listed(here)})" if len(here) < len(column) else ""
    return (
        f"{start}the column {names[j]}{where} is a combination of {_listed(others)}; leave one of "
        "their terms out"
    )


@dataclass(frozen=True, eq=False)
class TestedContrast:
    """What is tested: one combination of the coefficients, or several together.

    Attributes
    ----------
    text
        As the user wrote it.
    weights : ndarray of float64, shape (k, m)
        Combinations of the columns of the design.
    variable
        The factor whose levels are compared; None for coefficients.
    levels
        Level to its weight, where levels are compared; none for coefficients.
    names
        What each combination is.
    """

    text: str
    weights: Floats
    names: tuple[str, ...]
    variable: str | None = None
    levels: Weights = field(default_factory=dict)

    @property
    def several(self) -> bool:
        """Whether several combinations are tested together, by an F test."""
        return int(self.weights.shape[1]) > 1

    @cached_property
    def difference(self) -> tuple[str, str] | None:
        """The two levels of a plain difference, the first minus the second."""
        up = [level for level, weight in self.levels.items() if abs(weight - 1) < 1e-12]
        down = [level for level, weight in self.levels.items() if abs(weight + 1) < 1e-12]
        plain = len(self.levels) == 2 and len(up) == len(down) == 1
        return (up[0], down[0]) if plain else None


def find_contrast(text: str, design: FormulaDesign) -> TestedContrast:
    """Return what a contrast tests: ``factor: A - B``, ``factor: trend``, a term or a coefficient.

    Levels may be weighted and grouped (``group: (B + C)/2 - A``), and held at a level of other
    factors (``group: B - A | sex = female``).

    Raises
    ------
    UsageError
        If it names no level, term or coefficient of the design; the message lists those there are.
    """
    wanted = _squeezed(text)
    for term, columns in design.terms.items():
        if term != "1" and wanted in (
            _squeezed(term),
            _squeezed(":".join(reversed(term.split(":")))),
        ):
            return _of_columns(text, columns, design)
    for j, name in enumerate(design.names):
        if wanted == _squeezed(name):
            return _of_columns(text, (j,), design)
    variable, colon, rest = text.partition(":")
    variable = variable.strip().strip("`")
    if not colon:
        raise UsageError(_unknown_contrast(text, design))
    if variable not in design.formula.variables:
        _check_column(variable, design.formula.variables, f"the contrast {text!r}")
    return _of_levels(text, variable, rest, design)


def _squeezed(text: str) -> str:
    return re.sub(r"[\s`]+", "", text)


def _unknown_contrast(text: str, design: FormulaDesign) -> str:
    terms = [term for term in design.terms if term != "1"]
    factors = [f"{name}: {levels[1]} - {levels[0]}" for name, levels in design.levels.items()]
    examples = [*factors, *terms]
    return (
        f"the contrast {text!r} is no term or coefficient of the design "
        f"{design.formula.text!r}; possible are {_listed([repr(e) for e in examples])}"
    )


def _of_columns(text: str, columns: Sequence[int], design: FormulaDesign) -> TestedContrast:
    weights = np.eye(len(design.names))[:, list(columns)]
    names = tuple(design.names[j] for j in columns)
    if (
        len(columns) > 1
        and "1" not in design.terms
        and any(text.strip() == n for n in design.levels)
    ):
        # Without intercept the coefficients are means; their differences are of interest.
        weights, names = weights[:, 1:] - weights[:, :1], names[1:]
    variable, levels = None, {}
    found = re.fullmatch(r"(?:C\()?`?([^\[`]+?)`?\)?\[T\.(.+)\]", names[0])
    if len(columns) == 1 and found and found[1] in design.levels:
        variable = found[1]
        levels = {found[2]: 1.0, design.levels[variable][0]: -1.0}
    return TestedContrast(text, weights, names, variable, levels)


def _of_levels(text: str, variable: str, rest: str, design: FormulaDesign) -> TestedContrast:
    expression, bar, held_text = rest.partition("|")
    held = _held(text, held_text, design) if bar else {}
    levels = design.levels.get(variable)
    if expression.strip().lower() == TREND:
        weights = _trend(text, variable, design)
    elif levels is None:
        weights = LevelExpression(text, expression, variable, ()).weights()
    else:
        weights = LevelExpression(text, expression, variable, levels).weights()
    if abs(sum(weights.values())) > 1e-9 and levels is not None:
        msg = (
            f"the contrast {text!r} compares nothing: its weights add to "
            f"{sum(weights.values()):g}, not 0; write a difference, as in "
            f"'{variable}: {levels[1]} - {levels[0]}'"
        )
        raise UsageError(msg)
    rows = [weight * design.row({**held, variable: level}) for level, weight in weights.items()]
    combination = np.sum([np.zeros(len(design.names)), *rows], axis=0)
    combination[np.abs(combination) < 1e-12] = 0.0
    if not combination.any():
        msg = f"the contrast {text!r} is 0 in the design {design.formula.text!r}: name other levels"
        raise UsageError(msg)
    return TestedContrast(text, combination[:, None], (text,), variable, weights)


def _held(text: str, held: str, design: FormulaDesign) -> dict[str, str]:
    found = {}
    for part in held.split(","):
        name, equals, value = (piece.strip().strip("`'\"") for piece in part.partition("="))
        if not equals:
            msg = f"the contrast {text!r} cannot be read after '|'; write 'factor = level'"
            raise UsageError(msg)
        _check_column(name, design.formula.variables, f"the contrast {text!r}")
        if name in design.levels and value not in design.levels[name]:
            msg = (
                f"the contrast {text!r} names {value!r}, which is no level of {name}; it has "
                f"{_listed(design.levels[name])}"
            )
            raise UsageError(msg)
        found[name] = value
    return found


def _trend(text: str, variable: str, design: FormulaDesign) -> dict[str, float]:
    """Return the weights of the slope along the levels, one step from each to the next."""
    levels = design.levels.get(variable, ())
    if len(levels) < 3:
        msg = f"the contrast {text!r} needs a factor of three or more levels in order"
        raise UsageError(msg)
    scores = np.arange(len(levels)) - (len(levels) - 1) / 2
    scores = scores / (scores @ scores)
    return dict(zip(levels, scores.tolist(), strict=True))


@dataclass
class LevelExpression:
    """A sum of levels with numbers and parentheses; levels may hold any character."""

    text: str
    expression: str
    variable: str
    levels: Sequence[str]  # Empty for a number, whose values stand for themselves
    place: int = 0

    def weights(self) -> dict[str, float]:
        """Return each level's weight."""
        found = self._sum()
        self._skip()
        if self.place < len(self.expression):
            raise UsageError(self._mistake())
        return {level: weight for level, weight in found.items() if weight}

    def _mistake(self) -> str:
        rest = self.expression[self.place :].strip()
        start = f"the contrast {self.text!r} cannot be read"
        if not self.levels:
            return (
                f"{start} at {rest!r}: {self.variable} is a number; write '{self.variable}: 1 - 0'"
            )
        word = re.split(r"\s[-+]\s|[()/*|]", rest)[0].strip() or rest
        near = get_close_matches(word, self.levels, n=1, cutoff=0.6)
        hint = f"; perhaps {near[0]!r}" if near else ""
        return (
            f"{start}: {word!r} is no level of {self.variable}{hint}. Its levels are "
            f"{_listed([repr(level) for level in self.levels])}"
        )

    def _skip(self) -> None:
        while self.place < len(self.expression) and self.expression[self.place].isspace():
            self.place += 1

    def _take(self, characters: str) -> str:
        self._skip()
        if self.place < len(self.expression) and self.expression[self.place] in characters:
            self.place += 1
            return self.expression[self.place - 1]
        return ""

    def _sum(self) -> dict[str, float]:
        sign = -1.0 if self._take("+-") == "-" else 1.0
        total: dict[str, float] = {}
        while True:
            for level, weight in self._product().items():
                total[level] = total.get(level, 0.0) + sign * weight
            operator = self._take("+-")
            if not operator:
                return total
            sign = -1.0 if operator == "-" else 1.0

    def _product(self) -> dict[str, float]:
        factor = 1.0
        while (number := self._number()) is not None:
            factor *= number
            self._take("*")
        found = self._group()
        while operator := self._take("*/"):
            number = self._number(always=True)
            if number is None or number == 0:
                raise UsageError(self._mistake())
            factor = factor * number if operator == "*" else factor / number
        return {level: factor * weight for level, weight in found.items()}

    def _number(self, *, always: bool = False) -> float | None:
        """Take a number that is a factor, not a level."""
        self._skip()
        found = re.compile(r"\d+(\.\d+)?(/\d+)?").match(self.expression, self.place)
        if found is None or (self._level_here() and not always):
            return None
        after = self.expression[found.end() :].lstrip()
        if not always and not after.startswith(("*", "(")):
            return None
        self.place = found.end()
        upper, _, lower = found[0].partition("/")
        return float(upper) / float(lower or 1)

    def _level_here(self) -> str:
        """Return the longest level that starts here and ends at an end of a word."""
        rest = self.expression[self.place :]
        for level in sorted(self.levels, key=len, reverse=True):
            after = rest[len(level) :]
            whole = not after or not (
                level[-1:].isalnum() and (after[0].isalnum() or after[0] == "_")
            )
            if rest.startswith(level) and whole:
                return level
        return ""

    def _group(self) -> dict[str, float]:
        if self._take("("):
            found = self._sum()
            if not self._take(")"):
                raise UsageError(self._mistake())
            return found
        self._skip()
        if level := self._level_here():
            self.place += len(level)
            return {level: 1.0}
        quoted = re.compile(r"'([^']*)'|\"([^\"]*)\"").match(self.expression, self.place)
        if quoted is not None and (quoted[1] or quoted[2]) in self.levels:
            self.place = quoted.end()
            return {quoted[1] or quoted[2]: 1.0}
        number = re.compile(r"\d+(\.\d+)?").match(self.expression, self.place)
        if not self.levels and number is not None:
            self.place = number.end()
            return {number[0]: 1.0}
        raise UsageError(self._mistake())
