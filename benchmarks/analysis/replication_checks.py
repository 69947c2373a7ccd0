"""Split halves of large cohorts, and the ranks of genes that are known: what the default may lose.

    python -m benchmarks replication_checks FOLDER

FOLDER as for ``replication``. Written down before any result; nothing was tuned to it.

- Halves: each cohort with at least 20 samples in both groups, split in two within its groups, five
  times (seeds 0 to 4). Of the first 100 genes of one half, the share with the same direction and
  p < 0.05 by plain limma in the other, both ways. The default may be behind limma in no disease.
- Known genes: median rank among the genes that both methods have, and how many have q < 0.05, by
  limma in R and by the default. Y: genes of the Y chromosome outside the regions that pair with X,
  and XIST. RA: of B and plasma cells, T cells, interferon and degraded matrix, long known in the
  synovium of patients (reviews such as Firestein and McInnes 2017, Immunity 46:183). MSI: MLH1 and
  EPM2AIP1, whose common promoter is silenced, targets of Wnt signalling that are lower, and genes
  of published signatures (Kruhoffer and others 2005, Br. J. Cancer 92:2240; Koinuma and others
  2006, Oncogene 25:139).
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from benchmarks.analysis.replication import Cohort, pairs, share_seen_again
from genotex.analysis import analyze_table, benjamini_hochberg, fit_last_column, moderate
from genotex.arrays import Flags, Floats
from genotex.formats import LinkedTable
from genotex.options import AnalysisOptions
from genotex.problems import Problem

SMALLEST_GROUP, DRAWS = 20, 5
KNOWN = {
    "SEX": "XIST RPS4Y1 DDX3Y KDM5D EIF1AY UTY USP9Y ZFY",
    "RA": "CXCL9 CXCL10 CXCL11 CXCL13 CCL5 STAT1 MMP1 MMP3 ADAMDEC1 SDC1 TNFRSF17 POU2AF1 CD27 "
    "MS4A1 CD3D CD2 IL7R LCK GZMK PTPRC",
    "MSI": "MLH1 EPM2AIP1 AXIN2 NKD1 ASCL2 RNF43 CDX2 DUSP4 HNRNPL RPL22L1 TYMS AGR2 REG4",
}


@dataclass(frozen=True)
class Half:
    """Some samples of a cohort."""

    genes: tuple[str, ...]
    values: Floats  # (n, p)
    cases: Flags  # (n,)

    def limma(self) -> pl.DataFrame:
        """Return gene, t and p by plain limma, in its order."""
        design = np.column_stack([np.ones(len(self.cases)), self.cases.astype(float)])
        found = moderate(fit_last_column(design, self.values))
        return pl.DataFrame({"gene": self.genes, "t": found.t, "p": found.p}).sort("p")

    def ours(self, hidden: str = "auto") -> pl.DataFrame:
        """Return gene, t, p and chance, in the order of the default, or of p."""
        names = tuple(f"S{i}" for i in range(len(self.cases)))
        table = LinkedTable("D", names, self.cases.astype(float), {}, self.genes, self.values)
        options = AnalysisOptions(hidden=hidden, panel=False)
        genes = analyze_table(table, {}, Problem("D", None), options).genes.drop_nulls("p")
        genes = genes.select(gene="Variable", t="t", p="p", chance="Replication")
        by_chance = genes.sort("chance", descending=True, nulls_last=True)
        return by_chance if hidden == "auto" else genes.sort("p")


def halves(cohort: Cohort) -> Iterator[tuple[Half, Half]]:
    """Yield the pairs of halves of a cohort."""
    genes, values = cohort.expression()
    cases = (cohort.samples()["group"] == "case").to_numpy()
    if min(cases.sum(), (~cases).sum()) < SMALLEST_GROUP:
        return
    for seed in range(DRAWS):
        rng = np.random.default_rng(seed)
        chosen = np.zeros(len(cases), dtype=bool)
        for group in (np.flatnonzero(cases), np.flatnonzero(~cases)):
            chosen[rng.permutation(group)[: len(group) // 2]] = True
        one, other = (Half(tuple(genes), values[s], cases[s]) for s in (chosen, ~chosen))
        yield from ((one, other), (other, one))


def compare_halves(cohorts: list[Cohort], console: Console) -> None:
    """Print the share of genes seen again in the other half, by cohort."""
    table = Table("cohort", "samples", "limma", "default", "R: sva + limma", "--hidden adjust")
    for cohort in cohorts:
        rows = []
        for one, other in halves(cohort):
            judge = other.limma()
            orders = [one.limma(), one.ours(), one.ours("sva"), one.ours("adjust")]
            rows.append([share_seen_again(order, judge) for order in orders])
        if rows:
            size = cohort.samples().height
            table.add_row(cohort.name, str(size), *(f"{share:.3f}" for share in np.mean(rows, 0)))
    console.print(table)


def compare_known(cohorts: list[Cohort], console: Console) -> None:
    """Print median rank and significant ones of the known genes, by limma in R and by default."""
    table = Table("cohort", "known", "limma: rank", "q < 0.05", "default: rank", "q < 0.05")
    for cohort in cohorts:
        known, r = KNOWN.get(cohort.disease, "").split(), cohort.in_r()
        if not known or r is None:
            continue
        ours = cohort.ours().sort("replication", descending=True, nulls_last=True)
        both = set(r["gene"]) & set(ours["gene"])
        if not (here := [gene for gene in known if gene in both]):
            continue
        cells = []
        for order in (r.sort("p"), ours):
            order = order.filter(pl.col("gene").is_in(both))
            q = benjamini_hochberg(order["p"].to_numpy())
            place = {gene: i for i, gene in enumerate(order["gene"])}
            ranks = [place[gene] for gene in here]
            cells += [f"{np.median(ranks) + 1:,.0f}", str(int((q[ranks] < 0.05).sum()))]
        table.add_row(cohort.name, str(len(here)), *cells)
    console.print(table)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    every = {cohort.name: cohort for cohort in itertools.chain(*pairs(options.folder))}
    console = Console(width=120)
    whole_blood = Cohort(options.folder / "batch", "SLE_65391")
    compare_halves([*every.values(), whole_blood], console)
    compare_known(list(every.values()), console)


if __name__ == "__main__":
    main()
