"""What a confined kernel finds around it: an interpreter, libraries, and a clean environment."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

import genotex
from genotex.agents.sandbox.confined import __file__ as _confined
from genotex.agents.sandbox.session import Limits

__all__ = ["environment", "launch_command", "put_package_in", "readable_paths"]

_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/nix/store",
)
_LIBRARY_FOLDERS = ("site-packages", "dist-packages")
_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
_SAME_NUMBERS = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "MKL_CBWR", "NPY_DISABLE_CPU_FEATURES")
"""How libraries compute here; passed on, so that a session comes to the same last digits."""
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from confined.{part} import main; sys.path.pop(0); main()"
)


def launch_command(part: str, *options: str) -> list[str]:
    """Return the command that runs a part of ``confined`` without importing ``genotex``."""
    folder = str(Path(_confined).parent.parent)
    return [sys.executable, *options, "-c", _START.format(part=part), folder]


def readable_paths(lib: Path) -> tuple[str, ...]:
    """Return what an interpreter needs to run: the system's libraries, Python, this package.

    Parameters
    ----------
    lib : Path
        The folder of ``put_package_in``.
    """
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    libraries = {
        sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")
    }
    package = str(Path(genotex.__file__).resolve().parent)
    wanted = [*_SYSTEM, *prefixes, *libraries, *_library_folders(), package, str(lib)]
    there = {path for path in wanted if path and Path(path).exists()}
    return tuple(sorted(path for path in there if not _inside_another(path, there)))


def _inside_another(path: str, others: set[str]) -> bool:
    return any(str(parent) in others for parent in Path(path).parents)


def _library_folders() -> list[str]:
    """Return the folders of installed packages that this program imports from.

    Other folders on its path, the working folder first of all, may hold anything and are not shown.
    """
    named = [path for path in sys.path if Path(path).name in _LIBRARY_FOLDERS]
    return [path for path in dict.fromkeys(named) if Path(path).is_dir()]


def put_package_in(lib: Path) -> None:
    """Make a folder from which ``genotex`` can be imported, and nothing else beside it."""
    lib.mkdir()
    (lib / "genotex").symlink_to(Path(genotex.__file__).resolve().parent)


def environment(limits: Limits, lib: Path) -> dict[str, str]:
    """Return the environment of a session; of ours only how libraries compute is passed on."""
    paths = [f"{sys.prefix}/bin", "/usr/local/bin", "/usr/bin", "/bin"]
    settings = {
        "PATH": ":".join(paths),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "USER": "sandbox",
        "PYTHONPATH": ":".join([str(lib), *_library_folders()]),
        "PYTHONDONTWRITEBYTECODE": "1",
        # The same cells give the same order of sets when they are replayed.
        "PYTHONHASHSEED": "0",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    }
    threads = dict.fromkeys(_THREADS, str(limits.threads)) if limits.threads else {}
    numbers = {name: os.environ[name] for name in _SAME_NUMBERS if name in os.environ}
    return {**settings, **threads, **numbers}
