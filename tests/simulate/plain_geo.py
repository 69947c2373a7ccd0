"""Reads the simulated files in a few lines of plain Python, apart from the package's readers."""

import csv
import gzip
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


@dataclass
class PlainMatrix:
    series: dict[str, list[str]] = field(default_factory=dict)
    sample: dict[str, list[list[str]]] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    samples: list[str] = field(default_factory=list)
    values: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))


def number(cell: str) -> float:
    return float(cell) if cell else float("nan")


def read_matrix(path: Path) -> PlainMatrix:
    out = PlainMatrix()
    rows = []
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        for row in csv.reader(lines, delimiter="\t"):
            if row and row[0].startswith("!Series_"):
                out.series.setdefault(row[0][8:], []).append(row[1])
            elif row and row[0].startswith("!Sample_"):
                out.sample.setdefault(row[0][8:], []).append(row[1:])
            elif row and not row[0].startswith("!"):
                rows.append(row)
    out.samples = rows[0][1:]
    out.ids = [row[0] for row in rows[1:]]
    out.values = np.array([[number(cell) for cell in row[1:]] for row in rows[1:]])
    return out


def read_soft_sections(path: Path) -> list[tuple[str, str, list[str], list[list[str]]]]:
    """Return kind, name, attribute lines and table rows of every section."""
    sections: list[tuple[str, str, list[str], list[list[str]]]] = []
    inside = False
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        for line in lines:
            text = line.rstrip("\n")
            if text.startswith("^"):
                kind, name = text[1:].split(" = ")
                sections.append((kind, name, [], []))
            elif text.endswith("_table_begin"):
                inside = True
            elif text.endswith("_table_end"):
                inside = False
            elif inside:
                sections[-1][3].append(text.split("\t"))
            else:
                sections[-1][2].append(text)
    return sections


def geo_path(folder: Path, trait: str, accession: str, kind: str) -> Path:
    endings = {"matrix": "series_matrix.txt.gz", "soft": "family.soft.gz"}
    return folder / "GEO" / trait / accession / f"{accession}_{endings[kind]}"


def by_key(cells: list[str]) -> dict[str, str]:
    """Return one sample's characteristics by their keys."""
    return dict(cell.split(": ", 1) for cell in cells if cell)
