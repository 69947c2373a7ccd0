"""`de`: the numbers of `solve`, any kind of data, results with plots and files, user mistakes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import anndata
import matplotlib as mpl
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pytest

import genotex as gx
from genotex.analysis import solve_problem
from genotex.cohorts import preprocess
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.api.conftest import ARTHRITIS

CONTRAST = "group: case - control"


@pytest.fixture(scope="module")
def adata(study: Path) -> anndata.AnnData:
    return gx.read_geo(study / "GEO" / "Simulated_Arthritis" / "GSE90000001", ARTHRITIS)


@pytest.fixture(scope="module")
def res(adata: anndata.AnnData) -> gx.Result:
    return gx.de(adata, design="~ group + batch", contrast=CONTRAST)


@pytest.fixture
def plt() -> Iterator[object]:
    before = mpl.get_backend()
    mpl.use("agg")
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")
    mpl.use(before)


@pytest.mark.parametrize(
    ("cohort", "design"),
    [
        ("GSE90000001", "~ group + age + sex + batch"),
        ("GSE90000002", "~ group + age + sex"),
        ("GSE90000007", "~ group + age + sex + batch"),
    ],
)
def test_the_table_is_that_of_solve(study: Path, cohort: str, design: str, tmp_path: Path) -> None:
    preprocess(study, tmp_path, traits=[ARTHRITIS], cohorts=[cohort])
    options = AnalysisOptions(panel=False)
    solved = solve_problem(OutputFolder(tmp_path), Problem(ARTHRITIS), options)
    wanted = solved.genes.filter(pl.col("Status") == "tested")
    adata = gx.read_geo(study / "GEO" / "Simulated_Arthritis" / cohort, ARTHRITIS)
    table = gx.de(adata, design=design, contrast=CONTRAST, missing="fill").table
    assert sorted(table.index) == sorted(wanted["Variable"])
    ordered = table.loc[wanted["Variable"].to_list()]
    for ours, theirs in (("t", "t"), ("log2_fold_change", "Coefficient"), ("q", "q")):
        np.testing.assert_allclose(ordered[ours], wanted[theirs].to_numpy(), rtol=1e-9, atol=1e-12)


def test_the_table_has_a_row_for_each_gene_in_order(res: gx.Result) -> None:
    assert list(res.table.columns)[:12] == [
        "log2_fold_change", "ci_low", "ci_high", "mean", "t", "p", "q", "grade", "replication",
        "hedges_g", "hedges_g_ci_low", "hedges_g_ci_high",
    ]  # fmt: skip
    assert res.table.index.name == "gene"
    assert res.significant["replication"].is_monotonic_decreasing
    assert res.table["p"][len(res.significant) :].is_monotonic_increasing
    assert (res.significant["q"] < 0.05).all() and len(res.significant)
    assert "12 cases against 12 controls" in repr(res)


def test_the_cut_and_other_options_are_those_of_the_command(adata: anndata.AnnData) -> None:
    res = gx.de(adata, design="~ group", contrast=CONTRAST, q=0.2, hidden="none", min_effect=0.1)
    assert res.cut == 0.2
    assert res.method["options"]["hidden"] == "none"


def test_several_contrasts_are_a_dict_of_results(adata: anndata.AnnData) -> None:
    found = gx.de(adata, design="~ group + sex", contrast=[CONTRAST, "sex: male - female"])
    assert list(found) == [CONTRAST, "sex: male - female"]
    assert all(isinstance(result, gx.Result) for result in found.values())


def test_columns_that_the_group_was_read_from_are_not_reported_as_confounded(
    res: gx.Result,
) -> None:
    assert not any("disease state" in warning for warning in res.warnings)
    assert "disease state" in res.samples.columns


@pytest.mark.parametrize("turned", [False, True])
def test_data_frames_give_the_same_numbers(
    adata: anndata.AnnData, res: gx.Result, turned: bool
) -> None:
    expression = adata.to_df().T if turned else adata.to_df()
    samples = adata.obs[["group", "batch"]]
    found = gx.de(
        expression.rename_axis("id"), samples, design="~ group + batch", contrast=CONTRAST
    )
    np.testing.assert_allclose(found.table["t"], res.table.loc[found.table.index, "t"], rtol=1e-6)


def test_files_of_counts_are_filtered_and_weighted(study: Path, tmp_path: Path) -> None:
    adata = gx.read_geo(study / "GEO" / "Simulated_Arthritis" / "GSE90000007", ARTHRITIS)
    counts = pd.DataFrame(adata.layers["counts"].T, adata.var_names, adata.obs_names)
    counts.iloc[0] = 0
    counts.iloc[1, 1:] = 0
    counts.astype(int).to_csv(tmp_path / "counts.csv")
    adata.obs[["group", "batch"]].rename_axis("sample").to_csv(tmp_path / "samples.csv")
    asked = {"design": "~ group + batch", "contrast": CONTRAST}
    found = gx.de(tmp_path / "counts.csv", str(tmp_path / "samples.csv"), **asked)
    assert found.method["counts"]["weights"] == "voom"
    assert set(counts.index[:2]).isdisjoint(found.genes.index)
    read = gx.read_tables(tmp_path / "counts.csv", tmp_path / "samples.csv")
    np.testing.assert_array_equal(
        np.asarray(read.to_df("counts").T.loc[list(read.var_names)]),
        counts.loc[list(read.var_names)],
    )
    pd.testing.assert_frame_equal(gx.de(read, **asked).table, found.table)


def test_controls_of_unknown_health_take_part_only_if_asked_for(adata: anndata.AnnData) -> None:
    data = adata.copy()
    groups = data.obs["group"].astype(str)
    groups[data.obs_names[groups == "control"][:4]] = "other control"
    data.obs["group"] = groups
    auto = gx.de(data, design="~ group", contrast=CONTRAST, hidden="none")
    assert auto.method["contrast"]["text"] == "12 cases against 8 controls"
    every = gx.de(data, design="~ group", contrast=CONTRAST, hidden="none", controls="all")
    assert every.method["contrast"]["text"] == "12 cases against 12 controls"
    named = gx.de(data, design="~ group", contrast="group: case - other control", hidden="none")
    assert "12 case against 4 other control" in named.method["contrast"]["text"]


def test_a_file_that_genotex_wrote_gives_the_same_numbers(study: Path, tmp_path: Path) -> None:
    adata = gx.read_geo(study / "GEO" / "Simulated_Arthritis" / "GSE90000007", ARTHRITIS)
    adata.write_h5ad(tmp_path / "cohort.h5ad")
    asked = {"design": "~ group + batch", "contrast": CONTRAST, "hidden": "none"}
    wanted = gx.de(adata, **asked)
    for data in (tmp_path / "cohort.h5ad", anndata.read_h5ad(tmp_path / "cohort.h5ad", "r")):
        pd.testing.assert_frame_equal(gx.de(data, **asked).table, wanted.table)
    with pytest.raises(gx.GenotexError, match=r"nope\.h5ad"):
        gx.de("nope.h5ad", **asked)
    (tmp_path / "text.h5ad").write_text("gene,s1")
    with pytest.raises(gx.GenotexError, match=r"text\.h5ad"):
        gx.de(tmp_path / "text.h5ad", **asked)


def test_more_columns_for_the_samples_can_be_given(adata: anndata.AnnData) -> None:
    more = pd.DataFrame({"score": np.arange(24.0)}, index=adata.obs_names)
    found = gx.de(adata, more, design="~ group + score", contrast="score")
    assert found.samples["score"].tolist() == list(range(24))


@pytest.mark.parametrize("name", ["volcano", "ma", "heatmap", "pca"])
def test_a_plot_is_drawn_on_the_axes_that_were_given(
    res: gx.Result, name: str, plt: object
) -> None:
    _, ax = plt.subplots()  # type: ignore[attr-defined]
    assert getattr(res, name)(ax=ax) is ax
    assert ax.get_xlabel()
    assert mpl.get_backend().lower() == "agg"


@pytest.mark.parametrize("by", [None, "age", "tissue", "sex"])
def test_a_gene_is_plotted_by_any_column(res: gx.Result, by: str | None, plt: object) -> None:
    gene = res.table.index[0]
    ax = res.plot_gene(gene, by=by)
    assert ax.get_ylabel().startswith(gene) and ax.get_xlabel() == (by or "group")
    res.pca(by=by)
    res.heatmap([gene], by=by)


def test_the_control_comes_first_in_plots(res: gx.Result, plt: object) -> None:
    ax = res.plot_gene(res.table.index[0])
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["control (12)", "case (12)"]


def test_a_measured_column_is_plotted_along_itself(adata: anndata.AnnData, plt: object) -> None:
    found = gx.de(adata, design="~ age", contrast="age", missing="drop")
    assert found.plot_gene(found.table.index[0]).get_xlabel() == "age"
    assert found.heatmap(5).get_xlabel() == "samples, by age"
    found.pca()


def test_files_hold_what_the_table_holds(res: gx.Result, tmp_path: Path) -> None:
    csv = pd.read_csv(res.to_csv(tmp_path / "genes.csv"), index_col="gene")
    np.testing.assert_allclose(csv["t"], res.table["t"])
    ranks = pd.read_csv(res.to_rnk(tmp_path / "genes.rnk"), sep="\t", header=None, index_col=0)
    assert ranks[1].is_monotonic_decreasing and len(ranks) == len(res.table)
    again = anndata.read_h5ad(res.to_h5ad(tmp_path / "genes.h5ad"))
    np.testing.assert_allclose(again.var.loc[res.table.index, "q"], res.table["q"])
    assert again.uns["genotex"]["contrast"] == CONTRAST


def test_a_workbook_has_genes_samples_quality_and_methods(res: gx.Result, tmp_path: Path) -> None:
    book = openpyxl.load_workbook(res.to_excel(str(tmp_path / "out.xlsx")))
    assert book.sheetnames == ["genes", "samples", "quality", "methods"]
    genes = list(book["genes"].iter_rows(values_only=True))
    assert genes[0][:2] == ("gene", "log2_fold_change") and len(genes) == len(res.table) + 1
    assert len(list(book["samples"].iter_rows())) == 25


def test_texts_of_a_workbook_are_never_formulas(adata: anndata.AnnData, tmp_path: Path) -> None:
    data = adata.copy()
    data.obs["remark"] = ["=1+1"] * data.n_obs
    result = gx.de(data, design="~ group", contrast=CONTRAST)
    book = openpyxl.load_workbook(result.to_excel(tmp_path / "out.xlsx"))
    cells = [cell for row in book["samples"].iter_rows() for cell in row if cell.value == "=1+1"]
    assert len(cells) == 24 and {cell.data_type for cell in cells} == {"s"}


def words_of(page: Path) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.read_text()).split())


def test_a_page_names_groups_and_genes(res: gx.Result, tmp_path: Path) -> None:
    text = words_of(res.report(tmp_path / "out.html"))
    assert "12 cases against 12 controls" in text
    assert str(res.table.index[0]) in text and "GSE90000001_family.soft.gz" in text
    assert (tmp_path / "out.csv").is_file()


@pytest.mark.everyday
def test_a_page_names_controls_that_take_no_part(study: Path, tmp_path: Path) -> None:
    adata = gx.read_geo(study / "GEO" / "Simulated_Arthritis" / "GSE90000002", ARTHRITIS)
    found = gx.de(adata, design="~ group", contrast=CONTRAST, hidden="none")
    text = words_of(found.report(tmp_path / "out.html"))
    assert "7 cases against 7 controls" in text
    assert "Not in the design , 5 samples (not compared)" in text


def test_a_notebook_shows_the_first_genes(res: gx.Result) -> None:
    page = res._repr_html_()
    assert str(res.table.index[0]) in page and "<table" in page


def test_several_coefficients_have_a_page_and_no_ranks(
    study: Path, tmp_path: Path, plt: object
) -> None:
    adata = gx.read_geo(study / "GEO" / "Simulated_Arthritis" / "GSE90000002", ARTHRITIS)
    found = gx.de(adata, design="~ group", contrast="group", hidden="none")
    assert "F" in found.table.columns
    assert "coefficients" in found.report(tmp_path / "out.html").read_text()
    found.volcano()
    with pytest.raises(gx.AnalysisError, match="no direction"):
        found.to_rnk(tmp_path / "out.rnk")


def test_the_time_to_an_event_is_tested(adata: anndata.AnnData, res: gx.Result) -> None:
    data = adata.copy()
    gene = res.table.index[0]
    noise = np.random.default_rng(1).normal(scale=0.3, size=24)
    data.obs["months"] = 30 - np.asarray(adata[:, gene].X).ravel() + noise
    data.obs["died"] = 1
    found = gx.survival(data, time="months", event="died", design="~ batch")
    assert found.index[0] == gene and found["hazard_ratio"].iloc[0] > 1
    assert found.attrs["method"]["events"] == 24
    with pytest.raises(gx.UsageError, match="'moths'"):
        gx.survival(data, time="moths", event="died")


MISTAKES: list[tuple[Callable[[anndata.AnnData, gx.Result], object], str]] = [
    (lambda a, r: gx.de(a, design="~ grp", contrast=CONTRAST), "perhaps 'group'"),
    (lambda a, r: gx.de(a, design="~ group", contrast="group: cse - control"), "perhaps 'case'"),
    (lambda a, r: gx.de(a, design="~ group", contrast=CONTRAST, trnd=True), "nearest are trend"),
    (lambda a, r: gx.de(a, design="~ group", contrast=CONTRAST, scale="log2"), "scale has no"),
    (lambda a, r: gx.de(a, design="~ group", contrast=[]), "no contrast"),
    (lambda a, r: gx.de(a, design="~ age", contrast="age"), "age is missing in 2 of"),
    (lambda a, r: gx.de(3, design="~ age", contrast="age"), "sample table|not a"),
    (lambda a, r: gx.de(a, design="~ group", contrast=CONTRAST, q="x"), "wrong kind"),
    (lambda a, r: gx.de(a, design="~ group", contrast=CONTRAST, order=["x"]), "is a mapping"),
    (lambda a, r: gx.read_geo(None), "a NoneType names no file"),
    (lambda a, r: gx.read_geo(".", samples=a.obs), "samples is a DataFrame; give the path"),
    (lambda a, r: r.plot_gene(r.table.index[0], by="batc"), "the nearest are batch"),
    (lambda a, r: r.plot_gene(r.table.index[0] + "Q"), "the nearest are .*"),
    (lambda a, r: r.heatmap([]), "no gene to plot"),
    (lambda a, r: r.to_rnk("x.rnk", statistic="z"), "no statistic 'z'; it has"),
    (lambda a, r: r.to_excel("x.csv"), "must end in .xlsx"),
    (lambda a, r: r.report("x.pdf"), "must end in .html"),
]


@pytest.mark.parametrize(("mistake", "message"), MISTAKES)
def test_a_mistake_is_explained(
    adata: anndata.AnnData,
    res: gx.Result,
    mistake: Callable[[anndata.AnnData, gx.Result], object],
    message: str,
) -> None:
    with pytest.raises(gx.GenotexError, match=message):
        mistake(adata, res)


def test_the_signature_shows_the_options_of_a_design() -> None:
    shown = inspect.signature(gx.de).parameters
    assert {"q", "hidden", "weights", "rank_by", "trend", "seed"} < set(shown)
    assert not {"options", "q_cut", "pair", "covariates", "procedure"} & set(shown)
    assert (shown["q"].default, shown["hidden"].default, shown["panel"].default) == (
        0.05, "auto", False,
    )  # fmt: skip


def test_the_kind_of_values_goes_with_what_was_read(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    counts = random.negative_binomial(5, 0.05, (300, 8)).astype(float)
    names = [f"s{i}" for i in range(8)]
    table = pd.DataFrame(counts / counts.sum(axis=0) * 1e6, columns=names)
    table.insert(0, "gene", [f"gene{j}" for j in range(300)])
    samples = pd.DataFrame({"sample": names, "group": list("aaaabbbb")})
    asked = {"design": "~ group", "contrast": "group: b - a", "panel": False}
    read = gx.read_tables(table, samples)
    read.write_h5ad(tmp_path / "cpm.h5ad")
    results = [gx.de(table, samples, **asked), gx.de(read, **asked)]
    results.append(gx.de(tmp_path / "cpm.h5ad", **asked))
    for result in results:
        assert result.method["prior"]["trend_because"] == "normalised reads"
        np.testing.assert_allclose(result.table["p"], results[0].table["p"])
