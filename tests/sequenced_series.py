"""GSE60424 and GSE183947 as GEO has them: an empty matrix and the submitter's table.

Names of files and columns, line ends and texts are those of the two series; the values are made.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass

import numpy as np

from genotex.genes import GeneTable
from tests.geo_text import series_matrix
from tests.rna_seq_text import SEQUENCING

PEOPLE = 10


@dataclass(frozen=True)
class Sequenced:
    """A series: the files of its folder, and what is asked of it."""

    accession: str
    trait: str
    matrix: bytes
    table: str
    content: bytes

    @property
    def files(self) -> dict[str, bytes]:
        return {f"{self.accession}_series_matrix.txt.gz": self.matrix, self.table: self.content}


def _genes(column: str) -> list[str]:
    genes = GeneTable.load().genes.filter(GeneTable.load().genes["ensembl"].str.len_chars() == 15)
    return genes.gather_every(genes.height // 150)[column].to_list()


def _values(rows: int, seed: int) -> np.ndarray:
    """Values of reads, rows x samples; the first rows are higher in the first half."""
    stream = np.random.default_rng(seed)
    values = stream.negative_binomial(5, 0.01, (rows, 2 * PEOPLE)).astype(float)
    values[:5, :PEOPLE] *= 6
    return values * stream.uniform(0.7, 1.4, 2 * PEOPLE)


def _packed(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)


def _matrix(
    accession: str, titles: list[str], more: dict[str, list[str]], **facts: object
) -> bytes:
    text = series_matrix(accession, series_type=SEQUENCING, ids=(), **facts)  # type: ignore[arg-type]
    lines = []
    for line in text.splitlines():
        key = line.partition("\t")[0]
        lines.append(_line(key, titles) if key == "!Sample_title" else line)
        lines += [_line(f"!Sample_{k}", v) for k, v in more.items() if key == "!Sample_title"]
    return _packed("\n".join(lines) + "\n")


def _line(key: str, cells: list[str]) -> str:
    return "\t".join([key, *(f'"{cell}"' for cell in cells)])


def gse60424() -> Sequenced:
    """Whole blood in multiple sclerosis: TMM-normalised values, Ensembl ids, line ends of a Mac."""
    titles = [f"lib{221 + i}" for i in range(2 * PEOPLE)]
    states = ["MS pretreatment"] * PEOPLE + ["Healthy Control"] * PEOPLE
    characteristics = [
        [f"age: {30 + 7 * i % 20}" for i in range(2 * PEOPLE)],
        ["celltype: Whole Blood"] * (2 * PEOPLE),
        [f"diseasestatus: {state}" for state in states],
        [f"donorid: {31 + i}" for i in range(2 * PEOPLE)],
    ]
    matrix = _matrix(
        "GSE60424", titles, {}, characteristics=characteristics, platform="GPL15456",
        title="Next generation sequencing of human immune cell subsets across diseases",
        first_sample=1479433,
    )  # fmt: skip
    ids = _genes("ensembl")
    rows = ["\t".join(["genenames", *titles])]
    for gene, values in zip(ids, np.round(_values(len(ids), 1)).astype(int), strict=True):
        rows.append("\t".join([gene, *map(str, values)]))
    name = "GSE60424_GEOSubmit_FC1to11_normalized_counts.txt.gz"
    return Sequenced("GSE60424", "Multiple sclerosis", matrix, name, _packed("\r".join(rows)))


def gse183947() -> Sequenced:
    """Tumours and normal tissue of the same women: FPKM, columns named in the descriptions."""
    donors = [102548 + 977 * i for i in range(PEOPLE)]
    titles = [f"{kind} rep{i + 1}" for kind in ("tumor", "normal") for i in range(PEOPLE)]
    columns = [f"{kind}.{donor}" for kind in ("CA", "CAP") for donor in donors]
    tissues = ["breast tumor"] * PEOPLE + ["normal breast tissue"] * PEOPLE
    characteristics = [
        [f"tissue: {tissue}" for tissue in tissues],
        [f"donor: {donor}" for donor in donors * 2],
    ]
    matrix = _matrix(
        "GSE183947", titles, {"description": columns}, characteristics=characteristics,
        platform="GPL11154", first_sample=5574685,
        title="Identification of five cytotoxicity-related genes in breast cancer",
    )  # fmt: skip
    symbols = _genes("symbol")
    rows = [",".join(['""', *(f'"{name}"' for name in columns)])]
    for gene, values in zip(symbols, _values(len(symbols), 2) / 37, strict=True):
        rows.append(",".join([f'"{gene}"', *(f"{value:.2f}" for value in values)]))
    table = _packed("\n".join(rows) + "\n")
    return Sequenced("GSE183947", "Breast Cancer", matrix, "GSE183947_fpkm.csv.gz", table)


SEQUENCED = {"GSE60424": gse60424, "GSE183947": gse183947}
