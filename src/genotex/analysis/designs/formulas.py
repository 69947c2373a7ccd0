"""A design as a formula, and contrasts named by levels, as numbers.

`formula_parser` reads the text, `formula_tree` computes the columns of each factor, and formulaic
codes factors and interactions: it is handed names of columns that are there already, and never a
text to evaluate. What a contrast of levels means is found on the design itself: all samples are
given the one level, then the other, everything else as it is, and the rows of the design matrix are
averaged. For a sum of terms this is the difference of two coefficients; with interactions it is the
difference averaged over the samples.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from genotex.analysis.designs.formula_parser import parse_formula
from genotex.analysis.designs.formula_tree import (
    FACTORS,
    LIMITS,
    Arithmetic,
    ColumnName,
    FactorColumns,
    FunctionCall,
    Node,
    ParsedFormula,
    Term,
    as_text,
    label,
    names_in,
    shortened,
)
from genotex.analysis.designs.matrix import MIN_RESIDUAL_DF, first_dependent
from genotex.arrays import Floats
from genotex.errors import AnalysisError, UsageError

if TYPE_CHECKING:
    import pandas as pd

MOST_NAMED = 10


@dataclass(frozen=True)
class Formulas:
    """A formula as the user wrote it, its terms, and the columns that it needs."""

    text: str
    parsed: ParsedFormula

    @classmethod
    def read(cls, text: str, columns: Sequence[str]) -> Formulas:
        """Read a formula and check that the sample table has its columns."""
        found = cls(text, parse_formula(text))
        for name in found.variables:
            check_column(name, columns, f"the design {found.said}")
        return found

    @property
    def said(self) -> str:
        """The text as messages quote it."""
        return repr(shortened(self.text, 200))

    @property
    def factors(self) -> dict[str, Node]:
        """The different factors of the terms, by their text."""
        return {label(factor): factor for term in self.parsed.terms for factor in term}

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """Columns of the sample table, in alphabetical order; those of offsets too."""
        nodes = (*self.factors.values(), *self.parsed.offsets)
        return tuple(sorted({name for node in nodes for name in names_in(node)}))

    @property
    def grouped(self) -> dict[str, tuple[str, ...]]:
        """Columns that the formula takes as groups -> their levels, where it lists them."""
        found: dict[str, tuple[str, ...]] = {}
        for node in (*self.factors.values(), *self.parsed.offsets):
            for call in _calls(node):
                if call.function in FACTORS and isinstance(call.first, ColumnName):
                    listed_levels = [as_text(value) for value in call.levels]
                    found[call.first.name] = tuple(listed_levels) or found.get(call.first.name, ())
        return found

    @property
    def only_in_offsets(self) -> frozenset[str]:
        """Columns that no term uses."""
        used = {name for factor in self.factors.values() for name in names_in(factor)}
        return frozenset(self.variables) - used


def _calls(node: Node) -> Iterator[FunctionCall]:
    match node:
        case Arithmetic():
            for part in node.operands:
                yield from _calls(part)
        case FunctionCall():
            yield node
            yield from _calls(node.first)


def check_column(name: str, columns: Sequence[str], where: str) -> None:
    """Refuse a column that the sample table has not."""
    if name in columns:
        return
    near = get_close_matches(name, columns, n=1, cutoff=0.6)
    near = near or [column for column in columns if column.lower() == name.lower()]
    hint = f"; perhaps {near[0]!r}" if near else ""
    msg = (
        f"{where} names {shortened(name, 80)!r}, which is not a column of the sample table{hint}. "
        f"It has {listed(columns)}; names with spaces go between backticks"
    )
    raise UsageError(msg)


def listed(names: Sequence[str]) -> str:
    """Return the first ten names, and how many more there are."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(shortened(str(name), 80) for name in names[:MOST_NAMED]) + more


@dataclass(frozen=True, eq=False)
class FormulaDesign:
    """The design matrix of a formula for some samples."""

    formula: Formulas  # As the user wrote it
    samples: tuple[str, ...]
    names: tuple[str, ...]  # Columns of the matrix
    matrix: Floats  # (n, k): full column rank
    # Term of the formula to its columns, the intercept among them
    terms: Mapping[str, tuple[int, ...]]
    # Variable that is a factor to its levels, the reference first
    levels: Mapping[str, tuple[str, ...]]
    offset: Floats | None  # (n,): what the formula subtracts from the expression of each sample
    _frame: pd.DataFrame = field(repr=False)
    _columns: FactorColumns = field(repr=False)
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
        data, several = _factor_values(self.formula, self._columns, frame)
        rows = self._model.get_model_matrix(data, context=several)
        mean: Floats = np.asarray(rows, dtype=np.float64).mean(axis=0)
        return mean

    def column(self, name: str) -> tuple[Any, ...]:
        """Return the values of a variable, one for each sample."""
        return tuple(self._frame[name].tolist())

    def variables_of(self, term: str) -> tuple[str, ...]:
        """Return the columns of the sample table that a term uses."""
        # The formula library joins the factors of a term so.
        terms = self.formula.parsed.terms
        factors = next(f for f in terms if (":".join(map(label, f)) or "1") == term)
        return tuple(dict.fromkeys(name for factor in factors for name in names_in(factor)))

    def level_of(self, column: int) -> tuple[str, str] | None:
        """Return the factor and the level that a column compares with the reference."""
        term = next(term for term, places in self.terms.items() if column in places)
        found = re.fullmatch(r".*?\[T\.(.+)\]", self.names[column].removeprefix(term))
        variables = self.variables_of(term)
        single = found is not None and len(variables) == 1 and variables[0] in self.levels
        return (variables[0], found[1]) if single and found is not None else None


def fit_formula(
    formula: Formulas,
    table: pl.DataFrame,
    samples: Sequence[str],
    order: Mapping[str, Sequence[str]] | None = None,
) -> FormulaDesign:
    """Build the design matrix; the table has a row for each sample and no missing values.

    `order` gives the levels of factors, the reference first; others are in alphabetical order.

    Raises
    ------
    UsageError
        If a function or an operator is applied to values that it cannot take.
    AnalysisError
        If the design is too large or not estimable: the message names columns and samples.
    """
    from formulaic.errors import FormulaicError

    frame, levels = _frame(formula, table, order or {})
    columns = FactorColumns(formula.said, levels)
    data, several = _factor_values(formula, columns, frame)
    _check_size(formula, data, several)
    try:
        built = _library_formula(formula.parsed.terms).get_model_matrix(
            data, context=several, na_action="ignore"
        )
    except (FormulaicError, ValueError, ArithmeticError) as error:
        why = str(error).strip().splitlines()[0]
        msg = f"the design {formula.said} cannot be computed: {why}"
        raise AnalysisError(msg) from error
    names = tuple(str(name) for name in built.columns)
    matrix = np.asarray(built, dtype=np.float64)
    _check_numbers(formula, matrix, names, samples)
    terms = {str(term): tuple(at) for term, at in built.model_spec.term_indices.items()}
    offset = None
    if formula.parsed.offsets:
        parts = [columns.numbers(node, frame) for node in formula.parsed.offsets]
        offset = np.sum(parts, axis=0)
        _check_numbers(formula, offset[:, None], ("the offset",), samples)
    design = FormulaDesign(
        formula, tuple(samples), names, matrix, terms, levels, offset, frame, columns,
        built.model_spec,
    )  # fmt: skip
    _check_estimable(design)
    return design


def _library_formula(terms: Sequence[Term]) -> Any:
    """Return the terms for the formula library: names to look up, nothing to evaluate."""
    from formulaic import Formula
    from formulaic.parser.types import Factor
    from formulaic.parser.types import Term as LibraryTerm

    intercept = Factor("1", eval_method="literal")
    return Formula(
        [
            LibraryTerm([Factor(label(f), eval_method="lookup") for f in term] or [intercept])
            for term in terms
        ]
    )


def _factor_values(
    formula: Formulas, columns: FactorColumns, frame: pd.DataFrame
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the factors that are one column, and those that are several, by their text."""
    import pandas as pd

    single: dict[str, Any] = {}
    several: dict[str, Any] = {}
    for text, factor in formula.factors.items():
        found = columns.compute(factor, frame)
        one_column = not isinstance(found, dict) and np.ndim(found) < 2
        (single if one_column else several)[text] = found
    return pd.DataFrame(single, index=frame.index), several


def _check_size(formula: Formulas, data: pd.DataFrame, several: Mapping[str, Any]) -> None:
    """Refuse a design that would take too much time or memory, before it is built."""
    widths = {
        name: len(values) if isinstance(values, dict) else np.shape(values)[1]
        for name, values in several.items()
    }
    for name in data.columns:
        widths[name] = len(getattr(data[name].dtype, "categories", (1,)))
    columns = sum(prod(widths[label(f)] for f in term) for term in formula.parsed.terms)
    if columns > LIMITS.columns or columns * len(data) > LIMITS.cells:
        msg = (
            f"the design {formula.said} has {columns:,} columns for {len(data):,} samples; at "
            f"most {LIMITS.columns:,} columns and {LIMITS.cells:,} values are allowed: leave "
            "interactions out, or join levels"
        )
        raise AnalysisError(msg)


def _check_numbers(
    formula: Formulas, matrix: Floats, names: Sequence[str], samples: Sequence[str]
) -> None:
    """Refuse a matrix with values that are not numbers, as of the logarithm of 0."""
    fine = np.isfinite(matrix)
    if not fine.all():
        bad = [names[int(j)] for j in np.flatnonzero(~fine.all(axis=0))]
        rows = [samples[int(i)] for i in np.flatnonzero(~fine.all(axis=1))]
        msg = f"the design {formula.said} has no number in {listed(bad)} for {listed(rows)}"
        raise AnalysisError(msg)


def _frame(
    formula: Formulas, table: pl.DataFrame, order: Mapping[str, Sequence[str]]
) -> tuple[pd.DataFrame, dict[str, tuple[str, ...]]]:
    """Return the variables of a formula, factors as categories, and the levels of these."""
    import pandas as pd

    columns: dict[str, Any] = {}
    levels: dict[str, tuple[str, ...]] = {}
    grouped = formula.grouped
    for name in formula.variables:
        values = table[name]
        if values.dtype.is_numeric() and name not in grouped and name not in order:
            columns[name] = values.cast(pl.Float64).to_numpy()
            continue
        texts = [as_text(value) for value in values.to_list()]
        first = [level for level in dict.fromkeys(grouped.get(name, ())) if level in texts]
        levels[name] = _levels(name, texts, first or order.get(name, ()))
        columns[name] = pd.Categorical(texts, categories=list(levels[name]))
        if len(levels[name]) < 2:
            msg = (
                f"{name} is {levels[name][0]!r} in all {len(texts)} samples: it cannot be in the "
                f"design {formula.said}"
            )
            raise AnalysisError(msg)
    frame = pd.DataFrame(columns, index=range(table.height))
    return frame, levels


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
    needed = matrix.shape[1] + MIN_RESIDUAL_DF
    if matrix.shape[1] <= len(matrix) and (j := first_dependent(matrix)) is not None:
        raise AnalysisError(_why_dependent(design, j))
    if len(matrix) < needed:
        msg = (
            f"{len(matrix)} samples are too few for the {len(names)} coefficients of the design "
            f"{design.formula.said}: at least {needed} are needed"
        )
        raise AnalysisError(msg)


def _why_dependent(design: FormulaDesign, j: int) -> str:
    """Say which column cannot be told from which others, and in which samples it is not 0."""
    matrix, names = design.matrix, design.names
    from scipy.linalg import lstsq

    start = f"the design {design.formula.said} is not estimable: "
    column = matrix[:, j]
    if not column.any():
        return (
            f"{start}no sample has {names[j].replace(':', ' and ')}; leave the interaction out or "
            "join levels"
        )
    weights = lstsq(matrix[:, :j], column, lapack_driver="gelsy")[0]
    others = [name for name, weight in zip(names[:j], weights, strict=True) if abs(weight) > 1e-8]
    here = [s for s, value in zip(design.samples, column, strict=True) if value]
    where = f" (not 0 in {listed(here)})" if len(here) < len(column) else ""
    return (
        f"{start}the column {names[j]}{where} is a combination of {listed(others)}; leave one of "
        "their terms out"
    )
