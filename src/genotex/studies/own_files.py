"""What users bring into the folder: own tables, with how they were read; and gene sets."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, get_args

import polars as pl
from pydantic import BaseModel, ValidationError

from genotex.analysis import Enrichment, GeneSet, read_gmt, read_sets
from genotex.cohorts import OwnTables, read_own_tables
from genotex.errors import FileLimitError, FormatError, GenotexError, UsageError
from genotex.io import atomic_write
from genotex.options import Scale, SetCollection
from genotex.outside import check_upload, read_document
from genotex.studies.loaded import state_of
from genotex.studies.workspace import Workspace, safe_name

TABLES = "tables"
"""Folder of the workbench with a folder for each pair of own tables."""
TABLES_RECORD = "tables.json"
_MOST_LEVELS = 8


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


GENE_SETS = "gene_sets"
"""Folder of uploaded files of gene sets."""
_ENDINGS = (".gmt", ".gmt.gz")


def set_sources(workspace: Workspace) -> dict[str, Path | SetCollection]:
    """Return the packaged collections, and the GMT files of the folder and of ``gene_sets``."""
    found: dict[str, Path | SetCollection] = {name: name for name in get_args(SetCollection)}
    for folder in (workspace.root, workspace.root / GENE_SETS):
        if not folder.is_dir() or not workspace.holds(folder):
            continue
        for path in sorted(folder.iterdir()):
            if path.name.endswith(_ENDINGS) and workspace.file(path) is not None:
                found[path.relative_to(workspace.root).as_posix()] = path
    return found


def save_gene_sets(workspace: Workspace, name: str, content: bytes) -> str:
    """Keep an uploaded GMT file under a safe name, and return its name; none is overwritten."""
    base = PurePosixPath(name.replace("\\", "/")).name
    safe = safe_name(base).lstrip(".")
    if not safe.endswith(_ENDINGS) or len(safe) > 100:
        msg = f"{base or 'a file without name'}: a file of gene sets ends in .gmt or .gmt.gz"
        raise UsageError(msg)
    folder = workspace.root / GENE_SETS
    if not workspace.holds(folder / safe):
        msg = f"{folder} leads out of the folder"
        raise UsageError(msg)
    folder.mkdir(exist_ok=True)
    path = folder / safe
    if path.exists():
        if path.stat().st_size == len(content) and path.read_bytes() == content:
            return f"{GENE_SETS}/{safe}"
        msg = f"{GENE_SETS}/{safe} exists with other sets; rename the file"
        raise UsageError(msg)
    with atomic_write(path) as part:
        part.write_bytes(content)
        try:
            check_upload(part, "gene_sets")
            read_gmt(part)
        except GenotexError as error:
            raise UsageError(str(error).replace(str(part), safe)) from error
    return f"{GENE_SETS}/{safe}"


_Sets = tuple[dict[str, Any], dict[str, GeneSet]]


@lru_cache(maxsize=4)
def _read(source: Path | SetCollection, state: object) -> _Sets:
    """Return where sets come from, and the sets by name."""
    sets, record = read_sets(source)
    return record, {each.name: each for each in sets}


def members_of(workspace: Workspace, enrichment: Enrichment, name: str) -> tuple[str, ...] | None:
    """Return the genes of a set; None where the folder no longer holds the file it came from."""
    where = enrichment.record["gene_sets"]
    packaged = where.get("collection")
    for label, source in set_sources(workspace).items():
        if (label == packaged) if packaged else isinstance(source, Path):
            try:
                record, sets = _read(source, state_of(source) if isinstance(source, Path) else None)
            except (FormatError, OSError):
                continue
            if record["sha256"] == where.get("sha256") and name in sets:
                return sets[name].genes
    return None
