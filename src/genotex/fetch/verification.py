"""Manifests of folders, and whether each file is present, complete and the listed one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Annotated

from genotex.errors import FormatError
from genotex.fetch.folder import journal_path
from genotex.formats import (
    check_series_of,
    is_gzip,
    read_chunks,
    read_family_accession,
    read_record,
    read_series_matrix,
    sha256,
    write_json,
)
from genotex.io import PART
from genotex.journal import read_journal
from genotex.records import Check, checked

_HINT = 'a manifest is {"dataset_name": "GEO", "files": {"path/of/a/file": "its SHA-256"}}'
_DIGEST = re.compile(r"[0-9a-fA-F]{64}")
_DATABASES = ("GEO", "TCGA")
"""Names of the published manifests; their paths begin in the folder of the same name."""


@dataclass(frozen=True)
class ListedFile:
    """A file in a manifest: SHA-256 in hexadecimal digits, and bytes if given."""

    sha256: str
    size: int | None = None


@dataclass(frozen=True)
class Manifest:
    """A list of files."""

    name: str  # ``GEO`` and ``TCGA`` for those of the benchmark
    files: Mapping[str, ListedFile]  # by path with ``/``, relative to `manifest_base`
    source: Path  # where it was read
    # Paths of the published lists that are no data of a cohort, such as ``.DS_Store``.
    left_out: tuple[str, ...] = ()
    base: Path | None = None  # the folder in which its paths begin, where it can be no other


def read_manifest(path: Path) -> Manifest:
    """Read a manifest, published or written by `write_manifest`."""
    stored = read_record(_StoredManifest, path, extra="ignore", hint=_HINT)
    if not stored.files:
        msg = "holds no list of files"
        raise FormatError(msg, path=path, field="files", hint=_HINT)
    name, sizes = stored.dataset_name or "", stored.sizes
    listed = {
        _inside(item): ListedFile(digest.lower(), sizes.get(item))
        for item, digest in stored.files.items()
    }
    left_out = tuple(item for item in listed if name in _DATABASES and not _of_a_cohort(item))
    kept = {item: facts for item, facts in listed.items() if item not in left_out}
    return Manifest(name, kept, path, left_out)


def _why_not_inside(name: str) -> str:
    """Return why a path leaves the folder; a manifest from the net is not trusted."""
    parts = PurePosixPath(name).parts
    leaves = not parts or parts[0] == "/" or ".." in parts or "\0" in name or "\\" in name
    return f"{name!r} is no path inside the folder: do not use this manifest" if leaves else ""


def _inside(name: str) -> str:
    return "/".join(PurePosixPath(name).parts)


def _why_no_digest(text: str) -> str:
    return "" if _DIGEST.fullmatch(text) else "is no SHA-256 of 64 hexadecimal digits"


_Inside = Annotated[str, Check(_why_not_inside)]
_Digest = Annotated[str, Check(_why_no_digest)]


@dataclass(frozen=True)
class _StoredManifest:
    """A manifest as it is published; further fields are ignored."""

    files: Mapping[_Inside, _Digest]
    dataset_name: str | None = None
    sizes: Mapping[str, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse sizes that are none."""
        for name, size in self.sizes.items():
            if size is not None and size < 0:
                msg = f"the size of {name} is no number of bytes"
                raise ValueError(msg)


@dataclass(frozen=True)
class _Fetched:
    """What is used of a line of the journal of fetching."""

    path: _Inside
    sha256: _Digest
    size: int


def manifest_base(manifest: Manifest, folder: Path) -> Path:
    """Return the folder in which the paths of a manifest begin."""
    # For the published manifests that is ``GEO`` (or ``TCGA``) in an input folder or in the
    # benchmark's folder, or of the input folder that contains it; else the folder itself.
    if manifest.base is not None or manifest.name not in _DATABASES:
        return manifest.base or folder
    for root in (folder, folder / "input"):
        if any((root / database).is_dir() for database in _DATABASES):
            return root / manifest.name
    for root in (folder, *folder.parents):
        if root.name in _DATABASES:
            return root.parent / manifest.name
    first = {name.partition("/")[0] for name in manifest.files}
    return folder if any((folder / name).is_dir() for name in first) else folder / manifest.name


def fetched_manifest(folder: Path) -> Manifest | None:
    """Return the files in the journal of fetching of a folder, or of one above it."""
    for root in _and_above(folder):
        path = journal_path(root)
        done = [entry for entry in read_journal(path) if entry.get("step") == "done"]
        if done:
            files = [checked(_Fetched, entry, path=path) for entry in done]
            listed = {_inside(each.path): ListedFile(each.sha256, each.size) for each in files}
            return Manifest("", listed, path, base=root)
    return None


def published_manifests(folder: Path) -> tuple[Path, ...]:
    """Return the manifests in the ``metadata`` of the benchmark's folder, or of one inside it."""
    for root in _and_above(folder):
        places = (root / "metadata" / f"{name.lower()}_manifest.json" for name in _DATABASES)
        if found := tuple(path for path in places if path.is_file()):
            return found
    return ()


def _and_above(folder: Path) -> tuple[Path, ...]:
    folder = folder.absolute()
    return folder, *folder.parents


def data_files(folder: Path) -> dict[str, Path]:
    """Return all files of a folder by their paths in it with ``/``, sorted."""
    # Hidden files, downloads that are not finished and the journal of fetching are left out.
    journal = journal_path(folder)
    files = _visible_files(folder).items()
    return {name: path for name, path in files if path.suffix != PART and path != journal}


def _unfinished_files(folder: Path) -> dict[str, Path]:
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
    """Return checksum and size of each file; `step` gets its name and the number of files."""
    found = {}
    for name, path in files.items():
        found[name] = ListedFile(sha256(path), path.stat().st_size)
        if step is not None:
            step(name, len(files))
    return found


def write_manifest(path: Path, files: Mapping[str, ListedFile]) -> None:
    """Write a manifest in the published form, with sizes in addition to checksums."""
    content = {
        "files": {name: facts.sha256 for name, facts in files.items()},
        "sizes": {name: facts.size for name, facts in files.items() if facts.size is not None},
    }
    write_json(path, content)


def _of_a_cohort(name: str) -> bool:
    """Return whether a path is in a cohort's folder, not left by a file manager or notebook."""
    return "/" in name and not any(part.startswith(".") for part in name.split("/"))


Step = Callable[[str, int], None]

_DATA_ENDINGS = (".gz", ".txt", ".soft", ".tsv", "clinicalMatrix")
"""Files that a reader of this package opens; others are ignored."""


class FileState(StrEnum):
    """The state of a file."""

    OK = "ok"
    MISSING = "missing"
    WRONG_SIZE = "wrong size"
    WRONG_CHECKSUM = "wrong checksum"
    OTHER_SERIES = "another series"
    UNREADABLE = "unreadable"
    NOT_LISTED = "not listed"

    @property
    def is_wrong(self) -> bool:
        """Whether action is needed; additional files of the user are fine."""
        return self not in (FileState.OK, FileState.NOT_LISTED)


@dataclass(frozen=True)
class CheckedFile:
    """A file and what was found."""

    path: str  # relative to the folder that was verified, with ``/``
    state: FileState
    detail: str = ""  # more in words; empty for a file that is as listed


def verify_folder(
    folder: Path,
    manifests: Sequence[Manifest],
    step: Step | None = None,
    *,
    ignore_missing: bool = False,
) -> tuple[CheckedFile, ...]:
    """Compare a folder with manifests."""
    # A file is compared by size if the manifest gives it, then by SHA-256. Where that is
    # another, or the file is not listed, it is looked at as a reader would: its first bytes, and
    # for gzip data all of them to the checksum at their end.
    folder = folder.absolute()
    found = _find(folder, manifests)
    absent = found.parts if ignore_missing else found.listed | found.parts
    checked = [
        _missing(path, folder, path in found.parts) for path in absent if path not in found.there
    ]
    by_name = _by_name(found.listed)
    for path in found.there:
        facts = found.listed.get(path)
        file = _unlisted(path, folder, by_name) if facts is None else _listed(path, folder, facts)
        checked.append(_of_its_series(file, path))
        if step is not None:
            step(file.path, len(found.there))
    return tuple(sorted(checked, key=lambda file: file.path))


@dataclass
class _FolderFiles:
    """What should be in a folder, what is there, and what has come in part, in order."""

    listed: dict[Path, ListedFile]
    there: dict[Path, None]
    parts: dict[Path, None]


def _find(folder: Path, manifests: Sequence[Manifest]) -> _FolderFiles:
    own = {manifest.source.resolve() for manifest in manifests}
    found = _FolderFiles({}, {}, {})
    for manifest in manifests:
        base = manifest_base(manifest, folder)
        if not (folder.is_relative_to(base) or base.is_relative_to(folder)):
            continue  # It belongs to the other database.
        within = folder if folder.is_relative_to(base) else base
        paths = {base / name: facts for name, facts in manifest.files.items()}
        found.listed |= {
            path: facts for path, facts in paths.items() if path.is_relative_to(within)
        }
        files = data_files(within).values()
        found.there |= dict.fromkeys(path for path in files if path.resolve() not in own)
        found.parts |= dict.fromkeys(within / name for name in _unfinished_files(within))
    return found


def verify_readable(folder: Path, step: Step | None = None) -> tuple[CheckedFile, ...]:
    """Return whether each file of a folder without a manifest can be read to its end."""
    files = data_files(folder)
    checked = []
    for name, path in files.items():
        why = unreadable(path)
        state = FileState.OK if why is None else FileState.UNREADABLE
        checked.append(_of_its_series(CheckedFile(name, state, why or ""), path))
        if step is not None:
            step(name, len(files))
    return tuple(checked)


def unreadable(path: Path) -> str | None:
    """Return why a data file cannot be read, None where it can or is no data file."""
    try:
        zipped = is_gzip(path)
        if not path.name.endswith(_DATA_ENDINGS):
            return None
        for _ in read_chunks(path):
            if not zipped:
                break
    except FormatError as error:
        return error.message
    if path.suffix == ".gz" and not zipped:
        return "not gzip data, despite its name"
    return None


def _of_its_series(file: CheckedFile, path: Path) -> CheckedFile:
    """Replace the state of a readable file that is of another series than its folder."""
    if file.state.is_wrong or (why := _other_series(path)) is None:
        return file
    return CheckedFile(file.path, FileState.OTHER_SERIES, why)


def _other_series(path: Path) -> str | None:
    """Return that a file is of another series than its folder's, None where it is not."""
    name = path.name.lower()
    try:
        if "series_matrix" in name:
            accession = read_series_matrix(path, expression=False).accession
        elif "_family.soft" in name:
            accession = read_family_accession(path)
        else:
            return None
    except FormatError:
        return None  # Its reader reports later whether it can be read.
    try:
        check_series_of(path, accession, path.parent.name)
    except FormatError as error:
        return f"{error.message}: {error.hint}" if error.hint else error.message
    return None


def _missing(path: Path, folder: Path, begun: bool) -> CheckedFile:
    detail = ""
    if begun:
        detail = "only a part of it has come: fetch it again, which goes on from there"
    elif path.suffix == ".gz" and path.with_suffix("").is_file():
        detail = f"{path.stem} is there, unpacked: pack it with gzip, or fetch it again"
    return CheckedFile(_shown(path, folder), FileState.MISSING, detail)


def _listed(path: Path, folder: Path, facts: ListedFile) -> CheckedFile:
    name, size = _shown(path, folder), path.stat().st_size
    wrong_size = facts.size is not None and size != facts.size
    if (why := _cannot_be_opened(path)) is not None:
        return CheckedFile(name, FileState.UNREADABLE, why)
    if not wrong_size and sha256(path) == facts.sha256:
        return CheckedFile(name, FileState.OK)
    if (why := unreadable(path)) is not None:
        return CheckedFile(name, FileState.UNREADABLE, why)
    if wrong_size:
        detail = f"{size:,} bytes in place of {facts.size:,}"
        return CheckedFile(name, FileState.WRONG_SIZE, detail)
    detail = "it can be read: compressed again, or another version than the listed one"
    return CheckedFile(name, FileState.WRONG_CHECKSUM, detail)


def _unlisted(
    path: Path, folder: Path, by_name: Mapping[str, Sequence[tuple[Path, ListedFile]]]
) -> CheckedFile:
    name = _shown(path, folder)
    if (why := unreadable(path)) is not None:
        return CheckedFile(name, FileState.UNREADABLE, why)
    # The same series may belong to several traits; only files of its name are worth a checksum.
    elsewhere = by_name.get(path.name, ())
    digest = sha256(path) if elsewhere else ""
    same = [_shown(other, folder) for other, facts in elsewhere if facts.sha256 == digest]
    return CheckedFile(name, FileState.NOT_LISTED, f"the same bytes as {same[0]}" if same else "")


def _by_name(listed: Mapping[Path, ListedFile]) -> dict[str, list[tuple[Path, ListedFile]]]:
    found: dict[str, list[tuple[Path, ListedFile]]] = {}
    for path, facts in listed.items():
        found.setdefault(path.name, []).append((path, facts))
    return found


def _cannot_be_opened(path: Path) -> str | None:
    try:
        is_gzip(path)
    except FormatError as error:
        return error.message
    return None


def _shown(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()
