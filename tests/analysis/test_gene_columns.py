"""The columns of the gene table: levels, names, intervals, and the page that lists them."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import pearsonr

from genotex.analysis import (
    COLUMN_GROUPS,
    GENE_TABLE,
    GeneColumn,
    TableLevel,
    arrange_genes,
    columns_at,
    complete_genes,
    select_columns,
    stored_types,
)

KINDS = ("binary", "continuous", "factor", "selected")
SHORT, FULL, _ = TableLevel
PAGE = Path(__file__).parents[2] / "docs" / "result-files.md"
WORDS = {
    "of_t": "moderated t (`--counts deseq2`: Wald)",
    "of_p": "moderated t or F (`--counts deseq2`: Wald test)",
    "within": "groups (with `--pair`: within pairs)",
    "interaction": "trait by condition interaction",
    "meaning": "per year of age, or men minus women",
    "coefficient": "the coefficient that the contrast tests",
}


def genes(**columns: list[float]) -> pl.DataFrame:
    """Return two tested genes."""
    found = {"Coefficient": [1.0, 0.5], "t": [3.0, 2.0], "p": [0.01, 0.2], "q": [0.02, 0.2]}
    given = {name: np.array(values) for name, values in {**found, **columns}.items()}
    given["Absolute Coefficient"] = np.abs(given["Coefficient"])
    return arrange_genes(
        ["A", "B"],
        np.array(["tested"] * 2),
        given,
        np.array(["robust", ""]),
        q_cut=0.05,
        min_effect=0.0,
    )


def table(frame: pl.DataFrame, level: TableLevel, kind: str = "binary") -> pl.DataFrame:
    whole = complete_genes(frame, kind)
    return select_columns(whole, columns_at(level, kind, whole))


def test_the_short_table_keeps_its_first_columns_even_where_they_are_empty() -> None:
    first = ["gene", "log2_fold_change", "ci_low", "ci_high", "mean", "t", "p", "q", "grade"]
    for kind in KINDS:
        assert table(genes(), SHORT, kind).columns[: len(first)] == first


def test_a_level_shows_what_an_analysis_fills() -> None:
    frame = genes(F=[3.0, 1.0], Samples=[9, 9])
    assert "F" in table(frame, SHORT).columns and "n" not in table(frame, SHORT).columns
    full = table(frame, FULL).columns
    assert {"f", "n", "significant"} <= set(full)
    assert not {"ci_low", "mean", "absolute_coefficient"} & set(full)
    assert "absolute_coefficient" in table(frame, FULL, "selected").columns


def test_each_level_has_the_columns_of_the_one_before() -> None:
    filled = genes().with_columns(
        pl.lit(0.5).alias(n) for n, kind in stored_types().items() if kind is pl.Float64
    )
    names = [{c.name for c in columns_at(level, "binary", complete_genes(filled, "binary"))}
             for level in (SHORT, FULL)]  # fmt: skip
    derived = {column.name for column in GENE_TABLE if column.derived is not None}
    assert names[0] < names[1] and names[1] - derived < set(stored_types())


def test_hedges_g_has_the_interval_of_the_normal_distribution() -> None:
    frame = genes(**{"Standardised Effect": [0.8, -0.2], "Standardised Error": [0.1, 0.3]})
    for level in (SHORT, FULL):
        shown = table(frame, level)
        np.testing.assert_allclose(shown["hedges_g_ci_low"], [0.8 - 0.196, -0.2 - 0.588], atol=1e-4)
        np.testing.assert_allclose(
            shown["hedges_g_ci_high"], [0.8 + 0.196, -0.2 + 0.588], atol=1e-4
        )


def test_a_partial_correlation_has_the_interval_of_fishers_z() -> None:
    x, y = np.random.default_rng(5).normal(size=(2, 28))
    found = pearsonr(x, y + x / 2)
    r = float(found.statistic)
    error = (1 - r**2) / np.sqrt(28 - 3)
    columns = {"Standardised Effect": [r, 0.0], "Standardised Error": [error, 0.1]}
    shown = table(genes(**columns), SHORT, "continuous")
    assert shown["partial_r"][0] == r
    ends = shown["partial_r_ci_low"][0], shown["partial_r_ci_high"][0]
    np.testing.assert_allclose(ends, found.confidence_interval(0.95), atol=1e-9)


def test_a_result_of_an_earlier_version_lacks_a_column_and_can_be_shown() -> None:
    older = genes(Samples=[9.0, 8.0]).drop("Standard Error", "Standardised Effect")
    shown = table(older, FULL)
    assert "n" in shown.columns and "standard_error" not in shown.columns


@pytest.mark.parametrize("kind", KINDS)
def test_every_column_has_a_group_and_a_name_of_its_own(kind: str) -> None:
    columns = [column.of(kind) for column in GENE_TABLE]
    assert len({column.csv for column in columns}) == len(columns)
    assert {column.group for column in columns} == set(COLUMN_GROUPS)
    names = {column.name for column in columns}
    assert all(column.upper in names for column in columns if column.upper)


def documented(column: GeneColumn) -> str:
    """Return the row of the page for a column."""
    every = [column.of(kind) for kind in ("binary", *column.variants)]
    csv = [f"`{name}`" for name in dict.fromkeys(each.csv for each in every)]
    texts = dict.fromkeys(each.help.format(**WORDS) for each in every)
    stored = "" if column.derived is not None else f"`{column.name}`"
    level = "yes" if column.level is SHORT else ""
    return f"| {stored} | {', '.join(csv)} | {level} | {'; '.join(texts)} |"


def test_the_page_lists_every_column() -> None:
    rows = [documented(column) for column in GENE_TABLE]
    text = "\n".join(rows)
    assert text in PAGE.read_text(), f"put these rows into {PAGE.name}:\n{text}"
