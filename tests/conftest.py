"""Shared fixtures, and which tests are slow."""

import functools
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from genotex.outside import VARIABLE, process_limits
from tests.durations import IN_TURNS, function_of, is_slow, recorded, takes_long

# Tests read files, not what an earlier run kept of them, and leave nothing in the home.
os.environ.setdefault(VARIABLE, "kept=0")
settings.register_profile("genotex", deadline=None)  # no test asserts a time
settings.load_profile("genotex")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a case after the argument where its value is bytes.

    Bytes may hold a time (gzip writes one), and the workers of a run must collect the same names.
    """
    return argname if isinstance(val, bytes) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what ``make test-fast`` and ``make test`` leave out, and what needs Linux."""
    root, durations = Path(__file__).parent, recorded()
    cases: Counter[str] = Counter()
    below = functools.cache(lambda path, folder: (root / folder) in path.parents)
    for item in items:
        sandbox, attacks = below(item.path, "agents/sandbox"), below(item.path, "attacks")
        if takes_long(item, durations):
            every_day = bool(item.get_closest_marker("everyday")) or sandbox or attacks
            function = function_of(item.nodeid)
            if not every_day or cases[function] % IN_TURNS:
                item.add_marker(pytest.mark.nightly)
            cases[function] += every_day
        if is_slow(item, durations) or item.get_closest_marker("nightly"):
            item.add_marker(pytest.mark.slow)
        if sandbox or item.path == root / "attacks" / "test_sandbox.py":
            item.add_marker(pytest.mark.linux)
            if sys.platform != "linux":
                item.add_marker(pytest.mark.skip(reason="the sandbox needs Linux"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real files (see CONTRIBUTING.md); tests that need them skip when they are absent."""
    default = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("GENOTEX_SHARED_DATA", default))
    if not folder.is_dir():
        pytest.skip(
            "real data not available: set GENOTEX_SHARED_DATA to the folder that holds them"
        )
    return folder


@pytest.fixture
def set_limits(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Set limits of reading as a user does: ``set_limits(cells=100)``."""

    def set_to(**limits: int) -> None:
        text = ",".join(f"{name}={value}" for name, value in limits.items())
        monkeypatch.setenv(VARIABLE, text)
        process_limits.cache_clear()

    yield set_to
    process_limits.cache_clear()
