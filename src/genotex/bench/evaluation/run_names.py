"""Runs as they are named on the command line: a path, or a name and a path."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from genotex.bench.evaluation.run_record import read_run_record
from genotex.bench.evaluation.score_files import SCORES_FILE
from genotex.errors import UsageError

__all__ = ["holds_outputs", "name_runs"]


def holds_outputs(path: Path) -> bool:
    """Tell whether a path is an output folder, which can be scored."""
    return any((path / name).is_dir() for name in ("preprocess", "regress"))


def name_runs(given: Sequence[str]) -> dict[str, Path]:
    """Return the path of every run by a name of its own.

    ``NAME=PATH`` names a run. Else its ``run/run.json`` does, else its folder; folders of the same
    name are told apart by those above them.

    Parameters
    ----------
    given : sequence of str
        As typed; paths of output folders, of ``scores.json`` files or of folders that hold one.

    Raises
    ------
    UsageError
        If nothing is there, a run is given twice, or two are given the same name.
    """
    split = [_split(text) for text in given]
    paths = [path for _, path in split]
    typed = [name for name, _ in split if name is not None]
    _refuse_repeats(typed, "two runs are called {}; give each a name of its own")
    _refuse_repeats([str(p.resolve()) for p in paths], "{} is given twice; once is enough")
    own = [name or _own_name(path) for name, path in split]
    parts = [_folder_parts(path) for path in paths]
    for depth in range(1, 1 + max(map(len, parts), default=0)):
        names = [
            name if name is not None and own.count(name) == 1 else "/".join(folders[-depth:])
            for name, folders in zip(own, parts, strict=True)
        ]
        if len(set(names)) == len(names):
            return dict(zip(names, paths, strict=True))
    msg = f"the runs {', '.join(given)} cannot be told apart; name them with NAME=PATH"
    raise UsageError(msg)


def _refuse_repeats(names: Sequence[str], message: str) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise UsageError(message.format(name))


def _split(text: str) -> tuple[str | None, Path]:
    name, equals, rest = text.partition("=")
    path = Path(text)
    if equals and name and rest and not path.exists():
        path = Path(rest)
    else:
        name = ""
    if not path.exists():
        msg = f"{path} does not exist; give an output folder or a {SCORES_FILE}"
        raise UsageError(msg)
    if path.is_dir() and not holds_outputs(path) and not (path / SCORES_FILE).is_file():
        msg = (
            f"{path} holds no run: expected preprocess/ or regress/ of an output folder, or "
            f"{SCORES_FILE} of 'genotex evaluate -o'"
        )
        raise UsageError(msg)
    return name or None, path


def _own_name(path: Path) -> str | None:
    return read_run_record(path).name if path.is_dir() else None


def _folder_parts(path: Path) -> tuple[str, ...]:
    """Return the names of a run's folder and those above it; a file of its own is called so."""
    whole = path.resolve()
    if whole.is_file():
        whole = whole.parent if whole.name == SCORES_FILE else whole.with_suffix("")
    return tuple(part for part in whole.parts if part != whole.anchor)
