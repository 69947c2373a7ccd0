"""Files of gene sets in the folder, and what the pages show of a tested set."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genotex.analysis import Enrichment, GeneSet, read_gmt
from genotex.analysis.gene_sets.enrichment import ranking, running_sum
from genotex.app.genes.loaded import Floats, LoadedAnalysis
from genotex.app.genes.plots import rounded
from genotex.app.workspace import Workspace
from genotex.errors import FormatError, GenotexError, UsageError
from genotex.formats import sha256
from genotex.io import atomic_write
from genotex.outside import check_upload

GENE_SETS = "gene_sets"
"""Folder of uploaded files of gene sets."""
"""Bytes of an unpacked file of gene sets; the largest collections have 10 MB."""
_ENDINGS = (".gmt", ".gmt.gz")
_MOST_POINTS = 1500


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
    safe = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in base)
    safe = safe.lstrip(".")
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


def running_sum_of(analysis: LoadedAnalysis, genes: tuple[str, ...]) -> dict[str, Any] | None:
    """Return the running sum of a set along the ranking, the places of its genes and its peak."""
    ranked = ranking(analysis.result, analysis.incomplete)
    if ranked is None:
        return None
    names, statistic = ranked
    known = set(genes)
    members = np.array([name in known for name in names])
    hits = np.flatnonzero(members)
    if not len(hits):
        return None
    total = running_sum(members, statistic)
    peak = int(np.abs(total).argmax())
    drawn = _corners(total, hits)
    return {
        "x": (drawn + 1).tolist(),
        "y": rounded(total[drawn]),
        "hits": (hits + 1).tolist(),
        "genes": [names[i] for i in hits],
        "t": rounded(statistic[hits]),
        "genes_ranked": len(names),
        "zero": int((statistic > 0).sum()),
        "peak": {"x": peak + 1, "y": float(total[peak])},
    }


def _corners(total: Floats, hits: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the places where the line turns; between them it is straight."""
    if len(hits) > _MOST_POINTS:
        return np.unique(np.linspace(0, len(total) - 1, _MOST_POINTS).astype(np.intp))
    ends = np.array([0, len(total) - 1])
    return np.unique(np.concatenate([ends, hits, np.maximum(hits - 1, 0)]))
