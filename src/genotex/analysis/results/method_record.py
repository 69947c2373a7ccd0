"""The record of how a result was obtained, as written to the result file."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import polars as pl
import scipy

import genotex
from genotex.analysis.designs.comparison import Comparison
from genotex.analysis.designs.matrix import Design
from genotex.analysis.gene_tests.coefficients import interaction_record
from genotex.analysis.gene_tests.mixed import mixed_record
from genotex.analysis.gene_tests.p_values import excess_near_one, null_share
from genotex.analysis.gene_tests.trait_tests import TraitTests
from genotex.analysis.panel.selection import GenePanel
from genotex.arrays import Floats
from genotex.features import table_features
from genotex.options import AnalysisOptions, CountTest, RegressorRule
from genotex.problems import Problem, ProblemKind

_STANDARD = {feature.column: feature.name for feature in table_features()}
"""Covariates of a linked table -> columns of a sample sheet."""
MODERATED_T = "moderated t-test (limma's method, Smyth 2004) of every gene"
COUNTED_T = "moderated t-test (Smyth 2004) of every gene on TMM-normalised log2 counts per million"
NEGATIVE_BINOMIAL = "negative binomial regression with a Wald test (DESeq2) of every gene"
MIXED_MODEL = "linear mixed model of the trait with the genes' covariance, every gene in turn"


@dataclass(frozen=True, eq=False)
class Steps:
    """What each step of the analysis chose or found."""

    comparison: Comparison
    tests: TraitTests
    panel: GenePanel
    genes: pl.DataFrame
    q_cut: float = 0.05

    @property
    def tested_p(self) -> Floats:
        """The p-values that rank, of the genes that have one."""
        return self.tests.p[np.isfinite(self.tests.p)]

    @property
    def departing(self) -> int:
        """Genes that depart from the line significantly."""
        return self.genes.filter(pl.col("Departure q") < self.q_cut).height


def record_method(steps: Steps, options: AnalysisOptions, problem: Problem) -> dict[str, Any]:
    """Return procedure, options, versions and the result of each step, as plain JSON values."""
    comparison, tests = steps.comparison, steps.tests
    ranking = tests.ranking
    design = design_record(comparison)
    mixed = options.model == "mixed"
    return {
        "procedure": str(options.procedure),
        "model": _model(steps, options),
        "ranked_by": "Mixed p" if mixed else "p",
        "options": options.as_json(),
        "versions": versions(),
        "session": session(),
        "contrast": design["contrast"],
        "design": list(ranking.names),
        "residual_df": _residual_df(ranking),
        "covariates": _covariates(comparison),
        "adjusted_for": design["adjusted_for"],
        "without_covariates": tests.without_covariates,
        "named_covariates": design["named_covariates"],
        "filled": design["filled"],
        "batch": {
            "adjusted": comparison.adjustment.batch,
            "not_adjusted": list(comparison.facts.batches),
        },
        "quality": dict(comparison.quality.record),
        "sample_facts": [dict(fact) for fact in comparison.facts.record],
        "coefficient": _coefficient(comparison),
        "standardised_effect": _standardised(steps),
        "filter": dict(tests.kept.record),
        "hidden": dict(tests.unmeasured.record),
        "weights": dict(tests.spread.record),
        "prior": _prior(tests, comparison.variance_depends if options.trend is None else ""),
        **_histogram(steps.tested_p),
        "significant": int(steps.genes["Significant"].sum()),
        "panel": {
            **steps.panel.record,
            "notes": list(steps.panel.notes),
            "quality": steps.panel.quality.get("source"),
        },
        **_counts(steps, options.counts),
        **_where_it_applies(steps, options.regressors, problem, mixed_ranks=mixed),
    }


def _model(steps: Steps, options: AnalysisOptions) -> str:
    if options.model == "mixed":
        return MIXED_MODEL
    return NEGATIVE_BINOMIAL if options.counts == "deseq2" else _moderated_t(steps)


def _counts(steps: Steps, test: CountTest) -> dict[str, Any]:
    """Return how counts were treated and tested; empty where expression was not counted."""
    libraries = steps.comparison.libraries
    if libraries is None:
        return {}
    by = {"test": "DESeq2", "pydeseq2": version("pydeseq2")} if test == "deseq2" else {}
    return {"counts": {**libraries.record, **by}}


def _where_it_applies(
    steps: Steps, rule: RegressorRule, problem: Problem, *, mixed_ranks: bool
) -> dict[str, Any]:
    """Return the parts that only some analyses have, such as pairs or an interaction."""
    comparison, tests = steps.comparison, steps.tests
    record: dict[str, Any] = {}
    if comparison.own is not None and comparison.cohort.design is not None:
        record["formula"] = comparison.own.record(comparison.cohort.design)
        record["regression"] = record_regression(steps)
    if "levels" in comparison.contrast.summary:
        record["levels"] = {**comparison.contrast.summary["levels"], **_level_tests(steps)}
    if comparison.facts.relations:
        record["relations"] = [dict(relation) for relation in comparison.facts.relations]
    if comparison.blocks.record:
        record["pair"] = {
            **comparison.blocks.record,
            **_correlation(steps),
            "adjusts_for": list(comparison.adjustment.held_by_pairs),
        }
    if mixed_ranks:
        record["moderated"] = _moderated(steps)
    if tests.mixed is not None:
        record["mixed"] = mixed_record(tests.mixed)
    if problem.kind is ProblemKind.ONE_STEP:
        record["interaction"] = interaction_record(steps.genes, str(problem.condition), steps.q_cut)
    if comparison.condition is not None and comparison.predicted is not None:
        record["two_step"] = {
            "condition": problem.condition,
            "cohort": comparison.condition.cohort,
            "rule": rule,
            "regressors": list(comparison.condition.regressors),
            **comparison.predicted.record,
        }
    return record


def record_regression(steps: Steps) -> dict[str, Any]:
    """Return the regression that ranks, sample by sample, as plain JSON."""
    comparison, tests = steps.comparison, steps.tests
    own, precision, samples = comparison.own, tests.settings.precision, comparison.samples
    design = tests.moderated
    people = _people(comparison)
    block = None
    if people is not None and precision.correlation != 0:
        block = [s if person is None else person for s, person in zip(samples, people, strict=True)]
    offset = None if own is None else own.design.offset
    by_sample = {
        "weight": _numbers(precision.weights),
        "block": block,
        "library_size": _numbers(precision.libraries),
        "offset": _numbers(offset),
    }
    return {
        "samples": list(samples),
        "columns": {
            name: column.tolist()
            for name, column in zip(design.names, design.matrix.T, strict=True)
        },
        "tested": design.tested,
        **{name: values for name, values in by_sample.items() if values is not None},
        "correlation": precision.correlation,
        "inflation": tests.inflation,
    }


def _people(comparison: Comparison) -> Sequence[str | None] | None:
    """Return whose each sample is, where samples of the same person are correlated."""
    if comparison.own is not None:
        return comparison.own.people
    blocks = comparison.blocks.correlated
    return None if blocks is None else [str(block) for block in blocks.tolist()]


def _numbers(values: Any) -> list[float] | None:
    return None if values is None else np.asarray(values, dtype=np.float64).tolist()


def _coefficient(comparison: Comparison) -> str:
    contrast = comparison.contrast
    if comparison.own is not None:
        return comparison.own.coefficient
    if contrast.binary:
        return "log2 fold change, case against control"
    if contrast.factor is not None:
        return "largest difference of log2 expression between two levels"
    return "change of log2 expression per standard deviation of the trait"


def _level_tests(steps: Steps) -> dict[str, Any]:
    """Return the results of the tests of the levels of a trait."""
    factor = steps.comparison.contrast.factor
    if factor is not None:
        pairs = [
            {
                "pair": name,
                "significant": steps.genes.filter(pl.col(f"{name} q") < steps.q_cut).height,
            }
            for name, _ in factor.pairs
        ]
        return {"pairs": pairs}
    tested = steps.genes["Departure p"].drop_nulls().len()
    return {"departure": {"tested": tested, "significant": steps.departing}} if tested else {}


def _correlation(steps: Steps) -> dict[str, float]:
    """Return the correlation of samples of a block, where it was estimated."""
    if steps.comparison.blocks.correlated is None:
        return {}
    return {"correlation": steps.tests.settings.precision.correlation}


def _moderated_t(steps: Steps) -> str:
    libraries, factor = steps.comparison.libraries, steps.comparison.contrast.factor
    if libraries is None:
        test = MODERATED_T
    else:
        weighted = ", weighted by voom (Law et al. 2014)"
        test = f"{COUNTED_T}{'' if libraries.sizes is None else weighted}"
    if factor is None:
        return test
    what = "levels" if steps.comparison.own is None else "coefficients"
    among = f"moderated F test of {len(factor.values)} {what}"
    return test.replace("moderated t-test", among)


def _standardised(steps: Steps) -> str:
    """Return what the standardised effect is, and by which deviation."""
    if steps.comparison.contrast.factor is not None:
        return "none: a factor has several effects"
    name = "Hedges' g" if steps.comparison.contrast.two_groups else "partial correlation"
    counted = steps.comparison.library_sizes is not None
    within = ", in deviations within pairs" if steps.comparison.blocks.columns else ""
    without = (
        ", by the deviations left without surrogate variables"
        if steps.tests.unmeasured.moderated_with
        else ""
    )
    weights = ", by the deviations left without weights" if counted else ""
    return f"{name}{within}{without}{weights}"


def _covariates(comparison: Comparison) -> list[str]:
    """Return what is adjusted for, without the columns of pairs and surrogate variables."""
    if comparison.own is not None:
        return list(comparison.own.covariates)
    held = comparison.blocks.columns
    return [name for name in comparison.design.adjusted if name not in held]


def _adjusted_for(comparison: Comparison) -> list[str]:
    """Return the same without its columns: a characteristic of several groups is named once."""
    if comparison.own is not None:
        return list(comparison.own.sources)
    sources = comparison.adjustment.sources
    source = {column: key for key, columns in sources.items() for column in columns}
    return list(dict.fromkeys(source.get(name, name) for name in _covariates(comparison)))


def design_record(comparison: Comparison) -> dict[str, Any]:
    """Return what is known of the method before any gene is tested; `record_method` has the same.

    `genotex.analysis.formula_of_method` reads it.
    """
    return {
        "contrast": dict(comparison.contrast.summary),
        "adjusted_for": _adjusted_for(comparison),
        "named_covariates": dict(comparison.adjustment.taken_as),
        "filled": {**comparison.design.filled, **comparison.adjustment.filled},
        "hidden": {},
        "pair": dict(comparison.blocks.record),
    }


@dataclass(frozen=True)
class FormulaText:
    """The design of an analysis in the words of ``genotex de``, with a sample sheet's columns."""

    design: str
    contrast: str
    options: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The options of ``genotex de``."""
        return ("--design", self.design, "--contrast", self.contrast, *self.options)


def formula_of_method(method: Mapping[str, Any]) -> FormulaText | None:
    """Return formula and contrast of the record of a method; None where no formula says the same.

    Or of that of a design (see `design_record`).
    """
    if "formula" in method:
        asked = method["formula"]
        return FormulaText(asked["formula"], asked["contrast"])
    pair = method.get("pair", {})
    if "hidden" not in method or method.get("two_step") or pair.get("design") == "averaged":
        return None
    kind = method["contrast"]["kind"]
    terms = ["C(group)" if kind == "factor" else "group"]
    codes = method.get("named_covariates", {})
    for name in method.get("adjusted_for", ()):
        quoted = _STANDARD.get(name) or (name if name.isidentifier() else f"`{name}`")
        terms.append(f"C({quoted})" if "groups" in str(codes.get(name, "")) else quoted)
    options: list[str] = []
    if pair:
        key = str(pair["key"])
        if pair["design"] == "paired":
            terms.append(f"C({key if key.isidentifier() else f'`{key}`'})")
        else:
            options += ["--block", key]
    if method.get("filled"):
        options += ["--missing", "fill"]
    if method["contrast"].get("controls") == "all" and kind == "binary":
        options += ["--controls", "all"]
    contrast = "group: case - control" if kind == "binary" else terms[0]
    return FormulaText("~ " + " + ".join(terms), contrast, tuple(options))


def session() -> dict[str, str]:
    """Return the kind of machine, without its name, and packages that read and write tables."""
    library = " ".join(platform.libc_ver()).strip()
    machine = f"{platform.system()} {platform.machine()}"
    return {
        "platform": f"{machine}, {library}" if library else machine,
        "pandas": version("pandas"),
    }


def versions(*more: str) -> dict[str, str]:
    """Return the versions of the packages that compute; `more` are those of one procedure."""
    return {
        "genotex": genotex.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "polars": pl.__version__,
        **{package: version(package) for package in more},
    }


def _prior(tests: TraitTests, kind: str) -> dict[str, Any]:
    prior = tests.fit.prior
    infinite = bool(np.isinf(prior.df))
    return {
        "df": None if infinite else prior.df,
        "df_infinite": infinite,
        "variance": float(np.median(prior.variance)),
        "trend": tests.settings.trend,
        **({"trend_because": kind} if kind else {}),
        "robust": tests.settings.robust,
    }


def _moderated(steps: Steps) -> dict[str, Any]:
    """Return the results of the moderated t when it does not rank."""
    min_effect = steps.tests.settings.min_effect
    significant = (pl.col("q") < steps.q_cut) & (pl.col("Absolute Coefficient") >= min_effect)
    return {
        "design": list(steps.tests.moderated.names),
        "residual_df": _residual_df(steps.tests.moderated),
        **_histogram(steps.tests.fit.p),
        "significant": steps.genes.filter(significant).height,
    }


def _residual_df(design: Design) -> int:
    return int(design.matrix.shape[0] - design.matrix.shape[1])


def _histogram(p: Floats) -> dict[str, float | None]:
    excess = excess_near_one(p)
    return {"pi0": null_share(p), "excess_near_one": excess if np.isfinite(excess) else None}
