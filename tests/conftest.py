"""Shared fixtures: the real files of the project, if available."""

import os
from pathlib import Path

import pytest


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name a case after the argument where its value is bytes.

    Bytes may hold a time (gzip writes one), and the workers of a run must collect the same names.
    """
    return argname if isinstance(val, bytes) else None


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
