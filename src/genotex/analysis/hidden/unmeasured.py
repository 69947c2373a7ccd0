"""Unmeasured confounding: which surrogate variables are used, and what is reported of them.

Background and measurements: docs/unmeasured-confounding.md, docs/calibration.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import fdtrc

from genotex.analysis.designs.comparison import Comparison
from genotex.analysis.designs.contrast import Contrast
from genotex.analysis.designs.matrix import Design
from genotex.analysis.gene_tests.p_values import pearson
from genotex.analysis.gene_tests.precision import Precision
from genotex.analysis.hidden.confounders import estimate_confounders
from genotex.analysis.hidden.confounding import Association, associate_covariate, associate_levels
from genotex.analysis.hidden.markers import MARKERS, Likeness, MarkerScores
from genotex.analysis.hidden.spectrum import LARGE, GeneParts
from genotex.analysis.hidden.surrogate import (
    SurrogateVariables,
    find_reweighted_surrogates,
    find_surrogates,
)
from genotex.analysis.hidden.technical import adjust_for_technical
from genotex.analysis.samples.facts import read_numbers, read_value
from genotex.analysis.shared_work import once
from genotex.arrays import Flags, Floats, row_quantiles
from genotex.formats import measured_columns
from genotex.options import Hidden as Mode
from genotex.records import as_json

REPORTED_P = 0.05
"""Associations are reported when their p-value, times the number of tests, is below."""
MOST_REPORTED = 2
"""Of each kind and surrogate variable."""
ENOUGH_SAMPLES = 4


def _with_trait(column: Floats, contrast: Contrast) -> tuple[float, float]:
    """Return the correlation with the trait; of a factor the multiple correlation."""
    if contrast.factor is None:
        return pearson(column, contrast.values)
    wide = np.column_stack([np.ones(len(column)), contrast.columns])
    centred = column - column.mean()
    rest = centred - wide @ np.linalg.lstsq(wide, centred, rcond=None)[0]
    share = 1 - float(rest @ rest) / float(centred @ centred)
    tested, left = wide.shape[1] - 1, len(column) - wide.shape[1]
    f = share / tested / max((1 - share) / left, np.finfo(np.float64).tiny)
    return float(np.sqrt(share)), float(fdtrc(tested, left, f))


def _associate_surrogates(
    columns: Mapping[str, Floats], comparison: Comparison, genes: Floats, names: Sequence[str]
) -> list[dict[str, Any]]:
    """Find what the surrogate variables are associated with, the two strongest of each kind."""
    # Each is tested against the trait (Pearson's correlation), each covariate and characteristic
    # that varies, each measure of the samples, and the markers of cells and programmes; those are
    # reported whose p-value is below 0.05 after Bonferroni's correction for all these tests.
    # Shapes: columns (n,), genes (n, p).
    # Returns ``surrogate``, ``with``, ``kind`` (trait, covariate, characteristic, measure, cells,
    # programme), ``test``, ``measure``, ``size``, ``p``.
    if not columns:
        return []
    basis = np.linalg.qr(comparison.design.matrix)[0]
    markers, measures = MarkerScores(genes, names, basis), _measures(comparison, genes)
    patterns = np.array(list(columns.values()))
    likenesses = markers.of(patterns - (patterns @ basis) @ basis.T)
    tests = [
        (surrogate, *test)
        for (surrogate, column), alike in zip(columns.items(), likenesses, strict=True)
        for test in (*_tests(column, comparison), *_measured(column, measures), *_alike(alike))
    ]
    reported = [test for test in tests if test[-1].p * len(tests) < REPORTED_P]
    reported.sort(key=lambda test: test[-1].p)
    of_kind = Counter[tuple[str, str]]()
    kept = []
    for test in reported:
        of_kind[test[0], test[2]] += 1
        if of_kind[test[0], test[2]] <= MOST_REPORTED:
            kept.append(test)
    return [
        {
            "surrogate": surrogate,
            "with": other,
            "kind": kind,
            **as_json(found, "test", "measure", "size", "p"),
        }
        for surrogate, other, kind, found in kept
    ]


_Test = tuple[str, str, Association]
"""With what, of which kind, and how closely."""


def _measures(comparison: Comparison, genes: Floats) -> dict[str, Floats]:
    """Return what was measured of each sample (n,): control probes, the shape of its values."""
    low, middle, high = row_quantiles(genes, (0.25, 0.5, 0.75))
    found = {"median of all genes": middle, "spread of all genes": high - low}
    for kind, measured in comparison.cohort.measures.items():
        columns = measured_columns(measured, comparison.samples)
        found |= {f"{kind}: {name}": column for name, column in columns.items()}
    # Not above 0 either where a sample has none, which is NaN.
    return {name: column for name, column in found.items() if np.ptp(column) > 0}


def _measured(column: Floats, measures: Mapping[str, Floats]) -> Iterator[_Test]:
    for name, values in measures.items():
        yield name, "measure", associate_covariate(column, values, binary=False)


def _alike(found: Sequence[Likeness]) -> Iterator[_Test]:
    for each in found:
        p = each.p if each.clear else 1.0
        yield each.name, each.kind, Association("Pearson's correlation", p, "r", each.r, False)


def _tests(column: Floats, comparison: Comparison) -> Iterator[_Test]:
    contrast, design = comparison.contrast, comparison.design
    r, p = _with_trait(column, contrast)
    test, measure = "Pearson's correlation", "r"
    if contrast.factor is not None:
        test, measure = "analysis of variance", "multiple r"
    yield design.trait, "trait", Association(test, p, measure, r, False)
    for place, name in enumerate(design.adjusted, start=1):
        covariate = design.matrix[:, place]
        yield name, "covariate", associate_covariate(column, covariate, binary=False)
    for key, recorded in comparison.cohort.sample_facts.items():
        values = [read_value(key, recorded.get(sample)) for sample in comparison.samples]
        found = _associate_characteristic(column, values)
        if found is not None:
            yield key, "characteristic", found


def _associate_characteristic(column: Floats, values: Sequence[str | None]) -> Association | None:
    """Take few different values for groups, many numbers for a measurement."""
    known = np.array([value is not None for value in values], dtype=bool)
    levels = [value for value in values if value is not None]
    different = len(set(levels))
    if len(levels) < ENOUGH_SAMPLES or different < 2:
        return None
    if different <= max(2, len(levels) // 3):
        return associate_levels(column[known], levels, binary=False)
    measured = read_numbers(levels)
    if measured is None:
        return None  # names of samples or people
    return associate_covariate(column[known], measured, binary=False)


FEWEST_GENES = 100
MOST_MISSING = 0.5
"""A gene takes part in the estimate when at most this share of its values is missing."""
STRONG_WITH_TRAIT = 0.5
SVA_FROM = 40
"""R's sva with fewer samples makes false findings as well as removing them."""
_FACTORS = (
    "factors by parallel analysis; their share of the trait by an empirical-Bayes regression over "
    "genes"
)
SHOWN = 1000
"""Genes of a large table, besides markers, by which patterns are told."""
AS_IN_R = ("sva", "two-step")
"""Modes that do what R's sva does."""
METHODS = {
    "auto": _FACTORS,
    "adjust": _FACTORS,
    "sva": "iteratively reweighted surrogate variable analysis (Leek and Storey 2008)",
    "two-step": "two-step surrogate variable analysis (Leek and Storey 2007)",
}


@dataclass(frozen=True, eq=False)
class Unmeasured:
    """The surrogate variables of an analysis and what is reported of them."""

    columns: dict[str, Floats]  # (n,): ``SV1``, ``SV2``, ...; empty when there are none
    inflation: float  # Variances of coefficients adjusted for them are this many times larger
    # Whether the moderated t adjusts for them, and the alternative analysis is the one without;
    # False with columns: the other way round
    moderated_with: bool
    # Plain JSON: ``mode``, ``method``, ``estimated`` (factors above the noise), ``used`` (number of
    # columns), ``limited`` (some left out for lack of samples), ``share`` (of residual variance,
    # each), ``residual_df`` (with the columns), ``inflation``, ``trait_share`` (squared multiple
    # correlation of trait and columns), ``moderated_with``, ``ranked_with`` (whether the test that
    # ranks adjusts for them; the mixed model never does), ``associations`` (see
    # `_associate_surrogates`), ``genes_used``, ``notes``; `compare_rankings` adds ``change``
    record: dict[str, Any]
    warnings: tuple[str, ...] = ()  # What a reader should know

    seed: int = 0  # Of the permutations that they were estimated with

    @property
    def examined(self) -> bool:
        """Whether all factors that were found became columns, or none was found."""
        return bool(self.columns) or bool(self.record["method"] and not self.record["estimated"])

    def adjust(self, values: Floats, design: Design, precision: Precision) -> tuple[Design, float]:
        """Return another design of the same samples with its surrogate variables; the inflation."""
        whole = _Whole(values, design)
        if whole.genes.count < _genes_needed(values):
            return design, 1.0
        found = _estimate(whole.genes, design, self.record["mode"], self.seed, precision)
        return design.with_columns(_columns_of(found, precision)), found.inflation


def find_unmeasured(
    values: Floats,
    names: Sequence[str],
    comparison: Comparison,
    precision: Precision,
    mode: Mode,
    seed: int,
    *,
    mixed_ranks: bool = False,
) -> tuple[Comparison, Unmeasured]:
    """Estimate the surrogate variables of a comparison from the expression (n, p) of its genes.

    Returns the comparison too, adjusted for those that are technical, which are not among them.
    """
    if mode == "none":
        return comparison, Unmeasured({}, 1.0, False, _record(mode, None, comparison.design, 0))
    whole = _Whole(values, comparison.ordered_design)
    needed, count = _genes_needed(values), whole.genes.count
    if count < needed:
        note = f"{count} genes with enough values are too few, {needed} are needed"
        warning = f"Unmeasured confounding was not examined: {note}."
        record = _record(mode, None, comparison.design, count, note)
        return comparison, Unmeasured({}, 1.0, False, record, (warning,))
    some, names = whole.some(names)
    found = _estimate_shared(whole, comparison, precision, mode, seed)
    if mode == "auto":
        before = comparison.design
        comparison = adjust_for_technical(comparison, some, names, found, precision, seed)
        if comparison.design is not before:
            found = _estimate_shared(whole, comparison, precision, mode, seed)
    contrast, design = comparison.contrast, comparison.design
    columns = _columns_of(found, precision)
    record = _record(mode, found, design, count)
    adjusts = bool(columns) and mode != "auto"
    record["moderated_with"] = adjusts
    record["ranked_with"] = adjusts and not mixed_ranks
    record["trait_share"] = _explained(
        precision.whiten(design.matrix), found.columns, design.tested
    )
    record["technical"] = list(comparison.adjustment.evidence)
    record["associations"] = _associate_surrogates(columns, comparison, some, names)
    warnings = (
        *_limits(found, len(values)),
        *_few_samples(mode, len(columns), len(values)),
        *_warn_of_trait(columns, contrast, design.trait, adjusts=adjusts),
    )
    inflation = max(found.inflation, comparison.adjustment.inflation)
    return comparison, Unmeasured(columns, inflation, adjusts, record, warnings, seed)


def _genes_needed(values: Floats) -> int:
    return max(FEWEST_GENES, len(values))


def _columns_of(found: SurrogateVariables, precision: Precision) -> dict[str, Floats]:
    raw = precision.unwhiten(found.columns)
    return {f"SV{k + 1}": column for k, column in enumerate((raw / _length(raw)).T)}


class _Whole:
    """The genes with enough values, whose gaps are what the design fits."""

    def __init__(self, values: Floats, design: Design) -> None:
        self.values, self.basis = values, np.linalg.qr(design.saturated)[0]
        share = np.isnan(values).mean(axis=0)
        self._gaps = bool(share.any())
        self._places = np.flatnonzero(share <= MOST_MISSING)
        self._large = values.nbytes > LARGE
        self._kept = None if self._large else GeneParts.of(self._read(slice(None)))

    @property
    def genes(self) -> GeneParts:
        """The genes, a part of them at a time."""
        # Another each time: one held here would hold the table until Python looks for cycles.
        return self._kept or GeneParts(len(self.values), len(self._places), self._read)

    def _read(self, part: slice) -> Floats:
        places = self._places[part]
        whole = len(places) == self.values.shape[1]
        return self._filled(self.values if whole else self.values[:, places])

    def _filled(self, values: Floats) -> Floats:
        gaps = np.isnan(values) if self._gaps else np.zeros(0, dtype=np.bool_)
        if not gaps.any():
            return values
        filled = values.copy()
        _fill_gaps(filled, gaps, self.basis)
        return filled

    def some(self, names: Sequence[str]) -> tuple[Floats, list[str]]:
        """Return all genes and their names; of a large table markers, and as many as tell much."""
        places = self._places
        if self._large:
            markers = np.array([name in MARKERS for name in names], dtype=np.bool_)
            markers = np.intersect1d(places, markers.nonzero()[0])
            places = np.union1d(places[:: max(1, len(places) // SHOWN)], markers)
            return self._filled(self.values[:, places]), [names[i] for i in places.tolist()]
        return self.genes.read(slice(None)), [names[i] for i in places.tolist()]


def _fill_gaps(values: Floats, gaps: Flags, basis: Floats) -> None:
    """Fill gaps, in place, with what an orthonormal basis (n, k) fits to each gene."""
    gene, sample = np.nonzero(gaps.T)
    genes, first, of_gene = np.unique(gene, return_index=True, return_inverse=True)
    some = values[:, genes]
    start = np.nanmean(some, axis=0)
    filled = start[of_gene]
    scores = (basis.T @ np.where(np.isnan(some), start, some)).T
    weights = basis[sample]
    for _ in range(20):  # repeated fits converge to the fit of the known values alone
        fitted = np.einsum("ij,ij->i", weights, scores[of_gene])
        scores += np.add.reduceat(weights * (fitted - filled)[:, None], first, axis=0)
        filled = fitted
    values[sample, gene] = filled


def _estimate_shared(
    whole: _Whole, comparison: Comparison, precision: Precision, mode: Mode, seed: int
) -> SurrogateVariables:
    """Estimate them; without a condition and given age they are often the same."""
    of = comparison.ordered_design

    def estimate() -> SurrogateVariables:
        return _estimate(whole.genes, of, mode, seed, precision)

    if comparison.condition is not None:
        return estimate()
    given = (whole.values, whole.basis, of.saturated, of.of_trait, mode, seed, precision)
    return once("surrogates", estimate, *given)


def _estimate(
    genes: GeneParts, of: Design, mode: Mode, seed: int, precision: Precision
) -> SurrogateVariables:
    # What the levels of a trait do is the trait's own, whether along a line or not.
    whitened = replace(genes, read=lambda part: precision.whiten(genes.read(part)))
    design, tested = precision.whiten(of.saturated), of.of_trait
    if mode not in AS_IN_R:
        return estimate_confounders(whitened, design, tested)
    values = whitened.read(slice(None))
    if mode == "two-step":
        return find_surrogates(values, design, seed=seed)
    return find_reweighted_surrogates(values, design, seed=seed, tested=tested)


def _length(columns: Floats) -> Floats:
    length: Floats = np.sqrt((columns**2).sum(axis=0))
    return length


def _explained(design: Floats, columns: Floats, tested: int) -> float:
    """Return the squared multiple correlation of trait and columns, given the covariates."""
    # Of a factor the mean over its (orthonormalised) columns.
    if not columns.shape[1]:
        return 0.0
    others = np.linalg.qr(design[:, :-tested])[0]
    basis = np.linalg.qr(columns - others @ (others.T @ columns))[0]
    if tested == 1:
        trait = design[:, -1] - others @ (others.T @ design[:, -1])
        return float(((basis.T @ trait) ** 2).sum() / (trait @ trait))
    of_trait = np.linalg.qr(design)[0][:, -tested:]
    return float(((basis.T @ of_trait) ** 2).sum() / tested)


def _record(
    mode: Mode, found: SurrogateVariables | None, design: Design, genes: int, *notes: str
) -> dict[str, Any]:
    used = 0 if found is None else found.columns.shape[1]
    return {
        "mode": mode,
        "method": "" if found is None else METHODS[mode],
        "estimated": 0 if found is None else found.estimated,
        "used": used,
        "limited": found is not None and found.limited,
        "share": [] if found is None else [float(share) for share in found.share],
        "residual_df": len(design.matrix) - design.matrix.shape[1] - used,
        "inflation": 1.0 if found is None else found.inflation,
        "trait_share": 0.0,
        "moderated_with": False,
        "ranked_with": False,
        "associations": [],
        "genes_used": genes,
        "notes": [*notes, *(() if found is None else found.notes)],
    }


def _limits(found: SurrogateVariables, samples: int) -> tuple[str, ...]:
    if not found.limited:
        return ()
    used = found.columns.shape[1]
    return (
        f"The residuals show {found.estimated} unmeasured factors, but {samples} samples leave "
        f"room for {used or 'no'} surrogate variable{'' if used == 1 else 's'}: what remains may "
        "cause false findings.",
    )


def _few_samples(mode: Mode, number: int, samples: int) -> tuple[str, ...]:
    if mode not in AS_IN_R or number == 0 or samples >= SVA_FROM:
        return ()
    what = f"{number} surrogate variable{'' if number == 1 else 's'}"
    return (
        f"Adjusted for {what} with {samples} samples only: below {SVA_FROM}, "
        "surrogate variables by sva can cause false findings as well as remove them; compare with "
        "the analysis without them.",
    )


def _warn_of_trait(
    columns: Mapping[str, Floats], contrast: Contrast, trait: str, *, adjusts: bool
) -> list[str]:
    """Warn of surrogate variables that are strongly correlated with the trait."""
    correlations = {name: _with_trait(column, contrast)[0] for name, column in columns.items()}
    strong = [
        f"{name} (r = {r:.2f})" for name, r in correlations.items() if abs(r) > STRONG_WITH_TRAIT
    ]
    if not strong:
        return []
    what = (
        "Adjusting for them removes part of the trait's own signal"
        if adjusts
        else "What they do is part of the ranking; the grade of a gene tells whether it needs them"
    )
    return [
        f"Unmeasured factors are strongly confounded with {trait}: {', '.join(strong)}. {what}: "
        "signal and confounding are hard to distinguish."
    ]
