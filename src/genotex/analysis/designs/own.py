"""A design of the user's own, as a formula with a contrast, in the place of trait and covariates.

The design is rewritten so that what the contrast tests are its last columns (as `contrastAsCoef`
of limma does). From there on everything is as in any other analysis: the choice of genes, weights,
unmeasured confounding, tests, records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from genotex.analysis.designs.contrast import MIN_HEALTHY, Coefficients, Contrast
from genotex.analysis.designs.formulas import FormulaDesign, Formulas, fit_formula, listed
from genotex.analysis.designs.named_contrasts import TestedContrast, find_contrast
from genotex.analysis.designs.request import DesignRequest, complete_rows
from genotex.arrays import Flags, Floats, Rows
from genotex.errors import AnalysisError, UsageError
from genotex.features import column_named
from genotex.formats import COVARIATES, LinkedTable
from genotex.records import as_json

if TYPE_CHECKING:
    from genotex.options import Controls


CASE, CONTROL = "case", "control"
_OTHER_CONTROLS = ("other disease", "other control")
"""Groups of samples that are controls only where healthy ones are few, as in any analysis."""
UNKNOWN_GROUP = "unknown group"
FEWEST_IN_GROUP = 2
_NOT_A_FACT = ("why", "title", "source", "series", "exclude")
"""Columns of a sample sheet that describe no property of a sample."""
MOST_CODES = 5


@dataclass(frozen=True, eq=False)
class OwnDesign:
    """A design with its contrast, fitted to the samples that take part."""

    rows: Rows  # (n,): rows of the linked table that take part
    design: FormulaDesign  # The design matrix of the formula, for these samples
    tested: TestedContrast  # What is tested, as combinations of its columns
    names: tuple[str, ...]  # The design with the tested columns last
    matrix: Floats
    contrast: Contrast  # The comparison, for everything that follows
    filled: Mapping[str, int]  # Variable to the number of values that were filled
    warnings: tuple[str, ...]
    # Values of the column that blocks, one for each sample; None without blocks
    people: tuple[str | None, ...] | None = None

    @property
    def variables(self) -> tuple[str, ...]:
        """Columns of the sample table that the formula uses."""
        return self.design.formula.variables

    @property
    def tested_variables(self) -> tuple[str, ...]:
        """Columns of the sample table that the contrast is about."""
        if self.tested.variable is not None:
            return (self.tested.variable,)
        touched = set(np.flatnonzero(np.atleast_1d(self.tested.weights.any(axis=1))).tolist())
        terms = [term for term, places in self.design.terms.items() if touched & set(places)]
        return tuple(dict.fromkeys(n for term in terms for n in self.design.variables_of(term)))

    @property
    def sources(self) -> dict[str, tuple[str, ...]]:
        """Term that is adjusted for -> its columns; not those that what is tested is part of."""
        adjusted = set(self.names[: -self.tested.weights.shape[1]])
        found = {}
        for term, places in self.design.terms.items():
            columns = tuple(self.design.names[j] for j in places)
            apart = set(self.tested_variables).isdisjoint(self.design.variables_of(term))
            if term != "1" and apart and adjusted.issuperset(columns):
                found[term] = columns
        return found

    @property
    def covariates(self) -> tuple[str, ...]:
        """Columns of the design that are adjusted for."""
        return tuple(name for columns in self.sources.values() for name in columns)

    @property
    def predictable(self) -> bool:
        """Whether the contrast is one of two groups that a panel can predict."""
        plain = all(":" not in term for term in self.design.terms)
        return self.contrast.binary and plain and self.names[0] == "Intercept"

    @property
    def group_size(self) -> float:
        """Size of the smallest group: the inverse of the largest leverage, as in edgeR."""
        basis = np.linalg.qr(self.design.matrix)[0]
        return 1.0 / float((basis**2).sum(axis=1).max())

    @property
    def standard_covariates(self) -> tuple[str, ...]:
        """Names of the linked table's covariates that the formula adjusts for."""
        named = {column_named(name) for name in self.variables}
        return tuple(column for column in COVARIATES if column in named)

    @property
    def coefficient(self) -> str:
        """What the coefficient of a gene is, in words."""
        if self.tested.several:
            return "largest of the coefficients that are tested together"
        if self.tested.difference is not None:
            up, down = self.tested.difference
            return f"log2 fold change, {up} against {down}"
        if self.tested.levels:
            return f"log2 fold change, {self.tested.text.strip()}"
        return f"change of log2 expression per unit of {self.tested.names[0]}"

    def _groups(self) -> dict[str, int]:
        """Return the number of samples of each level of the factor that the contrast is about."""
        names = self.tested_variables
        if len(names) != 1 or names[0] not in self.design.levels:
            return {}
        cells = [str(value) for value in self.design.column(names[0])]
        return {level: cells.count(level) for level in self.design.levels[names[0]]}

    def record(self, request: DesignRequest) -> dict[str, Any]:
        """Return what was asked and what became of it, as plain JSON."""
        return {
            **as_json(request, "formula", "contrast", "block", "missing"),
            "columns": list(self.names),
            "tested": list(self.tested.names),
            "levels": {level: float(weight) for level, weight in self.tested.levels.items()},
            "compared": self.tested.variable,
            "variables": list(self.tested_variables),
            "factors": {name: list(levels) for name, levels in self.design.levels.items()},
            "groups": self._groups(),
            "adjusted_for": list(self.sources),
            "samples": [request.samples[i] for i in self.rows],
        }


def own_design(
    request: DesignRequest,
    table: LinkedTable,
    controls: Controls = "auto",
    *,
    without: Sequence[str] = (),
) -> OwnDesign:
    """Build the design of a request for the samples of a linked table, but for some of them.

    Raises
    ------
    UsageError
        If the formula or the contrast names what is not there.
    AnalysisError
        If the design is not estimable, a group has one sample, or values are missing.
    """
    formula = Formulas.read(request.formula, request.table.columns)
    annotation = request.rows_of(table.samples)
    if request.block is not None and request.block not in request.table.columns:
        msg = (
            f"the sample table has no column {request.block!r} to block on; it has "
            f"{listed(request.table.columns)}"
        )
        raise UsageError(msg)
    keep = ~np.isin(np.array(table.samples), list(without))
    annotation, keep, warnings = _groups(request, annotation, keep, controls, table.samples)
    annotation, keep, filled, more = complete_rows(
        formula.variables, request, annotation, table.samples, keep
    )
    rows = np.flatnonzero(keep)
    annotation = annotation.filter(pl.Series(keep))
    samples = [table.samples[i] for i in rows]
    order = dict(request.order)
    _put_reference_first(request.contrast, annotation, order)
    design = fit_formula(formula, annotation, samples, order)
    tested = find_contrast(request.contrast, design)
    names, matrix = _tested_last(design, tested)
    contrast = _contrast(design, tested, matrix, rows, samples)
    people = None
    if request.block is not None:
        people = tuple(None if v is None else str(v) for v in annotation[request.block].to_list())
    notes = (*warnings, *more, *_codes(formula, annotation, design))
    return OwnDesign(rows, design, tested, names, matrix, contrast, filled, notes, people)


def _compared_factor(contrast: str) -> tuple[str, str]:
    """Return the factor that a contrast names and the text about its levels."""
    variable, _, levels = contrast.partition(":")
    return variable.strip().strip("`"), levels


def _groups(
    request: DesignRequest,
    annotation: pl.DataFrame,
    keep: Flags,
    controls: Controls,
    samples: Sequence[str],
) -> tuple[pl.DataFrame, Flags, list[str]]:
    """Leave out samples without a group; treat those with another disease as in any analysis."""
    variable, levels = _compared_factor(request.contrast)
    if variable not in annotation.columns or annotation[variable].dtype != pl.String:
        return annotation, keep, []
    warnings = []
    groups = annotation[variable].to_list()
    lone = np.array([group is None or group == UNKNOWN_GROUP for group in groups]) & keep
    if lone.any():
        warnings.append(
            f"{int(lone.sum())} samples have no {variable} and take no part: "
            f"{listed([samples[int(i)] for i in np.flatnonzero(lone)])}."
        )
    keep = keep & ~lone
    other = np.array([group in _OTHER_CONTROLS for group in groups]) & keep
    named = any(group in levels for group in _OTHER_CONTROLS)
    if not other.any() or named or CONTROL not in levels:
        return annotation, keep, warnings
    healthy = int((np.array([group == CONTROL for group in groups]) & keep).sum())
    if controls == "healthy" or (controls == "auto" and healthy >= MIN_HEALTHY):
        kinds = sorted({str(groups[int(i)]) for i in np.flatnonzero(other)})
        what = "another disease" if "other disease" in kinds else "unknown health"
        warnings.append(
            f"{int(other.sum())} samples of {what} take no part; {healthy} healthy controls are "
            "compared. --controls all takes them as controls, and a contrast that names "
            f"{kinds[0]!r} compares them."
        )
        return annotation, keep & ~other, warnings
    warnings.append(
        f"{int(other.sum())} of {int(other.sum()) + healthy} controls have another disease: genes "
        "of that disease, and of disease in general, may mix with those of the trait."
    )
    joined = [CONTROL if group in _OTHER_CONTROLS else group for group in groups]
    return annotation.with_columns(pl.Series(variable, joined)), keep, warnings


def _put_reference_first(
    contrast: str, annotation: pl.DataFrame, order: dict[str, tuple[str, ...]]
) -> None:
    """Make the level that is subtracted the reference, so that its coefficient is the contrast."""
    variable, levels = _compared_factor(contrast)
    if not levels or variable in order or variable not in annotation.columns:
        return
    if annotation[variable].dtype != pl.String:
        return
    last = levels.partition("|")[0].rpartition(" - ")[2].strip().strip("'\"")
    if last in annotation[variable].to_list():
        order[variable] = (last,)


def _tested_last(design: FormulaDesign, tested: TestedContrast) -> tuple[tuple[str, ...], Floats]:
    """Return the design in coordinates in which the last ones are what is tested."""
    weights = tested.weights
    single = (np.count_nonzero(weights, axis=0) == 1).all() and np.isin(weights, (0.0, 1.0)).all()
    touched = np.flatnonzero(weights.any(axis=1))
    others = [j for j in range(len(design.names)) if j not in touched]
    names = [design.names[j] for j in others]
    if single:
        columns = [int(np.flatnonzero(column)[0]) for column in weights.T]
        order = [*others, *columns]
        return (*names, *(design.names[j] for j in columns)), design.matrix[:, order]
    part = weights[touched]
    if np.linalg.matrix_rank(part) < part.shape[1]:
        msg = f"the contrast {tested.text!r} tests the same coefficient twice"
        raise AnalysisError(msg)
    rest = np.linalg.svd(part.T)[2][part.shape[1] :].T  # what the contrast does not look at
    along = part @ np.linalg.inv(part.T @ part)
    held = design.matrix[:, touched]
    names += [f"{design.names[touched[0]]} and related {i + 1}" for i in range(rest.shape[1])]
    matrix = np.column_stack([design.matrix[:, others], held @ rest, held @ along])
    return (*names, *tested.names), matrix


def _contrast(
    design: FormulaDesign,
    tested: TestedContrast,
    matrix: Floats,
    rows: Rows,
    samples: Sequence[str],
) -> Contrast:
    several = tested.weights.shape[1]
    values = matrix[:, -several]
    if tested.several:
        coefficients = Coefficients.of(tested.names, matrix[:, -several:])
        summary = {
            "kind": "factor",
            "text": f"{tested.text.strip()} ({several} coefficients together), {len(rows)} samples",
            "samples": {"all": list(samples)},
        }
        return Contrast(False, rows, values, "", 0.0, 1.0, summary, levels=coefficients)
    if tested.variable is None or tested.variable not in design.levels:
        summary = {
            "kind": "continuous",
            "text": f"{tested.text.strip()}, {len(rows)} samples",
            "samples": {"all": list(samples)},
        }
        return Contrast(False, rows, values, "", 0.0, 1.0, summary)
    return _of_levels(design, tested, values, rows, samples)


def _of_levels(
    design: FormulaDesign,
    tested: TestedContrast,
    values: Floats,
    rows: Rows,
    samples: Sequence[str],
) -> Contrast:
    variable = str(tested.variable)
    cells = tuple(str(value) for value in design.column(variable))
    members = {
        level: [s for s, c in zip(samples, cells, strict=True) if c == level]
        for level in tested.levels
    }
    _check_sizes(variable, members)
    sizes = {level: len(found) for level, found in members.items()}
    beyond = len(samples) - sum(sizes.values())
    more = f", {beyond} further samples in the design" if beyond else ""
    if tested.difference is None:
        each = ", ".join(f"{level}: {size}" for level, size in sizes.items())
        summary: dict[str, Any] = {
            "kind": "continuous",
            "text": f"{tested.text.strip()} ({each}{more})",
            "samples": {"all": list(samples)},
        }
        compared = tuple(tested.levels)
        return Contrast(False, rows, values, "", 0, 1, summary, cells=cells, compared=compared)
    up, down = tested.difference
    words = ("cases", "controls") if {up, down} == {CASE, CONTROL} else (up, down)
    summary = {
        "kind": "binary",
        "text": f"{sizes[up]} {words[0]} against {sizes[down]} {words[1]}{more}",
        "levels_compared": {"case": up, "control": down},
        "group_sizes": {"case": sizes[up], "control": sizes[down]},
        "samples": {"case": members[up], "control": members[down], "left_out": []},
    }
    if not beyond and set(np.unique(values)) <= {0.0, 1.0}:
        return Contrast(True, rows, values, "all", 0, 1, summary)
    found = Contrast(False, rows, values, "", 0, 1, summary, cells=cells, compared=(down, up))
    return replace(found, difference=True)


def _check_sizes(variable: str, members: Mapping[str, Sequence[str]]) -> None:
    """Refuse to compare a level of a single sample."""
    for level, found in members.items():
        if len(found) < FEWEST_IN_GROUP:
            sizes = ", ".join(f"{name}: {len(others)}" for name, others in members.items())
            msg = (
                f"{variable} {level!r} has {len(found)} sample; each group that is compared needs "
                f"{FEWEST_IN_GROUP} ({sizes})"
            )
            raise AnalysisError(msg)


def _codes(formula: Formulas, annotation: pl.DataFrame, design: FormulaDesign) -> tuple[str, ...]:
    """Say which columns are taken as numbers although they may name groups."""
    found = []
    for name in formula.variables:
        values = annotation[name]
        if name in design.levels or name in formula.only_in_offsets:
            continue
        levels, counts = np.unique(values.to_numpy(), return_counts=True)
        whole = bool((levels == np.round(levels)).all())
        if 2 < len(levels) <= MOST_CODES and whole and counts.min() > 1:
            numbers = ", ".join(f"{level:g}" for level in levels)
            found.append(f"{name} ({numbers}) is taken as a number; C({name}) takes it as groups.")
    return tuple(found)


def other_characteristics(
    facts: Mapping[str, Mapping[str, str | None]], request: DesignRequest, own: OwnDesign
) -> dict[str, Mapping[str, str | None]]:
    """Return the characteristics that the design does not hold, under this or another name."""
    used = [*own.variables, *([request.block] if request.block else [])]
    samples = own.design.samples
    held = [[str(value) for value in request.rows_of(samples)[name].to_list()] for name in used]
    found = {}
    for name, recorded in facts.items():
        values = [str(recorded.get(sample)) for sample in samples]
        renamed = any(_same_groups(values, other) for other in held)
        if name not in used and name.lower() not in _NOT_A_FACT and not renamed:
            found[name] = recorded
    return found


def _same_groups(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether two characteristics divide the samples in the same way."""
    pairs = set(zip(one, other, strict=True))
    return len(pairs) == len(set(one)) == len(set(other))


def with_offset(table: LinkedTable, own: OwnDesign) -> LinkedTable:
    """Return the table with the formula's offset subtracted from the samples that take part."""
    if own.design.offset is None:
        return table
    expression = np.array(table.expression, dtype=np.float64)
    expression[own.rows] -= own.design.offset[:, None]
    return replace(table, expression=expression)
