"""Small RNA-seq series of GEO: an empty matrix, plus NCBI's counts and annotation."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.geo_text import GENES, asthma, series_matrix, write_gz

SEQUENCING = "Expression profiling by high throughput sequencing"
COUNT_FILE = "{}_raw_counts_GRCh38.p13_NCBI.tsv.gz"
ANNOTATION_FILE = "Human.GRCh38.p13.annot.tsv.gz"

# NCBI GeneIDs of the first genes of `GENES`, and of a few more.
GENE_IDS = {
    "A1BG": "1", "A2M": "2", "NAT1": "9", "NAT2": "10", "SERPINA3": "12", "AADAC": "13",
    "AAMP": "14", "AANAT": "15", "AARS1": "16", "ABAT": "18", "ABCA1": "19", "ABCA2": "20",
}  # fmt: skip


def count_rows(samples: int, genes: Sequence[str] = tuple(GENE_IDS)) -> dict[str, list[int]]:
    """Return counts by symbol: every gene well expressed, libraries of different sizes."""
    return {
        symbol: [(100 + 37 * j + (i * 7 + j * 3) % 11) * (1 + i % 3) for i in range(samples)]
        for j, symbol in enumerate(genes)
    }


def count_text(rows: Mapping[str, Sequence[object]], samples: Sequence[str]) -> str:
    """Return the text of a count matrix, rows by GeneID."""
    lines = ["\t".join(["GeneID", *samples])]
    lines += ["\t".join([gene, *map(str, counts)]) for gene, counts in rows.items()]
    return "\n".join(lines) + "\n"


def write_counted(
    root: Path,
    accession: str = "GSE1",
    number: int = 12,
    *,
    rows: Mapping[str, Sequence[object]] | None = None,
    samples: Sequence[str] | None = None,
    text: str | None = None,
    annotation: Mapping[str, str] | None = None,
    characteristics: Sequence[Sequence[str]] | None = None,
) -> Path:
    """Write a cohort of Asthma with counts, and return its folder; `rows` are by GeneID."""
    folder = root / "GEO" / "Asthma" / accession
    matrix = series_matrix(
        accession, characteristics=characteristics or asthma(number), series_type=SEQUENCING, ids=()
    )
    write_gz(folder / f"{accession}_series_matrix.txt.gz", matrix)
    if rows is None:
        rows = {GENE_IDS[symbol]: counts for symbol, counts in count_rows(number).items()}
    samples = [f"GSM{1 + i}" for i in range(number)] if samples is None else samples
    counts = count_text(rows, samples) if text is None else text
    write_gz(folder / COUNT_FILE.format(accession), counts)
    if annotation is not None:
        lines = ["GeneID\tSymbol\tGeneType", *(f"{i}\t{s}\tx" for i, s in annotation.items())]
        write_gz(folder / ANNOTATION_FILE, "\n".join(lines) + "\n")
    return folder


assert set(GENE_IDS) <= set(GENES)
