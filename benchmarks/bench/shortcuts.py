"""What shortcuts, t-tests, the rules and the truth score on simulated benchmarks.

    python -m benchmarks shortcuts [--seeds 1 2 3] [--samples 100]

A benchmark measures skill if these hold, which were written down before the first measurement:

- answers without the trait's values are at most 5 above 100 random genes: no answer, no
  measurement (related genes, genes related to several traits, the first in the file, those on
  every array, random ones, all), and measurements alone (variance, level, two levels, likeness
  to one gene, to the tightest cluster, to all others, to the first principal component);
- t-tests are below the rules, at a fixed length and at q < 0.05, by more than the interval;
- one list for every condition of a trait is below answers that respect the condition, by 5 or
  more given another trait; for age and sex it names no interaction, where the rules on an expert's
  tables have an interaction F1 of 60 or more, and all but the noise 85 or more;
- the tables as an expert would have them score no less than the rules' own;
- the truth scores 100, and an analysis that is given all that genes follow, 90 or more;
- two seeds order the answers alike: Spearman 0.95 or more (of all answers at first; those
  without the trait's values are at chance, in no order, and now count as one).

"expert's tables" is the built-in analysis of the cohorts as they were made, so that only statistics
is left to fail; what the rules score less is the cost of reading. "all but the noise" is least
squares on the same tables with age, sex, batch and all that the gene follows as they were drawn.
Mean F1 over the problems that can be answered; intervals of 95 % by drawing traits again.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table
from scipy import stats

from genotex.arrays import Floats
from genotex.bench.evaluation.evaluate import evaluate
from genotex.bench.evaluation.options import EvaluationOptions
from genotex.bench.runs import write_answer
from genotex.bench.runs.built_in import RandomGenes
from genotex.bench.runs.choosing import choose_method
from genotex.bench.runs.running import BenchmarkRun, run_benchmark
from genotex.bench.simulated import SimulatedBenchmark, simulate_benchmark
from genotex.errors import NoUsableCohortError
from genotex.formats import LinkedTable, read_linked_csv
from genotex.layout import OutputFolder
from genotex.options import MethodOptions
from genotex.problems import Problem, ProblemKind, TaskInfo, choose_cohort, choose_pair

Answer = Callable[[Problem], list[str]]
Found = Mapping[Problem, float]


class Scored(NamedTuple):
    """F1 in percent of each problem that can be answered."""

    genes: Found
    interactions: Found


SHORTCUTS = (
    "nothing",
    "related genes",
    "related to several traits",
    "first 100 in the file",
    "on every array",
    "every gene",
    "300 random symbols",
    "largest variance, first 100",
    "highest level, first 100",
    "like the first gene, first 100",
    "like a random gene, first 100",
    "tightest cluster, first 100",
    "likest to all, first 100",
    "first component, first 100",
    "two levels, first 100",
)
"""At most 5 above 100 random genes."""


def passing(p: Floats) -> Floats:
    """Return the positions of p-values with q < 0.05."""
    return np.flatnonzero(stats.false_discovery_control(np.nan_to_num(p, nan=1.0)) < 0.05)


def largest(output: OutputFolder, trait: str) -> LinkedTable | None:
    """Return the largest cohort of a trait; None where none can be used."""
    try:
        cohort = choose_cohort(output, Problem(trait)).cohort
    except NoUsableCohortError:
        return None
    return read_linked_csv(output.linked_csv(trait, cohort))


def of_t_test(output: OutputFolder, cut: int | None) -> Answer:
    """Return the first genes of a t-test in the largest cohort, or all with q < 0.05."""

    def answer(problem: Problem) -> list[str]:
        if (table := largest(output, problem.trait)) is None:
            return []
        trait = table.trait_values
        trait = trait > np.median(trait) if len(np.unique(trait)) > 2 else trait > 0
        p = stats.ttest_ind(table.expression[trait], table.expression[~trait]).pvalue
        order = passing(p) if cut is None else np.argsort(p)[:cut]
        return [table.genes[i] for i in order]

    return answer


def of_measurements(output: OutputFolder, strength: Callable[[Floats], Floats]) -> Answer:
    """Return the first 100 genes of a trait's largest cohort by their values alone."""

    def answer(problem: Problem) -> list[str]:
        if (table := largest(output, problem.trait)) is None:
            return []
        return [table.genes[i] for i in np.argsort(-strength(table.expression))[:100]]

    return answer


def like(expression: Floats, gene: int = 0) -> Floats:
    """Return the absolute correlation of each gene with one."""
    found: Floats = np.abs(np.corrcoef(expression, rowvar=False)[gene])
    return found


def in_tightest_cluster(expression: Floats, size: int = 30) -> Floats:
    """Return the likeness of each gene to the one that is most like so many others."""
    alike = np.abs(np.corrcoef(expression, rowvar=False))
    found: Floats = alike[np.argmax(np.sort(alike, axis=1)[:, -size])]
    return found


def first_component(expression: Floats) -> Floats:
    """Return the absolute loading of each gene on the first principal component."""
    scaled = stats.zscore(expression, axis=0)
    found: Floats = np.abs(np.linalg.svd(scaled, full_matrices=False)[2][0])
    return found


def without_measurements(world: SimulatedBenchmark, tasks: TaskInfo) -> dict[str, Answer]:
    """Return answers from names, lists and files alone."""
    related = Counter(gene for info in tasks.traits.values() for gene in info.related_genes)
    tables = sorted((world.reference / "preprocess").glob("*/gene_data/*.csv"))
    listed = [pl.read_csv(path, columns=[0]).to_series().to_list() for path in tables]
    everywhere = sorted(set.intersection(*map(set, listed)))
    often = [gene for gene, count in related.most_common(100) if count > 1]
    return {
        "nothing": lambda _: [],
        "related genes": lambda problem: list(tasks.traits[problem.trait].related_genes),
        "related to several traits": lambda _: often,
        "first 100 in the file": lambda _: listed[0][:100],
        "on every array": lambda _: everywhere,
        "every gene": lambda _: sorted(set().union(*listed)),
    }


def what_genes_follow(
    world: SimulatedBenchmark, problem: Problem, genes: Sequence[str]
) -> list[frozenset[str]]:
    """Return what each gene follows, of that which an answer is to be adjusted for.

    Age, sex, batch and the trait always; of a gene of no trait all states of people.
    """
    traits, asked = world.truth.traits, problem.trait
    always = frozenset({"age", "sex", "batch", asked})
    made = {name: set(truth.planted) for name, truth in traits.items()}
    designs = [c.design for c in traits[asked].cohorts.values()]
    states = {name for design in designs for name in design} - {*made, "donor"}
    mediating = {traits[asked].companion} - {problem.condition}
    return [
        always | ({n for n, planted in made.items() if gene in planted} or states) - mediating
        for gene in genes
    ]


def knowing_all(world: SimulatedBenchmark, tasks: TaskInfo) -> Answer:
    """Return the genes with q < 0.05 where everything is known that genes follow."""
    output = OutputFolder(world.reference)

    def answer(problem: Problem, by: str = "") -> list[str]:
        if problem not in world.answered:
            return []
        if problem.kind is ProblemKind.TWO_STEP:
            cohort = choose_pair(output, problem, tasks).cohort
        else:
            cohort = choose_cohort(output, problem).cohort
        table = read_linked_csv(output.linked_csv(problem.trait, cohort))
        trait = world.truth.traits[problem.trait]
        made = trait.cohorts[cohort]
        place = {sample: i for i, sample in enumerate(made.samples)}
        rows = [place[sample] for sample in table.samples]
        asked = f"{problem.trait} by {by}" if by else problem.trait
        # One row for each person.
        donors = np.array(made.design.get("donor", range(len(place))))[rows]
        people, first = np.unique(donors, return_index=True)
        values = np.array([table.expression[donors == one].mean(axis=0) for one in people])
        known = {n: np.array(v, float)[rows][first] for n, v in made.design.items()}
        followed = what_genes_follow(world, problem, table.genes)
        p = np.ones(len(table.genes))
        for names in set(followed):
            these = np.array([one == names for one in followed])
            columns = [known[n] for n in (asked, *sorted(names - {asked})) if n in known]
            design = np.column_stack([*columns, np.ones(len(people))])
            solution, squares, rank, _ = np.linalg.lstsq(design, values[:, these])
            free = len(design) - rank
            error = np.sqrt(squares / free * np.linalg.pinv(design.T @ design)[0, 0])
            p[these] = 2 * stats.t.sf(np.abs(solution[0] / error), free)
        return [table.genes[i] for i in passing(p)]

    return answer


def score(world: SimulatedBenchmark, folder: Path) -> Scored:
    """Return the F1 of each problem that can be answered, and the interaction F1."""
    options = EvaluationOptions(tasks=("analysis",), task_info=world.task_info)
    scores = evaluate(folder, world.reference, options).analysis
    posed = [(Problem(item.trait, item.condition), item) for item in scores]
    changing = {p: item.interaction_f1 for p, item in posed if item.interaction_f1 is not None}
    return Scored({problem: float(item.f1 or 0.0) for problem, item in posed}, changing)


def answered(world: SimulatedBenchmark, folder: Path, answer: Answer) -> Scored:
    """Return the score of answers that are given at once."""
    for problem in world.problems:
        write_answer(OutputFolder(folder), problem, answer(problem))
    return score(world, folder)


def answered_knowing(world: SimulatedBenchmark, folder: Path, tasks: TaskInfo) -> Scored:
    """Return the score where all but the noise is known, interactions included."""
    answer = knowing_all(world, tasks)
    for problem in world.problems:
        path = write_answer(OutputFolder(folder), problem, answer(problem))
        if problem.kind is ProblemKind.ONE_STEP:
            content = json.loads(path.read_text())
            named = answer(problem, str(problem.condition))
            content["significant_interactions"] = {"Variable": named}
            path.write_text(json.dumps(content))
    return score(world, folder)


def condition_ignored(world: SimulatedBenchmark, solved: Path, folder: Path) -> Scored:
    """Return the score of each trait's unconditional answer, given under every condition."""
    source, target = OutputFolder(solved), OutputFolder(folder)
    for problem in world.answered:
        path = target.significant_genes(problem.trait, problem.condition)
        path.parent.mkdir(parents=True, exist_ok=True)
        given = source.significant_genes(problem.trait, None)
        if given.exists():
            shutil.copy(given, path)
    return score(world, folder)


def solve(world: SimulatedBenchmark, folder: Path, start: Path | None = None) -> Scored:
    """Return the score of the built-in rules, from raw files or from prepared tables."""
    tasks = TaskInfo.load(world.task_info)
    method = choose_method(MethodOptions(method="rules"))
    source = {"source": world.folder} if start is None else {"preprocessed": start}
    run_benchmark(BenchmarkRun(folder, tasks, tasks.problems(), method, **source))
    return score(world, folder)


def measure(folder: Path, seed: int, samples: int) -> dict[str, Scored]:
    """Return the scores of each way to answer one benchmark."""
    world = simulate_benchmark(folder / "world", seed=seed, samples=samples)
    tasks = TaskInfo.load(world.task_info)
    rng = np.random.default_rng(seed)
    genes = sorted(pl.read_csv(next((world.reference / "preprocess").glob("*/GSE*.csv"))).columns)
    symbols = RandomGenes().symbols
    expert = OutputFolder(world.reference)
    ways: dict[str, Answer] = {
        **without_measurements(world, tasks),
        "100 random genes": lambda _: rng.choice(genes, 100, replace=False).tolist(),
        "300 random symbols": lambda _: rng.choice(symbols, 300, replace=False).tolist(),
        "largest variance, first 100": of_measurements(expert, lambda e: e.var(axis=0)),
        "highest level, first 100": of_measurements(expert, lambda e: e.mean(axis=0)),
        "like the first gene, first 100": of_measurements(expert, like),
        "like a random gene, first 100": of_measurements(
            expert, lambda e: like(e, rng.integers(e.shape[1]))
        ),
        "tightest cluster, first 100": of_measurements(expert, in_tightest_cluster),
        "likest to all, first 100": of_measurements(
            expert, lambda e: (np.corrcoef(e, rowvar=False) ** 4).sum(axis=0)
        ),
        "first component, first 100": of_measurements(expert, first_component),
        "two levels, first 100": of_measurements(expert, lambda e: -stats.kurtosis(e, axis=0)),
        "t-test, first 30": of_t_test(expert, 30),
        "t-test, first 100": of_t_test(expert, 100),
        "t-test, q": of_t_test(expert, None),
    }
    found = {
        name: answered(world, folder / str(i), answer)
        for i, (name, answer) in enumerate(ways.items())
    }
    tables = folder / "tables"
    shutil.copytree(world.reference / "preprocess", tables / "preprocess")
    by_expert = solve(world, folder / "expert", tables)
    found["rules, condition ignored"] = condition_ignored(
        world, folder / "expert", folder / "ignored"
    )
    found["rules"] = solve(world, folder / "rules")
    found["rules, expert's tables"] = by_expert
    found["all but the noise"] = answered_knowing(world, folder / "knowing", tasks)
    found["truth"] = score(world, world.reference)
    return found


def interval(seeds: list[Found]) -> tuple[float, float, float]:
    """Return the mean and its 95 % interval, by drawing traits of all seeds with replacement."""
    traits: dict[tuple[int, str], list[float]] = {}
    for seed, found in enumerate(seeds):
        for problem, value in found.items():
            traits.setdefault((seed, problem.trait), []).append(value)
    sums = np.array([(sum(values), len(values)) for values in traits.values()])
    drawn = np.random.default_rng(0).integers(0, len(sums), (2000, len(sums)))
    total = sums[drawn].sum(axis=1)
    low, high = np.quantile(total[:, 0] / total[:, 1], (0.025, 0.975))
    return float(sums[:, 0].sum() / sums[:, 1].sum()), float(low), float(high)


def differences(found: list[dict[str, Found]], one: str, other: str) -> list[Found]:
    """Return the differences of two answers, problem by problem."""
    return [{p: each[one][p] - each[other][p] for p in each[one]} for each in found]


def agreement(found: list[dict[str, Found]]) -> float:
    """Return the least rank correlation of the answers' means between two seeds.

    Answers without the trait's values are at chance, in no order: they count as one.
    """
    chance = {*SHORTCUTS, "100 random genes"}
    means = []
    for each in found:
        mean = {name: np.mean(list(problems.values())) for name, problems in each.items()}
        means.append(
            [np.mean([mean[n] for n in chance]), *(mean[n] for n in mean if n not in chance)]
        )
    pairs = combinations(means, 2)
    return min((float(stats.spearmanr(a, b).statistic) for a, b in pairs), default=1.0)


def show(scored: list[dict[str, Scored]], seeds: list[int]) -> None:
    """Print the tables of several benchmarks."""
    found = [{name: one.genes for name, one in each.items()} for each in scored]
    console = Console(width=120)
    table = Table("answer", "F1", "95 % interval", *map(str, seeds), "interactions", box=None)
    for name in found[0]:
        mean, low, high = interval([each[name] for each in found])
        each_seed = [f"{np.mean(list(each[name].values())):.1f}" for each in found]
        changing = [f for each in scored for f in each[name].interactions.values()]
        cells = (f"{mean:.1f}", f"{low:.1f} to {high:.1f}", *each_seed)
        table.add_row(name, *cells, f"{np.mean(changing):.1f}")
    console.print(table)
    compared = (
        ("rules", "t-test, q"),
        ("rules", "t-test, first 30"),
        ("rules, expert's tables", "rules, condition ignored"),
        ("rules, expert's tables", "rules"),
        *((name, "100 random genes") for name in SHORTCUTS),
    )
    for one, other in compared:
        mean, low, high = interval(differences(found, one, other))
        console.print(f"{one} - {other}: {mean:.1f} ({low:.1f} to {high:.1f})")
    for kind in ProblemKind:
        names = ("t-test, q", "rules, condition ignored", "rules", "rules, expert's tables")
        parts = []
        for name in (*names, "all but the noise"):
            values = [f for each in found for p, f in each[name].items() if p.kind is kind]
            parts.append(f"{name} {np.mean(values):.1f}")
        console.print(f"{kind}: {', '.join(parts)}")
    console.print(f"least rank correlation between two seeds: {agreement(found):.3f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--samples", type=int, default=100)
    chosen = parser.parse_args()
    scored = []
    for seed in chosen.seeds:
        with tempfile.TemporaryDirectory() as name:
            scored.append(measure(Path(name), seed, chosen.samples))
    show(scored, chosen.seeds)


if __name__ == "__main__":
    main()
