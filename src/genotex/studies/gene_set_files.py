"""Files of gene sets in a folder."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from genotex.analysis import Enrichment, GeneSet, read_gmt
from genotex.errors import FormatError, GenotexError, UsageError
from genotex.formats import sha256
from genotex.io import atomic_write
from genotex.outside import check_upload
from genotex.studies.workspace import Workspace, safe_name

GENE_SETS = "gene_sets"
"""Folder of uploaded files of gene sets."""
_ENDINGS = (".gmt", ".gmt.gz")


def set_files(workspace: Workspace) -> dict[str, Path]:
    """Return the GMT files of the folder and of ``gene_sets`` in it, by name."""
    found = {}
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


@dataclass(frozen=True, eq=False)
class _SetFile:
    sha256: str
    sets: dict[str, GeneSet]


@lru_cache(maxsize=4)
def _read(path: Path, changed: int, size: int) -> _SetFile:
    return _SetFile(sha256(path), {each.name: each for each in read_gmt(path)})


def members_of(workspace: Workspace, enrichment: Enrichment, name: str) -> tuple[str, ...] | None:
    """Return the genes of a set; None where the folder no longer holds the file it came from."""
    wanted = enrichment.record["gene_sets"].get("sha256")
    for path in set_files(workspace).values():
        state = path.stat()
        try:
            found = _read(path, state.st_mtime_ns, state.st_size)
        except (FormatError, OSError):
            continue
        if found.sha256 == wanted and name in found.sets:
            return found.sets[name].genes
    return None
