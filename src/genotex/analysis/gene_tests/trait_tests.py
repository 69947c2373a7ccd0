"""The tests of every gene in the procedure ``sound``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.analysis.designs.comparison import Comparison
from genotex.analysis.designs.contrast import Contrast
from genotex.analysis.designs.matrix import Design
from genotex.analysis.gene_tests.coefficients import (
    ModeratedF,
    TestSettings,
    departure_columns,
    estimable_columns,
    estimable_factor_columns,
    factor_columns,
    fit_interaction,
    mixed_columns,
    moderated_columns,
)
from genotex.analysis.gene_tests.gene_filter import OUTLIER, GeneFilter, carries_design
from genotex.analysis.gene_tests.linear import SeveralFit
from genotex.analysis.gene_tests.mixed import MixedFit, fit_mixed
from genotex.analysis.gene_tests.moderated import ModeratedFit
from genotex.analysis.gene_tests.negative_binomial import check_negative_binomial, wald_test
from genotex.analysis.gene_tests.p_values import q_of_known
from genotex.analysis.gene_tests.precision import Precision, consensus_correlation
from genotex.analysis.gene_tests.weights import Spread, weigh_samples
from genotex.analysis.hidden.unmeasured import AS_IN_R, Unmeasured, find_unmeasured
from genotex.analysis.replication.chance import (
    effective_size,
    replication_chance,
    replication_terms,
    samples_to_settle,
)
from genotex.analysis.results.columns import GRADES
from genotex.arrays import Flags, Floats
from genotex.options import AnalysisOptions

TOPS = (10, 50, 100)
NAMED = 10


Columns = dict[str, Floats]


@dataclass(frozen=True, eq=False)
class TraitTests:
    """What was found of every gene."""

    comparison: Comparison  # Adjusted for hidden factors that are technical
    kept: GeneFilter  # Which genes were tested
    columns: Columns  # (m,): columns of `GENE_TABLE`
    unmeasured: Unmeasured  # Surrogate variables
    spread: Spread  # Weights of the samples
    settings: TestSettings  # How the moderated t was computed
    # Regression of the moderated t, and of the test that ranks: the mixed model has no surrogate
    # variables
    moderated: Design
    ranking: Design
    p: Floats  # (m,): p-values that rank, NaN where that test has none
    fit: ModeratedFit | ModeratedF  # Of a factor the F test
    inflation: float  # Of the variances of the moderated t, for factors that were estimated
    mixed: MixedFit | None
    # (m,): one of `GRADES`, empty where a gene is not significant either way, or was not graded
    grade: NDArray[np.str_]
    # Genes significant by the moderated t without covariates; None where there are none
    without_covariates: int | None = None

    @property
    def values(self) -> Floats:
        """Expression of the m tested genes, shape (n, m); another copy each time."""
        return self.kept.of(self.comparison.expression)


def run_tests(
    comparison: Comparison, values: Floats, kept: GeneFilter, options: AnalysisOptions
) -> TraitTests:
    """Estimate unmeasured confounding and test the trait's coefficient of every gene."""
    # Shapes: values (n, m).
    if options.counts == "deseq2":
        check_negative_binomial(comparison)
    contrast, mixed_ranks = comparison.contrast, options.model == "mixed"
    spread, settings = _settings(comparison, values, options)
    genes = comparison.table.genes
    comparison, unmeasured = find_unmeasured(
        values, kept.names(genes), comparison, settings.precision, options.hidden, options.seed,
        mixed_ranks=mixed_ranks,
    )  # fmt: skip
    design = comparison.design
    adjusted = unmeasured.moderated_with
    inflation = unmeasured.inflation if adjusted else comparison.adjustment.inflation
    moderated = design.with_columns(unmeasured.columns) if adjusted else design
    fits = carries_design(moderated.matrix, values)
    if not fits.all():
        values, kept = values[:, fits], kept.without(~fits)
    wald = None
    if options.counts == "deseq2" and comparison.library_sizes is not None:
        sizes = comparison.library_sizes
        wald = wald_test(moderated.matrix, values, sizes, inflation, options.min_effect)
        values, kept = values[:, wald.known], kept.without(~wald.known, OUTLIER)
    tests = _Regressions(comparison, values, settings)
    columns, fit = tests.rank(tests.regress(moderated, inflation) if adjusted else None)
    columns |= {} if wald is None else wald.of(wald.known).columns()
    columns |= _replication(columns, contrast, options.next_cohort)
    columns |= tests.alternative(unmeasured)
    columns |= fit_interaction(values, moderated, settings, inflation)
    columns |= departure_columns(values, moderated, settings, inflation)
    mixed = _mixed(values, design, options.model)
    columns |= {} if mixed is None else mixed_columns(mixed)
    grade = _grade(unmeasured, columns, options)
    return TraitTests(
        comparison=comparison,
        inflation=inflation,
        kept=kept,
        columns=columns,
        unmeasured=_with_change(unmeasured, columns, grade, kept.names(genes), options.q_cut),
        spread=spread,
        settings=settings,
        moderated=moderated,
        ranking=design if mixed_ranks else moderated,
        p=columns["Mixed p" if mixed_ranks else "p"],
        fit=fit,
        mixed=mixed,
        grade=grade,
        without_covariates=tests.without_covariates(
            unmeasured, options.q_cut, by_deseq2=wald is not None
        ),
    )


def _mixed(values: Floats, design: Design, model: str) -> MixedFit | None:
    """Fit the mixed model where it was asked for."""
    if model == "moderated":
        return None
    return fit_mixed(values, design.others, design.matrix[:, -1])


def _settings(
    comparison: Comparison, values: Floats, options: AnalysisOptions
) -> tuple[Spread, TestSettings]:
    """Return the weights of the samples, and how every regression of the analysis tests genes."""
    # R's sva knows no weights of samples, and with them its variables are unstable.
    unweighted = options.hidden in AS_IN_R and options.weights == "auto"
    weights = "none" if unweighted else options.weights
    groups, sizes = comparison.contrast.groups, comparison.library_sizes
    spread = weigh_samples(values, comparison.ordered_design.saturated, groups, weights, sizes)
    precision = _with_blocks(comparison, values, spread.weights)
    trend = bool(comparison.variance_depends) if options.trend is None else options.trend
    return spread, TestSettings(precision, trend, options.robust, options.min_effect)


def _with_blocks(comparison: Comparison, values: Floats, weights: Floats | None) -> Precision:
    """Return the samples' precision with the correlation of samples of the same block."""
    precision = Precision(weights, comparison.blocks.correlated, libraries=comparison.library_sizes)
    correlation = consensus_correlation(comparison.ordered_design.matrix, values, precision)
    return replace(precision, correlation=correlation)


class _Regressions:
    """The regressions of the genes (n, m) of a comparison: with and without surrogate variables."""

    def __init__(self, comparison: Comparison, values: Floats, settings: TestSettings) -> None:
        self._comparison, self._values, self._settings = comparison, values, settings
        self.without = self.regress(comparison.design, comparison.adjustment.inflation)

    def regress(self, design: Design, inflation: float = 1.0) -> SeveralFit:
        """Regress every gene on a design, the trait's variance inflated."""
        return self._settings.regress_several(design.matrix, self._values, design.tested, inflation)

    def estimable(self, fit: SeveralFit) -> Columns:
        """Test the trait in another regression; NaN for genes that have no estimate there."""
        settings, factor = self._settings, self._comparison.contrast.factor
        if factor is None:
            return estimable_columns(fit.last, self._values, settings)
        return estimable_factor_columns(fit, self._values, settings, factor)

    def rank(self, adjusted: SeveralFit | None) -> tuple[Columns, ModeratedFit | ModeratedF]:
        """Test the trait, with surrogate variables where they are adjusted for."""
        contrast, settings = self._comparison.contrast, self._settings
        fit, unit = (self.without, None) if adjusted is None else (adjusted, self.without.last)
        if contrast.factor is not None:
            return factor_columns(fit, self._values, settings, contrast.factor)
        if settings.precision.libraries is not None:
            # Weights of single observations give deviations no unit that other cohorts share.
            unweighted = replace(settings.precision, libraries=None)
            unit = unweighted.fit(self._comparison.design.matrix, self._values)
        binary = contrast.two_groups
        return moderated_columns(fit.last, self._values, settings, binary=binary, unit=unit)

    def alternative(self, unmeasured: Unmeasured) -> Columns:
        """Return the columns of the analysis that does not rank (with or without surrogates)."""
        if not unmeasured.columns:
            return {}
        name, other = "Without SV", self.without
        if not unmeasured.moderated_with:
            design = self._comparison.design.with_columns(unmeasured.columns)
            name, other = "With SV", self.regress(design, unmeasured.inflation)
        found = self.estimable(other)
        return {f"{name} {column}": found[column] for column in ("Coefficient", "p", "q")}

    def without_covariates(
        self, unmeasured: Unmeasured, q_cut: float, *, by_deseq2: bool
    ) -> int | None:
        """Return how many genes are significant without covariates; None where there are none."""
        if not self._comparison.covariates or by_deseq2:
            return None
        design, inflation = self._comparison.design.without(self._comparison.covariates), 1.0
        if unmeasured.moderated_with:
            design, inflation = unmeasured.adjust(self._values, design, self._settings.precision)
        p = self.estimable(self.regress(design, inflation))["p"]
        return int((q_of_known(p) < q_cut).sum())


def _replication(columns: Columns, contrast: Contrast, samples: int | None) -> Columns:
    """Return the chance that another cohort shows each gene, and the samples that settle it."""
    if contrast.factor is not None:
        return {}
    here = len(contrast.rows)
    size = effective_size(here, contrast.smaller_group if contrast.two_groups else None)
    terms = replication_terms(
        columns["Coefficient"],
        columns["Standard Error"],
        columns["Mean Expression"],
        columns["p"],
        size=size,
        ahead=size if samples is None else effective_size(samples),
    )
    return {"Replication": replication_chance(terms), "Samples to Settle": samples_to_settle(terms)}


def _grade(unmeasured: Unmeasured, columns: Columns, options: AnalysisOptions) -> NDArray[np.str_]:
    """Return of each gene whether it is significant without hidden factors, with them, or both."""

    def significant(test: str) -> Flags:
        large = np.abs(columns[f"{test}Coefficient"]) >= options.min_effect
        return np.asarray(large & (columns[f"{test}q"] < options.q_cut))

    ranked, robust, sensitive, masked = significant(""), *GRADES
    if not unmeasured.columns:
        return np.where(ranked & unmeasured.examined, robust, "")
    name = "Without SV " if unmeasured.moderated_with else "With SV "
    other = significant(name)
    without, adjusted = (other, ranked) if unmeasured.moderated_with else (ranked, other)
    # Opposite changes are not the same finding; that of a factor's levels has no direction.
    same = (columns["Coefficient"] * columns[f"{name}Coefficient"] > 0) | ("F" in columns)
    unknown = np.isnan(columns[f"{name}q"])
    kinds = [unknown, without & adjusted & same, without, adjusted]
    return np.select(kinds, ["", robust, sensitive, masked], "")


def _with_change(
    unmeasured: Unmeasured,
    columns: Columns,
    grade: NDArray[np.str_],
    names: Sequence[str],
    q_cut: float,
) -> Unmeasured:
    """Add to the record how many genes have which grade, and how the top genes change."""
    if not unmeasured.columns:
        return unmeasured
    adjusted = unmeasured.moderated_with
    other = columns["Without SV p" if adjusted else "With SV p"]
    pair = (other, columns["p"]) if adjusted else (columns["p"], other)
    grades = {name: int((grade == name).sum()) for name in GRADES}
    change = compare_rankings(*pair, names, q_cut)
    record = {**unmeasured.record, "grades": grades, "change": change}
    return replace(unmeasured, record=record)


def compare_rankings(
    without: Floats, with_surrogates: Floats, names: Sequence[str], q_cut: float
) -> dict[str, Any]:
    """Describe how the top genes change with surrogate variables."""
    # Shapes: without (p,), with_surrogates (p,).
    # Returns ``top``: for the first 10, 50 and 100 genes (``genes``) how many both share
    # (``shared``): ``significant_without``, ``significant_with``, ``significant_both``;
    # ``first_without``, ``first_with``: the first ten genes of each.
    orders = [_ranked(without), _ranked(with_surrogates)]
    found = [q_of_known(p) < q_cut for p in (without, with_surrogates)]
    most = min(len(order) for order in orders)
    sizes = [size for size in TOPS if size <= most] or ([most] if most else [])
    shared = [len(set(orders[0][:size]) & set(orders[1][:size])) for size in sizes]
    first = [[names[i] for i in order[:NAMED]] for order in orders]
    return {
        "top": [{"genes": k, "shared": both} for k, both in zip(sizes, shared, strict=True)],
        "significant_without": int(found[0].sum()),
        "significant_with": int(found[1].sum()),
        "significant_both": int((found[0] & found[1]).sum()),
        "first_without": first[0],
        "first_with": first[1],
    }


def _ranked(p: Floats) -> list[int]:
    order = np.argsort(p, kind="stable")  # NaN last
    return [int(i) for i in order[: int((~np.isnan(p)).sum())]]
