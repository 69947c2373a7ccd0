"""The rows of the paper's tables 2 to 5 (arXiv:2406.15341)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class _PublishedRow:
    """A row of the paper."""

    table: int
    name: str
    start: str | None
    values: Mapping[str, float]


@dataclass(frozen=True)
class _Published:
    """All rows, their source and how many problems they are averages of."""

    source: str
    problems: int
    rows: tuple[_PublishedRow, ...]


@cache
def published() -> _Published:
    """Return the published rows."""
    file = resources.files("genotex.bench.evaluation").joinpath("data", "published.toml")
    content = tomllib.loads(file.read_text("utf-8"))
    rows = []
    for table in content["table"]:
        for cells in table["rows"]:
            row = dict(zip(table["columns"], cells, strict=True))
            name, start = row.pop("name"), row.pop("start", None)
            values = {key: float(value) for key, value in row.items() if value != "-"}
            rows.append(_PublishedRow(table["number"], name, start, values))
    return _Published(content["source"], content["problems"], tuple(rows))
