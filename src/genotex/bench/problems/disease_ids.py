"""Which diseases of Open Targets stand for a trait: a table that a person makes."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from genotex.bench.problems.trait_list import disease_list
from genotex.errors import FormatError, UsageError
from genotex.formats import decode, read_bytes
from genotex.layout import trait_folder_name

__all__ = ["read_disease_ids"]

ID = re.compile(r"[A-Za-z]+_\w+")
HINT = "give lines of trait, tab, id such as EFO_0000270, or a JSON or TOML table of the same"


def read_disease_ids(path: Path) -> dict[str, tuple[str, ...]]:
    """Read which disease ids belong to which trait.

    Parameters
    ----------
    path : Path
        Lines of trait, tab and id (several ids with commas or on several lines; a first line
        "trait ..." is a heading, "#" begins a comment line), or a JSON object or TOML table of
        trait to id or list of ids. ``EFO:0000270`` is read as ``EFO_0000270``.

    Returns
    -------
    dict of str to tuple of str
        By trait folder name, in the order of the file.

    Raises
    ------
    FormatError
        If the file is none of these, or something in it is no trait name or no id.
    """
    text = decode(read_bytes(path))
    found: dict[str, tuple[str, ...]] = {}
    for place, trait, value in _entries(text, path):
        try:
            name = trait_folder_name(trait)
        except UsageError as error:
            raise FormatError(str(error), path=path, field=place) from error
        ids = disease_list(value, path, place)
        for disease in ids:
            if not ID.fullmatch(disease):
                msg = f"{disease!r} is no disease id of Open Targets"
                raise FormatError(msg, path=path, field=place, hint=HINT)
        found[name] = tuple(dict.fromkeys((*found.get(name, ()), *ids)))
    if not found:
        msg = "holds no trait"
        raise FormatError(msg, path=path, hint=HINT)
    return found


def _entries(text: str, path: Path) -> list[tuple[str, str, object]]:
    if text.lstrip().startswith(("{", "[")) and path.suffix.lower() != ".toml":
        return _of_table(_read_json(text, path))
    if path.suffix.lower() == ".toml":
        return _of_table(_read_toml(text, path))
    return _of_lines(text, path)


def _of_table(table: Mapping[str, Any]) -> list[tuple[str, str, object]]:
    return [(trait, trait, value) for trait, value in table.items()]


def _of_lines(text: str, path: Path) -> list[tuple[str, str, object]]:
    found: list[tuple[str, str, object]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        trait, tab, ids = line.partition("\t")
        if not line.strip() or line.startswith("#") or (number == 1 and trait.lower() == "trait"):
            continue
        if not tab:
            msg = "has no tab between trait and id"
            raise FormatError(msg, path=path, line=number, hint=HINT)
        first_cell = ids.partition("\t")[0]
        found.append((f"line {number}", trait, re.split(r"\s*[,;|]\s*", first_cell.strip())))
    return found


def _read_json(text: str, path: Path) -> Mapping[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"is not JSON: {error}"
        raise FormatError(msg, path=path, hint=HINT) from error
    if not isinstance(content, dict):
        msg = "holds a list where an object of traits is expected"
        raise FormatError(msg, path=path, hint=HINT)
    return content


def _read_toml(text: str, path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        msg = f"is no TOML: {error}"
        raise FormatError(msg, path=path, hint=HINT) from error
