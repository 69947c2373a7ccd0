"""Each file of a folder: whether it is there, whole, and the one that was meant."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from genotex.errors import FormatError
from genotex.fetch.manifest import (
    ListedFile,
    Manifest,
    data_files,
    manifest_base,
    unfinished_files,
)
from genotex.formats import is_gzip, read_chunks, sha256

__all__ = ["CheckedFile", "FileState", "unreadable", "verify_folder", "verify_readable"]

Step = Callable[[str, int], None]

DATA_ENDINGS = (".gz", ".txt", ".soft", ".tsv", "clinicalMatrix")
"""Files that a reader of this package opens; others are nobody's business here."""


class FileState(StrEnum):
    """What can be said of a file."""

    OK = "ok"
    MISSING = "missing"
    WRONG_SIZE = "wrong size"
    WRONG_CHECKSUM = "wrong checksum"
    UNREADABLE = "unreadable"
    NOT_LISTED = "not listed"

    @property
    def is_wrong(self) -> bool:
        """Whether something has to be done; a file of one's own beside the listed ones is fine."""
        return self not in (FileState.OK, FileState.NOT_LISTED)


@dataclass(frozen=True)
class CheckedFile:
    """A file and what was found.

    Attributes
    ----------
    path : str
        Relative to the folder that was verified, with ``/``.
    state : FileState
    detail : str
        More in words; empty for a file that is as listed.
    """

    path: str
    state: FileState
    detail: str = ""


def verify_folder(
    folder: Path,
    manifests: Sequence[Manifest],
    step: Step | None = None,
    *,
    ignore_missing: bool = False,
) -> tuple[CheckedFile, ...]:
    """Compare a folder with manifests.

    A file is compared by size where the manifest tells it, then by SHA-256. Where that is another,
    or the file is not listed, it is looked at as a reader would: its first bytes, and for gzip data
    all of them to the checksum at their end.

    Parameters
    ----------
    folder : Path
        The benchmark's folder, an input folder, or any folder in it, of which alone is told then.
    manifests : sequence of Manifest
        At least one; each covers the folder in which its paths begin.
    step : callable, optional
        Told the path of each file that was looked at, and how many there are.
    ignore_missing : bool
        Pass over listed files that are not there.

    Returns
    -------
    tuple of CheckedFile
        Sorted by path.
    """
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
        checked.append(file)
        if step is not None:
            step(file.path, len(found.there))
    return tuple(sorted(checked, key=lambda file: file.path))


@dataclass
class _Found:
    """What should be in a folder, what is there, and what has come in part, in order."""

    listed: dict[Path, ListedFile]
    there: dict[Path, None]
    parts: dict[Path, None]


def _find(folder: Path, manifests: Sequence[Manifest]) -> _Found:
    own = {manifest.source.resolve() for manifest in manifests}
    found = _Found({}, {}, {})
    for manifest in manifests:
        base = manifest_base(manifest, folder)
        if not (folder.is_relative_to(base) or base.is_relative_to(folder)):
            continue  # It is of the other database, beside this one.
        within = folder if folder.is_relative_to(base) else base
        paths = {base / name: facts for name, facts in manifest.files.items()}
        found.listed |= {
            path: facts for path, facts in paths.items() if path.is_relative_to(within)
        }
        files = data_files(within).values()
        found.there |= dict.fromkeys(path for path in files if path.resolve() not in own)
        found.parts |= dict.fromkeys(within / name for name in unfinished_files(within))
    return found


def verify_readable(folder: Path, step: Step | None = None) -> tuple[CheckedFile, ...]:
    """Tell of every file of a folder that has no list whether it can be read to its end."""
    files = data_files(folder)
    checked = []
    for name, path in files.items():
        why = unreadable(path)
        state = FileState.OK if why is None else FileState.UNREADABLE
        checked.append(CheckedFile(name, state, why or ""))
        if step is not None:
            step(name, len(files))
    return tuple(checked)


def unreadable(path: Path) -> str | None:
    """Return why a data file cannot be read, None where it can or is no data file.

    Parameters
    ----------
    path : Path
        Read to its end where it holds gzip data, and at its first bytes otherwise.
    """
    try:
        zipped = is_gzip(path)
        if not path.name.endswith(DATA_ENDINGS):
            return None
        for _ in read_chunks(path):
            if not zipped:
                break
    except FormatError as error:
        return error.message
    if path.suffix == ".gz" and not zipped:
        return "no gzip data, though its name says so"
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
    detail = "it can be read: packed anew, or another version than the listed one"
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
