"""The page and the CSV of traits with several levels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.analysis import solve_problem, write_result
from genotex.formats import CohortInfo, LinkedTable, update_cohort_info, write_linked_csv
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from genotex.reports import write_report

pytestmark = pytest.mark.usefixtures("undrawn")


def write_levels(root: Path, levels: str) -> tuple[str, list[str]]:
    """Return the text of the page, and the columns of the CSV, of a grade in three levels."""
    rng = np.random.default_rng(0)
    grade = np.arange(36.0) % 3
    values = rng.normal(8, 1, (36, 120))
    values[:, :15] += 3 * (grade == 1)[:, None]
    values[:, 15:20] += 2 * grade[:, None]
    samples = tuple(f"GSM{i}" for i in range(36))
    genes = tuple(f"GENE{j}" for j in range(120))
    table = LinkedTable("Tumour_Grade", samples, grade, {}, genes, values)
    output = OutputFolder(root)
    info = CohortInfo(True, True, True, True, False, False, False, 36, None)
    update_cohort_info(output.cohort_info(table.trait), "GSE1", info)
    write_linked_csv(output.linked_csv(table.trait, "GSE1"), table)
    options = AnalysisOptions(panel=False, levels=levels)  # type: ignore[arg-type]
    write_result(output, solve_problem(output, Problem(table.trait), options))
    page = write_report(output, table.trait, None)
    return page.read_text(), pl.read_csv(page.with_suffix(".csv")).columns


@pytest.mark.usefixtures("with_figures")
def test_factor(tmp_path: Path) -> None:
    page, columns = write_levels(tmp_path, "factor")
    assert "differ among the levels of Tumour Grade" in page
    assert "tested as a factor" in page
    assert "--levels ordered" in page
    assert "moderated F statistic" in page
    assert "Significant genes of each pair of levels" in page
    assert "rising" not in page
    wanted = {"largest_difference", "f", "difference_1_vs_0", "p_1_vs_0", "q_2_vs_1"}
    assert wanted <= set(columns)
    assert not {"change_per_sd", "t", "ci_low", "departure_q", "partial_r"} & set(columns)


def test_ordered_levels(tmp_path: Path) -> None:
    page, columns = write_levels(tmp_path, "auto")
    assert "tested as ordered" in page
    assert "--levels factor" in page
    assert "First genes by their departure from the line" in page
    assert "A departure of the levels from the line was tested" in page
    assert {"change_per_sd", "departure_f", "departure_p", "departure_q"} <= set(columns)


def test_line(tmp_path: Path) -> None:
    page, columns = write_levels(tmp_path, "line")
    assert "whether genes depart from it was not tested" in page
    assert "departure_q" not in columns
