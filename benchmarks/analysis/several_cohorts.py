"""Do genes of several cohorts hold in one left out? The second judge of their combination.

    python -m benchmarks several_cohorts FOLDER [--people]

FOLDER as for `python -m benchmarks replication`. Each cohort of a disease with three or more is
left out in turn; all sets of two or more of the others are combined. Of the first 100 genes that
both tested, the share with the same direction and p < 0.05 by plain limma in the cohort left out.
Means over sets by the number of cohorts combined. "One cohort" is the mean over the cohorts of the
set, "the largest" what the choice of the largest gives; "promised" is the mean chance of the first
100 of the default for a cohort of the size of the one left out.

--people looks for the same people: in all pairs of cohorts in FOLDER, of which OA and RA share the
controls of a series and CML_G0 and CML_G1 are two cell states of the same patients in one order of
their ids, and all others are strangers; in random halves of every cohort (strangers); and in
FOLDER/batch (SLE_65391), where 23 people were measured in both batches, all of them or a few.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
from rich.console import Console
from rich.table import Table
from scipy.special import chdtrc

import genotex as gx
from benchmarks.analysis.replication import CONTROL, FIRST, Cohort
from genotex.analysis import PeopleTable, SharedPeople, effective_size, find_shared_people
from genotex.arrays import Flags, Rows

FEWEST = 3
HALVES, DRAWS = 5, 12
FEW = ((12, 4), (20, 2), (20, 4), (40, 1), (40, 2), (40, 4), (60, 8))
"""Samples of each of two parts of the lupus cohort, and how many people they share."""


def diseases(folder: Path) -> dict[str, list[Cohort]]:
    """Return the cohorts by disease."""
    found = [Cohort(folder, path.name[: -len(".samples.csv")])
             for path in sorted(folder.glob("*.samples.csv"))]  # fmt: skip
    return {name: list(each) for name, each in itertools.groupby(found, key=lambda c: c.disease)}


def share(genes: Sequence[str], direction: np.ndarray, judge: pl.DataFrame) -> float:
    """Return the share of the first genes that the judge shows again."""
    order = pl.DataFrame({"gene": list(genes), "direction": np.sign(direction)})
    both = order.join(judge, on="gene", maintain_order="left").filter(pl.col("t").is_not_nan())
    both = both.drop_nulls()
    again = (both["direction"] == both["t"].sign()) & (both["p"] < 0.05)
    return float(again.head(min(FIRST, both.height // 5)).mean() or 0.0)


def orders(table: pd.DataFrame, cohorts: Sequence[str]) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield orders of the combined genes; the sign of ``way`` is the direction."""
    table = table.assign(way=table["effect"])
    yield "default", table
    yield "by p", table.sort_values(["p", "q"])
    yield "partial conjunction first", table.sort_values(["replication_p", "p"])
    yield (
        "random effects",
        table.sort_values(table.columns[0])
        .assign(order=-(table["effect"] / table["standard_error"]).abs())
        .sort_values("order"),
    )
    yield "fixed effect", table.assign(way=table["fixed_effect"]).sort_values("fixed_p")
    yield "Stouffer", table.sort_values("stouffer_p")
    p = table[[f"{name}_p" for name in cohorts]]
    fisher = chdtrc(2 * p.notna().sum(axis=1), -2 * np.log(p).sum(axis=1))
    yield "Fisher", table.assign(order=fisher).sort_values("order")


def ranking(folder: Path) -> pl.DataFrame:
    """Return shares of each set of cohorts by method."""
    rows = []
    for disease, cohorts in diseases(folder).items():
        if len(cohorts) < FEWEST:
            continue
        for left_out in cohorts:
            judge = left_out.in_r()
            others = [cohort for cohort in cohorts if cohort is not left_out]
            alone = {}
            for one in others:
                limma = one.in_r().sort("p")
                ours = one.ours().sort("replication", descending=True, nulls_last=True)
                alone[one.name] = (share(limma["gene"], limma["t"].to_numpy(), judge),
                                   share(ours["gene"], ours["t"].to_numpy(), judge))  # fmt: skip
            for count in range(2, len(others) + 1):
                for chosen in itertools.combinations(others, count):
                    names = [one.name for one in chosen]
                    size = effective_size(left_out.samples().height, left_out.smaller())
                    table = gx.meta(
                        {one.name: one.result() for one in chosen},
                        next_cohort=max(4, round(4 * size)),
                    )
                    if table.attrs["left_out"] or len(set(judge["gene"]) & set(table.index)) < 500:
                        continue
                    largest = max(chosen, key=lambda one: one.samples().height).name
                    rows.append(
                        {"disease": disease, "cohorts": count}
                        | {
                            name: share(list(order.index), order["way"].to_numpy(), judge)
                            for name, order in orders(table, names)
                        }
                        | {
                            "limma, one cohort": np.mean([alone[n][0] for n in names]),
                            "limma, the largest": alone[largest][0],
                            "genotex, one cohort": np.mean([alone[n][1] for n in names]),
                            "genotex, the largest": alone[largest][1],
                            "promised": table["replication"].head(FIRST).mean(),
                            "replicate": int(table["replicates"].fillna(False).sum()),
                        }
                    )
    return pl.DataFrame(rows)


def show_ranking(folder: Path, console: Console) -> None:
    """Print the shares by disease and number of cohorts."""
    found = ranking(folder)
    by = found.group_by("disease", "cohorts").agg(pl.len(), pl.all().exclude("disease").mean())
    by = by.sort("disease", "cohorts")
    heads = [f"{d}, {k} cohorts ({n} sets)" for d, k, n in by["disease", "cohorts", "len"].rows()]
    means = found.filter(pl.col("disease") != CONTROL).group_by("disease").mean()
    table = Table("genes of", *heads, "mean of diseases")
    for method in found.columns[2:]:
        shares = [f"{value:.3f}" for value in by[method]]
        table.add_row(method, *shares, f"{means[method].mean():.3f}")
    console.print(table)


def people_of(cohort: Cohort, rows: Rows | None = None) -> PeopleTable:
    """Return samples of a cohort as people are looked for in them."""
    samples = cohort.samples()
    table = pl.read_parquet(cohort.folder / f"{cohort.name}.parquet")
    values = table.select(samples["sample"].to_list()).to_numpy().T.astype(float)
    rows = np.arange(len(values)) if rows is None else rows
    names, groups = samples["sample"].to_list(), samples["group"].to_list()
    return PeopleTable(
        [names[i] for i in rows], table.to_series(0).to_list(), values[rows],
        [groups[i] for i in rows],
    )  # fmt: skip


def same_by_design(one: Cohort, other: Cohort) -> set[tuple[str, str]]:
    """Return the samples of two cohorts that are of the same person."""
    first, second = (cohort.samples()["sample"].to_list() for cohort in (one, other))
    if {one.disease, other.disease} == {"CML"}:
        return set(zip(sorted(first), sorted(second), strict=True))
    return {(name, name) for name in set(first) & set(second)}


def show_people(folder: Path, console: Console) -> None:
    """Print how many people are recognised, and how many strangers are taken for one."""
    table = Table("two cohorts", "same", "found", "right", "of these copies", "evidence")

    def row(name: str, truth: set[tuple[str, str]], found: SharedPeople) -> None:
        right = sum((pair.first, pair.second) in truth for pair in found.pairs)
        copies = sum(pair.copy for pair in found.pairs)
        evidence = "" if found.overlap is None else f"{found.overlap:.1f}"
        cells = (len(truth), len(found.pairs), right, copies)
        table.add_row(name, *map(str, cells), evidence)

    cohorts = [cohort for each in diseases(folder).values() for cohort in each]
    tables = {cohort.name: people_of(cohort) for cohort in cohorts}
    strangers: list[SharedPeople] = []
    for one, other in itertools.combinations(cohorts, 2):
        found = find_shared_people(tables[one.name], tables[other.name])
        if truth := same_by_design(one, other):
            row(f"{one.name} and {other.name}", truth, found)
        elif found.overlap is not None:
            strangers.append(found)
    rng = np.random.default_rng(5)
    halves = []
    for cohort in cohorts:
        for _ in range(HALVES):
            places = rng.permutation(len(tables[cohort.name].samples))
            middle = len(places) // 2
            parts = [people_of(cohort, part) for part in (places[:middle], places[middle:])]
            if (found := find_shared_people(*parts)).overlap is not None:
                halves.append(found)
    lupus = Cohort(folder / "batch", "SLE_65391")
    batch, person = (lupus.samples()[name].to_numpy() for name in ("batch", "subject"))
    first, second = (np.flatnonzero(batch == number) for number in (1, 2))
    same = person[first][:, None] == person[second]
    row("lupus, two batches", *_lupus(lupus, first, second, person))
    console.print(table)
    for name, found in (("pairs of cohorts", strangers), ("random halves", halves)):
        wrong = sum(bool(each.pairs) for each in found)
        some = sum(len(each.pairs) > 1 for each in found)
        console.print(f"strangers, {len(found)} {name}: {wrong} with a pair, {some} with two")
    few = Table("samples each", "people in common", "found", "wrong pairs", "any found")
    for size, count in FEW:
        few.add_row(str(size), str(count), *_few(lupus, first, second, same, person, size, count))
    console.print(few)


def _lupus(
    lupus: Cohort, first: Rows, second: Rows, person: np.ndarray
) -> tuple[set[tuple[str, str]], SharedPeople]:
    names = lupus.samples()["sample"].to_list()
    truth = {(names[i], names[j]) for i in first for j in second if person[i] == person[j]}
    return truth, find_shared_people(people_of(lupus, first), people_of(lupus, second))


def _few(
    lupus: Cohort, first: Rows, second: Rows, same: Flags, person: np.ndarray, size: int, count: int
) -> tuple[str, str, str]:
    """Draw parts of the batches that share so many people; return what was found."""
    rng = np.random.default_rng(size + count)
    in_both = np.argwhere(same)
    free = [np.setdiff1d(np.arange(n), in_both[:, k]) for k, n in enumerate(same.shape)]
    right = wrong = any_found = 0
    for _ in range(DRAWS):
        chosen = in_both[rng.choice(len(in_both), count, replace=False)]
        parts = [
            rows[np.r_[chosen[:, k], rng.choice(free[k], min(size - count, len(free[k])), False)]]
            for k, rows in enumerate((first, second))
        ]
        truth, found = _lupus(lupus, *parts, person)
        good = sum((pair.first, pair.second) in truth for pair in found.pairs)
        right, wrong = right + good, wrong + len(found.pairs) - good
        any_found += bool(good)
    return f"{right / (DRAWS * count):.2f}", str(wrong), f"{any_found} of {DRAWS}"


def main() -> None:
    """Print the rankings, or the people."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--people", action="store_true", help="look for the same people")
    options = parser.parse_args()
    show = show_people if options.people else show_ranking
    show(options.folder, Console(width=200))
