"""Manifests: which files a folder should hold, with their checksums."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from genotex.errors import FormatError
from genotex.fetch.folder import journal_path
from genotex.formats import read_json_object, sha256, write_json
from genotex.io import PART
from genotex.journal import read_journal

__all__ = [
    "ListedFile",
    "Manifest",
    "data_files",
    "describe_files",
    "fetched_manifest",
    "manifest_base",
    "published_manifests",
    "read_manifest",
    "unfinished_files",
    "write_manifest",
]

HINT = 'a manifest is {"dataset_name": "GEO", "files": {"path/of/a/file": "its SHA-256"}}'
DIGEST = re.compile(r"[0-9a-fA-F]{64}")
DATABASES = ("GEO", "TCGA")
"""Names of the published manifests; their paths begin in the folder of the same name."""


@dataclass(frozen=True)
class ListedFile:
    """What a manifest says of a file: SHA-256 in hexadecimal digits, and bytes where it tells."""

    sha256: str
    size: int | None = None


@dataclass(frozen=True)
class Manifest:
    """A list of files.

    Attributes
    ----------
    name : str
        ``GEO`` and ``TCGA`` for those of the benchmark.
    files : mapping of str to ListedFile
        By path with ``/``, relative to `manifest_base`.
    source : Path
        Where it was read.
    left_out : tuple of str
        Paths of the published lists that are no data of a cohort, such as ``.DS_Store``.
    base : Path or None
        The folder in which its paths begin, where it can be no other.
    """

    name: str
    files: Mapping[str, ListedFile]
    source: Path
    left_out: tuple[str, ...] = ()
    base: Path | None = None


def read_manifest(path: Path) -> Manifest:
    """Read a manifest, published or written by `write_manifest`.

    Raises
    ------
    FormatError
        If it is none, a path in it leaves the folder, or a checksum is no SHA-256.
    """
    content = read_json_object(path, HINT)
    name, files, sizes = (content.get(k) for k in ("dataset_name", "files", "sizes"))
    if not isinstance(files, dict) or not files:
        msg = "holds no list of files"
        raise FormatError(msg, path=path, field="files", hint=HINT)
    sizes = sizes if isinstance(sizes, dict) else {}
    name = name if isinstance(name, str) else ""
    listed = {
        _inside(item, path): ListedFile(_digest(digest, item, path), _size(sizes, item, path))
        for item, digest in files.items()
    }
    left_out = tuple(item for item in listed if name in DATABASES and not _of_a_cohort(item))
    kept = {item: facts for item, facts in listed.items() if item not in left_out}
    return Manifest(name, kept, path, left_out)


def manifest_base(manifest: Manifest, folder: Path) -> Path:
    """Return the folder in which the paths of a manifest begin.

    For the published manifests that is ``GEO`` (or ``TCGA``) in an input folder or in the
    benchmark's folder, or of the input folder that it lies in; else the folder itself.
    """
    if manifest.base is not None or manifest.name not in DATABASES:
        return manifest.base or folder
    for root in (folder, folder / "input"):
        if any((root / database).is_dir() for database in DATABASES):
            return root / manifest.name
    for root in (folder, *folder.parents):
        if root.name in DATABASES:
            return root.parent / manifest.name
    first = {name.partition("/")[0] for name in manifest.files}
    return folder if any((folder / name).is_dir() for name in first) else folder / manifest.name


def fetched_manifest(folder: Path) -> Manifest | None:
    """Return what the journal of fetching says of a folder, or of one that it lies in.

    Raises
    ------
    FormatError
        If the journal is damaged.
    """
    for root in _and_above(folder):
        path = journal_path(root)
        done = [entry for entry in read_journal(path) if entry.get("step") == "done"]
        if done:
            listed = {
                _inside(each["path"], path): ListedFile(each["sha256"], each["size"])
                for each in done
            }
            return Manifest("", listed, path, base=root)
    return None


def published_manifests(folder: Path) -> tuple[Path, ...]:
    """Return the manifests in the ``metadata`` of the benchmark's folder, or of one inside it."""
    for root in _and_above(folder):
        places = (root / "metadata" / f"{name.lower()}_manifest.json" for name in DATABASES)
        if found := tuple(path for path in places if path.is_file()):
            return found
    return ()


def _and_above(folder: Path) -> tuple[Path, ...]:
    folder = folder.absolute()
    return folder, *folder.parents


def data_files(folder: Path) -> dict[str, Path]:
    """Return all files of a folder by their paths in it with ``/``, sorted.

    Hidden files, downloads that are not finished and the journal of fetching are left out.
    """
    journal = journal_path(folder)
    files = _visible_files(folder).items()
    return {name: path for name, path in files if path.suffix != PART and path != journal}


def unfinished_files(folder: Path) -> dict[str, Path]:
    """Return the files of which only a part has come, by the paths they will have."""
    files = _visible_files(folder).items()
    return {name.removesuffix(PART): path for name, path in files if path.suffix == PART}


def _visible_files(folder: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    entered = set()
    # Links to folders are followed: many keep a few large series on another disk.
    for place, folders, names in os.walk(folder, followlinks=True):
        entered.add(Path(place).resolve())
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".") and Path(place, name).resolve() not in entered
        ]
        files = (Path(place, name) for name in names if not name.startswith("."))
        found |= {path.relative_to(folder).as_posix(): path for path in files if path.is_file()}
    return {name: found[name] for name in sorted(found)}


def describe_files(
    files: Mapping[str, Path], step: Callable[[str, int], None] | None = None
) -> dict[str, ListedFile]:
    """Return checksum and size of each file; `step` is told its name and the number of files."""
    found = {}
    for name, path in files.items():
        found[name] = ListedFile(sha256(path), path.stat().st_size)
        if step is not None:
            step(name, len(files))
    return found


def write_manifest(path: Path, files: Mapping[str, ListedFile]) -> None:
    """Write a manifest in the published form, with the sizes beside the checksums."""
    content = {
        "files": {name: facts.sha256 for name, facts in files.items()},
        "sizes": {name: facts.size for name, facts in files.items() if facts.size is not None},
    }
    write_json(path, content)


def _inside(name: str, source: Path) -> str:
    """Return a path that stays in the folder; a manifest from the net is not trusted."""
    parts = PurePosixPath(name).parts
    if not parts or parts[0] == "/" or ".." in parts or "\0" in name or "\\" in name:
        msg = f"{name!r} is no path inside the folder"
        raise FormatError(msg, path=source, field="files", hint="do not use this manifest")
    return "/".join(parts)


def _digest(value: Any, name: str, source: Path) -> str:
    if not isinstance(value, str) or not DIGEST.fullmatch(value):
        msg = f"the checksum of {name} is no SHA-256 of 64 hexadecimal digits"
        raise FormatError(msg, path=source, field="files", hint=HINT)
    return value.lower()


def _size(sizes: Mapping[str, Any], name: str, source: Path) -> int | None:
    size = sizes.get(name)
    if size is not None and (not isinstance(size, int) or isinstance(size, bool) or size < 0):
        msg = f"the size of {name} is no number of bytes"
        raise FormatError(msg, path=source, field="sizes", hint=HINT)
    return size


def _of_a_cohort(name: str) -> bool:
    """Tell data from what a file manager or a notebook left: data lie in a cohort's folder."""
    return "/" in name and not any(part.startswith(".") for part in name.split("/"))
