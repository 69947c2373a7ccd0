"""The files of a task as text for a prompt: names, sizes, and how each begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from genotex.errors import FormatError
from genotex.formats import decode, read_chunks

__all__ = ["MOST_CHARACTERS", "list_files"]

MOST_CHARACTERS = 20_000
"""Of the beginnings of all files together."""
_LINES, _WIDTH = 100, 160
"""Of one file: the header of a series matrix, its long lines cut."""


def list_files(roots: Sequence[Path]) -> str:
    """Return names and sizes of all files, and how each begins, as far as there is room.

    Parameters
    ----------
    roots : sequence of Path
        Files, or folders of files; names are told from there on.
    """
    files = list(_files(roots))
    names = [f"{name} ({path.stat().st_size} bytes)" for name, path in files]
    parts, room = ["\n".join(names) or "(no files)"], MOST_CHARACTERS
    for number, (name, path) in enumerate(files):
        # What a short file leaves is for those after it.
        beginning = _beginning(path)[: room // (len(files) - number)]
        room -= len(beginning)
        parts.append(f"== {name} ==\n{beginning}")
    return "\n\n".join(parts)


def _files(roots: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    for root in roots:
        found = sorted(root.rglob("*")) if root.is_dir() else [root]
        for path in found:
            if path.is_file() and not path.name.startswith("."):
                yield path.relative_to(root.parent).as_posix(), path


def _beginning(path: Path) -> str:
    """Return the first lines of a file, which may be packed; of a huge one no more is read."""
    try:
        with closing(read_chunks(path)) as chunks:
            text = decode(next(chunks, b""))
    except FormatError:
        return "(no text)"
    return "\n".join(line[:_WIDTH] for line in text.splitlines()[:_LINES])
