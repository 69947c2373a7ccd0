"""Evidence that a hidden factor is technical: what was recorded of processing, and control probes.

A factor is a pattern over the samples that many genes share. It is taken for technical where
something that no disease moves goes with it further than chance: a recorded batch, plate, chip,
site or date of processing; spike-ins; the fall from the 3' to the 5' end of transcripts; the number
of reads. Only such factors are adjusted for by default, those that were only measured where they
are large or go with the trait. Evidence and factors are compared as spaces, since several batches
are several columns and factors are known up to rotation: by canonical correlation, whose
distribution under chance follows from two Wishart matrices (Muirhead 1982, chapter 11). A recorded
characteristic enters the design as it is; of measured evidence that part enters which the factors
hold, with the trait's share in it (`estimate_confounders`). Measurements:
docs/unmeasured-confounding.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from genotex.analysis.designs.comparison import Comparison
from genotex.analysis.designs.matrix import independent_columns
from genotex.analysis.gene_tests.p_values import pearson
from genotex.analysis.gene_tests.precision import Precision
from genotex.analysis.hidden.adjustment import NamedCovariates, named_covariates, why_no_batch
from genotex.analysis.hidden.markers import MarkerScores
from genotex.analysis.hidden.surrogate import SurrogateVariables
from genotex.analysis.samples.facts import read_value
from genotex.arrays import Floats
from genotex.features import names_laboratory
from genotex.formats import measured_columns

DRAWS = 1999
CHANCE = 0.01
"""Evidence counts when its p-value, times the number of pieces of evidence, is below."""
LEAST_HELD = 0.5
"""Of measured evidence the factors hold at least this share, or it is something else."""
MOST_COMPONENTS = 3
MOST_COLUMNS = 20
ENOUGH_RESIDUAL_DF = 10
LIBRARY_SIZE = "library size"
MEASURED = "measured"
LARGE = 0.25
"""Of the variance that the design leaves: a measured factor that is smaller, and not confounded
with the trait, is left to the grade of the genes."""
CONFOUNDED_P = 0.05
NOTHING = "no hidden factor surely goes with it"
HARMLESS = "it is small, and not confounded with the trait"


@dataclass(frozen=True, eq=False)
class _Clue:
    """Something of the samples that is technical."""

    name: str
    columns: Floats  # (n, k)
    recorded: NamedCovariates | None = None  # A characteristic; else it was measured


def adjust_for_technical(
    comparison: Comparison,
    genes: Floats,
    names: Sequence[str],
    found: SurrogateVariables,
    precision: Precision,
    seed: int,
) -> Comparison:
    """Adjust a comparison for those of its hidden factors that are technical.

    `genes`: (n, p) without gaps, called `names`; `found`: their factors. `Adjustment.evidence` of
    the result tells of each piece of evidence: ``evidence``; ``recorded``, else measured;
    ``share``, the squared canonical correlation with the factors; its ``p``; what such a factor
    ``carries`` of the variance that the design leaves, if it is sure; ``columns`` in the design;
    ``with_trait``, their largest correlation with the trait, and whether it is ``confounded`` with
    them; ``why_not``, empty where the factor is adjusted for.
    """
    evidence = list(_evidence(comparison))
    if not evidence or not found.columns.shape[1]:
        return comparison
    factors = _Factors(comparison, genes, names, found, precision)
    rng = np.random.default_rng(seed)
    adjusted, record, inflation = comparison, list[dict[str, Any]](), 1.0
    for each in evidence:
        held = factors.hold(each.columns, rng)
        columns, why = _columns(each, held, factors, adjusted, len(evidence))
        if not why:
            adjusted = _with_columns(adjusted, each, columns)
            # A factor that was measured is estimated, and the variances allow for that.
            inflation = found.inflation if each.recorded is None else inflation
        record.append(
            {
                "evidence": each.name,
                "recorded": each.recorded is not None,
                "share": held.share,
                "p": held.p,
                "carries": max(held.carried, default=None),
                "columns": [] if why else list(columns),
                "with_trait": _with_trait(columns, comparison),
                "confounded": _confounded(columns, comparison),
                "why_not": why,
            }
        )
    adjustment = replace(
        adjusted.adjustment,
        warnings=(*adjusted.adjustment.warnings, *_warnings(record, comparison)),
        evidence=tuple(record),
        inflation=inflation,
    )
    return replace(adjusted, adjustment=adjustment)


def _columns(
    evidence: _Clue, held: _Held, factors: _Factors, comparison: Comparison, pieces: int
) -> tuple[dict[str, Floats], str]:
    """Return the columns of a factor, and why it is not adjusted for."""
    recorded = evidence.recorded
    if held.p * pieces >= CHANCE or (recorded is None and held.share < LEAST_HELD):
        return {}, NOTHING
    if recorded is None:
        columns, why = factors.columns(evidence.name, held)
        large = max(held.carried, default=0.0) >= LARGE
        if not why and not large and not _confounded(columns, comparison):
            why = HARMLESS
    else:
        columns, why = recorded.columns, ""
        if comparison.own is not None:
            why = "the design does not name it"
        elif len(columns) > 1:
            facts = comparison.cohort.sample_facts[evidence.name]
            values = [read_value(evidence.name, facts.get(s)) for s in comparison.samples]
            why = why_no_batch(values, columns, comparison.contrast, 0)
    return columns, why or _why_no_room(comparison, columns)


def _why_no_room(comparison: Comparison, columns: Mapping[str, Floats]) -> str:
    wide = np.column_stack([comparison.design.matrix, *columns.values()])
    if len(wide) - wide.shape[1] < ENOUGH_RESIDUAL_DF:
        return f"{len(wide)} samples are too few"
    if not independent_columns(wide).all():
        return "it cannot be separated from the design"
    return ""


def _with_columns(
    comparison: Comparison, evidence: _Clue, columns: Mapping[str, Floats]
) -> Comparison:
    """Return the comparison with further columns that are adjusted for."""
    if not columns:
        return comparison
    before, named = comparison.adjustment, evidence.recorded
    adjustment = replace(
        before,
        columns={**before.columns, **columns},
        sources={**before.sources, evidence.name: tuple(columns)},
        taken_as={**before.taken_as, **(named.taken_as if named else {evidence.name: MEASURED})},
        filled={**before.filled, **(named.filled if named else {})},
    )
    design = comparison.design.with_columns(columns)
    return replace(comparison, adjustment=adjustment, design=design)


def _confounded(columns: Mapping[str, Floats], comparison: Comparison) -> bool:
    trait = comparison.contrast.values
    return any(pearson(column, trait)[1] < CONFOUNDED_P for column in columns.values())


def _with_trait(columns: Mapping[str, Floats], comparison: Comparison) -> float | None:
    """Return the largest correlation of a factor's columns with the trait; None without any."""
    trait = comparison.contrast.values
    found = [pearson(column, trait)[0] for column in columns.values()]
    return max(found, key=abs, default=None)


def _warnings(record: Sequence[Mapping[str, Any]], comparison: Comparison) -> tuple[str, ...]:
    """Warn of technical factors that are confounded, or that are not adjusted for."""
    warnings = []
    for note in record:
        what = f"'{note['evidence']}' (r\u00b2 = {note['share']:.2f}, p = {note['p']:.2g})"
        if note["why_not"] not in ("", NOTHING, HARMLESS):
            advice = "; name it in the design" if comparison.own and note["recorded"] else ""
            warnings.append(
                f"A hidden factor goes with {what}, which is technical. It is not adjusted for: "
                f"{note['why_not']}{advice}."
            )
        elif note["columns"] and note["confounded"]:
            warnings.append(
                f"{comparison.table.trait} is confounded with a technical factor, which goes with "
                f"{what}: its correlation with the trait is {note['with_trait']:.2f}. It is "
                "adjusted for, and effects of the two are hard to separate."
            )
    return tuple(warnings)


def _evidence(comparison: Comparison) -> Iterator[_Clue]:
    """Give what there is, the recorded first."""
    samples, facts = comparison.samples, comparison.cohort.sample_facts
    held = {comparison.blocks.record.get("key"), *comparison.adjustment.keys}
    for key in facts:
        if key in held or not names_laboratory(key):
            continue
        named = named_covariates(facts, samples, [key])
        if named.columns and len(named.columns) <= MOST_COLUMNS:
            yield _Clue(key, np.column_stack(list(named.columns.values())), named)
    measures = dict(comparison.cohort.measures)
    if reads := comparison.cohort.counts.get("totals"):
        logs = {sample: float(np.log2(max(total, 1.0))) for sample, total in reads.items()}
        measures[LIBRARY_SIZE] = {LIBRARY_SIZE: logs}
    others = np.linalg.qr(comparison.design.matrix)[0]
    for kind, measured in measures.items():
        columns = list(measured_columns(measured, samples).values())
        if not columns or not np.isfinite(columns).all():
            continue
        if (components := _components(np.column_stack(columns), others)) is not None:
            yield _Clue(kind, components)


def _components(table: Floats, basis: Floats) -> Floats | None:
    """Return the components of measures (n, k) that stand out once the design is removed."""
    rest = table - basis @ (basis.T @ table)
    length = np.sqrt((rest**2).sum(axis=0))
    varies = length > 1e-9 * np.sqrt((table**2).sum(axis=0)).clip(1e-300)
    if not varies.any():
        return None
    vectors, sizes, _ = np.linalg.svd(rest[:, varies] / length[varies], full_matrices=False)
    shares = sizes**2 / (sizes**2).sum()
    number = max(1, int((shares > 1.5 / len(shares)).sum()))
    return np.asarray(vectors[:, : min(number, MOST_COMPONENTS)])


@dataclass(frozen=True, eq=False)
class _Held:
    """What the factors hold of a piece of evidence."""

    share: float  # Largest squared canonical correlation
    p: float  # Its p-value
    patterns: tuple[Floats, ...] = ()  # (m,): combinations of the factors that go with it
    carried: tuple[float, ...] = ()  # By each of them, of the variance that the design leaves


class _Factors:
    """The hidden factors of a comparison, free of its design and of equal precision."""

    def __init__(
        self,
        comparison: Comparison,
        genes: Floats,
        names: Sequence[str],
        found: SurrogateVariables,
        precision: Precision,
    ) -> None:
        self._precision, self._whole, self._carried = precision, found.columns, found.share
        self._design = np.linalg.qr(precision.whiten(comparison.design.saturated))[0]
        self._free, self._turn = np.linalg.qr(self._without_design(found.columns))
        self._left = len(genes) - self._design.shape[1]
        self._genes, self._names = genes, names

    @cached_property
    def _markers(self) -> MarkerScores:
        """Markers among the genes; of use where measured evidence is held."""
        return MarkerScores(self._precision.whiten(self._genes), self._names, self._design)

    def _without_design(self, columns: Floats) -> Floats:
        rest: Floats = columns - self._design @ (self._design.T @ columns)
        return rest

    def hold(self, columns: Floats, rng: np.random.Generator) -> _Held:
        """Compare evidence (n, k) with the factors."""
        rest = self._without_design(self._precision.whiten(columns))
        vectors, sizes, _ = np.linalg.svd(rest, full_matrices=False)
        vectors = vectors[:, sizes > 1e-8 * max(float(sizes[0]), 1e-300)]
        factors, wide = self._free.shape[1], vectors.shape[1]
        if not wide or self._left - factors < wide + 1:
            return _Held(0.0, 1.0)
        patterns, cosines, _ = np.linalg.svd(self._free.T @ vectors, full_matrices=False)
        shares = cosines**2
        null = _largest_by_chance(factors, wide, self._left, rng)
        p = np.array([(1 + int((null >= share).sum())) / (DRAWS + 1) for share in shares])
        sure = (p < CHANCE) & (shares >= LEAST_HELD)
        found = tuple(patterns.T[sure])
        carried = tuple(float(pattern**2 @ self._carried) for pattern in found)
        return _Held(float(shares[0]), float(p[0]), found, carried)

    def columns(self, name: str, held: _Held) -> tuple[dict[str, Floats], str]:
        """Return what the factors hold of evidence as columns, or why they are no evidence."""
        columns: dict[str, Floats] = {}
        for pattern in held.patterns:
            (alike,) = self._markers.of((self._free @ pattern)[None])
            for cells in alike:
                if cells.clear and cells.r**2 > held.share:
                    return {}, f"the factor goes with {cells.name} as well (r = {cells.r:.2f})"
            whole = self._whole @ np.linalg.solve(self._turn, pattern)
            column = self._precision.unwhiten(whole[:, None])[:, 0]
            label = name if not columns else f"{name} {len(columns) + 1}"
            columns[label] = column / np.linalg.norm(column)
        return columns, ""


def _largest_by_chance(factors: int, wide: int, space: int, rng: np.random.Generator) -> Floats:
    """Return the largest squared canonical correlations of random subspaces."""
    # One of `factors` and one of `wide` dimensions in a `space` of so many.
    normal = rng.normal(size=(DRAWS, factors, wide))
    inside = np.einsum("dij,dik->djk", normal, normal)
    rest = np.tril(rng.normal(size=(DRAWS, wide, wide)), -1)
    freedom = space - factors - np.arange(wide)
    rest[:, np.arange(wide), np.arange(wide)] = np.sqrt(rng.chisquare(freedom, (DRAWS, wide)))
    total = np.linalg.inv(np.linalg.cholesky(inside + rest @ rest.transpose(0, 2, 1)))
    ratios = total @ inside @ total.transpose(0, 2, 1)
    return np.asarray(np.linalg.eigvalsh(ratios)[:, -1])
