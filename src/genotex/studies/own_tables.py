"""Own tables in the folder: an expression table and a sample table, with how they were read."""

from __future__ import annotations

import threading
from pathlib import Path

import polars as pl
from pydantic import BaseModel, ValidationError

from genotex.cohorts import OwnTables, read_own_tables
from genotex.errors import FileLimitError, UsageError
from genotex.options import Scale
from genotex.outside import read_document
from genotex.studies.workspace import Workspace

TABLES = "tables"
"""Folder of the workbench with a folder for each pair of own tables."""
TABLES_RECORD = "tables.json"
_MOST_LEVELS = 8
_MOST_LOADED = 1


class TablesFiles(BaseModel):
    """Which files of a folder are the tables, and how they are read."""

    name: str
    expression: str
    samples: str | None
    platform: str | None = None
    scale: Scale = "auto"


def list_tables(workspace: Workspace) -> list[TablesFiles]:
    """Return the own tables of the folder by name; damaged records are left out."""
    parent = workspace.root / TABLES
    if not parent.is_dir() or not workspace.holds(parent):
        return []
    found = []
    for path in sorted(parent.glob(f"*/{TABLES_RECORD}")):
        if path.parent.name.startswith(".") or not workspace.holds(path):
            continue
        try:
            files = TablesFiles.model_validate_json(read_document(path))
        except (OSError, ValidationError, FileLimitError):
            continue
        if files.name == path.parent.name:
            found.append(files)
    return found


def find_tables(workspace: Workspace, name: str) -> TablesFiles | None:
    """Return own tables by their name; no path is made of a name that is not there."""
    return next((files for files in list_tables(workspace) if files.name == name), None)


def paths_of(workspace: Workspace, files: TablesFiles) -> list[Path | None]:
    """Return the expression table, the sample table and the platform's."""
    folder = workspace.root / TABLES / files.name
    paths: list[Path | None] = []
    for name in (files.expression, files.samples, files.platform):
        # The names are from a record in the folder, and name files next to it alone.
        plain = name is not None and Path(name).name == name
        path = workspace.file(folder / name) if name is not None and plain else None
        if name is not None and path is None:
            msg = f"{TABLES}/{files.name} holds no file {name!r} any more; upload it again"
            raise UsageError(msg)
        paths.append(path)
    return paths


def load_tables(workspace: Workspace, name: str) -> OwnTables:
    """Read own tables as `genotex de` does."""
    files = find_tables(workspace, name)
    if files is None:
        msg = f"{name!r} is not among the own tables of this folder"
        raise UsageError(msg)
    expression, samples, platform = paths_of(workspace, files)
    return read_own_tables(
        expression, samples, platform=platform, scale=files.scale, name=files.name
    )


class LoadedTables:
    """The own tables that were opened last; read again when a file has changed."""

    def __init__(self) -> None:
        self._loaded: dict[str, tuple[tuple[int, ...], OwnTables]] = {}
        self._lock = threading.Lock()

    def get(self, workspace: Workspace, files: TablesFiles) -> OwnTables:
        """Return own tables, read at most once."""
        paths = [path for path in paths_of(workspace, files) if path is not None]
        state = tuple(path.stat().st_mtime_ns for path in paths)
        with self._lock:
            kept = self._loaded.pop(files.name, None)
            if kept is None or kept[0] != state:
                kept = state, load_tables(workspace, files.name)
            self._loaded[files.name] = kept
            while len(self._loaded) > _MOST_LOADED:
                del self._loaded[next(iter(self._loaded))]
            return kept[1]


def columns_of(tables: OwnTables) -> dict[str, str]:
    """Describe the columns of the sample table: the numbers of samples of levels, or the range."""
    found = {}
    for values in tables.sample_table.drop("sample").iter_columns():
        known = values.drop_nulls()
        missing = f"; {values.null_count()} missing" if values.null_count() else ""
        if known.dtype.is_numeric() and known.n_unique() > _MOST_LEVELS:
            numbers = known.cast(pl.Float64).to_numpy()
            text = f"{numbers.min():g} to {numbers.max():g}"
        else:
            rows = known.cast(pl.String).value_counts(name="n").rows()
            counts = sorted(rows, key=lambda row: (-row[1], row[0]))
            text = ", ".join(f"{level} ({count})" for level, count in counts[:_MOST_LEVELS])
            if len(counts) > _MOST_LEVELS:
                text = f"{len(counts)} different values: {text}, ..."
        found[values.name] = text + missing
    return found
