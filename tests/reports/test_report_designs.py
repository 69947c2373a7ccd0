"""Pages of designs of the user's own: they name the design, the contrast and its levels."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.analysis import (
    DesignCohort,
    DesignData,
    DesignRequest,
    analyze_cohorts,
    enrich_problem,
    solve_problem,
    write_design_cohort,
    write_meta,
    write_result,
)
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions, EnrichmentOptions
from genotex.problems import Problem
from genotex.reports import write_meta_report, write_report

PLAIN = AnalysisOptions(panel=False, hidden="none")
NOTES = ("values.csv: text with commas between cells", "scale: taken as log2 values")
WRONG = (
    "cases", "controls", "standard deviation of the trait", "Xena", "the trait was", "case against",
    "the trait's", "regressed on the trait",
)  # fmt: skip
"""Words of an analysis of cases and controls, or of a measured trait."""


pytestmark = pytest.mark.usefixtures("undrawn")


@dataclass
class Page:
    """A page as text without tags, and its table of genes."""

    raw: str
    text: str
    columns: list[str]


def data_of(cohort: str = "study", seed: int = 2) -> DesignData:
    """Return 120 genes of 36 samples: the first ten are higher in B, and a bit in C."""
    rng = np.random.default_rng(seed)
    group = np.array(["A", "B", "C"] * 12)
    values = rng.normal(8, 1, 120) + rng.normal(0, 0.5, (36, 120))
    values[:, :10] += np.select([group == "B", group == "C"], [2.0, 1.0], 0.0)[:, None]
    age = rng.integers(30, 80, 36).astype(float)
    values[:, 10:15] += 0.05 * age[:, None]
    table = pl.DataFrame(
        {
            "group": group,
            "status": np.where(group == "B", "case", "control"),
            "sex": np.where(np.arange(36) % 4 < 2, "female", "male"),
            "age": age,
            "donor": [f"P{i // 2}" for i in range(36)],
        }
    )
    samples = tuple(f"{cohort}_{i}" for i in range(36))
    return DesignData(cohort, tuple(f"GENE{j}" for j in range(120)), samples, values, table)


def counted(data: DesignData) -> DesignData:
    """Return the data as if they were log2 counts per million."""
    sizes = dict.fromkeys(data.samples, 2_000_000.0)
    record = {
        "genes": 120, "filtered": 0, "kept": 120, "rule": "none", "normalisation": "TMM",
        "totals": sizes, "factors": dict.fromkeys(data.samples, 1.0),
        "effective_library_sizes": sizes,
    }  # fmt: skip
    return replace(data, counts=record)


def analyse(
    root: Path, data: DesignData, design: str, contrast: str, trait: str, block: str | None = None
) -> OutputFolder:
    output = OutputFolder(root)
    request = DesignRequest(design, contrast, data.samples, data.table, block)
    files = [{"name": "values.csv", "size": 10, "used_for": "expression"}]
    write_design_cohort(output, DesignCohort(trait, data, request, NOTES, (), files))
    options = replace(PLAIN, cohort=data.name)
    write_result(output, solve_problem(output, Problem(trait), options))
    return output


def page_of(path: Path) -> Page:
    raw = path.read_text()
    bare = re.sub(r"<(style|script).*?</\1>", "", raw, flags=re.DOTALL)
    text = html.unescape(" ".join(re.sub(r"<[^>]+>", " ", bare).split()))
    columns = pl.read_csv(path.with_suffix(".csv")).columns
    return Page(raw, text, columns)


def write(
    root: Path, design: str, contrast: str, *, data: DesignData | None = None,
    block: str | None = None,
) -> Page:  # fmt: skip
    output = analyse(root, data or data_of(), design, contrast, "result", block)
    return page_of(write_report(output, "result", None))


CASES = {
    "two levels": (
        "~ group + age",
        "group: B - A",
        [
            "Which genes differ between B and A (group)?",
            "12 samples of B against 12 samples of A, with 12 further samples in the design",
            "C , 12 samples (in the design, not in the contrast)",
            "higher in B and",
            "adjusted for age",
        ],
        "log2_fold_change",
    ),
    "levels together": (
        "~ group + sex",
        "group: (B + C)/2 - A",
        ["differ between the mean of B and C, and A (group)", "higher in the mean of B and C"],
        "log2_fold_change",
    ),
    "a factor": (
        "~ group + age",
        "group",
        ["Which genes differ among the levels of group?", "A (12), B (12) and C (12)", "B vs A"],
        "largest_difference",
    ),
    "a spline": (
        "~ group + ns(age, 3)",
        "ns(age, 3)",
        ["Which genes change with age?", "36 samples along age", "adjusted for group"],
        "largest_coefficient",
    ),
    "a measured variable": (
        "~ age + sex",
        "age",
        ["Which genes change with age?", "rising with age", "per unit of age"],
        "change_per_unit",
    ),
    "an interaction": (
        "~ group * sex",
        "group:sex",
        ["Which genes show an interaction of group and sex?", "A, female , 6 samples"],
        "largest_coefficient",
    ),
    "within a level": (
        "~ group * sex",
        "group: B - A | sex = female",
        ["differ between B and A (group) where sex = female", "tested was the difference where"],
        "log2_fold_change",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_page_says_what_was_asked(tmp_path: Path, name: str) -> None:
    design, contrast, words, column = CASES[name]

    page = write(tmp_path, design, contrast)

    assert f"Design {design} Contrast {contrast}" in page.text
    assert f"The design was {design}" in page.text
    for word in words:
        assert word in page.text
    for word in WRONG:
        assert word not in page.text
    assert column in page.columns


@pytest.mark.usefixtures("with_figures")
@pytest.mark.parametrize("name", ["two levels", "a factor", "a spline", "an interaction"])
def test_figures_show_the_levels_or_the_measured_variable(tmp_path: Path, name: str) -> None:
    design, contrast, _, _ = CASES[name]

    page = write(tmp_path, design, contrast)

    shown = {
        "two levels": ["B (12)", "A (12)", "C (12)", "log2 fold change, B against A"],
        "a factor": ["C (12)", "largest difference to A, log2"],
        "a spline": ["age, low to high"],
        "an interaction": ["B, male (6)", "largest of the coefficients tested together"],
    }
    for label in shown[name]:
        assert label in page.raw


def test_cases_and_controls_are_called_so(tmp_path: Path) -> None:
    page = write(tmp_path, "~ status", "status: case - control")

    assert "Which genes differ between cases and controls (status)?" in page.text
    assert "12 cases against 24 controls." in page.text


def test_blocks_are_named_with_their_correlation(tmp_path: Path) -> None:
    page = write(tmp_path, "~ group", "group: B - A", block="donor")

    assert "Blocked by donor" in page.text
    assert "the same 'donor' (18 people) were treated as correlated" in page.text


def test_counts_are_weighted_by_voom(tmp_path: Path) -> None:
    page = write(tmp_path, "~ group + age", "group: B - A", data=counted(data_of()))

    assert "were regressed on the design by weighted least squares with voom's" in page.text


def test_tables_of_ones_own_are_the_source(tmp_path: Path) -> None:
    page = write(tmp_path, "~ group + age", "group: B - A")

    assert "tables of the cohort study (values.csv) were read with genotex" in page.text
    assert "Scale: taken as log2 values." in page.text
    assert "values.csv: text with commas between cells." in page.text
    assert "Columns of the sample table in the design" in page.text


def test_gene_sets_have_the_ends_of_the_contrast(tmp_path: Path) -> None:
    output = analyse(tmp_path, data_of(), "~ group", "group: B - A", "result")
    file = tmp_path / "sets.gmt"
    file.write_text("UP\tx\t" + "\t".join(f"GENE{j}" for j in range(10)) + "\n")
    enrich_problem(output, Problem("result"), file, EnrichmentOptions(min_size=5))

    page = page_of(write_report(output, "result", None))

    assert "1 set with genes higher in B" in page.text


def test_cohorts_of_ones_own_are_combined_under_the_names_of_their_levels(tmp_path: Path) -> None:
    for seed, name in enumerate(("north", "south")):
        output = analyse(tmp_path, data_of(name, seed), "~ group", "group: B - A", "result")
    write_meta(output, analyze_cohorts(output, Problem("result"), PLAIN))

    page = page_of(write_meta_report(output, "result", None))

    assert "Which genes differ between B and A, from cohort to cohort?" in page.text
    assert "lower in B." in page.text
    assert "Hedges' g, B against A" in page.text


def test_a_design_of_one_factor_is_not_taken_for_a_measured_variable(tmp_path: Path) -> None:
    page = write(tmp_path, "~ group", "group")

    assert "p = nan" not in page.text
    assert "Warnings" not in page.text


def test_numbers_as_groups_and_measured_interactions(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    data = data_of()
    more = {"batch": np.arange(36) // 6 % 2 * 1.0, "bmi": rng.normal(26, 4, 36)}
    data = replace(
        data, table=data.table.with_columns(**{k: pl.Series(v) for k, v in more.items()})
    )

    page = write(tmp_path / "a", "~ group + C(batch)", "group: B - A", data=data)
    assert "adjusted for batch" in page.text
    page = write(tmp_path / "b", "~ age * bmi", "age:bmi", data=data)
    assert "Samples with a level of age , 36 samples" in page.text


def test_coefficients_of_an_interaction_have_short_names(tmp_path: Path) -> None:
    page = write(tmp_path, "~ group * sex", "group:sex")

    assert "coefficient B:male" in page.text
    assert {"coefficient_B:male", "q_C:male"} <= set(page.columns)
