"""Packages that only some uses need: each is an extra of the installation."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from genotex.errors import UsageError


def load_extra(module: str, extra: str, use: str, instead: str = "") -> Any:
    """Import a module of an extra; in messages `use` says what for, and `instead` what else to do.

    Raises
    ------
    UsageError
        If it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        msg = (
            f"{use} needs a package that is not installed: pip install 'genotex[{extra}]'{instead}"
        )
        raise UsageError(msg) from error


def is_installed(package: str) -> bool:
    """Return whether a package can be imported."""
    return find_spec(package) is not None
