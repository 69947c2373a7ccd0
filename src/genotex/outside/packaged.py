"""Files that are installed with genotex: no limit applies to them."""

from __future__ import annotations

import lzma
import tomllib
from importlib import resources
from typing import Any


def packaged(package: str, name: str) -> bytes:
    """Return a file of a package, such as ``data/traits.toml``; one in xz is unpacked."""
    content = resources.files(package).joinpath(name).read_bytes()
    return lzma.decompress(content) if name.endswith(".xz") else content


def packaged_toml(package: str, name: str) -> dict[str, Any]:
    """Return a TOML file of a package."""
    return tomllib.loads(packaged(package, name).decode())
