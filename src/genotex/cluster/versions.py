"""Versions that decide about results: workers have those of the submitting process."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("genotex", "numpy", "scipy", "scikit-learn", "polars", "pandas")


@cache
def own_versions() -> dict[str, str]:
    """Return the version of Python, without its last part, and of what computes."""
    return {"python": _minor(platform.python_version())} | {name: _own(name) for name in PACKAGES}


def worker_versions(reported: Mapping[str, str | None]) -> dict[str, str]:
    """Return the same of a worker, from what Dask reports of it."""
    found = {name: reported.get(name) or "none" for name in PACKAGES}
    return {"python": _minor(str(reported.get("python")))} | found


def difference(worker: str, asked: Mapping[str, str], found: Mapping[str, str]) -> str:
    """Return how the versions of a worker differ from the submitter's; empty if they do not."""
    unlike = [
        f"{name} {found.get(name, 'none')} there, {version} here"
        for name, version in asked.items()
        if found.get(name, "none") != version
    ]
    return (
        f"worker {worker} has other versions than this process: {'; '.join(unlike)}; install the "
        "same versions on all machines"
        if unlike
        else ""
    )


def _own(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def _minor(text: str) -> str:
    return ".".join(text.split(".")[:2])
