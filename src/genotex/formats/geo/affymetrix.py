"""Scans (CEL) and layouts (CDF, or PGF, CLF and MPS) of Affymetrix arrays."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.arrays import Floats, Rows
from genotex.errors import FormatError, NotDataError, TruncatedFileError
from genotex.outside import FETCH_AGAIN, Gauge, StoredFile, parse_rows, unpack

_CHIP = re.compile(r"([^\s\x14]+)\.1sq")
_FIELD = re.compile(r"^(\w+)[ \t]*=[ \t]*([^\r\n]*)", re.MULTILINE)
_XDA_CEL, _XDA_CDF, _CONSOLE = b"\x40\0\0\0", b"\x43\0\0\0", b"\x3b\x01"
_PAIRS = (b"AT", b"TA", b"CG", b"GC")
_CELL = np.dtype([("mean", "<f4"), ("sd", "<f4"), ("pixels", "<i2")])
_PROBE = np.dtype("<i4, <u2, <u2, <i4, u1, u1")
_PROBE.names = ("atom", "x", "y", "index", "probe", "target")
_CELLS_AS_TEXT: dict[str, Any] = {
    "separator": "\t",
    "has_header": False,
    "infer_schema": False,
    "truncate_ragged_lines": True,
    "raise_if_empty": False,
}
_FACT = re.compile(r"^#%([\w-]+)=(.*)$", re.MULTILINE)
_CAPITAL = 0xDF
"""The bits of a small letter that its capital has as well."""


@dataclass(frozen=True, eq=False)
class ArrayScan:
    """The intensities of one array."""

    chip: str
    """Its kind, such as HG-U133_Plus_2; empty where the file does not state it."""
    columns: int
    rows: int
    intensities: Floats
    """Shape (columns * rows,): cell x, y is at y * columns + x."""


@dataclass(frozen=True, eq=False)
class ChipLayout:
    """The probe sets of a chip."""

    chip: str
    """Its name; that of the file where it states none."""
    columns: int
    rows: int
    probe_sets: tuple[str, ...]
    sizes: Rows
    """Number of perfect-match cells of each probe set, shape (probe sets,)."""
    cells: Rows
    """The places of these cells, probe set after probe set."""


def read_cel(stored: StoredFile) -> ArrayScan:
    """Read a CEL file: version 3 (text), version 4 (XDA) or Command Console.

    Raises FormatError if it is none of them, ends too early, or has cells without a number.
    """
    data = _whole(stored)
    if data.startswith(_XDA_CEL):
        scan = _read_xda_cel(_Binary(data, stored, "<"))
    elif data.startswith(_CONSOLE):
        scan = _read_console(_Binary(data, stored, ">"))
    elif data.lstrip().startswith(b"[CEL]"):
        scan = _read_text_cel(data, stored)
    else:
        msg = "is not a CEL file of version 3, version 4 or Command Console"
        raise NotDataError(msg, path=stored.place, hint=FETCH_AGAIN)
    if not (np.isfinite(scan.intensities).all() and (scan.intensities >= 0).all()):
        msg = "has cells whose intensity is not a number of 0 or more"
        raise FormatError(msg, path=stored.place, hint=FETCH_AGAIN)
    return scan


def read_cdf(stored: StoredFile) -> ChipLayout:
    """Read a CDF, as text or XDA: the cells that match perfectly, by probe set.

    Raises FormatError if it is neither, ends too early, or has no perfect-match cells.
    """
    data = _whole(stored)
    name = re.sub(r"(?i)\.cdf(\.gz)?$", "", stored.name)
    if data.startswith(_XDA_CDF):
        binary = _Binary(data, stored, "<")
        columns, rows, blocks = *_xda_size(binary), _xda_blocks(binary)
    elif data.lstrip().startswith(b"[CDF]"):
        text = data.decode("latin-1")
        head = text.partition("[Unit")[0]
        name = dict(_FIELD.findall(head)).get("Name", "").strip() or name
        columns, rows = _stated_size(head, stored)
        blocks = _text_blocks(text, stored)
    else:
        msg = "is not a CDF, as text or in Affymetrix's binary form (XDA)"
        raise NotDataError(msg, path=stored.place, hint=FETCH_AGAIN)
    names, sizes, cells = list[str](), list[int](), list[Rows]()
    for block, x, y, matches in blocks:
        if len(x) and (x.max() >= columns or y.max() >= rows or min(x.min(), y.min()) < 0):
            msg = f"probe set {block!r} has cells outside its {columns} x {rows}"
            raise FormatError(msg, path=stored.place, hint=FETCH_AGAIN)
        if matches.any():
            names.append(block)
            sizes.append(int(matches.sum()))
            cells.append((y[matches] * columns + x[matches]).astype(np.intp))
    if not names:
        msg = "has no perfect-match cells"
        raise FormatError(msg, path=stored.place)
    if len(set(names)) < len(names):
        msg = "has several probe sets of one name"
        raise FormatError(msg, path=stored.place)
    sizes_ = np.array(sizes, dtype=np.intp)
    return ChipLayout(name, columns, rows, tuple(names), sizes_, np.concatenate(cells))


def read_library(pgf: StoredFile, clf: StoredFile, mps: StoredFile) -> ChipLayout:
    """Read the layout of a gene or exon array: the perfect matches of its transcript clusters.

    `pgf`: the probes of each probe set. `clf`: the places of probes. `mps`: the probe sets of each
    transcript cluster. Raises FormatError if one is another file, or they are of different chips.
    """
    facts, place = _library(clf, 0, ("probe_id", "x", "y"))
    columns, rows = (
        int(size) if (size := facts.get(side, "")).isdecimal() else 0 for side in ("cols", "rows")
    )
    place = place.with_columns(pl.all().cast(pl.Int64, strict=False))
    inside = pl.col("x").is_between(0, columns - 1) & pl.col("y").is_between(0, rows - 1)
    place = place.filter(inside).with_columns(cell=pl.col("y") * columns + pl.col("x"))
    _, lines = _library(pgf, 2, ("probe_id", "type"))
    is_probe = pl.col("c0").is_null() & pl.col("c1").is_null()
    probes = lines.with_columns(probe_set=pl.col("c0").forward_fill()).filter(
        is_probe, pl.col("type").str.starts_with("pm")
    )
    probes = probes.select("probe_set", pl.col("probe_id").cast(pl.Int64, strict=False))
    _, clusters = _library(mps, 0, ("probeset_id", "probeset_list"))
    members = clusters.with_columns(probe_set=pl.col("probeset_list").str.split(" ")).explode(
        "probe_set"
    )
    cells = members.join(probes, on="probe_set", maintain_order="left")
    cells = cells.unique(["probeset_id", "probe_id"], keep="first", maintain_order=True)
    found = cells.join(place, on="probe_id", how="left", maintain_order="left")
    others = members.join(lines, left_on="probe_set", right_on="c0", how="anti")
    if found.is_empty() or found["cell"].null_count() or not others.is_empty():
        msg = f"has other probe sets than {mps.name}, or other probes than {clf.name}"
        raise FormatError(msg, path=pgf.place, hint="give the files of one chip and version")
    sizes = found.group_by("probeset_id", maintain_order=True).len()
    matches = found["cell"].to_numpy().astype(np.intp)
    name = facts.get("chip_type", "")
    names, counts = tuple(sizes["probeset_id"]), sizes["len"].to_numpy().astype(np.intp)
    return ChipLayout(name, columns, rows, names, counts, matches)


def _library(
    stored: StoredFile, level: int, wanted: Sequence[str]
) -> tuple[dict[str, str], pl.DataFrame]:
    """Return the facts above a table of a library file, its first two and the wanted columns.

    `level`: of the header that names the columns; lines of a level begin with so many tabs.
    """
    data, at = _whole(stored).replace(b"\r", b""), 0
    if not data.endswith(b"\n"):
        _cut(stored)
    while data.startswith(b"#", at):
        at = data.find(b"\n", at) + 1 or len(data)
    facts = dict(_FACT.findall(data[:at].decode("latin-1")))
    header = facts.get(f"header{level}")
    if header is None:
        end = data.find(b"\n", at)
        header, at = data[at:end].decode("latin-1"), end + 1
    titles = header.split("\t")
    if missing := [title for title in wanted if title not in titles]:
        msg = f"has no column {missing[0]}: not a {Path(stored.name).suffix[1:].upper()} file"
        raise NotDataError(msg, path=stored.place, hint=FETCH_AGAIN)
    names = [f"c{i}" for i in range(max(2, len(titles)))]
    # Readers take the width from the first line.
    padded = b"\t" * (len(names) - 1) + b"\n" + data[at:]
    try:
        schema = dict.fromkeys(names, pl.String)
        taken = sorted({0, 1, *map(titles.index, wanted)})
        rows = parse_rows(padded, schema, columns=taken, lossy=True)[1:]
    except pl.exceptions.PolarsError:
        _cut(stored)
    picked = {title: pl.col(f"c{titles.index(title)}") for title in wanted}
    return facts, rows.select(pl.col("c0"), pl.col("c1"), **picked)


def _whole(stored: StoredFile) -> bytes:
    with stored.open() as handle:
        return b"".join(unpack(handle, stored.place, Gauge(stored.size, stored.place)))


def _cut(stored: StoredFile) -> NoReturn:
    msg = "ends too early, or its parts are not where it states"
    raise TruncatedFileError(msg, path=stored.place, hint=FETCH_AGAIN)


class _Binary:
    """Bytes that are read from front to back, or from a stated place."""

    def __init__(self, data: bytes, stored: StoredFile, order: str) -> None:
        self.data, self.stored, self.order, self.at = data, stored, order, 0

    def take(self, form: str) -> tuple[int, ...]:
        """Return numbers in the form of `struct`."""
        form = self.order + form
        self._need(struct.calcsize(form))
        found = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return found

    def piece(self, count: int) -> bytes:
        """Return so many bytes."""
        self._need(count)
        self.at += count
        return self.data[self.at - count : self.at]

    def stated(self, unit: int = 1) -> bytes:
        """Return bytes after their number; `unit` is the size of a letter."""
        return self.piece(self.take("i")[0] * unit)

    def array(self, kind: np.dtype[Any] | str, count: int) -> NDArray[Any]:
        """Return numbers of one kind."""
        kind = np.dtype(kind)
        self._need(count * kind.itemsize)
        found = np.frombuffer(self.data, kind, count, self.at)
        self.at += count * kind.itemsize
        return found

    def _need(self, count: int) -> None:
        if count < 0 or self.at < 0 or self.at + count > len(self.data):
            _cut(self.stored)


def _read_xda_cel(binary: _Binary) -> ArrayScan:
    _, version, columns, rows, cells = binary.take("5i")
    header = binary.stated().decode("latin-1")
    binary.stated(), binary.stated()  # the algorithm and its parameters
    binary.take("iIIi")
    if version != 4 or columns < 1 or rows < 1 or cells != columns * rows:
        _cut(binary.stored)
    return ArrayScan(_chip(header), columns, rows, binary.array(_CELL, cells)["mean"].astype(float))


def _read_console(binary: _Binary) -> ArrayScan:
    """Read the first data set, of intensities, of the first group."""
    binary.take("BBi")
    (group,) = binary.take("I")
    binary.stated(), binary.stated(), binary.stated(2), binary.stated(2)
    facts: dict[str, bytes] = {}
    for _ in range(binary.take("i")[0]):
        name = binary.stated(2).decode("utf-16-be", "replace")
        facts[name.removeprefix("affymetrix-")] = binary.stated()
        binary.stated(2)
    binary.at = group
    _, data_set, _ = binary.take("IIi")
    binary.at = data_set
    first, _ = binary.take("II")
    name = binary.stated(2).decode("utf-16-be", "replace")
    sizes = [int.from_bytes(facts.get(f"cel-{side}", b"")[:4], "big") for side in ("cols", "rows")]
    if name != "Intensity" or min(sizes) < 1:
        msg = "is a file of Command Console without intensities of cells"
        raise FormatError(msg, path=binary.stored.place)
    binary.at = first
    chip = facts.get("array-type", b"").decode("utf-16-be", "replace").strip("\0 ")
    values = binary.array(">f4", sizes[0] * sizes[1]).astype(float)
    return ArrayScan(chip, sizes[0], sizes[1], values)


def _read_text_cel(data: bytes, stored: StoredFile) -> ArrayScan:
    head, mark, rest = data.partition(b"[INTENSITY]")
    header = head.decode("latin-1")
    columns, rows = _stated_size(header, stored)
    titles = rest.find(b"CellHeader=")
    start, end = rest.find(b"\n", titles) + 1, rest.find(b"[", max(titles, 0))
    if not mark or titles < 0 or not start:
        _cut(stored)
    content = rest[start : end if end >= 0 else len(rest)].replace(b"\r", b"")
    table = pl.read_csv(content, columns=[0, 1, 2], **_CELLS_AS_TEXT).drop_nulls()
    if table.width < 3 or table.height != columns * rows:
        _cut(stored)
    x, y, mean = (
        table.to_series(i).str.strip_chars().cast(pl.Float64, strict=False).fill_null(np.nan)
        for i in range(3)
    )
    values = np.full(columns * rows, np.nan)
    place = (y * columns + x).to_numpy()
    known = (x < columns).to_numpy() & (y < rows).to_numpy() & (place >= 0)
    values[place[known].astype(np.intp)] = mean.to_numpy()[known]
    return ArrayScan(_chip(header), columns, rows, values)


def _chip(header: str) -> str:
    found = _CHIP.search(header)
    return found[1] if found else ""


def _stated_size(header: str, stored: StoredFile) -> tuple[int, int]:
    """Return columns and rows as a header in text states them."""
    stated = dict(_FIELD.findall(header))
    sizes = [stated.get(name, "").strip() for name in ("Cols", "Rows")]
    if not all(size.isascii() and size.isdigit() and 0 < int(size) < 1 << 16 for size in sizes):
        msg = "does not state its numbers of columns and rows"
        raise FormatError(msg, path=stored.place, hint=FETCH_AGAIN)
    return int(sizes[0]), int(sizes[1])


_Block = tuple[str, Rows, Rows, NDArray[np.bool_]]


def _xda_size(binary: _Binary) -> tuple[int, int]:
    _, version, columns, rows = binary.take("iiHH")
    if version != 1:
        msg = f"is a binary CDF of version {version}; version 1 is read"
        raise FormatError(msg, path=binary.stored.place, hint="give the CDF as text")
    return columns, rows


def _xda_blocks(binary: _Binary) -> Iterator[_Block]:
    """Give each probe set's name, the x and y of its cells, and which match perfectly."""
    units, controls = binary.take("ii")
    binary.stated()
    binary.piece(64 * units)
    binary.array("<i4", controls)
    for start in binary.array("<i4", units).tolist():
        binary.at = start
        blocks = binary.take("HBiiiiB")[3]
        for _ in range(blocks):
            _, count, *_ = binary.take("iiBBii")
            name = binary.piece(64).partition(b"\0")[0].decode("latin-1")
            cells = binary.array(_PROBE, count)
            pairs = ((cells["probe"] & _CAPITAL).astype("u2") << 8) | (cells["target"] & _CAPITAL)
            matches = np.isin(pairs, [int.from_bytes(pair, "big") for pair in _PAIRS])
            yield name, cells["x"].astype(np.intp), cells["y"].astype(np.intp), matches


def _text_blocks(text: str, stored: StoredFile) -> Iterator[_Block]:
    for part in re.split(r"^\[(?=Unit\d+_Block\d+\])", text, flags=re.MULTILINE)[1:]:
        block = part.partition("\n[")[0]
        fields = _FIELD.findall(block)
        stated = dict(fields[:12])
        titles = stated.get("CellHeader", "").split("\t")
        try:
            places = [titles.index(title) for title in ("X", "Y", "PBASE", "TBASE")]
            rows = [cells.split("\t") for name, cells in fields if re.match(r"Cell\d", name)]
            cells = [[row[place] for place in places] for row in rows]
            where = np.array([[int(x), int(y)] for x, y, *_ in cells], dtype=np.intp).reshape(-1, 2)
        except (ValueError, IndexError, OverflowError):
            _cut(stored)
        pairs = [
            (probe + target).upper().encode("latin-1", "replace") for *_, probe, target in cells
        ]
        matches = np.array([pair in _PAIRS for pair in pairs], dtype=bool)
        yield stated.get("Name", "").strip(), where[:, 0], where[:, 1], matches
