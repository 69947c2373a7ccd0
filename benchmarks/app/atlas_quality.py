"""How well the atlas compares signatures and traits: the figures of docs/calibration.md.

    python -m benchmarks atlas_quality null
    python -m benchmarks atlas_quality correlated [--null-seeds 14 15 16]
    python -m benchmarks atlas_quality relations [--shared 0.5] [--seeds 21 22 23 24 25]

Seeds, sizes and criteria are those that the docs planned before any result.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy.stats import kstest
from scipy.stats import t as t_distribution

from genotex.atlas import AtlasReader, build_atlas
from genotex.atlas.ranks import normal_scores
from genotex.atlas.signatures import (
    SIGNATURE_METHODS,
    Inflation,
    estimate_inflation,
    score_signature,
    signature_p,
)
from genotex.atlas.trait_similarity import PAIR_METHODS

DRAWS = 2000
"""Of the bootstrap."""
UNCORRECTED = Inflation(1.0, float("inf"), 0)


def main() -> None:
    """Print the figures that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("null", "correlated", "relations"))
    parser.add_argument("--shared", type=float, default=0.5)
    parser.add_argument("--seeds", type=int, nargs="+", default=[21, 22, 23, 24, 25])
    parser.add_argument("--null-seeds", type=int, nargs="+", default=[11, 12, 13])
    given = parser.parse_args()
    if given.what == "null":
        independent_genes()
    elif given.what == "correlated":
        correlated_genes(given.null_seeds)
    else:
        relations(given.seeds, given.shared)


def columns_of(statistics: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return normal scores, and how many genes are ranked with which spread."""
    scores = np.column_stack([normal_scores(pl.Series(column)) for column in statistics.T])
    ranked = np.full(scores.shape[1], float(len(scores)))
    return scores, ranked, np.mean(scores.astype(float) ** 2, axis=0)


def independent_genes() -> None:
    """Print A: p-values of random signatures when genes are independent."""
    print("A. independent genes: Kolmogorov-Smirnov p, share of p < 0.05, of p < 0.001")
    for seed in (1, 2, 3):
        rng = np.random.default_rng(seed)
        scores, ranked, spread = columns_of(rng.normal(size=(2000, 60)))
        for size in (10, 50, 200):
            plain, corrected = [], []
            weights = np.repeat([1.0, -1.0], size // 2)
            for _ in range(2000):
                genes = rng.choice(2000, size, replace=False)
                found = score_signature(scores[genes], weights, ranked, spread)
                one = rng.integers(60)
                inflation = estimate_inflation(found.z, range(60), size)
                plain.append(signature_p(found.z[[one]], UNCORRECTED)[0])
                corrected.append(signature_p(found.z[[one]], inflation)[0])
            print(f"seed {seed}, {size} genes: {shares(plain)}; corrected {shares(corrected)}")


def shares(p: list[float]) -> str:
    """Return how uniform p-values are."""
    values = np.array(p)
    test = kstest(values, "uniform").pvalue
    return f"{test:.3f}, {np.mean(values < 0.05):.4f}, {np.mean(values < 0.001):.4f}"


def correlated_genes(seeds: list[int]) -> None:
    """Print B: p-values when nothing changed, but genes rise and fall together."""
    from genotex.simulate.expression import draw_gene_model

    print("B. correlated genes, no gene changed: share of p < 0.05, of p < 0.001; median factor")
    for seed in seeds:
        rng = np.random.default_rng(seed)
        names = [f"GENE{i}" for i in range(1500)]
        model = draw_gene_model(rng, names, ["none"], 2)
        scores, ranked, spread = columns_of(null_statistics(rng, model, 60))
        for kind in ("random", "correlated"):
            plain, corrected, factors = [], [], []
            for _ in range(500):
                genes, weights = draw_signature(rng, model.loadings, kind)
                found = score_signature(scores[genes], weights, ranked, spread)
                inflation = estimate_inflation(found.z, range(60), len(genes))
                factors.append(inflation.factor)
                plain += signature_p(found.z, UNCORRECTED).tolist()
                corrected += signature_p(found.z, inflation).tolist()
            print(
                f"seed {seed}, {kind}: independent {tails(plain)}; corrected {tails(corrected)}; "
                f"factor {np.median(factors):.2f}"
            )


def tails(p: list[float]) -> str:
    """Return how often p-values are small."""
    values = np.array(p)
    return f"{np.mean(values < 0.05):.4f}, {np.mean(values < 0.001):.5f}"


def null_statistics(rng: np.random.Generator, model: Any, cohorts: int) -> np.ndarray:
    """Return t statistics of groups that do not differ, genes x cohorts."""
    from genotex.simulate.expression import draw_expression
    from genotex.simulate.plan import People

    columns = []
    for _ in range(cohorts):
        people = People(
            group=tuple(["case"] * 20 + ["healthy control"] * 20),
            age=rng.normal(50, 12, 40),
            male=rng.integers(0, 2, 40),
            batch=rng.integers(1, 3, 40),
        )
        values = draw_expression(rng, model, people, {})
        cases, controls = values[:, :20], values[:, 20:]
        pooled = (cases.var(axis=1, ddof=1) + controls.var(axis=1, ddof=1)) / 2
        columns.append((cases.mean(axis=1) - controls.mean(axis=1)) / np.sqrt(pooled / 10))
    statistics = np.column_stack(columns)
    return np.sign(statistics) * -t_distribution.logsf(np.abs(statistics), 38)


def draw_signature(
    rng: np.random.Generator, loadings: np.ndarray, kind: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return 50 genes and their signs: random ones, or those that load on a mixture of factors."""
    if kind == "random":
        return rng.choice(len(loadings), 50, replace=False), np.repeat([1.0, -1.0], 25)
    mixture = np.zeros(loadings.shape[1])
    chosen = rng.choice(loadings.shape[1], rng.integers(1, 3), replace=False)
    mixture[chosen] = rng.normal(size=len(chosen))
    along = loadings @ mixture
    # Not always the same genes: 50 of the 150 that load most.
    most = np.argsort(-np.abs(along))[:150]
    genes = rng.choice(most, 50, replace=False)
    return genes, np.sign(along[genes])


def relations(seeds: list[int], shared: float) -> None:
    """Print C: pairs of traits that share genes against all others; signatures in cohorts."""
    pairs: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {name: [] for name in PAIR_METHODS}
    hits: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {n: [] for n in SIGNATURE_METHODS}
    for seed in seeds:
        with tempfile.TemporaryDirectory() as place:
            atlas, planted = solved_benchmark(Path(place), seed, shared)
            of_pairs(atlas, planted, pairs)
            of_signatures(atlas, planted, hits)
        print(f"seed {seed} done", flush=True)
    for title, found in (("pairs of traits", pairs), ("signatures in cohorts", hits)):
        print(f"C. {title}, {100 * shared:.0f} % of planted genes in common: AUROC")
        first = next(iter(found))
        draws = [bootstrap(found, seed) for seed in range(DRAWS)]
        for name, cases in found.items():
            own = np.array([draw[name] for draw in draws])
            less = np.array([draw[first] - draw[name] for draw in draws])
            print(
                f"  {name}: {np.mean([auroc(*case) for case in cases]):.3f} "
                f"({interval(own)}); {first} minus this: {interval(less)}"
            )


def interval(values: np.ndarray) -> str:
    """Return the 95 % interval."""
    low, high = np.quantile(values, [0.025, 0.975])
    return f"{low:.3f} to {high:.3f}"


def solved_benchmark(
    place: Path, seed: int, shared: float
) -> tuple[AtlasReader, dict[str, dict[str, float]]]:
    """Simulate a benchmark, test every usable cohort, and build the atlas."""
    from genotex.analysis import solve_problem, write_result
    from genotex.analysis.meta import analyze_cohorts, write_meta
    from genotex.bench.simulated import simulate_benchmark
    from genotex.cohorts import preprocess
    from genotex.errors import AnalysisError
    from genotex.layout import OutputFolder
    from genotex.options import AnalysisOptions
    from genotex.problems import Problem

    made = simulate_benchmark(
        place / "world", seed=seed, traits=12, cohorts=36, shared_genes=shared
    )
    output = OutputFolder(place / "output")
    preprocess(made.folder, output.root)
    for trait in made.truth.traits:
        # The largest cohort by itself, then all: one trait has none, some have one.
        with suppress(AnalysisError):
            write_result(
                output, solve_problem(output, Problem(trait), AnalysisOptions(panel=False))
            )
            write_meta(output, analyze_cohorts(output, Problem(trait)))
    build_atlas([output.root], place / "atlas")
    return AtlasReader(place / "atlas"), {t: dict(x.planted) for t, x in made.truth.traits.items()}


def related(planted: dict[str, dict[str, float]], one: str, other: str) -> bool:
    """Return whether two traits share planted genes."""
    return bool(set(planted[one]) & set(planted[other]))


def of_pairs(atlas: AtlasReader, planted: Any, found: dict[str, Any]) -> None:
    """Add the similarity of all pairs of traits by each method."""
    traits = atlas.groups["trait"].to_list()
    scores = atlas.ranks("trait").astype(float)
    above = np.triu_indices(len(traits), 1)
    truth = np.array([related(planted, traits[i], traits[j]) for i, j in zip(*above, strict=True)])
    for name, method in PAIR_METHODS.items():
        found[name].append((truth, method(scores)[above]))


def of_signatures(atlas: AtlasReader, planted: Any, found: dict[str, Any]) -> None:
    """Add the scores of each trait's planted genes in the cohorts of other traits."""
    results = atlas.results
    ranked, spread = (results[n].cast(pl.Float64).to_numpy() for n in ("ranked", "spread"))
    matrix = atlas.ranks("cohort")
    place = {gene: i for i, gene in enumerate(atlas.symbols)}
    for trait, genes in planted.items():
        known = {gene: size for gene, size in genes.items() if gene in place}
        others = np.array([t != trait for t in results["trait"]])
        truth = np.array([related(planted, trait, t) for t in results["trait"]])[others]
        if not truth.any():
            continue
        order = sorted(known, key=lambda gene: -np.sign(known[gene]))
        rows = matrix[[place[gene] for gene in order]].astype(float)
        weights = np.array([np.sign(known[gene]) for gene in order])
        for name, method in SIGNATURE_METHODS.items():
            score = method(rows, weights, ranked, spread).score[others]
            found[name].append((truth, np.nan_to_num(score)))


def auroc(truth: np.ndarray, score: np.ndarray) -> float:
    """Return how often a related pair is above an unrelated one."""
    above = score[truth][:, None] - score[~truth][None]
    return float(np.mean((above > 0) + 0.5 * (above == 0)))


def bootstrap(found: dict[str, Any], seed: int) -> dict[str, float]:
    """Return the mean AUROC of each method, over cases drawn again, the same for all methods."""
    rng = np.random.default_rng(seed)
    drawn = []
    for truth, _ in next(iter(found.values())):
        kinds = [np.flatnonzero(truth == kind) for kind in (True, False)]
        drawn.append(np.concatenate([rng.choice(kind, len(kind)) for kind in kinds]))
    return {
        name: float(np.mean([auroc(t[d], s[d]) for (t, s), d in zip(cases, drawn, strict=True)]))
        for name, cases in found.items()
    }
