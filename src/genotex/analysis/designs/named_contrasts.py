"""Contrasts named by levels, terms or coefficients, as combinations of a design's coefficients."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from math import isfinite

import numpy as np

from genotex.analysis.designs.formula_tree import LIMITS, shortened
from genotex.analysis.designs.formulas import FormulaDesign, check_column, listed
from genotex.arrays import Floats
from genotex.errors import UsageError

Weights = Mapping[str, float]
TREND = "trend"


@dataclass(frozen=True, eq=False)
class TestedContrast:
    """What is tested: one combination of the coefficients, or several together."""

    text: str  # As the user wrote it
    weights: Floats  # (k, m): combinations of the columns of the design
    names: tuple[str, ...]  # What each combination is
    variable: str | None = None  # The factor whose levels are compared; None for coefficients
    # Level to its weight, where levels are compared; none for coefficients
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
    if len(text) > LIMITS.characters:
        msg = (
            f"the contrast {shortened(text)!r} has {len(text):,} characters; at most "
            f"{LIMITS.characters:,} are allowed"
        )
        raise UsageError(msg)
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
        check_column(variable, design.formula.variables, f"the contrast {text!r}")
    return _of_levels(text, variable, rest, design)


def _squeezed(text: str) -> str:
    return re.sub(r"[\s`]+", "", text)


def _unknown_contrast(text: str, design: FormulaDesign) -> str:
    terms = [term for term in design.terms if term != "1"]
    factors = [f"{name}: {levels[1]} - {levels[0]}" for name, levels in design.levels.items()]
    examples = [*factors, *terms]
    return (
        f"the contrast {text!r} is no term or coefficient of the design "
        f"{design.formula.said}; possible are {listed([repr(e) for e in examples])}"
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
    found = design.level_of(columns[0]) if len(columns) == 1 else None
    if found is not None:
        variable, level = found
        levels = {level: 1.0, design.levels[variable][0]: -1.0}
    return TestedContrast(text, weights, names, variable, levels)


def _of_levels(text: str, variable: str, rest: str, design: FormulaDesign) -> TestedContrast:
    expression, bar, held_text = rest.partition("|")
    held = _held(text, held_text, design) if bar else {}
    levels = design.levels.get(variable)
    if expression.strip().lower() == TREND:
        weights = _trend(text, variable, design)
    elif levels is None:
        weights = _LevelExpression(text, expression, variable, ()).weights()
    else:
        weights = _LevelExpression(text, expression, variable, levels).weights()
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
        msg = f"the contrast {text!r} is 0 in the design {design.formula.said}: name other levels"
        raise UsageError(msg)
    return TestedContrast(text, combination[:, None], (text,), variable, weights)


def _held(text: str, held: str, design: FormulaDesign) -> dict[str, str]:
    found = {}
    for part in held.split(","):
        name, equals, value = (piece.strip().strip("`'\"") for piece in part.partition("="))
        if not equals:
            msg = f"the contrast {text!r} cannot be read after '|'; write 'factor = level'"
            raise UsageError(msg)
        check_column(name, design.formula.variables, f"the contrast {text!r}")
        if name in design.levels and value not in design.levels[name]:
            msg = (
                f"the contrast {text!r} names {value!r}, which is no level of {name}; it has "
                f"{listed(design.levels[name])}"
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
class _LevelExpression:
    """A sum of levels with numbers and parentheses; levels may hold any character."""

    text: str
    expression: str
    variable: str
    levels: Sequence[str]  # Empty for a number, whose values stand for themselves
    place: int = 0
    depth: int = 0

    def weights(self) -> dict[str, float]:
        """Return each level's weight."""
        found = self._sum()
        self._skip()
        if self.place < len(self.expression) or not all(map(isfinite, found.values())):
            raise UsageError(self._mistake())
        return {level: weight for level, weight in found.items() if weight}

    def _mistake(self) -> str:
        start = f"the contrast {shortened(self.text, 200)!r} cannot be read"
        if self.depth > LIMITS.depth:
            return f"{start}: it is nested more than {LIMITS.depth} levels deep"
        rest = self.expression[self.place :].strip()
        if not rest:
            return f"{start}: its end is missing, or its weights are no numbers"
        if not self.levels:
            return (
                f"{start} at {rest!r}: {self.variable} is a number; write '{self.variable}: 1 - 0'"
            )
        word = re.split(r"\s[-+]\s|[()/*|]", rest)[0].strip() or rest
        near = get_close_matches(word, self.levels, n=1, cutoff=0.6)
        hint = f"; perhaps {near[0]!r}" if near else ""
        return (
            f"{start}: {word!r} is no level of {self.variable}{hint}. Its levels are "
            f"{listed([repr(level) for level in self.levels])}"
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

    @cached_property
    def _longest_first(self) -> Sequence[str]:
        return sorted(self.levels, key=len, reverse=True)

    def _level_here(self) -> str:
        """Return the longest level that starts here and ends at an end of a word."""
        rest = self.expression[self.place :]
        for level in self._longest_first:
            after = rest[len(level) : len(level) + 1]
            whole = not after or not (
                level[-1:].isalnum() and (after[0].isalnum() or after[0] == "_")
            )
            if rest.startswith(level) and whole:
                return level
        return ""

    def _group(self) -> dict[str, float]:
        if self._take("("):
            self.depth += 1
            found = self._sum() if self.depth <= LIMITS.depth else {}
            if not self._take(")"):
                raise UsageError(self._mistake())
            self.depth -= 1
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
