"""Limits for everything read from outside: one frozen object that all readers share."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from genotex.errors import FileLimitError, UsageError

VARIABLE = "GENOTEX_LIMITS"
"""Environment variable that raises or lowers limits: ``unpacked=16GiB,cells=2e9``."""

_MIB, _GIB = 1 << 20, 1 << 30
_UNITS = {"": 1} | {
    f"{letter}{end}": base ** (power + 1)
    for power, letter in enumerate("kmgt")
    for end, base in (("", 1024), ("ib", 1024), ("b", 1000))
}
_VALUE = re.compile(r"(\d+(?:\.\d+)?(?:e\+?\d+)?)\s*([kmgt]i?b?)?b?", re.IGNORECASE)
_MOST = 1 << 62
_CELL_BYTES = 8
_MAY_BE_NONE = ("kept",)


def _limit(default: int, what: str, *, is_size: bool = False) -> Any:
    return field(default=default, metadata={"what": what, "bytes": is_size})


@dataclass(frozen=True)
class Limits:
    """What a file from outside may have; the comment of each field is its documentation.

    Nothing inside a file changes a limit. The user of this process can, by the environment variable
    `VARIABLE` (see `current_limits`); somebody who uploads to a workbench cannot (`for_uploads`).
    """

    unpacked: int = _limit(8 * _GIB, "bytes of a file when unpacked", is_size=True)
    ratio: int = _limit(400, "times the packed size, of a file that unpacks to more than 'free'")
    free: int = _limit(64 * _MIB, "bytes that may be unpacked at any ratio", is_size=True)
    memory: int = _limit(8 * _GIB, "bytes of memory that a table may need", is_size=True)
    cells: int = _limit(500_000_000, "cells of a table: rows times columns")
    samples_x_genes: int = _limit(200_000_000, "values of AnnData; more look like single cells")
    rows: int = _limit(3_000_000, "rows of a table of expression or of samples")
    columns: int = _limit(250_000, "columns of a table")
    padding: int = _limit(20, "cells of a table for each one that is written in the file")
    workbook: int = _limit(50_000_000, "cells of a workbook or a sample sheet")
    values: int = _limit(10_000_000, "values of a JSON file, cells above the table of a series")
    text: int = _limit(4_000_000, "characters of one text of a JSON file")
    depth: int = _limit(100, "levels of nesting in JSON, TOML and HDF5 files")
    objects: int = _limit(100_000, "objects in an HDF5 file, members of a zip archive")
    line: int = _limit(256 * _MIB, "bytes of a line", is_size=True)
    document: int = _limit(64 * _MIB, "bytes of a JSON or TOML file", is_size=True)
    sheet: int = _limit(64 * _MIB, "bytes of a sample sheet when unpacked", is_size=True)
    gene_sets: int = _limit(256 * _MIB, "bytes of a file of gene sets when unpacked", is_size=True)
    upload: int = _limit(2 * _GIB, "bytes of an uploaded file when unpacked", is_size=True)
    download: int = _limit(20 * _GIB, "bytes of a file that is fetched", is_size=True)
    kept: int = _limit(
        2 * _GIB,
        "bytes of tables kept in the cache folder to be read faster; 0 for none",
        is_size=True,
    )
    uploaded: bool = False
    """Whether these are the limits of uploads, which no setting raises."""

    @classmethod
    def named(cls) -> dict[str, str]:
        """Return the limits that can be set, with what each counts."""
        return {each.name: each.metadata["what"] for each in fields(cls) if each.metadata}

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Limits:
        """Return the limits, with those that the environment sets."""
        set_to: dict[str, Any] = {**_parsed(environ.get(VARIABLE, ""), cls.named())}
        return cls(**set_to)

    def for_uploads(self) -> Limits:
        """Return the limits of uploaded files: never above the defaults, whatever is set."""
        usual = Limits()
        lower = {name: min(getattr(self, name), getattr(usual, name)) for name in self.named()}
        lower["unpacked"] = min(lower["unpacked"], lower["upload"])
        return Limits(**lower, uploaded=True)

    def shown(self, name: str, value: int | None = None) -> str:
        """Return the value of a limit, or another one in its unit, as people write it."""
        found = getattr(self, name) if value is None else value
        return _size(found) if self._is_size(name) else f"{found:,}"

    def _is_size(self, name: str) -> bool:
        return any(each.name == name and each.metadata["bytes"] for each in fields(self))

    def refuse(self, name: str, what: str, path: Path | None, wanted: int) -> NoReturn:
        """Refuse a file.

        `name`: the limit. `what`: what the file has, as the predicate of a sentence: "has
        600,000,000 cells". `wanted`: a value of the limit with which the file may be read.
        """
        message = f"{what}; the limit {name!r} ({self.named()[name]}) is {self.shown(name)}"
        if self.uploaded:
            hint = "put the file in the folder yourself and use the commands, if you trust it"
        else:
            value = _size(_power_of_two(wanted)) if self._is_size(name) else _round(wanted)
            setting = f"{name}={value.replace(' ', '')}"
            hint = f"if you trust the file, raise the limit: {VARIABLE}={setting}"
        raise FileLimitError(message, path=path, hint=hint)

    def check(self, name: str, has: int, what: str, path: Path | None) -> None:
        """Refuse a file that has more than a limit allows; `what` as in `refuse`."""
        if has > getattr(self, name):
            self.refuse(name, what, path, has)

    def check_table(self, rows: int, columns: int, path: Path | None) -> None:
        """Refuse a table with too many rows, columns or cells."""
        self.check("rows", rows, f"has {rows:,} rows", path)
        self.check("columns", columns, f"has {columns:,} columns", path)
        what = f"has {rows:,} rows x {columns:,} columns, which are {rows * columns:,} cells"
        self.check("cells", rows * columns, what, path)

    def check_padding(self, cells: int, written: int, path: Path | None) -> None:
        """Refuse a table most of whose cells are not in the file, as where rows are cut short."""
        if cells * _CELL_BYTES > self.free and cells > self.padding * max(1, written):
            times = -(-cells // max(1, written))
            what = f"has {cells:,} cells, of which the file holds {written:,}"
            self.refuse("padding", what, path, times)


def _parsed(text: str, known: Mapping[str, str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for part in filter(None, map(str.strip, re.split(r"[,;]", text))):
        name, _, given = (each.strip() for each in part.partition("="))
        if name not in known:
            msg = f"{VARIABLE}: {name[:40]!r} is not a limit; there are {', '.join(known)}"
            raise UsageError(msg)
        if name in found:
            msg = f"{VARIABLE}: {name} is set twice"
            raise UsageError(msg)
        number = _VALUE.fullmatch(given)
        value = -1 if number is None else float(number[1]) * _UNITS[(number[2] or "").lower()]
        if not (name not in _MAY_BE_NONE) <= value <= _MOST:
            msg = f"{VARIABLE}: {name}={given[:40]} is not a number above 0, such as 2e9 or 16GiB"
            raise UsageError(msg)
        found[name] = int(value)
    return found


def _size(value: int) -> str:
    """Return bytes in the largest unit of which there is at least one."""
    for power, unit in ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        if value >= 1 << power:
            return f"{value / (1 << power):.1f}".removesuffix(".0") + f" {unit}"
    return f"{value} bytes"


def _power_of_two(value: int) -> int:
    return 1 << (max(1, value) - 1).bit_length()


def _round(value: int) -> str:
    """Return the next number with one digit other than 0: 7e8."""
    power = len(str(value)) - 1
    digit = -(-value // 10**power)
    return f"{digit}e{power}" if power > 3 else f"{digit * 10**power}"


_chosen: ContextVar[Limits | None] = ContextVar("limits", default=None)


def current_limits() -> Limits:
    """Return the limits that hold here: those of the process, unless `use_limits` set others.

    Raises
    ------
    UsageError
        If the environment variable cannot be read.
    """
    return _chosen.get() or process_limits()


@cache
def process_limits() -> Limits:
    """Return the limits of this process; the environment is read once, at the first call."""
    return Limits.from_environment(os.environ)


@contextmanager
def use_limits(limits: Limits) -> Iterator[None]:
    """Let other limits hold in a block, as those of uploads."""
    token = _chosen.set(limits)
    try:
        yield
    finally:
        _chosen.reset(token)


class Gauge:
    """Counts what a file unpacks to while it arrives, and refuses it where a limit is exceeded.

    Parameters
    ----------
    packed : int
        Bytes of the file as it is.
    path : Path or None
        Named in the refusal.
    limits : Limits, optional
        Those of the process by default.
    most : str
        The limit of the whole: ``unpacked``, or that of a kind of file.
    """

    def __init__(
        self, packed: int, path: Path | None, limits: Limits | None = None, most: str = "unpacked"
    ) -> None:
        self.limits = limits or current_limits()
        self.size = 0
        self.most: int = min(getattr(self.limits, most), self.limits.unpacked)
        """Bytes that the file may have at any ratio."""
        self._packed, self._path, self._name = packed, path, most
        by_ratio = max(self.limits.free, self.limits.ratio * max(1, packed))
        self._stop: int = min(self.most, by_ratio)

    @property
    def room(self) -> int:
        """Bytes that may still come."""
        return max(0, self._stop - self.size)

    def add(self, size: int) -> None:
        """Count bytes that came, or that the file states."""
        self.size += size
        if self.size > self._stop:
            self._refuse()

    def _refuse(self) -> NoReturn:
        limits = self.limits
        size = limits.shown("unpacked", self.size)
        if self.size > self.most:
            name = self._name if getattr(limits, self._name) <= limits.unpacked else "unpacked"
            most = limits.shown("unpacked", self.most)
            what = f"has more than {most} when unpacked ({size} so far)"
            limits.refuse(name, what, self._path, 2 * self.size)
        times = self.size // max(1, self._packed)
        packed = limits.shown("unpacked", self._packed)
        what = f"has {size} so far when unpacked, {times:,} times its {packed}"
        limits.refuse("ratio", what, self._path, 4 * times)
