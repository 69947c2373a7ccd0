"""Every example in a docstring of the public API runs and gives what it shows."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import genotex

API = Path(genotex.__file__).parent / "api"
MODULES = ["genotex", *(f"genotex.api.{path.stem}" for path in sorted(API.glob("[a-z]*.py")))]
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_a_module_run_as_written(
    module: str, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(study.parent)
    found = doctest.testmod(importlib.import_module(module), optionflags=OPTIONS)
    assert found.failed == 0
