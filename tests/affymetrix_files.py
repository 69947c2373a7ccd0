"""Files of Affymetrix arrays: CEL version 4 and of Command Console, CDF as text."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np

CHIP = "Made-Chip"


def cel(values: np.ndarray, columns: int, chip: str = CHIP) -> bytes:
    """CEL version 4 of the intensities of all cells, row by row."""
    rows = len(values) // columns
    header = f"Cols={columns}\nRows={rows}\nDatHeader=made  \x14 {chip}.1sq \x14\n".encode()
    cells = np.zeros(len(values), dtype=[("mean", "<f4"), ("sd", "<f4"), ("pixels", "<i2")])
    cells["mean"] = values
    parts = [struct.pack("<5i", 64, 4, columns, rows, len(values)), _stated(header)]
    parts += [_stated(b"Percentile"), _stated(b""), struct.pack("<iIIi", 2, 0, 0, 0)]
    return b"".join(parts) + cells.tobytes()


def console_cel(values: np.ndarray, columns: int, chip: str = CHIP) -> bytes:
    """CEL of Command Console, with one data set of intensities."""
    rows = len(values) // columns
    integer, text = "text/x-calvin-integer-32", "text/plain"
    facts = [
        ("affymetrix-array-type", chip.encode("utf-16-be"), text),
        ("affymetrix-cel-cols", struct.pack(">i", columns), integer),
        ("affymetrix-cel-rows", struct.pack(">i", rows), integer),
    ]
    head = _stated(b"affymetrix-calvin-intensity", ">") + _stated(b"made", ">")
    head += _wide("2026-01-01T00:00:00Z") + _wide("en-US") + struct.pack(">i", len(facts))
    head += b"".join(_wide(n) + _stated(value, ">") + _wide(kind) for n, value, kind in facts)
    head += struct.pack(">i", 0)
    group = 10 + len(head)
    name = _wide("Default Group")
    data_set = group + 12 + len(name)
    columns_ = _wide("Intensity") + struct.pack(">iI", 0, 1)
    columns_ += _wide("Intensity") + struct.pack(">bi", 6, 4) + struct.pack(">I", len(values))
    first = data_set + 8 + len(columns_)
    end = first + 4 * len(values)
    start = struct.pack(">BBiI", 59, 1, 1, group) + head
    start += struct.pack(">IIi", 0, data_set, 1) + name + struct.pack(">II", first, end) + columns_
    return start + np.asarray(values, dtype=">f4").tobytes()


def cdf(
    probe_sets: Sequence[str], cells: Sequence[Sequence[int]], columns: int, rows: int
) -> bytes:
    """CDF as text: the places of the perfect matches of each probe set; each has a mismatch."""
    parts = ["[CDF]\nVersion=GC3.0\n", f"[Chip]\nName={CHIP}\nRows={rows}\nCols={columns}\n"]
    for i, (name, places) in enumerate(zip(probe_sets, cells, strict=True), 1):
        parts.append(f"[Unit{i}]\nName=NONE\nNumberBlocks=1\n")
        lines = [f"[Unit{i}_Block1]", f"Name={name}", "CellHeader=X\tY\tPROBE\tPBASE\tTBASE"]
        for j, place in enumerate(places):
            x, y = place % columns, place // columns
            lines += [f"Cell{2 * j + 1}={x}\t{y}\tN\tA\tT", f"Cell{2 * j + 2}={x}\t{y}\tN\tT\tT"]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts).encode()


def library(
    clusters: Sequence[str], cells: Sequence[Sequence[int]], columns: int, rows: int
) -> dict[str, bytes]:
    """PGF, CLF and MPS of a gene array by ending: each cluster has probe sets of four probes."""
    pgf = ["#%header0=probeset_id\ttype", "#%header1=\tatom_id", "#%header2=\t\tprobe_id\ttype"]
    mps = ["probeset_id\ttranscript_cluster_id\tprobeset_list\tprobe_count"]
    sets = 0
    for name, places in zip(clusters, cells, strict=True):
        first = sets + 1
        for at in range(0, len(places), 4):
            sets += 1
            pgf.append(f"{sets}\tmain")
            pgf += [f"\t{place}\n\t\t{place + 1}\tpm:st" for place in places[at : at + 4]]
        listed = " ".join(map(str, range(first, sets + 1)))
        mps.append(f"{name}\t{name}\t{listed}\t{len(places)}")
    clf = [f"#%chip_type={CHIP}", f"#%rows={rows}", f"#%cols={columns}", "#%header0=probe_id\tx\ty"]
    clf += [f"{i + 1}\t{i % columns}\t{i // columns}" for i in range(columns * rows)]
    texts = {"pgf": pgf, "clf": clf, "mps": mps}
    return {end: "".join(f"{line}\n" for line in lines).encode() for end, lines in texts.items()}


def _stated(data: bytes, order: str = "<") -> bytes:
    return struct.pack(f"{order}i", len(data)) + data


def _wide(text: str) -> bytes:
    return struct.pack(">i", len(text)) + text.encode("utf-16-be")
