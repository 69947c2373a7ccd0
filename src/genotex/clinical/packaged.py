"""The tables that come with the package: words, signs and weights, for people to read."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

__all__ = ["packaged_table"]


def packaged_table(name: str) -> dict[str, Any]:
    """Return a table of ``genotex/clinical/data``.

    Parameters
    ----------
    name : str
        Its name without ``.toml``.
    """
    folder = resources.files("genotex.clinical").joinpath("data")
    return tomllib.loads(folder.joinpath(f"{name}.toml").read_text("utf-8"))
