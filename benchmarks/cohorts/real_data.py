"""Where genotex was right on all real data at hand, where it was wrong, and how often it knew.

    python -m benchmarks real_data FOLDER

FOLDER is that of the tests' real data (`../shared/data`). Written down before any result:

- Series: `genotex solve` without the panel for the trait that a series is of. `EXPECTED` has what a
  reader of the record and of its files would answer: genes, or that there are none to be had.
- Annotation: the packaged rules on series that people labelled. A statement is right if every
  labelled sample has its code, or if "not available" is. It is "sure" where no review is asked.
  Half B of StarGEO was no part of the fit.
- Genes in the next cohort: of ordered pairs of cohorts of a disease, the genes with q < 0.05 that
  the other one shows with the same sign and p < 0.05 by R's limma; what the chance of replication
  promised for the size of the other; the same for genes that are robust and for those that
  depend on the adjustment. The chance was learned on these cohorts; docs/replication.md has it
  with the disease left out.
- Warnings: the audit's verdict of a cohort, and what share of its genes comes again.
- Sex as a trait: of the first 20 genes, how many are on X or Y (by NCBI's gene_info).
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

import genotex as gx
from benchmarks.analysis.replication import CONTROL, FIRST, Cohort, judged, pairs
from benchmarks.clinical.certainty import Stated, of_series, with_certainties
from benchmarks.clinical.labelled_cases import half_of, read_by_sample, read_cases
from genotex.analysis import effective_size
from genotex.clinical import load_vocabulary
from genotex.clinical.trait.certainty import load_certainty
from genotex.clinical.trait.scoring import load_weights
from genotex.words import counted

FEWEST = 5
"""Significant genes from which a pair of cohorts counts."""


@dataclass(frozen=True)
class Series:
    """A series, the trait asked of it, and whether a reader would find genes."""

    trait: str
    accession: str
    files: str
    genes: bool
    why: str


EXPECTED = (
    Series("Rheumatoid Arthritis", "GSE55457", "input/GEO/Rheumatoid_Arthritis/GSE55457/*",
           True, "13 patients, 10 healthy"),
    Series("Rheumatoid Arthritis", "GSE55235", "input/GEO/Rheumatoid_Arthritis/GSE55235/*",
           True, "10 patients, 10 healthy"),
    Series("Osteoarthritis", "GSE55457", "input/GEO/Osteoarthritis/GSE55457/*",
           True, "10 patients, 10 healthy"),
    Series("Osteoarthritis", "GSE55235", "input/GEO/Osteoarthritis/GSE55235/*",
           True, "10 patients, 10 healthy"),
    Series("Hepatocellular Carcinoma", "GSE14520", "more/GEO/Hepatocellular_Carcinoma/GSE14520/*",
           True, "tumours and adjacent tissue"),
    Series("Multiple sclerosis", "GSE60424", "more/GEO/Multiple_sclerosis/GSE60424/*",
           True, "normalised values of the authors, patients and healthy"),
    Series("Diabetic Nephropathy", "GSE30528", "traps/GSE30528_*",
           True, "9 patients, 13 controls"),
    Series("Kidney Clear Cell Carcinoma", "GSE781", "traps/GSE781_*",
           True, "tumour and adjacent tissue, in source names only; two platforms"),
    Series("Melanoma", "GSE42872", "more/GEO/Melanoma/GSE42872/*",
           False, "one cell line with and without a drug: nobody without melanoma"),
    Series("Breast Cancer", "GSE183947", "more/GEO/Breast_Cancer/GSE183947/*",
           False, "RNA-seq without its table"),
    Series("COVID-19", "GSE157103", "traps/GSE157103_*", False, "RNA-seq without its table"),
    Series("Colorectal Cancer", "GSE83521", "traps/GSE83521_*",
           False, "circular RNA, of stomachs"),
)  # fmt: skip


def solve_series(data: Path, console: Console) -> None:
    """Print what `solve` answers for each series."""
    table = Table("series", "trait", "a reader expects", "answer")
    right = 0
    for series in EXPECTED:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder, "in/GEO", series.trait.replace(" ", "_"), series.accession)
            place.mkdir(parents=True)
            for file in data.glob(series.files):
                (place / file.name).symlink_to(file)
            try:
                found = gx.solve(Path(folder, "in"), Path(folder, "out"), series.trait, panel=False)
                genes, count = True, len(found.warnings)
                answer = (
                    f"{int((found.table['q'] < 0.05).sum()):,} genes, {counted(count, 'warning')}"
                )
            except gx.AnalysisError as error:
                genes, answer = False, str(error).partition("not usable: ")[2]
        right += genes is series.genes
        expected = f"{'genes' if series.genes else 'none'}: {series.why}"
        table.add_row(series.accession, series.trait, expected, answer)
    console.print(table)
    console.print(f"as a reader expects: {right} of {len(EXPECTED)}")


def annotate(data: Path, console: Console) -> None:
    """Print how often the packaged rules are right, and how often they ask for a look."""
    words, folder = load_vocabulary(), data / "annotation"
    samples = folder / "stargeo_cases.jsonl.gz"
    by_hand = read_by_sample(samples, None, words)
    sources = {"readings of 527 series": read_cases(data / "clinical/cases_dev.jsonl.gz", words)}
    for half in "AB":
        sources[f"StarGEO, half {half}"] = [c for c in by_hand if half_of(c.id) == half]
    below = load_certainty()["review"]["below"]
    table = Table("labels", "series", "right, sure", "right, to review", "wrong, to review",
                  "wrong, sure", "seen of the wrong ones")  # fmt: skip
    for name, cases in sources.items():
        statements = [of_series(case, load_weights()) for case in cases]
        found = with_certainties(name, statements, load_certainty()["series"])
        table.add_row(name, str(len(cases)), *_shares(found, below))
    console.print(table)


def _shares(found: Stated, below: float) -> list[str]:
    sure, right = found.certainty >= below, found.right > 0
    wrong = ~right
    shares = [(right & sure).mean(), (right & ~sure).mean(), (wrong & ~sure).mean()]
    seen = (wrong & ~sure).sum() / max(wrong.sum(), 1)
    return [f"{share:.3f}" for share in (*shares, (wrong & sure).mean(), seen)]


@cache
def _groups_of(cohort: Cohort) -> float:
    """Return n1 n0 / (n1 + n0) of a cohort, as two equal groups of so many samples in all."""
    size = cohort.samples().height
    cases = int((cohort.samples()["group"] == "case").sum())
    return 4 * effective_size(size, cases)


def compare_pairs(folder: Path, console: Console) -> None:
    """Print what of a cohort's significant genes another cohort shows, and what was promised."""
    rows: dict[str, list[dict[str, float]]] = defaultdict(list)
    for one, other in pairs(folder):
        judge = other.in_r()
        if judge is None:
            continue
        genes = one.ours(next_cohort=max(4, round(_groups_of(other))))
        both = judged(genes, judge).filter(pl.col("q") < 0.05)
        if both.height < FEWEST:
            continue
        row = {"genes": both.height, "seen": float(both["again"].mean() or 0),
               "promised": float(both["replication"].mean() or 0)}  # fmt: skip
        for grade, part in both.group_by("grade"):
            row[str(grade[0] or "no grade")] = float(part["again"].mean() or 0)
        rows[one.disease].append(row)
    grades = sorted(
        {k for r in rows.values() for row in r for k in row} - {"genes", "seen", "promised"}
    )
    table = Table("disease", "pairs", "genes at q < 0.05", "promised", "seen again", *grades)
    for disease, each in rows.items():
        means = [_mean([row.get(name, np.nan) for row in each])
                 for name in ("promised", "seen", *grades)]  # fmt: skip
        count = f"{np.median([row['genes'] for row in each]):,.0f}"
        table.add_row(disease, str(len(each)), count, *means)
    console.print(table)


def _mean(values: Sequence[float]) -> str:
    known = [value for value in values if not np.isnan(value)]
    return f"{np.mean(known):.3f}" if known else "-"


def audit(folder: Path, console: Console) -> None:
    """Print verdicts of the audit, and of which cohorts genes come again."""
    shares: dict[str, list[float]] = defaultdict(list)
    for one, other in pairs(folder):
        judge = other.in_r()
        if judge is not None and one.disease != CONTROL:
            again = judged(one.ours().head(FIRST), judge)["again"]
            shares[one.name].append(float(again.mean() or 0))
    verdicts: dict[str, list[float]] = defaultdict(list)
    findings: Counter[str] = Counter()
    for name, again_in in shares.items():
        with tempfile.TemporaryDirectory() as place:
            values = Path(place, f"{name}.csv")
            pl.read_parquet(folder / f"{name}.parquet").write_csv(values)
            report = gx.audit(values, folder / f"{name}.samples.csv")
        verdicts[str(report.verdict)].append(float(np.mean(again_in)))
        findings.update(
            {check.title for _, check, found in report.findings if found.severity != "note"}
        )
    table = Table("verdict", "cohorts", "of the first 100 genes seen again")
    for verdict, each in verdicts.items():
        table.add_row(verdict, str(len(each)), _mean(each))
    console.print(table, dict(findings))


def sexes(folder: Path, gene_info: Path, console: Console) -> None:
    """Print how many of the first genes of sex as a trait are on X or Y."""
    known = pl.read_csv(gene_info, separator="\t", columns=["Symbol", "chromosome"])
    sex_linked = set(known.filter(pl.col("chromosome").is_in(["X", "Y", "X|Y"]))["Symbol"])
    table = Table("cohort", "first 20 on X or Y", "of R: limma's, by p", "significant, on X or Y")
    for cohort in dict.fromkeys(one for one, _ in pairs(folder) if one.disease == CONTROL):
        ours, in_r = cohort.result().table, cohort.in_r()
        first = [] if in_r is None else in_r.sort("p")["gene"][:20].to_list()
        significant = ours.index[ours["q"] < 0.05]
        counts = [len(sex_linked & set(genes)) for genes in (ours.index[:20], first, significant)]
        table.add_row(cohort.name, *map(str, counts[:2]), f"{len(significant)}, {counts[2]}")
    console.print(table)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    data = parser.parse_args().folder.resolve()
    console = Console(width=160)
    solve_series(data, console)
    annotate(data, console)
    compare_pairs(data / "replication", console)
    audit(data / "replication", console)
    sexes(data / "replication", data / "genes/Homo_sapiens.gene_info.2020-01.gz", console)
