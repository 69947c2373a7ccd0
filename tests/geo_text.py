"""Small GEO files in true format, written by hand for the tests."""

import gzip
from collections.abc import Sequence
from pathlib import Path

GENES = [
    "A1BG", "A2M", "NAT1", "NAT2", "SERPINA3", "AADAC", "AAMP", "AANAT", "AARS1", "ABAT",
    "ABCA1", "ABCA2", "ABCA3", "ABCB7", "ABCF1", "ABCA4", "ABL1", "ABO", "ACACA", "ACADM",
    "ACADS", "ACADVL", "ACAT1", "ACE", "ACHE", "ACLY", "ACO1", "ACO2", "ACOX1", "ACP1",
]  # fmt: skip


def series_matrix(
    accession: str = "GSE1",
    *,
    characteristics: Sequence[Sequence[str]],
    platform: str = "GPL1",
    title: str = "Gene expression in blood of patients with asthma and healthy controls",
    summary: str = "Expression was measured in blood.",
    series_type: str = "Expression profiling by array",
    ids: Sequence[str] = tuple(GENES),
    taxid: str = "9606",
    organism: str = "Homo sapiens",
    first_sample: int = 1,
    slope: float = 0.5,
    values: Sequence[Sequence[float]] | None = None,
) -> str:
    """Return the text of a series matrix; rows are characteristics, one cell a sample."""
    number = len(characteristics[0])
    samples = [f"GSM{first_sample + i}" for i in range(number)]

    def line(key: str, cells: Sequence[str]) -> str:
        return "\t".join([f"!{key}", *(f'"{cell}"' for cell in cells)])

    lines = [
        line("Series_title", [title]),
        line("Series_geo_accession", [accession]),
        line("Series_summary", [summary]),
        line("Series_overall_design", ["Cases and controls."]),
        line("Series_type", [series_type]),
        line("Series_platform_id", [platform]),
        line("Series_platform_taxid", [taxid]),
        line("Series_sample_taxid", [taxid]),
        "",
        line("Sample_title", [f"sample {s}" for s in samples]),
        line("Sample_geo_accession", samples),
        line("Sample_type", ["RNA"] * number),
        line("Sample_organism_ch1", [organism] * number),
        line("Sample_taxid_ch1", [taxid] * number),
        *(line("Sample_characteristics_ch1", row) for row in characteristics),
        line("Sample_platform_id", [platform] * number),
        "!series_matrix_table_begin",
        line("ID_REF", samples)[1:],
    ]
    for j, name in enumerate(ids):
        if values is None:
            cells = [f"{7 + slope * ((i * 7 + j * 3) % 5):.2f}" for i in range(number)]
        else:
            cells = [repr(float(value)) for value in values[j]]
        lines.append("\t".join([f'"{name}"', *cells]))
    lines.append("!series_matrix_table_end")
    return "\n".join(lines) + "\n"


def write_gz(path: Path, text: str) -> Path:
    """Write text as a gzip file that does not depend on the time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    return path


def asthma(number: int = 12) -> list[list[str]]:
    """Return characteristics of cases and controls in turn, with age and sex."""
    return [
        [f"disease state: {'asthma' if i % 2 else 'healthy control'}" for i in range(number)],
        [f"age: {30 + i}" for i in range(number)],
        [f"Sex: {'M' if i % 3 else 'F'}" for i in range(number)],
    ]


def write_asthma(root: Path, accession: str = "GSE1", number: int = 12, **fields: object) -> Path:
    """Write one usable cohort of Asthma into an input folder."""
    text = series_matrix(accession, characteristics=asthma(number), **fields)  # type: ignore[arg-type]
    folder = root / "GEO" / "Asthma" / accession
    return write_gz(folder / f"{accession}_series_matrix.txt.gz", text)


def write_asthma_on_probes(root: Path) -> None:
    """Write a cohort of Asthma by probe, and its platform with the genes of now and of before.

    One probe is of another gene by the older column, and one of none.
    """
    ids = [f"{1000 + i}_at" for i in range(len(GENES))]
    matrix = write_asthma(root, number=24, ids=ids)
    before = ["ACR", "", *GENES[2:]]
    rows = zip(ids, GENES, before, strict=True)
    lines = ["ID\tGene Symbol\tSymbol of 2003", *map("\t".join, rows)]
    write_gz(matrix.with_name("GPL1.txt.gz"), "\n".join(lines) + "\n")
