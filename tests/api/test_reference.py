"""Docs of the public API: a page for each name, and a notebook that runs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import genotex as gx

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOK = DOCS / "notebooks" / "python.ipynb"
ERRORS = {name for name in gx.__all__ if name.endswith("Error")}


def test_every_public_name_has_a_page() -> None:
    pages = {path.stem for path in (DOCS / "reference" / "python").glob("*.md")} - {"index"}
    assert pages == set(gx.__all__) - ERRORS


def test_every_page_names_an_object_that_there_is() -> None:
    for path in (DOCS / "reference" / "python").glob("*.md"):
        found = re.findall(r"^::: (\S+)$", path.read_text(), re.MULTILINE)
        for name in found:
            module, _, leaf = name.rpartition(".")
            assert hasattr(__import__(module, fromlist=[leaf]), leaf), name


def test_the_notebook_was_run_from_top_to_bottom_and_names_no_machine() -> None:
    cells = [c for c in json.loads(NOTEBOOK.read_text())["cells"] if c["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    texts = json.dumps([cell["outputs"] for cell in cells])
    assert not re.search(r"site-packages|/(home|tmp|root|work|Users)/", texts)
    kinds = {output["output_type"] for cell in cells for output in cell["outputs"]}
    assert "error" not in kinds and '"stderr"' not in texts


def test_the_notebook_runs(tmp_path: Path) -> None:
    for package in ("scanpy", "decoupler", "pydeseq2", "ipykernel"):
        pytest.importorskip(package)
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    place = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=600, resources=place).execute()
    assert (tmp_path / "genes.html").is_file()


def test_importing_genotex_loads_no_package_for_data() -> None:
    code = "import sys, genotex; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"anndata", "matplotlib", "numpy", "pandas", "polars", "scipy"}
    assert not set(done.stdout.split()) & heavy
