"""Tasks of a biologist, from start to end, with the clicks that docs/workbench.md states."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.app.chromium import chromium, page, server
from tests.app.test_browser import open_genes, open_samples
from tests.laid_out_series import count_tables
from tests.laid_out_series import write as write_laid_out

__all__ = ["chromium", "page", "server"]
SYMBOLS = ("TP53", "EGFR", "MYC", "BRCA1", "CDK2", "GAPDH", "ACTB", "CD4", "CD8A", "IL6")


@pytest.fixture(scope="module")
def folder(study_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")
    shutil.copytree(study_folder, folder, dirs_exist_ok=True)
    return folder


@pytest.fixture
def click(page: Any) -> Callable[[str], None]:
    """Return what clicks, and counts in its attribute `times`."""

    def clicked(selector: str) -> None:
        clicked.times += 1  # type: ignore[attr-defined]
        page.click(selector)

    clicked.times = 0  # type: ignore[attr-defined]
    return clicked


def states(page: Any) -> list[tuple[str, str]]:
    words = page.locator("#steps li").evaluate_all(
        "all => all.map((li) => [li.firstElementChild.textContent, li.className.split(' ')[0]])"
    )
    return [tuple(each) for each in words]


def write_odd_tables(to: Path) -> list[Path]:
    """Write tables with title lines, a header one cell short, and decimal commas."""
    rng = np.random.default_rng(5)
    names = [f"P {i + 1}" for i in range(12)]
    values = rng.normal(8, 0.2, (len(SYMBOLS), 12))
    values[0, 6:] += 3
    rows = (
        "\t".join([gene, *(f"{v:.3f}".replace(".", ",") for v in line)])
        for gene, line in zip(SYMBOLS, values, strict=True)
    )
    head = "# exported on Monday\n# unit: log2\n" + "\t".join(names)
    (to / "values.txt").write_text("\n".join([head, *rows]) + "\n")
    groups = (f"{name};{'treated' if i >= 6 else 'vehicle'}" for i, name in enumerate(names))
    (to / "people.csv").write_text("\n".join(["Name;group", *groups]) + "\n")
    return [to / "values.txt", to / "people.csv"]


def test_own_tables_with_an_odd_header_lead_to_a_gene(
    page: Any, click: Any, tmp_path: Path
) -> None:
    values, people = write_odd_tables(tmp_path)
    click("nav a:text-is('Add data')")
    page.set_input_files("#send-tables input[name=expression]", values)
    page.set_input_files("#send-tables input[name=samples]", people)
    click("#send-tables button")
    click("#added a.button")
    page.wait_for_selector("#design td:has-text('treated')")
    assert [name for name, _ in states(page)] == ["Data", "Samples", "Quality", "Design", "Result"]
    click("text=Start the analysis")
    page.wait_for_selector("#history th a")
    click("#steps a:text-is('Result')")
    assert page.inner_text("#table tbody th a >> nth=0") == "TP53"
    click("#table tbody th a >> nth=0")
    page.wait_for_selector("#values[data-ready]")
    assert click.times == 6


def test_a_figure_for_a_paper_has_the_asked_width_and_the_cut_offs(page: Any, click: Any) -> None:
    open_genes(page)
    before = page.inner_text("#hits")
    page.fill("#cut-change", "1")
    page.press("#cut-change", "Enter")
    page.wait_for_function("text => document.getElementById('hits').textContent !== text",
                           arg=before)  # fmt: skip
    hits = page.inner_text("#hits").split()[0]
    page.select_option("#only", "significant")
    page.wait_for_selector(f"#table p:has-text('of {hits} genes')")
    page.fill("[data-size=width]", "85")
    with page.expect_download() as found:
        click("[data-save=svg]")
    svg = found.value.path().read_text()
    width = re.search(r'<svg[^>]* width="([\d.]+)pt"', svg)
    assert width is not None and abs(float(width[1]) / 72 * 25.4 - 85) < 0.1
    assert click.times == 1


def test_a_result_is_saved_as_one_file_and_its_methods_are_copied(
    page: Any, click: Any, place: dict[str, str]
) -> None:
    open_genes(page)
    click("[data-copy]")
    page.wait_for_selector("#copied:has-text('genotex')")
    with page.expect_download() as found:
        click("#zip")
    names = {Path(name).name for name in zipfile.ZipFile(found.value.path()).namelist()}
    figures = {f"{key}.{kind}" for key in ("volcano", "heatmap") for kind in ("pdf", "svg", "png")}
    assert figures | {"genes.csv", "genes.xlsx", "methods.txt"} <= names


def test_the_steps_follow_a_study_from_its_samples_to_its_result(
    page: Any, place: dict[str, str]
) -> None:
    open_samples(page, place)
    page.wait_for_selector("#steps li:has-text('genes')")
    assert dict(states(page))["Result"] == "open"
    assert page.get_attribute("#steps [aria-current]", "aria-current") == "step"
    page.focus("#steps a:text-is('Design')")
    page.keyboard.press("Enter")
    page.wait_for_selector("#steps li.done:has-text('Design')")
    page.click("#go button")
    page.wait_for_selector("#steps li.done:has-text('Result')")
    page.click("#steps a:text-is('Result')")
    page.wait_for_selector("#plot[data-ready=volcano]")
    assert page.inner_text("#steps [aria-current]") == "Result"


def test_studies_of_a_trait_lead_to_the_forest_of_a_gene(page: Any, click: Any) -> None:
    click("button:text-is('Combine the chosen series')")
    page.wait_for_selector("#forest[data-ready]")
    assert page.locator("[aria-labelledby=combined-title] tbody tr:has-text('GSE')").count() >= 2
    assert click.times == 1


def test_gene_sets_are_tested_from_the_result(page: Any, click: Any) -> None:
    open_genes(page)
    click("button:text-is('Test gene sets')")
    page.wait_for_selector("h2:has-text('Gene Ontology, biological process')")
    assert page.locator("#table tbody tr").count() > 1 and click.times == 1


def test_rna_seq_by_upload_leads_to_a_gene(page: Any, click: Any, tmp_path: Path) -> None:
    series = next(each for each in count_tables() if each.name == "accessions")
    write_laid_out(series, tmp_path / "GSE5")
    files = sorted((tmp_path / "GSE5").iterdir())
    assert [path.name for path in files] == ["GSE5_raw_counts.txt.gz", "GSE5_series_matrix.txt.gz"]
    click("nav a:text-is('Add data')")
    page.set_input_files("#send-series input[name=files]", files)
    page.fill("#send-series input[name=trait]", "Asthma")
    click("#send-series button")
    page.wait_for_selector("#added li:has-text('log2 counts per million')")
    click("#added a.button")
    page.wait_for_selector("#steps li:has-text('12 samples')")
    click("#steps a:text-is('Design')")
    page.wait_for_selector("#go button")
    click("#go button")
    page.wait_for_selector("#steps li.done:has-text('Result')")
    click("#steps a:text-is('Result')")
    page.wait_for_selector("#plot[data-ready=volcano]")
    # Counts are tested by a model of their variance, which the methods name.
    page.click("[data-copy]")
    page.wait_for_selector("#copied:has-text('voom')")
    click("#table tbody th a >> nth=0")
    page.wait_for_selector("#values[data-ready]")
    assert click.times == 7
