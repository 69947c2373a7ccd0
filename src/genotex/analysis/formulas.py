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
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.analysis.design import MIN_RESIDUAL_DF, independent_columns
from genotex.errors import AnalysisError, UsageError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FormulaDesign", "Formulas", "as_text", "check_column", "fit_formula", "listed"]

Floats = NDArray[np.float64]
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
            check_column(name, columns, f"the design {text!r}")
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


def check_column(name: str, columns: Sequence[str], where: str) -> None:
    """Refuse a column that the sample table has not."""
    if name in columns:
        return
    near = get_close_matches(name, columns, n=1, cutoff=0.6)
    near = near or [column for column in columns if column.lower() == name.lower()]
    hint = f"; perhaps {near[0]!r}" if near else ""
    msg = (
        f"{where} names {name!r}, which is not a column of the sample table{hint}. It has "
        f"{listed(columns)}; names with spaces go between backticks"
    )
    raise UsageError(msg)


def listed(names: Sequence[str]) -> str:
    """Return the first ten names, and how many more there are."""
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
        msg = f"the design {formula.text!r} has no number in {listed(bad)} for {listed(rows)}"
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
        texts = [as_text(value) for value in values.to_list()]
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


def as_text(value: object) -> str:
    """Return a value of the sample table as the level that a factor has for it."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _levels(name: str, texts: Sequence[str], order: Sequence[str]) -> tuple[str, ...]:
    there = set(texts)
    if missing := [level for level in order if level not in there]:
        msg = f"{name} has no level {missing[0]!r}; it has {listed(sorted(there))}"
        raise UsageError(msg)
    return (*order, *sorted(there - set(order), key=_natural_order))


def _natural_order(text: str) -> list[tuple[int, float, str]]:
    parts = re.split(r"(\d+(?:\.\d+)?)", text)
    return [(0, float(part), "") if i % 2 else (1, 0.0, part) for i, part in enumerate(parts)]


def _check_estimable(design: FormulaDesign) -> None:
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
    where = f" (not 0 in {listed(here)})" if len(here) < len(column) else ""
    return (
        f"{start}the column {names[j]}{where} is a combination of {listed(others)}; leave one of "
        "their terms out"
    )
