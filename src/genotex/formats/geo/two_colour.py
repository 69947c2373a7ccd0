"""Scans of two-colour arrays: GenePix results (GPR) and Agilent Feature Extraction text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.errors import FormatError
from genotex.formats.geo.soft import rows_below
from genotex.formats.lines import LineReader
from genotex.outside import FETCH_AGAIN

_MOST_HEADER_LINES = 2000
_GENEPIX = {
    "id": ("ID",),
    "red": ("F635 Mean", "F635 Median"),
    "green": ("F532 Mean", "F532 Median"),
    "red_background": ("B635 Median", "B635 Mean", "B635"),
    "green_background": ("B532 Median", "B532 Mean", "B532"),
}
_AGILENT = {
    "id": ("ProbeName",),
    "red": ("rMeanSignal", "rMedianSignal"),
    "green": ("gMeanSignal", "gMedianSignal"),
    "red_background": ("rBGMedianSignal", "rBGMeanSignal"),
    "green_background": ("gBGMedianSignal", "gBGMeanSignal"),
}


@dataclass(frozen=True, eq=False)
class TwoColourScan:
    """One array: foreground and local background of both channels, by spot."""

    ids: tuple[str, ...]
    """Probe of each spot; several spots may hold one probe."""
    # Shape (spots,); red is Cy5 (635 nm), green Cy3 (532 nm)
    red: NDArray[np.float64]
    green: NDArray[np.float64]
    red_background: NDArray[np.float64]
    green_background: NDArray[np.float64]


def read_two_colour(path: Path) -> TwoColourScan:
    """Read a GenePix or Agilent file, as limma's ``read.maimages`` reads it.

    Foreground is the mean, background the median of the pixels. Spots without a probe are left
    out. Raises FormatError if the file is neither, or has one colour alone.
    """
    with LineReader(path) as reader:
        for _ in range(_MOST_HEADER_LINES):
            text = reader.next_line()
            if text is None:
                break
            cells = [cell.strip().strip('"') for cell in text.split("\t")]
            if cells[0] == "FEATURES":
                return _scan(rows_below(reader, text, None), _AGILENT, path)
            if "ID" in cells and any(cell.startswith(("F635", "F532")) for cell in cells):
                return _scan(rows_below(reader, text.replace('"', ""), None), _GENEPIX, path)
    msg = "neither a GenePix result nor an Agilent Feature Extraction file"
    raise FormatError(msg, path=path, hint="give .gpr files, or Agilent text with FEATURES rows")


def _scan(table: pl.DataFrame, columns: dict[str, tuple[str, ...]], path: Path) -> TwoColourScan:
    found = {
        what: next((name for name in names if name in table.columns), None)
        for what, names in columns.items()
    }
    missing = [names[0] for what, names in columns.items() if found[what] is None]
    if missing:
        msg = f"no column {', '.join(missing)}: not a two-colour array"
        raise FormatError(msg, path=path)
    table = table.select(pl.col(name).alias(what) for what, name in found.items() if name)
    table = table.with_columns(pl.all().str.strip_chars('" ')).drop_nulls("id")
    table = table.filter(~pl.col("id").is_in(["", "*", "-", "empty", "EMPTY", "Empty", "BLANK"]))
    numbers = table.drop("id").cast(pl.Float64, strict=False)
    if table.is_empty() or numbers["red"].null_count() > 0.5 * table.height:
        msg = "its spots have no numbers"
        raise FormatError(msg, path=path, hint=FETCH_AGAIN)
    values = {name: numbers[name].fill_null(float("nan")).to_numpy() for name in numbers.columns}
    return TwoColourScan(tuple(table["id"].to_list()), **values)
