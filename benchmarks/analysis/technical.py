"""Real arrays of two batches: whether technical factors are found, and adjusting helps.

    python -m benchmarks technical FOLDER [--draws N]

FOLDER has ``input/GEO`` and ``replication`` (with ``batch``). Two cohorts of a disease are put into
one table, or one cohort was measured in two batches, so the batch is known; it is confounded with
the disease by drawing samples, eight of ten cases from one batch and two of ten controls, and the
reverse. What is known of the batch: only the control probes of the arrays (RA, OA), or a recorded
date of the scan (SEX, BLAD, SLE). A gene is right where both batches apart show it in the same
direction, and the sum of their t, over the root of 2, has p < 0.05 (limma, no covariates); samples
are the same, so this judges the batch and not chance.

Written down before any result: the share of right genes among those with q < 0.05 by default is at
least 0.90 on average of each kind of evidence, and not below that of plain limma and of sva in any
row. The names of the factors: in SLE the counted neutrophils correlate with the factor that is
called so, and the recorded batch is not called a kind of cell.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table
from scipy.stats import norm

from benchmarks.analysis.replication import Cohort
from genotex.analysis import CELLS, analyze_table, fit_last_column, moderate
from genotex.arrays import Flags, Floats
from genotex.errors import AnalysisError
from genotex.formats import LinkedTable, Measures, read_series_matrix
from genotex.genes import detect_scale, measure_controls, to_log2
from genotex.options import AnalysisOptions
from genotex.problems import Problem

MODES = {"limma": "none", "R: sva + limma": "sva", "default": "auto", "adjust": "adjust"}
"""Plain limma but for weights of the groups; sva as in R (equal by golden tests)."""
PLANS = {"whole": None, "confounded": (0.8, 0.2), "reversed": (0.2, 0.8)}
SCAN_DATE = "scan date"


@dataclass(frozen=True, eq=False)
class Batches:
    """Samples of two batches, and what is known of them."""

    name: str
    known: str  # Of the batch
    genes: tuple[str, ...]
    samples: tuple[str, ...]
    values: Floats  # (n, p)
    cases: Flags  # (n,)
    late: Flags  # (n,): the second batch
    measures: Measures
    counted: Floats | None = None  # (n,): neutrophils, where they were counted

    def apart(self) -> tuple[Floats, Flags]:
        """Return the sum of t over both batches, and the genes that are right."""
        found = [_t(self.values[some], self.cases[some]) for some in (self.late, ~self.late)]
        both = (found[0] + found[1]) / np.sqrt(2)
        return both, (np.sign(found[0]) == np.sign(found[1])) & (2 * norm.sf(np.abs(both)) < 0.05)

    def drawn(self, shares: tuple[float, float] | None, rng: np.random.Generator) -> Batches:
        """Return samples with these shares of cases and controls in the second batch."""
        if shares is None:
            return self
        kept = []
        for cases, share in zip((True, False), shares, strict=True):
            cells = [np.flatnonzero((self.cases == cases) & (self.late == late))
                     for late in (True, False)]  # fmt: skip
            size = min(len(cells[0]) / share, len(cells[1]) / (1 - share))
            for cell, part in zip(cells, (share, 1 - share), strict=True):
                kept += rng.permutation(cell)[: max(2, int(size * part))].tolist()
        chosen = np.sort(kept)
        return replace(
            self,
            samples=tuple(self.samples[i] for i in chosen),
            values=self.values[chosen],
            cases=self.cases[chosen],
            late=self.late[chosen],
            counted=None if self.counted is None else self.counted[chosen],
        )

    def analysed(self, mode: str) -> tuple[pl.DataFrame, dict[str, object]]:
        """Return gene, t, p and q by a mode, and the record of hidden factors."""
        table = LinkedTable(
            "Disease", self.samples, self.cases.astype(float), {}, self.genes, self.values
        )
        recorded = dict(
            zip(self.samples, np.where(self.late, "2011-05-02", "2010-03-01").tolist(), strict=True)
        )
        facts = {SCAN_DATE: recorded} if self.known == SCAN_DATE else {}
        options = AnalysisOptions(hidden=mode, panel=False, filter_low=False, rank_by="p")
        found = analyze_table(
            table, {}, Problem("Disease", None), options, facts, measures=self.measures
        )
        genes = found.genes.select("Variable", "Coefficient", "p", "q").drop_nulls()
        return genes, found.method["hidden"]


def _t(values: Floats, cases: Flags) -> Floats:
    design = np.column_stack([np.ones(len(cases)), cases.astype(float)])
    return np.asarray(moderate(fit_last_column(design, values)).t)


def cohorts(folder: Path) -> Iterator[Batches]:
    """Yield the cohorts of two batches."""
    pairs = folder / "replication"
    for disease, names in {"RA": ("55235", "55457"), "OA": ("55235", "55457")}.items():
        trait = {"RA": "Rheumatoid_Arthritis", "OA": "Osteoarthritis"}[disease]
        merged = _merged(pairs, [f"{disease}_{name}" for name in names], "control probes")
        yield replace(merged, measures=_controls(folder / "input" / "GEO" / trait))
    for names in (("SEX_11237", "SEX_4045"), ("SEX_4045", "SEX_READ"), ("BLAD_89", "BLAD_37317")):
        yield _merged(pairs, names, SCAN_DATE)
    cohort = Cohort(pairs / "batch", "SLE_65391")
    sheet, (genes, values) = cohort.samples(), cohort.expression()
    varies = np.ptp(values, axis=0) > 0
    yield Batches(
        "SLE",
        SCAN_DATE,
        tuple(gene for gene, kept in zip(genes, varies, strict=True) if kept),
        tuple(sheet["sample"]),
        values[:, varies],
        (sheet["group"] == "case").to_numpy(),
        (sheet["batch"] == 2).to_numpy(),
        {},
        sheet["neutrophil_percent"].cast(pl.Float64, strict=False).to_numpy(),
    )


def _merged(folder: Path, names: tuple[str, ...] | list[str], known: str) -> Batches:
    both = [Cohort(folder, name) for name in names]
    tables = [cohort.expression() for cohort in both]
    where = [{gene: i for i, gene in enumerate(genes)} for genes, _ in tables]
    common = [gene for gene in where[0] if gene in where[1]]
    places = [[place[gene] for gene in common] for place in where]
    values = np.vstack([t[:, place] for (_, t), place in zip(tables, places, strict=True)])
    sheets = [cohort.samples() for cohort in both]
    return Batches(
        f"{names[0]} + {names[1].split('_')[1]}",
        known,
        tuple(common),
        tuple(str(s) for sheet in sheets for s in sheet["sample"]),
        values,
        np.concatenate([(sheet["group"] == "case").to_numpy() for sheet in sheets]),
        np.repeat([False, True], [sheet.height for sheet in sheets]),
        {},
    )


def _controls(folder: Path) -> Measures:
    """Return what the control probes of both series tell."""
    found: Measures = {}
    for path in sorted(folder.glob("*/*_series_matrix.txt.gz")):
        matrix = read_series_matrix(path).expression
        assert matrix is not None
        values = matrix.values
        if detect_scale(values).scale == "linear":
            values, _ = to_log2(values)
        for kind, measured in measure_controls(matrix.ids, values, matrix.samples).items():
            for name, by_sample in measured.items():
                found.setdefault(kind, {}).setdefault(name, {}).update(by_sample)
    return found


def judge(batches: Batches, plan: str, draws: int) -> Iterator[dict[str, object]]:
    """Yield of each method how many genes it finds and what share of them is right."""
    both, right = batches.apart()
    place = {gene: i for i, gene in enumerate(batches.genes)}
    for seed in range(1 if PLANS[plan] is None else draws):
        drawn = batches.drawn(PLANS[plan], np.random.default_rng(seed))
        for method, mode in MODES.items():
            try:
                genes, hidden = drawn.analysed(mode)
            except AnalysisError as error:
                print(batches.name, plan, method, error)
                continue
            where = [place[gene] for gene in genes["Variable"]]
            good = right[where] & (np.sign(genes["Coefficient"].to_numpy()) == np.sign(both[where]))
            found = (genes["q"] < 0.05).to_numpy()
            first = np.argsort(genes["p"].to_numpy(), kind="stable")[:100]
            used = [e["evidence"] for e in hidden.get("technical", ()) if e["columns"]]  # type: ignore[attr-defined, index]
            yield {
                "cohort": batches.name, "plan": plan, "known": batches.known, "method": method,
                "significant": int(found.sum()),
                "right": float(good[found].mean()) if found.any() else np.nan,
                "first 100": float(good[first].mean()),
                "adjusted": float(bool(used)),
            }  # fmt: skip


def names_of_cells(batches: Batches) -> None:
    """Print what the factors of a cohort are called, and whether its counted cells agree."""
    assert batches.counted is not None
    _, hidden = batches.analysed("auto")
    for found in hidden["associations"]:  # type: ignore[index, attr-defined]
        print(*(f"{found[name]}" for name in ("surrogate", "kind", "with")), f"{found['size']:.2f}")
    known = np.isfinite(batches.counted)
    rest = batches.values - batches.values.mean(axis=1, keepdims=True)
    markers = [i for i, gene in enumerate(batches.genes) if gene in CELLS["neutrophils"].split()]
    mean = rest[:, markers].mean(axis=1)
    r = np.corrcoef(mean[known], batches.counted[known])[0, 1]
    print(f"markers of neutrophils with counted neutrophils: r = {r:.2f} ({known.sum()} samples)")


def main() -> None:
    """Print what each method finds, by cohort and plan, and the means by evidence."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draws", type=int, default=5)
    options = parser.parse_args()
    rows = []
    for batches in cohorts(options.folder):
        for plan in PLANS:
            rows += judge(batches, plan, options.draws)
        if batches.counted is not None:
            names_of_cells(batches)
    found = pl.DataFrame(rows)
    table = Table("cohort", "samples drawn", "known", *MODES)
    for (cohort, plan, known), some in found.group_by(
        "cohort", "plan", "known", maintain_order=True
    ):
        cells = []
        for method in MODES:
            mean = some.filter(pl.col("method") == method).fill_nan(None).mean()
            cells.append(f"{mean['significant'][0]:,.0f} · {mean['right'][0] or np.nan:.2f}")
        adjusted = some.filter(pl.col("method") == "default")["adjusted"].mean()
        table.add_row(cohort, plan, known, *cells[:2], f"{cells[2]} ({adjusted:.0%})", cells[3])
    Console(width=130).print(table)
    print("genes with q < 0.05 · share of them right; in brackets: adjusted for a technical factor")
    measures = pl.col("significant", "right", "first 100", "adjusted").mean()
    print(found.fill_nan(None).group_by("known", "method", maintain_order=True).agg(measures))


if __name__ == "__main__":
    main()
