"""The published preprocessing steps, in plain pandas: the side that genotex is measured against.

Written from the description of the procedure (docs: preprocessing, `benchmark`), the way a pandas
user would: the whole family SOFT is read line by line, lines that start with ^, ! or # are
dropped, and pandas parses the rest, sample tables included; symbols are found by a regular
expression applied to each probe; missing values are filled column by column.

Run it as a program: ``python -m benchmarks.cohorts.published_steps COHORT_FOLDER OUTPUT_FOLDER
TRAIT SYNONYMS.json``. Stage times go to standard output as JSON.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

TOKEN = re.compile(r"\b(?:[A-Z][A-Z0-9-]{1,9}|C\d+orf\d+)\b")
NOT_A_GENE = re.compile(r"NR_|XR_|LOC\d+|LINC\d+")
WORDS = {"DNA", "RNA", "PCR", "EST", "CHR"}


def prepare(cohort: Path, output: Path, trait: str, synonyms_path: Path) -> dict[str, float]:
    """Run all steps; return the seconds of each."""
    seconds: dict[str, float] = {}

    def timed(name: str, step: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        start = time.monotonic()
        result = step()
        seconds[name] = time.monotonic() - start
        return result

    matrix_path = next(cohort.glob("*series_matrix*"))
    soft_path = next(cohort.glob("*family.soft*"))
    clinical = timed("clinical", lambda: read_clinical(matrix_path, trait))
    expression = timed("matrix", lambda: read_expression(matrix_path))
    annotation = timed("annotation", lambda: read_annotation(soft_path))
    genes = timed("mapping", lambda: map_probes(expression, annotation))
    genes = timed("symbols", lambda: official_symbols(genes, synonyms_path))
    linked = timed("linking", lambda: link(clinical, genes))
    linked = timed("missing values", lambda: handle_missing(linked, trait))
    linked = timed("bias", lambda: drop_biased(linked))
    timed("writing", lambda: write(output, clinical, genes, linked))
    return seconds


def read_clinical(path: Path, trait: str) -> pd.DataFrame:
    """Return trait, Age and Gender x samples from the characteristics."""
    rows, samples = [], []
    with gzip.open(path, "rt") as lines:
        for line in lines:
            cells = [cell.strip('"') for cell in line.rstrip("\n").split("\t")]
            if cells[0] == "!Sample_geo_accession":
                samples = cells[1:]
            elif cells[0] == "!Sample_characteristics_ch1":
                rows.append(cells[1:])
    table = pd.DataFrame(rows, columns=samples)
    codes = {"benchmark trait": 1.0, "healthy control": 0.0, "male": 1.0, "female": 0.0}

    def value(cell: str) -> str:
        return cell.split(": ", 1)[1]

    out = [
        table.iloc[0].map(lambda cell: codes[value(cell)]),
        table.iloc[1].map(lambda cell: float(re.search(r"\d+", value(cell)).group())),
        table.iloc[2].map(lambda cell: codes[value(cell)]),
    ]
    return pd.DataFrame(out, index=[trait, "Age", "Gender"])


def read_expression(path: Path) -> pd.DataFrame:
    """Return the expression table, probes x samples."""
    with gzip.open(path, "rt") as lines:
        skip = next(i for i, line in enumerate(lines) if "series_matrix_table_begin" in line) + 1
    table = pd.read_csv(path, sep="\t", skiprows=skip, comment="!", compression="gzip")
    table = table.rename(columns={"ID_REF": "ID"}).astype({"ID": "str"})
    return table.set_index("ID")


def read_annotation(path: Path) -> pd.DataFrame:
    """Return all that is left of the family SOFT without its ^, ! and # lines."""
    with gzip.open(path, "rt") as lines:
        kept = [line for line in lines if not line.startswith(("^", "!", "#"))]
    return pd.read_csv(io.StringIO("".join(kept)), sep="\t", low_memory=False)


def tokens(text: str) -> list[str]:
    """Return what looks like human symbols in a cell, first occurrence kept."""
    found = [t for t in TOKEN.findall(text) if not NOT_A_GENE.match(t) and t not in WORDS]
    return list(dict.fromkeys(found))


def map_probes(expression: pd.DataFrame, annotation: pd.DataFrame) -> pd.DataFrame:
    """Share each probe's value among its symbols and add up each symbol's probes."""
    mapping = annotation[["ID", "Gene Symbol"]].dropna().astype(str)
    mapping["Gene"] = mapping["Gene Symbol"].apply(tokens)
    mapping["shared"] = mapping["Gene"].apply(len)
    mapping = mapping[["ID", "Gene", "shared"]].explode("Gene").dropna().set_index("ID")
    merged = mapping.join(expression, how="inner")
    samples = expression.columns
    merged[samples] = merged[samples].div(merged["shared"].astype(float), axis=0)
    return merged.groupby("Gene")[list(samples)].sum()


def official_symbols(genes: pd.DataFrame, synonyms_path: Path) -> pd.DataFrame:
    """Rename to official symbols, drop the unknown, average what meets."""
    synonyms = json.loads(synonyms_path.read_text())
    genes.index = genes.index.str.upper().map(synonyms)
    genes = genes[genes.index.notnull()]
    return genes.groupby(genes.index).mean()


def link(clinical: pd.DataFrame, genes: pd.DataFrame) -> pd.DataFrame:
    """Return samples x (trait, Age, Gender, genes)."""
    return pd.concat([clinical, genes], axis=0, join="inner").T


def handle_missing(linked: pd.DataFrame, trait: str) -> pd.DataFrame:
    """Drop and fill missing values as the benchmark does."""
    covariates = [name for name in ("Age", "Gender") if name in linked.columns]
    linked = linked.dropna(subset=[trait])
    genes = [name for name in linked.columns if name not in [trait, *covariates]]
    kept = [gene for gene in genes if linked[gene].isnull().mean() <= 0.2]
    linked = linked[[trait, *covariates, *kept]]
    linked = linked.loc[linked[kept].isnull().mean(axis=1) <= 0.05].copy()
    if "Age" in covariates:
        linked["Age"] = linked["Age"].fillna(linked["Age"].mean())
    if "Gender" in covariates:
        linked["Gender"] = linked["Gender"].fillna(linked["Gender"].mode()[0])
    for gene in kept:
        linked[gene] = linked[gene].fillna(linked[gene].mean())
    return linked


def drop_biased(linked: pd.DataFrame) -> pd.DataFrame:
    """Drop Age and Gender where they do not vary enough."""
    if "Age" in linked.columns and linked["Age"].min() == linked["Age"].max():
        linked = linked.drop(columns="Age")
    if "Gender" in linked.columns:
        counts = linked["Gender"].value_counts()
        if len(counts) < 2 or (counts.min() < 5 and counts.min() / len(linked) < 0.1):
            linked = linked.drop(columns="Gender")
    return linked


def write(
    output: Path, clinical: pd.DataFrame, genes: pd.DataFrame, linked: pd.DataFrame
) -> pd.DataFrame:
    """Write the three tables of a cohort."""
    output.mkdir(parents=True, exist_ok=True)
    clinical.to_csv(output / "clinical.csv")
    genes.to_csv(output / "genes.csv")
    linked.to_csv(output / "linked.csv")
    return linked


if __name__ == "__main__":
    folder, target, name, synonyms = sys.argv[1:]
    print(json.dumps(prepare(Path(folder), Path(target), name, Path(synonyms))))
