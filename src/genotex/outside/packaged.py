"""Files that are installed with genotex: no limit applies to them."""

from __future__ import annotations

import lzma
import tomllib
from importlib import resources
from typing import Any

from isal import igzip_lib


def packaged(package: str, name: str) -> bytes:
    """Return a file of a package, such as ``data/traits.toml``; one in gzip or xz is unpacked.

    Each run reads the words of diseases, which gzip unpacks six times as fast.
    """
    content = resources.files(package).joinpath(name).read_bytes()
    if name.endswith(".gz"):
        return igzip_lib.decompress(content, flag=igzip_lib.DECOMP_GZIP)
    return lzma.decompress(content) if name.endswith(".xz") else content


def packaged_toml(package: str, name: str) -> dict[str, Any]:
    """Return a TOML file of a package."""
    return tomllib.loads(packaged(package, name).decode())
