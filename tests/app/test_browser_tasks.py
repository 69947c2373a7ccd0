"""Tasks of a biologist, from start to end, with the clicks that docs/workbench.md states."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.app.chromium import chromium, page, server
from tests.app.tasks import (
    TASKS,
    Hands,
    combine_cohorts,
    compare_by_texts,
    counts_to_gene,
    enrich_result,
    exclude_in_view,
    figure_for_paper,
    pair_from_column,
    repeat_with_change,
    series_to_gene,
    tables_to_gene,
    two_contrasts,
    write_odd_tables,
    write_three_groups,
)
from tests.app.test_browser import open_genes
from tests.app.test_samples import write_paired
from tests.laid_out_series import count_tables
from tests.laid_out_series import write as write_laid_out

__all__ = ["chromium", "page", "server"]


@pytest.fixture(scope="module")
def folder(study_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")
    shutil.copytree(study_folder, folder, dirs_exist_ok=True)
    write_paired(folder)
    return folder


@pytest.fixture
def hands(page: Any) -> Hands:
    return Hands(page)


@pytest.fixture
def other(study_folder: Path, place: dict[str, str]) -> str:
    """Return the second series of the trait."""
    return sorted(each.name for each in (study_folder / "input/GEO" / place["trait"]).iterdir())[1]


def stated(do: Callable[..., None]) -> tuple[int, int]:
    (task,) = (task for task in TASKS if task.do is do)
    return task.clicks, task.words


def test_the_page_states_clicks_and_words_of_every_task() -> None:
    page = (Path(__file__).parents[2] / "docs" / "workbench.md").read_text()
    for task in TASKS:
        (row,) = (line for line in page.splitlines() if line.startswith(f"| {task.title}"))
        assert row.split("|")[3].strip().startswith(f"{task.clicks}, {task.words}"), row


def test_own_tables_with_an_odd_header_lead_to_a_gene(
    page: Any, hands: Hands, tmp_path: Path
) -> None:
    tables_to_gene(hands, write_odd_tables(tmp_path))
    assert page.inner_text("h1").startswith("TP53")
    assert (hands.clicks, hands.words) == stated(tables_to_gene)


def test_two_contrasts_lead_to_two_results(page: Any, hands: Hands, tmp_path: Path) -> None:
    two_contrasts(hands, write_three_groups(tmp_path))
    assert (hands.clicks, hands.words) == stated(two_contrasts)
    page.goto(page.url.split("/tables")[0])
    rows = page.locator("section[aria-labelledby=analyses] tbody tr:has-text('three')")
    assert rows.count() == 2


def test_a_figure_for_a_paper_has_the_asked_width_and_the_cut_offs(
    page: Any, hands: Hands, tmp_path: Path
) -> None:
    open_genes(page)
    before = page.inner_text("#hits")
    page.on("download", lambda found: found.save_as(tmp_path / "volcano.svg"))
    figure_for_paper(hands)
    assert (hands.clicks, hands.words) == stated(figure_for_paper)
    assert page.inner_text("#hits") != before
    page.select_option("#only", "significant")
    page.wait_for_selector(f"#table p:has-text('of {page.inner_text('#hits').split()[0]} genes')")
    width = re.search(r'<svg[^>]* width="([\d.]+)pt"', (tmp_path / "volcano.svg").read_text())
    assert width is not None and abs(float(width[1]) / 72 * 25.4 - 85) < 0.1


def test_a_result_is_saved_as_one_file_and_its_methods_are_copied(page: Any) -> None:
    open_genes(page)
    page.click("[data-copy]")
    page.wait_for_selector("#copied:has-text('genotex')")
    with page.expect_download() as found:
        page.click("#zip")
    names = {Path(name).name for name in zipfile.ZipFile(found.value.path()).namelist()}
    figures = {f"{key}.{kind}" for key in ("volcano", "heatmap") for kind in ("pdf", "svg", "png")}
    assert figures | {"genes.csv", "genes.xlsx", "methods.txt"} <= names


def test_the_steps_follow_a_study_to_a_gene_and_again_with_one_change(
    page: Any, hands: Hands, first_series: str
) -> None:
    series_to_gene(hands, first_series)
    assert (hands.clicks, hands.words) == stated(series_to_gene)
    assert page.inner_text("#steps [aria-current]") == "Result"
    repeat_with_change(again := Hands(page), first_series)
    assert (again.clicks, again.words) == stated(repeat_with_change)
    assert "0.1" in page.inner_text("#history tbody tr >> nth=0")


def test_a_sample_is_excluded_in_view_of_the_plot(page: Any, hands: Hands, other: str) -> None:
    exclude_in_view(hands, other)
    assert (hands.clicks, hands.words) == stated(exclude_in_view)
    assert page.locator("#sheet tr.excluded").count() == 1


def test_pairs_come_from_a_column(page: Any, hands: Hands) -> None:
    pair_from_column(hands, "GSE1")
    assert (hands.clicks, hands.words) == stated(pair_from_column)
    assert "8 pairs of 16 samples from Individual" in page.inner_text("#sheet .message")


def test_a_comparison_that_the_texts_name_is_tested(page: Any, hands: Hands, other: str) -> None:
    compare_by_texts(hands, other)
    assert (hands.clicks, hands.words) == stated(compare_by_texts)
    assert "against" in page.inner_text(".lead")


def test_studies_of_a_trait_lead_to_the_forest_of_a_gene(page: Any, hands: Hands) -> None:
    combine_cohorts(hands)
    assert page.locator("[aria-labelledby=combined-title] tbody tr:has-text('GSE')").count() >= 2
    assert (hands.clicks, hands.words) == stated(combine_cohorts)


def test_gene_sets_are_tested_from_the_result(page: Any, hands: Hands) -> None:
    open_genes(page)
    enrich_result(hands)
    assert page.locator("#table tbody tr").count() > 1
    assert (hands.clicks, hands.words) == stated(enrich_result)


def test_rna_seq_by_upload_leads_to_a_gene(page: Any, hands: Hands, tmp_path: Path) -> None:
    series = next(each for each in count_tables() if each.name == "accessions")
    write_laid_out(series, tmp_path / "GSE5")
    files = sorted((tmp_path / "GSE5").iterdir())
    assert [path.name for path in files] == ["GSE5_raw_counts.txt.gz", "GSE5_series_matrix.txt.gz"]
    counts_to_gene(hands, files, "Asthma")
    assert (hands.clicks, hands.words) == stated(counts_to_gene)
    page.go_back()
    # Counts are tested by a model of their variance, which the methods name.
    page.click("[data-copy]")
    page.wait_for_selector("#copied:has-text('voom')")
