"""What the GenoTEX paper printed in its tables 2 to 5 (arXiv:2406.15341)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

__all__ = ["Published", "PublishedRow", "published"]


@dataclass(frozen=True)
class PublishedRow:
    """A row of the paper.

    Attributes
    ----------
    table : int
        Number of the table.
    name : str
        The method.
    start : str or None
        What it started from, where the table tells.
    values : mapping of str to float
        The figures as printed, without those that are a dash.
    """

    table: int
    name: str
    start: str | None
    values: Mapping[str, float]


@dataclass(frozen=True)
class Published:
    """All rows, where they stand and how many problems they are averages of."""

    source: str
    problems: int
    rows: tuple[PublishedRow, ...]


@cache
def published() -> Published:
    """Return the published rows."""
    file = resources.files("genotex.bench.evaluation").joinpath("data", "published.toml")
    content = tomllib.loads(file.read_text("utf-8"))
    rows = []
    for table in content["table"]:
        for cells in table["rows"]:
            told = dict(zip(table["columns"], cells, strict=True))
            name, start = told.pop("name"), told.pop("start", None)
            values = {key: float(value) for key, value in told.items() if value != "-"}
            rows.append(PublishedRow(table["number"], name, start, values))
    return Published(content["source"], content["problems"], tuple(rows))
