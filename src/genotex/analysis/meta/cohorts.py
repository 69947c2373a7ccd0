"""Analyse every usable cohort of a problem and combine those that can be."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scipy

import genotex
from genotex.analysis.meta.choosing import (
    Combinable,
    PeopleOf,
    kind_of,
    pairing_of,
    people_table,
    select_cohorts,
)
from genotex.analysis.meta.effects import REQUIRED, replication_rule
from genotex.analysis.meta.gene_table import Ahead, CombinedGenes, combine_genes
from genotex.analysis.meta.methods import DEFAULT, METHODS, find_method
from genotex.analysis.meta.result import (
    CohortFacts,
    MetaResult,
    cohort_warnings,
    differing_share,
    left_out_warnings,
)
from genotex.analysis.pipeline import solve_problem
from genotex.analysis.replication.chance import effective_size
from genotex.analysis.results.method_record import session
from genotex.analysis.results.result import AnalysisResult
from genotex.analysis.review import review_warnings, warn_of_review
from genotex.errors import AnalysisError, FormatError, UsageError
from genotex.formats import read_linked
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.parallel import side_by_side
from genotex.problems import Problem, TaskInfo, usable_cohorts


def analyze_cohorts(
    output: OutputFolder,
    problem: Problem,
    options: AnalysisOptions | None = None,
    tasks: TaskInfo | None = None,
    *,
    combine: str = DEFAULT,
    jobs: int = 1,
    progress: Callable[[str, int], None] | None = None,
) -> MetaResult:
    """Analyse each usable cohort of a problem and combine them gene by gene; nothing is written.

    A cohort that cannot be analysed is left out with its reason and stops no other. No panel is
    fitted. `combine` names the method that ranks the genes, one of `genotex.analysis.meta.METHODS`;
    `progress` is called with each cohort and the number of them, in order, when it is done.

    Raises
    ------
    AnalysisError
        If fewer than two cohorts can be combined; the message gives the reason for each.
    UsageError
        If the options name one cohort or something that no cohort has, or the procedure has no
        standard errors.
    """
    options = options or AnalysisOptions()
    _check_options(options)
    find_method(combine)
    usable = usable_cohorts(output, problem, options.among)
    if len(usable.cohorts) < 2:
        raise AnalysisError(_too_few(problem, usable.cohorts, usable.refused))
    results: dict[str, AnalysisResult] = {}
    failed: dict[str, _Failure] = {}
    for name, found in _solve_all(output, problem, options, tasks, usable.cohorts, jobs):
        if isinstance(found, AnalysisResult):
            results[name] = found
        else:
            failed[name] = found
        if progress is not None:
            progress(name, len(usable.cohorts))
    reasons = {name: failure.reason for name, failure in failed.items()}
    if not results and all(failure.asked_wrongly for failure in failed.values()):
        raise UsageError(_too_few(problem, (), reasons))
    return combine_results(
        problem,
        results,
        options,
        combine=combine,
        failed=reasons,
        refused=usable.refused,
        people=lambda name: people_table(results[name], read_linked(output, problem.trait, name)),
    )


def combine_results(
    problem: Problem,
    results: Mapping[str, AnalysisResult],
    options: AnalysisOptions | None = None,
    *,
    combine: str = DEFAULT,
    failed: Mapping[str, str] | None = None,
    refused: Mapping[str, str] | None = None,
    people: PeopleOf | None = None,
) -> MetaResult:
    """Combine the results of several cohorts gene by gene.

    Hedges' g of groups is combined as it is, partial correlations with a level as Fisher's z. See
    `combine_effects` for the statistics and `replication_rule` for when a gene replicates. `failed`
    and `refused` are the cohorts that could not be analysed, and that did not fit from the start,
    and why; the result warns of the first. Of the options `q_cut` is used. `people` gives the
    expression of a cohort, in which the same people under other ids are found.

    Raises
    ------
    AnalysisError
        If fewer than two cohorts can be combined, or they have no gene in common.
    """
    options = options or AnalysisOptions()
    chosen = select_cohorts(results, people)
    dropped = {**(failed or {}), **chosen.left_out}
    left_out = {**dropped, **(refused or {})}
    if len(chosen.results) < 2:
        raise AnalysisError(_too_few(problem, tuple(chosen.results), left_out))
    combined = _combined(chosen, options, combine)
    genes = combined.genes
    if not genes.height:
        named = ", ".join(chosen.results)
        msg = f"{problem}: {named} have no tested gene in common; nothing to combine"
        raise AnalysisError(msg)
    facts = tuple(_facts(name, result) for name, result in chosen.results.items())
    warnings = cohort_warnings(facts, genes, kind=chosen.kind, min_effect=options.min_effect)
    return MetaResult(
        trait=problem.trait,
        condition=problem.condition,
        genes=genes,
        effects=combined.effects,
        cohorts=facts,
        left_out=left_out,
        warnings=(
            *warn_of_review(problem.trait, refused or {}, {}),
            *(text for fact in facts for text in review_warnings(fact.warnings)),
            *chosen.warnings,
            *warnings,
            *left_out_warnings(dropped),
        ),
        method=_method(chosen, options, combined, combine),
    )


def _check_options(options: AnalysisOptions) -> None:
    if not options.procedure.tests_genes:
        msg = (
            f"the procedure {options.procedure!r} gives no standard errors, so its cohorts cannot "
            "be combined; use the procedure 'sound'"
        )
        raise UsageError(msg)
    if options.levels == "factor":
        msg = (
            "levels 'factor' gives each gene several effects, so cohorts cannot be combined; use "
            "levels 'ordered' or 'line'"
        )
        raise UsageError(msg)
    if options.cohort is not None:
        msg = f"all cohorts were asked for, and {options.cohort} by name; choose one of the two"
        raise UsageError(msg)


def _too_few(problem: Problem, usable: Sequence[str], refused: Mapping[str, str]) -> str:
    listed = "; ".join(f"{name}: {reason}" for name, reason in refused.items())
    others = f"; others: {listed}" if listed else "; there is no other cohort"
    there = f"only {usable[0]} can be used" if usable else "no cohort can be used"
    return f"{problem}: {there}, two are needed to combine cohorts{others}"


@dataclass(frozen=True)
class _Failure:
    """Why a cohort has no result; `asked_wrongly` when it lacks what the options name."""

    reason: str
    asked_wrongly: bool = False


Work = tuple[Path, Problem, AnalysisOptions, TaskInfo | None]


def _solve_all(
    output: OutputFolder,
    problem: Problem,
    options: AnalysisOptions,
    tasks: TaskInfo | None,
    cohorts: Sequence[str],
    jobs: int,
) -> Iterator[tuple[str, AnalysisResult | _Failure]]:
    alone = [replace(options, panel=False, cohort=name) for name in cohorts]
    each: list[Work] = [(output.root, problem, one, tasks) for one in alone]
    with side_by_side(min(jobs, len(cohorts))) as run:
        yield from zip(cohorts, run(_solve_one, each), strict=True)


def _solve_one(work: Work) -> AnalysisResult | _Failure:
    """Return the result, or why there is none."""
    root, problem, options, tasks = work
    try:
        return solve_problem(OutputFolder(root), problem, options, tasks)
    except (UsageError, AnalysisError) as error:
        # Problem and cohort are named where the reason is listed.
        why = str(error).removeprefix(f"{problem}, {options.cohort}: ")
        return _Failure(f"could not be analysed: {why}", isinstance(error, UsageError))
    except FormatError as error:
        # Results and pages travel; the folder of the file is of no use elsewhere.
        place = f"{error.path.name}: " if error.path is not None else ""
        return _Failure(f"could not be analysed: {place}{error.message}")


def _facts(name: str, result: AnalysisResult) -> CohortFacts:
    contrast, hidden = result.method["contrast"], result.method.get("hidden", {})
    return CohortFacts(
        name=name,
        groups=contrast["text"],
        samples=result.samples,
        tested=result.genes["Standardised Effect"].drop_nulls().len(),
        significant=result.significant.height,
        covariates=tuple(result.method.get("adjusted_for", ())),
        controls=str(contrast.get("controls", "")),
        paired=pairing_of(result),
        surrogates=int(hidden["used"]) if hidden.get("ranked_with") else 0,
        counts=result.counts_kind,
        warnings=result.warnings,
    )


def _levels_compared(results: Mapping[str, AnalysisResult]) -> dict[str, Any]:
    """Return the two levels that the designs of all cohorts compare; empty where they differ."""
    pairs = [result.method["contrast"].get("levels_compared") for result in results.values()]
    same = all(pair == pairs[0] for pair in pairs)
    return {"levels_compared": dict(pairs[0])} if pairs[0] and same else {}


def _combined(chosen: Combinable, options: AnalysisOptions, combine: str) -> CombinedGenes:
    return combine_genes(
        {name: result.genes for name, result in chosen.results.items()},
        binary=chosen.kind == "binary",
        q_cut=options.q_cut,
        combine=combine,
        ahead=_ahead(chosen.results, options.next_cohort),
        by=options.rank_by,
    )


def _ahead(results: Mapping[str, AnalysisResult], samples: int | None) -> Ahead | None:
    """Return the sizes of the cohorts and of the next one; None where one is not known."""
    sizes = {}
    for name, result in results.items():
        groups = list((result.method["contrast"].get("group_sizes") or {}).values())
        if len(groups) == 2:
            sizes[name] = effective_size(sum(groups), min(groups))
        elif kind_of(result) == "continuous":
            sizes[name] = effective_size(result.samples)
        else:
            return None
    return Ahead(sizes, None if samples is None else effective_size(samples))


def _method(
    chosen: Combinable, options: AnalysisOptions, combined: CombinedGenes, combine: str
) -> dict[str, Any]:
    binary = chosen.kind == "binary"
    genes, shared = combined.genes, combined.heterogeneity
    return {
        "kind": chosen.kind,
        **_levels_compared(chosen.results),
        "effect": "Hedges' g" if binary else "partial correlation",
        "scale": "Hedges' g" if binary else "Fisher's z of the partial correlation",
        "combination": "genes of three cohorts or more: random effects (Paule and Mandel 1982) "
        "with the interval of Knapp and Hartung (2003) on t; genes of two: mean weighted by "
        "inverse variances (fixed effect)",
        "ranking": METHODS[combine].ranking,
        **({} if combine == DEFAULT else {"combine": combine}),
        "between_cohorts": {
            "sd": shared.sd,
            "tau": shared.tau.tolist(),
            "weights": shared.weights.tolist(),
        },
        "replication": replication_rule(options.q_cut),
        "replication_cohorts": REQUIRED,
        "genes": genes.height,
        "in_one_cohort_only": combined.alone,
        "significant": int(genes["Significant"].sum()),
        "replicating": int(genes["Replicates"].sum()),
        "median_I2": genes["I2"].median(),
        "differing_share": differing_share(genes),
        "options": options.as_json(),
        "versions": {
            "genotex": genotex.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "polars": pl.__version__,
        },
        "session": session(),
    }
