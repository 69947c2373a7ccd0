"""Small GEO and Xena files made for the tests, in the form in which the hubs give them out."""

import gzip
from collections.abc import Sequence
from pathlib import Path

from genotex.outside import unpacking

SAMPLES = ("GSM1", "GSM2", "GSM3")
CHARACTERISTICS = (
    ("gender: male", "gender: female", "gender: male"),
    ("age: 61", "age: 64", "age: 78"),
)
ROWS = (
    ("1007_s_at", "455.2", "380.9", "1045.9"),
    ("1053_at", "130.5", "164.6", "179.7"),
    ("117_at", "385", "607.4", "216.3"),
)


def quoted(cells: Sequence[str]) -> str:
    return "\t".join(f'"{cell}"' for cell in cells)


def matrix_text(
    *,
    rows: Sequence[Sequence[str]] = ROWS,
    samples: Sequence[str] = SAMPLES,
    columns: Sequence[str] | None = None,
    characteristics: Sequence[Sequence[str]] = CHARACTERISTICS,
    extra: str = "",
    end: str = "!series_matrix_table_end\n",
) -> str:
    """A series matrix; ids are quoted, numbers are not, as in GEO's own files."""
    table = "".join("\t".join((f'"{row[0]}"', *row[1:])) + "\n" for row in rows)
    return (
        '!Series_title\t"Synovial tissue"\n'
        '!Series_geo_accession\t"GSE1"\n'
        '!Series_summary\t"First part."\n'
        '!Series_summary\t"Second part."\n'
        '!Series_platform_id\t"GPL96"\n'
        "\n"
        f"!Sample_title\t{quoted([f'patient {s}' for s in samples])}\n"
        f"!Sample_geo_accession\t{quoted(samples)}\n"
        + "".join(f"!Sample_characteristics_ch1\t{quoted(row)}\n" for row in characteristics)
        + extra
        + f"!Sample_platform_id\t{quoted(['GPL96'] * len(samples))}\n"
        + "!series_matrix_table_begin\n"
        + quoted(["ID_REF", *(samples if columns is None else columns)])
        + "\n"
        + table
        + end
    )


PLATFORM_TABLE = (
    "ID\tGB_ACC\tGene Symbol\tID\n"
    '1007_s_at\tU48705\tDDR1 /// MIR4640\t"quoted\n'
    "1053_at\tM87338\tRFC2 ! not # a comment\t\n"
    "#odd\t\tRFC4\tx\n"
    "!also odd\t\tRFC5\tx\n"
)

SAMPLE_TABLE = "ID_REF\tVALUE\tABS_CALL\n{}!sample_table_end\n"


def platform_text(accession: str = "GPL96", table: str = PLATFORM_TABLE) -> str:
    return (
        f"^PLATFORM = {accession}\n"
        f"!Platform_title = Array {accession}\n"
        f"!Platform_geo_accession = {accession}\n"
        "!Platform_organism = Homo sapiens\n"
        "#ID = probe set\n"
        f"!platform_table_begin\n{table}!platform_table_end\n"
    )


def sample_text(
    accession: str,
    platform: str = "GPL96",
    rows: Sequence[Sequence[str]] = (("1007_s_at", "5.5", "P"), ("1053_at", "6.5", "A")),
    description: Sequence[str] = ("Age = 70; Gender = Female",),
) -> str:
    table = "".join("\t".join(row) + "\n" for row in rows)
    return (
        f"^SAMPLE = {accession}\n"
        f"!Sample_title = kidney {accession}\n"
        f"!Sample_geo_accession = {accession}\n"
        + "".join(f"!Sample_description = {line}\n" for line in description)
        + f"!Sample_platform_id = {platform}\n"
        + "#VALUE = signal\n!sample_table_begin\nID_REF\tVALUE\tABS_CALL\n"
        + table
        + "!sample_table_end\n"
    )


SERIES_ENTITY = (
    "^DATABASE = GeoMiame\n!Database_name = Gene Expression Omnibus (GEO)\n"
    "^SERIES = GSE2\n!Series_title = Kidney\n!Series_geo_accession = GSE2\n"
    "!Series_summary = One.\n!Series_summary = Two.\n"
)


def family_text() -> str:
    return (
        SERIES_ENTITY
        + platform_text()
        + platform_text("GPL97", "ID\tGene Symbol\n200_at\tA2M\n")
        + sample_text("GSM1")
        + sample_text("GSM2", "GPL97", [("200_at", "1.5", "P")])
        + sample_text("GSM3", rows=[("1053_at", "null", "P"), ("117_at", "8", "P")])
    )


def write(path: Path, content: str | bytes, *, gz: bool = False) -> Path:
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data, 1) if gz else data)
    return path


def read_in_blocks(monkeypatch, size, largest=None):
    """Make the readers meet a seam between pieces and between blocks every `size` bytes."""
    monkeypatch.setattr(unpacking, "CHUNK", size)
    monkeypatch.setattr("genotex.formats.lines.FIRST_BLOCK", size)
    monkeypatch.setattr("genotex.formats.lines.LARGEST_BLOCK", largest or size)
