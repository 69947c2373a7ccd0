"""Write the description of a data set: `croissant.json`, and the datasheet in `description/`."""

from __future__ import annotations

import os
from pathlib import Path

from genotex.bench.evaluation.score_files import check_folder, json_text, write_texts
from genotex.errors import FormatError, UsageError
from genotex.formats import read_json_object
from genotex.reports.datasets.croissant import croissant_json, installed_mlcroissant
from genotex.reports.datasets.datasheet import WRITTEN_BY, datasheet_texts
from genotex.reports.datasets.description import Description

_CROISSANT_FILE = "croissant.json"
_DATASHEET_FOLDER = "description"


def own_files(folder: Path) -> list[Path]:
    """Return what an earlier description of ours left in a folder."""
    if not _is_ours(folder):
        return []
    return [folder / _CROISSANT_FILE, folder / _DATASHEET_FOLDER]


def check_place(folder: Path) -> None:
    """Refuse a folder where the description would replace something of another origin."""
    installed_mlcroissant()
    check_folder(folder)
    above = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not os.access(above, os.W_OK):
        msg = f"{above} cannot be written to; choose another place with --output"
        raise UsageError(msg)
    if _is_ours(folder):
        return
    for path in (folder / _CROISSANT_FILE, folder / _DATASHEET_FOLDER):
        if path.exists() and not _is_bare(path):
            msg = f"{path} was not written by {WRITTEN_BY}; move it, or choose another --output"
            raise UsageError(msg)


def _is_bare(path: Path) -> bool:
    """Whether this is a folder with nothing in it but what a killed run left."""
    return path.is_dir() and all(inside.name.startswith(".") for inside in path.iterdir())


def _is_ours(folder: Path) -> bool:
    path = folder / _DATASHEET_FOLDER / "datasheet.json"
    try:
        return path.is_file() and read_json_object(path).get("written_by") == WRITTEN_BY
    except FormatError:
        return False


def write_description(folder: Path, described: Description) -> Path:
    """Write ``croissant.json``, and the datasheet into ``description/``; return the former.

    The folder is mostly the data set itself: paths in ``croissant.json`` are relative to it. Each
    file is written whole. Raises a UsageError as `check_place`.
    """
    check_place(folder)
    texts = datasheet_texts(described)
    content = json_text(croissant_json(described, texts, _DATASHEET_FOLDER))
    # The file that marks the folder as ours comes first, so that a killed run can be repeated.
    first = "datasheet.json"
    write_texts(folder / _DATASHEET_FOLDER, {first: texts[first]} | texts)
    write_texts(folder, {_CROISSANT_FILE: content})
    return folder / _CROISSANT_FILE
