"""Tab-separated lines made regular: every one with the same number of cells, none blank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from genotex.errors import FormatError
from genotex.formats.text.lines import Block
from genotex.formats.text.raw import decode
from genotex.outside import current_limits

MISSING_WORDS = (
    "", "NA", "na", "Na", "null", "Null", "NULL", "NaN", "nan", "N/A", "n/a", "n.a.", "N.A.",
    "-", "--", "#N/A",
)  # fmt: skip
"""Common spellings of a missing measurement in GEO and Xena tables."""

_LINE_FEED = 0x0A
_MOST_LINES_OF_A_CELL = 100


@dataclass(frozen=True)
class RegularRows:
    """Lines with exactly as many cells as there are columns."""

    data: bytes  # the lines, each ended by a line feed
    first_line: int  # number of the first line in the file
    starts: NDArray[np.int64]  # where each line starts in `data`
    first_tabs: NDArray[np.int64]  # where the first cell of each line ends
    numbers: Sequence[int] | None = None
    padded: Sequence[int] = ()  # numbers of the lines that had too few cells

    def line_number(self, row: int) -> int:
        """Return the line number of a row."""
        return self.numbers[row] if self.numbers is not None else self.first_line + row


def regular_rows(
    block: Block, width: int, path: Path, *, surplus: Literal["refuse", "drop"]
) -> RegularRows:
    """Return the lines of a block with `width` cells each, blank lines left out.

    `block`: Whole lines. `width`: number of columns. `surplus`: what to do with filled cells after
    the last column; empty ones are always dropped.
    """
    found = _index_rows(block.data, width)
    if found is not None:
        return RegularRows(block.data, block.first_line, *found)
    lines, numbers, padded = [], [], []
    found_lines = block.data[:-1].split(b"\n")
    filled = sum(map(bool, found_lines))
    current_limits().check_padding(filled * width, filled + block.data.count(b"\t"), path)
    if surplus == "refuse" and b'"' in block.data:
        _join_quoted(found_lines, width)
    for number, line in enumerate(found_lines, block.first_line):
        if not line.strip():
            continue
        missing = width - 1 - line.count(b"\t")
        if missing > 0:
            line += b"\t" * missing
            padded.append(number)
        elif missing < 0:
            line = _cut(line, width, surplus, path, number)
            if not line:
                continue
        lines.append(line)
        numbers.append(number)
    data = b"\n".join(lines) + b"\n" if lines else b""
    again = _index_rows(data, width)
    assert again is not None
    return RegularRows(data, block.first_line, *again, numbers, padded)


def _ends_in_quotes(line: bytes) -> bool:
    """Return whether the last cell of a line opens a quote that it does not close."""
    cell = line[line.rfind(b"\t") + 1 :]
    return cell[:1] == b'"' and cell.count(b'"') % 2 == 1


def _join_quoted(lines: list[bytes], width: int) -> None:
    """Join the lines of a quoted cell in place, with a space for each line end."""
    # Only if they have `width` cells together: a lone quote is part of its cell. Joined lines are
    # left empty, so that the others keep their numbers.
    for i, line in enumerate(lines):
        if line.count(b"\t") >= width - 1 or not _ends_in_quotes(line):
            continue
        joined = line
        for j in range(i + 1, min(i + 1 + _MOST_LINES_OF_A_CELL, len(lines))):
            joined += b" " + lines[j]
            if (tabs := joined.count(b"\t")) >= width - 1 or b'"' in lines[j]:
                if tabs == width - 1 and joined.count(b'"') % 2 == 0:
                    lines[i : j + 1] = [joined, *[b""] * (j - i)]
                break


def _cut(line: bytes, width: int, surplus: str, path: Path, number: int) -> bytes:
    cells = line.split(b"\t")
    if surplus == "refuse" and any(cell.strip() for cell in cells[width:]):
        msg = f"{len(cells)} cells in a table of {width} columns"
        hint = "fetch the file again, or correct the line by hand"
        raise FormatError(msg, path=path, line=number, hint=hint)
    return b"\t".join(cells[:width])


def _index_rows(
    data: bytes, width: int, separator: Literal["\t", ","] = "\t"
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return where lines start and their first cells end, None if they are not all `width` wide."""
    array = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(array == _LINE_FEED)
    starts = np.empty_like(ends)
    starts[:1] = 0
    starts[1:] = ends[:-1] + 1
    if width < 2:
        regular = not (array == ord(separator)).any() and bool((ends > starts).all())
        return (starts, ends) if regular else None
    tabs = np.flatnonzero(array == ord(separator))
    if tabs.size != ends.size * (width - 1):
        return None
    grid = tabs.reshape(ends.size, width - 1)
    if not ((grid[:, 0] >= starts) & (grid[:, -1] < ends)).all():
        return None
    return starts, grid[:, 0].copy()


def first_cells(rows: RegularRows) -> list[str]:
    """Return the first cell of every row as text, surrounding quotes taken off."""
    data = rows.data
    spans = zip(rows.starts.tolist(), rows.first_tabs.tolist(), strict=True)
    joined = b"\n".join([data[start:end] for start, end in spans])
    if not len(rows.starts):
        return []
    try:
        text = joined.decode()
        # As GEO writes them: every cell in quotes, and no quote inside any.
        quoted = text.count('"\n"') + 1 == len(rows.starts) and text[:1] == text[-1:] == '"'
        if quoted and text.count('"') == 2 * len(rows.starts):
            return text[1:-1].split('"\n"')
        cells = text.split("\n")
    except UnicodeDecodeError:
        cells = [decode(cell) for cell in joined.split(b"\n")]
    return [unquote(cell) for cell in cells] if b'"' in joined else cells


def unquote(cell: str) -> str:
    """Return a cell without the quotes around it; a lone quote is part of the name."""
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    return cell


def unique_names(names: Sequence[str]) -> list[str]:
    """Return names that differ: a repeated one gets ``_duplicated_1`` and so on."""
    taken = set(names)
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        new = name
        if name in seen:
            count = seen[name] + 1
            while (new := f"{name}_duplicated_{count}") in seen or new in taken:
                count += 1
            seen[name] = count
        seen[new] = 0
        unique.append(new)
    return unique


def first_repeated(names: Sequence[str]) -> str | None:
    """Return the first repeated name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
