"""What works where only genotex itself is installed, and what says which extra it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.errors import UsageError
from genotex.extras import is_installed, load_extra

PROGRAM = """
import sys

sys.modules |= dict.fromkeys(["anndata", "h5py", "matplotlib", "PIL", "sklearn"])
from genotex.cli import main

main()
"""
DESIGN = ["--design", "~ group", "--contrast", "group: case - control"]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a table of values, one of samples, and an empty file named .h5ad."""
    folder = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(4)
    samples = [f"S{i}" for i in range(12)]
    groups = ["case", "control"] * 6
    values = rng.normal(8, 1, (200, 12)) + 3 * (np.arange(200) < 5)[:, None] * np.tile([1, 0], 6)
    table = pl.DataFrame(values, schema=samples)
    table.insert_column(0, pl.Series("gene", [f"G{i}" for i in range(200)]))
    table.write_csv(folder / "values.csv")
    pl.DataFrame({"sample": samples, "group": groups}).write_csv(folder / "samples.csv")
    (folder / "values.h5ad").write_bytes(b"")
    return folder


def run(folder: Path, values: str, *more: str) -> subprocess.CompletedProcess[str]:
    given = [values, "samples.csv", "out", *DESIGN, *more]
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, "de", *given], cwd=folder, capture_output=True, text=True
    )


@pytest.mark.everyday
def test_a_page_and_svg_figures_need_no_extra(tables: Path) -> None:
    done = run(tables, "values.csv", "--figures", "svg")
    assert done.returncode == 0, done.stderr
    (page,) = tables.glob("out/report/*.html")
    assert page.read_text().count('<svg xmlns="http://www.w3.org/2000/svg" role="img"') > 5
    assert next(tables.glob("out/**/volcano.svg")).read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("values", "more", "extra"),
    [("values.csv", ("--figures", "pdf"), "figures"), ("values.h5ad", (), "anndata")],
)
def test_what_needs_an_extra_says_so_before_anything_is_written(
    tables: Path, values: str, more: tuple[str, ...], extra: str
) -> None:
    before = sorted(tables.rglob("*"))
    done = run(tables, values, *more)
    assert done.returncode == 2 and f"pip install 'genotex[{extra}]'" in " ".join(
        done.stderr.split()
    )
    assert "Traceback" not in done.stderr and sorted(tables.rglob("*")) == before


def test_an_extra_is_loaded_or_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_extra("csv", "figures", "a table").reader and is_installed("csv")
    monkeypatch.setitem(sys.modules, "sklearn", None)
    assert not is_installed("sklearn")
    with pytest.raises(UsageError, match=r"^this needs .*: pip install 'genotex\[benchmark\]'$"):
        load_extra("sklearn", "benchmark", "this")
