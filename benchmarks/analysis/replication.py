"""Do the genes of one real cohort hold in another of the same disease? The second judge.

    python -m benchmarks replication FOLDER [--learn | --sets]

FOLDER holds of each cohort DISEASE_NAME.parquet (genes x samples, log2), DISEASE_NAME.samples.csv
(sample, group, and age and sex where they are known) and DISEASE_NAME.r.parquet (what R gives: t, p
of limma, sva_t, sva_p of sva and limma, aw_t, aw_p with arrayWeights).

For every ordered pair of cohorts of a disease: of the first 100 genes in one, the share with the
same direction and p < 0.05 by plain limma in the other; means by disease. SEX, the sex of the
samples as trait, is a control and not in the mean.

--learn fits the chance of replication (`genotex.analysis.replication`) and measures it on diseases
left out. Calibration error is the mean over ten bins of the chance, by their weight; that it must
be at most 0.05 was written down before any result. Terms and weights were chosen on these cohorts,
among a dozen sets: each disease counts the same, and so do the cohorts with permuted labels, which
are one more; within a disease all pairs do, whole or thinned to balanced groups of 4, 6, 9, 13, 20
and 30 (three draws of each, seed 1).

--sets asks the same of gene sets: of the first 20 processes of Gene Ontology (10 to 500 tested
genes) by each test in one cohort, the share with the same direction and p < 0.05 in the other, by
three tests as R has them; means by disease and by judge. genotex: significant by fry first, in the
order of R's camera. And it permutes the labels of each cohort
50 times (seeds 1 to 50, no covariates): any process is to be found in at most 10 % of them.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table
from sklearn.linear_model import LogisticRegression

import genotex as gx
from benchmarks.analysis.gene_sets import IN_PAIRS, by_effects, plain_effects
from genotex.analysis import (
    TERMS,
    benjamini_hochberg,
    effective_size,
    fit_last_column,
    moderate,
    replication_chance,
    replication_terms,
)
from genotex.analysis.designs.fitting import design_effects
from genotex.analysis.gene_sets.lists import GeneSet, match_gene_sets, read_sets
from genotex.arrays import Flags, Floats

FIRST = 100
CONTROL, PERMUTED = "SEX", "permuted"
THINNED = (4, 6, 9, 13, 20, 30)
DRAWS, PERMUTATIONS, GENES = 3, 6, 1500
FIRST_SETS, SET_PERMUTATIONS, FEWEST_IN_COMMON = 20, 50, 300
SET_JUDGES = IN_PAIRS[1:3] + IN_PAIRS[4:]
IN_R = {"R: limma": "", "R: limma + arrayWeights": "aw_", "R: sva + limma": "sva_"}


@dataclass(frozen=True, eq=False)
class Cohort:
    """One cohort of a disease."""

    folder: Path
    name: str

    @property
    def disease(self) -> str:
        """What it is a cohort of."""
        return self.name.split("_")[0]

    @cache  # noqa: B019
    def samples(self) -> pl.DataFrame:
        """Return sample, group and covariates."""
        return pl.read_csv(self.folder / f"{self.name}.samples.csv")

    def smaller(self) -> int:
        """Return the size of the smaller group."""
        case = int((self.samples()["group"] == "case").sum())
        return min(case, self.samples().height - case)

    @cache  # noqa: B019
    def expression(self) -> tuple[list[str], Floats]:
        """Return the genes without missing values, and their values (samples, genes)."""
        table = pl.read_parquet(self.folder / f"{self.name}.parquet").drop_nulls()
        table = table.unique(table.columns[0], keep="first", maintain_order=True)
        values = table.select(str(s) for s in self.samples()["sample"]).to_numpy().T
        return table[table.columns[0]].to_list(), values.astype(float)

    def in_r(self, prefix: str = "") -> pl.DataFrame | None:
        """Return gene, t and p as R gives them."""
        table = pl.read_parquet(self.folder / f"{self.name}.r.parquet")
        if f"{prefix}t" not in table.columns:
            return None
        names = {f"{prefix}t": "t", f"{prefix}p": "p"}
        return table.select("gene", *names).rename(names).drop_nulls().unique("gene")

    @cache  # noqa: B019
    def result(self, **options: object) -> gx.Result:
        """Return what `genotex de` finds."""
        samples, design = self.samples(), "~ group"
        design += " + age" if "age" in samples.columns else ""
        sex = next((name for name in ("sex", "gender") if name in samples.columns), None)
        if sex and self.disease != CONTROL and samples[sex].n_unique() == 2:
            design += "" if samples[sex].null_count() else f" + {sex}"
        with TemporaryDirectory() as folder:
            values, sheet = Path(folder, "e.csv"), Path(folder, "s.csv")
            pl.read_parquet(self.folder / f"{self.name}.parquet").write_csv(values)
            samples.write_csv(sheet)
            return gx.de(
                values, sheet, design=design, contrast="group: case - control", panel=False,
                scale="log2", **options,
            )  # fmt: skip

    def ours(self, **options: object) -> pl.DataFrame:
        """Return the genes as `genotex de` does, in its order."""
        found = self.result(**options)
        numbers = ("t", "p", "q", "replication")
        columns = {name: found.table[name].to_numpy(float) for name in numbers}
        grades = found.table["grade"].tolist() if "grade" in found.table.columns else None
        return pl.DataFrame({"gene": list(found.table.index), **columns, "grade": grades})


def pairs(folder: Path) -> Iterator[tuple[Cohort, Cohort]]:
    """Yield the ordered pairs of cohorts of the same disease."""
    cohorts = [Cohort(folder, path.name[: -len(".samples.csv")])
               for path in sorted(folder.glob("*.samples.csv"))]  # fmt: skip
    for _, found in itertools.groupby(cohorts, key=lambda cohort: cohort.disease):
        yield from itertools.permutations(found, 2)


def judged(order: pl.DataFrame, judge: pl.DataFrame) -> pl.DataFrame:
    """Return the genes that another cohort has, in order, with whether it shows them `again`."""
    both = order.join(judge, on="gene", suffix="_judge", maintain_order="left")
    same = pl.col("t").sign() == pl.col("t_judge").sign()
    return both.with_columns(again=same & (pl.col("p_judge") < 0.05))


def share_seen_again(order: pl.DataFrame, judge: pl.DataFrame) -> float:
    """Return the share of the first genes of an order that another cohort shows again."""
    again = judged(order, judge)["again"]
    return float(again.head(min(FIRST, len(again) // 5)).mean() or 0.0)


def compare(folder: Path) -> pl.DataFrame:
    """Return the shares of each ordered pair by method."""
    orders: dict[str, dict[str, pl.DataFrame]] = {}
    rows = []
    for one, other in pairs(folder):
        if one.name not in orders:
            found, adjusted = one.ours(), one.ours(hidden="adjust")
            trended = one.ours(trend=True).sort("replication", descending=True, nulls_last=True)
            by_p = [pl.col("p"), -pl.col("t").abs()]
            orders[one.name] = {
                name: table.sort(by_p)
                for name, prefix in IN_R.items()
                if (table := one.in_r(prefix)) is not None
            } | {
                "by the chance": found.sort("replication", descending=True, nulls_last=True),
                "--trend, by the chance": trended,
                "by p": found.sort(by_p),
                "--hidden adjust, by p": adjusted.sort(by_p),
            }
        judge = other.in_r()
        if judge is None or len(set(judge["gene"]) & set(orders[one.name]["by p"]["gene"])) < 500:
            continue
        shares = {name: share_seen_again(order, judge) for name, order in orders[one.name].items()}
        rows.append({"disease": one.disease, "from": one.name, "in": other.name, **shares})
    return pl.DataFrame(rows)


def compare_sets(folder: Path) -> None:
    """Print what real pairs of cohorts show again, and what permuted labels do."""
    sets, _ = read_sets("go-bp")
    tested: dict[Cohort, tuple[list[str], dict[str, tuple[Floats, Floats]]]] = {}
    rows = []
    permuted_names = (f"{name}, labels permuted" for name in IN_PAIRS)
    print("|", " | ".join(("cohort", "samples", *IN_PAIRS, *permuted_names)), "|")
    for one, other in pairs(folder):
        if one.disease == CONTROL:
            continue
        for cohort in [each for each in (one, other) if each not in tested]:
            effects = design_effects(cohort.result().found)
            matched = match_gene_sets(sets, effects.genes, 10, 500)
            members = matched.matrix(np.arange(len(effects.genes)))
            tests = by_effects(effects, members)
            found = {name: (test.p, test.statistic) for name, test in tests.items()}
            permuted = " | ".join(f"{share:.0%}" for share in permuted_labels(cohort, sets))
            counts = [(benjamini_hochberg(p) < 0.05).sum() for p, _ in found.values()]
            row = (cohort.name, cohort.samples().height, *counts, permuted)
            print("|", " | ".join(map(str, row)), "|")
            changed = benjamini_hochberg(found["fry"][0]) < 0.05
            p, shift = found["camera in R"]
            found["genotex"] = np.where(changed, p, 1 + p), shift
            tested[cohort] = [each.name for each in matched.sets], found
        (names, found), (there, judges) = tested[one], tested[other]
        place = {name: i for i, name in enumerate(there)}
        here = np.array([i for i, name in enumerate(names) if name in place])
        if len(here) < FEWEST_IN_COMMON:
            continue
        at = np.array([place[names[i]] for i in here])
        for test, (p, statistic) in found.items():
            first = np.argsort(p[here], kind="stable")[:FIRST_SETS]
            for judge in SET_JUDGES:
                judge_p, judged = judges[judge]
                same = np.sign(judged[at][first]) == np.sign(statistic[here][first])
                share = float((same & (judge_p[at][first] < 0.05)).mean())
                rows.append({"disease": one.disease, "test": test, "judge": judge, "share": share})
    frame = pl.DataFrame(rows)
    for by in ("disease", "judge"):
        means = frame.group_by("disease", "judge", "test").agg(pl.col("share").mean())
        print(
            means.group_by(by, "test").agg(pl.col("share").mean().round(3)).pivot("test", index=by)
        )


def permuted_labels(cohort: Cohort, sets: Sequence[GeneSet]) -> Floats:
    """Return the share of permutations in which each test finds any set."""
    genes, values = cohort.expression()
    varies = values.std(axis=0) > 0
    values, case = values[:, varies], (cohort.samples()["group"] == "case").to_numpy().astype(float)
    names = [gene for gene, kept in zip(genes, varies, strict=True) if kept]
    members = match_gene_sets(sets, names, 10, 500).matrix(np.arange(len(names)))
    found = []
    for seed in range(1, SET_PERMUTATIONS + 1):
        labels = np.random.default_rng(seed).permutation(case)
        effects = plain_effects(tuple(names), labels, values)
        tests = by_effects(effects, members).values()
        found.append([(benjamini_hochberg(test.p) < 0.05).any() for test in tests])
    return np.array(found).mean(axis=0)


def _tested(
    cohort: Cohort, each: int, rng: np.random.Generator, *, permute: bool = False
) -> tuple[dict[str, Floats], float]:
    """Test all genes of a cohort, whole (0) or thinned to `each` samples a group; and its size."""
    _, values = cohort.expression()
    case = (cohort.samples()["group"] == "case").to_numpy()
    if permute:
        case = rng.permutation(case)
    rows = np.arange(len(case))
    if each:
        groups = [np.flatnonzero(case == side) for side in (False, True)]
        rows = np.concatenate([rng.choice(group, each, replace=False) for group in groups])
    design = np.column_stack([np.ones(len(rows)), case[rows]])
    found = moderate(fit_last_column(design, values[rows]))
    size = effective_size(len(rows), int(case[rows].sum()))
    columns = {"change": found.coefficient, "error": found.standard_error, "p": found.p,
               "mean": values[rows].mean(axis=0)}  # fmt: skip
    return columns, size


def learning_table(folder: Path) -> tuple[Floats, Flags, list[str]]:
    """Return the terms (rows, k), whether a gene was seen again, and the disease of each row."""
    rng = np.random.default_rng(1)
    tested: dict[str, list[tuple[dict[str, Floats], float]]] = {}
    permuted: dict[str, list[tuple[dict[str, Floats], float]]] = {}
    terms, again, of = [], [], []
    for one, other in pairs(folder):
        for cohort in (one, other):
            if cohort.name in tested:
                continue
            smaller = cohort.smaller()
            sizes = [0, *(each for each in THINNED if each < smaller for _ in range(DRAWS))]
            tested[cohort.name] = [_tested(cohort, each, rng) for each in sizes]
            permuted[cohort.name] = [
                _tested(cohort, 0, rng, permute=True) for _ in range(PERMUTATIONS)
            ]
        place = {gene: i for i, gene in enumerate(other.expression()[0])}
        there = [i for i, gene in enumerate(one.expression()[0]) if gene in place]
        if len(there) < 500:
            continue
        chosen = rng.choice(there, min(GENES, len(there)), replace=False)
        in_other = np.array([place[one.expression()[0][i]] for i in chosen])
        work = [
            (one.disease, first, second)
            for first, second in itertools.product(tested[one.name], tested[other.name])
        ] + [
            (PERMUTED, first, second)
            for first, second in itertools.product(permuted[one.name], tested[other.name][::4])
        ]
        for disease, (columns, size), (judge, ahead) in work:
            found = replication_terms(**columns, size=size, ahead=ahead)
            terms.append(np.column_stack([found[name][chosen] for name in TERMS]))
            same = np.sign(columns["change"][chosen]) == np.sign(judge["change"][in_other])
            again.append(same & (judge["p"][in_other] < 0.05))
            of += [disease] * len(chosen)
    return np.concatenate(terms), np.concatenate(again), of


def fitted(terms: Floats, again: Flags, weights: Floats) -> Mapping[str, float]:
    """Return the coefficients of a logistic regression."""
    scale = terms.std(axis=0)
    scale[0] = 1.0
    model = LogisticRegression(C=1e6, fit_intercept=False, max_iter=1000)
    model.fit(terms / scale, again, sample_weight=weights / weights.mean())
    return dict(zip(TERMS, (float(c) for c in model.coef_[0] / scale), strict=True))


def calibration_error(chance: Floats, again: Flags, weights: Floats) -> float:
    """Return the mean distance of chance and truth over ten bins."""
    places = np.minimum((chance * 10).astype(int), 9)
    gaps = np.bincount(places, weights * (chance - again), 10)
    return float(np.abs(gaps).sum() / weights.sum())


def learn(folder: Path, console: Console) -> None:
    """Fit the chance, measure it on diseases left out, and print both."""
    terms, again, of = learning_table(folder)
    disease = np.array(of)
    names, counts = np.unique(disease, return_counts=True)
    weights = np.zeros(len(disease))
    for name, count in zip(names, counts, strict=True):
        weights[disease == name] = 1 / count
    chance = np.zeros(len(again))
    table = Table("left out", "chance, mean", "seen again", "calibration error")
    for name in names:
        out = disease == name
        found = fitted(terms[~out], again[~out], weights[~out])
        by_name = {term: terms[out, k] for k, term in enumerate(TERMS)}
        chance[out] = replication_chance(by_name, found)
        error = calibration_error(chance[out], again[out], weights[out])
        table.add_row(name, f"{chance[out].mean():.3f}", f"{again[out].mean():.3f}", f"{error:.3f}")
    console.print(table)
    console.print(f"calibration error, all: {calibration_error(chance, again, weights):.3f}")
    console.print({k: round(v, 3) for k, v in fitted(terms, again, weights).items()})


def main() -> None:
    """Print the comparison, or learn the chance."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--learn", action="store_true", help="learn the chance of replication")
    parser.add_argument("--sets", action="store_true", help="of gene sets in place of genes")
    options = parser.parse_args()
    console = Console(width=160)
    if options.sets:
        compare_sets(options.folder)
        return
    if options.learn:
        learn(options.folder, console)
        return
    found = compare(options.folder)
    methods = found.columns[3:]
    means = found.group_by("disease", maintain_order=True).agg(pl.col(methods).mean())
    table = Table("disease", *methods)
    for row in means.iter_rows():
        table.add_row(row[0], *(f"{share:.3f}" for share in row[1:]))
    whole = means.filter(pl.col("disease") != CONTROL).select(pl.col(methods).mean()).row(0)
    table.add_row("mean", *(f"{share:.3f}" for share in whole))
    console.print(table)
