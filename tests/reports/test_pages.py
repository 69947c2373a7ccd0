"""Templates of pages, compiled once for a user."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from genotex.reports import pages

TABLES = "plain_table.html.j2"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the folder of temporary files in which nothing is kept yet."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    pages._environment.cache_clear()
    yield tmp_path
    pages._environment.cache_clear()


def test_compiled_templates_are_closed_to_others_and_used_again(kept: Path) -> None:
    first = pages.render_template(TABLES, None)
    (folder,) = kept.iterdir()
    assert folder.stat().st_uid == os.getuid() and not folder.stat().st_mode & 0o077
    (compiled,) = folder.iterdir()
    number = compiled.stat().st_ino
    pages._environment.cache_clear()
    assert pages.render_template(TABLES, None) == first
    assert compiled.stat().st_ino == number and list(folder.iterdir()) == [compiled]


def test_pages_are_written_where_no_folder_is_safe(kept: Path) -> None:
    usual = pages.render_template(TABLES, None)
    (folder,) = kept.iterdir()
    folder.rename(kept / "elsewhere")
    folder.symlink_to("elsewhere")  # Another user could have made it
    pages._environment.cache_clear()
    assert pages.render_template(TABLES, None) == usual
    assert pages._environment().bytecode_cache is None
