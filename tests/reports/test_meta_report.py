"""The page over all cohorts, written from an output folder."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.analysis import META_COLUMNS, MetaResult, analyze_cohorts, write_meta
from genotex.errors import AnalysisError, UsageError
from genotex.figures import ForestRow, draw_svg, forest
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from genotex.reports import build_meta_page, forest_data, forest_rows, write_meta_report
from genotex.words import number
from tests.analysis.meta.cohort_folder import followed_level, groups, put_cohort


def solved(root: Path, cohorts: int = 3, *, level: bool = False) -> tuple[OutputFolder, MetaResult]:
    output = OutputFolder(root)
    for n in range(1, cohorts + 1):
        table = followed_level(n, 20 + 4 * n) if level else groups(n, 20 + 4 * n)
        put_cohort(output, f"GSE{n}", table)
    result = analyze_cohorts(output, Problem("Asthma"))
    write_meta(output, result)
    return output, result


def embedded(html: str) -> dict[str, list[list[int]]]:
    found = re.search(r'<script type="application/json" id="forest-data">(.*?)</script>', html)
    assert found is not None
    content: dict[str, list[list[int]]] = json.loads(found[1])
    return content


def test_page_and_table_are_next_to_the_other_reports(tmp_path: Path) -> None:
    output, result = solved(tmp_path)
    path = write_meta_report(output, "Asthma", None)
    assert path == output.meta_report("Asthma", None)
    assert path.name == "Asthma_condition_None_cohorts.html"
    html = path.read_text(encoding="utf-8")
    assert f"<span>{result.replicating.height}</span> genes that replicate" in html
    assert "6 higher and 0 lower in cases" in html
    assert html.count("<figure id=") == 6
    assert "http://" not in re.sub(r"http://www\.w3\.org/\S+", "", html)
    for cohort in result.cohorts:
        assert cohort.groups in html


def test_csv_has_every_gene_and_every_number(tmp_path: Path) -> None:
    output, result = solved(tmp_path)
    table = pl.read_csv(write_meta_report(output, "Asthma", None).with_suffix(".csv"))
    assert table["gene"].to_list() == result.genes["Variable"].to_list()
    for ours, theirs in (("Combined Effect", "effect"), ("Fixed p", "fixed_p"), ("q", "q")):
        assert_same(table[theirs], result.genes[ours])
    for cohort in result.cohorts:
        assert_same(table[f"{cohort.name}_effect"], result.effects[f"{cohort.name} Effect"])


def assert_same(theirs: pl.Series, ours: pl.Series) -> None:
    # A gene that is low in one cohort is not tested there.
    assert theirs.is_null().to_list() == ours.is_null().to_list()
    assert theirs.drop_nulls().to_list() == pytest.approx(ours.drop_nulls().to_list(), rel=1e-12)


def test_columns_of_the_documentation_are_those_of_the_csv(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "meta-analysis.md").read_text()
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    documented = {name for row in rows for name in re.findall("`([^`]+)`", row)}
    output, _ = solved(tmp_path, 2)
    columns = pl.read_csv(write_meta_report(output, "Asthma", None).with_suffix(".csv")).columns
    found = {re.sub("^GSE1_", "<cohort>_", name) for name in columns if "GSE2" not in name}
    assert found == documented
    assert len([name for name in columns if "GSE" not in name]) == len(META_COLUMNS) + 1


@pytest.mark.parametrize("level", [False, True])
def test_embedded_numbers_are_those_of_the_result(tmp_path: Path, level: bool) -> None:
    output, result = solved(tmp_path, level=level)
    html = write_meta_report(output, "Asthma", None).read_text(encoding="utf-8")
    data = embedded(html)
    assert data["genes"] == result.genes["Variable"].to_list()
    assert data["r"] is level
    for k, cohort in enumerate(result.cohorts):
        pairs = zip(data["effect"][k], result.effects[f"{cohort.name} Effect"], strict=True)
        for written, effect in pairs:
            assert (written is None) == (effect is None)
            assert effect is None or written / 1000 == pytest.approx(effect, abs=6e-4)
    assert "partial correlation with the trait" in html if level else "Hedges&#39; g" in html


def test_two_cohorts_show_no_random_effects(tmp_path: Path) -> None:
    output, _ = solved(tmp_path, 2)
    html = write_meta_report(output, "Asthma", None).read_text(encoding="utf-8")
    assert embedded(html)["fixed"] is None
    assert "Hedges&#39; g, fixed effect" in html
    assert "strict p" not in html
    assert "random effects" not in re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)
    assert "Knapp" not in html


def test_three_cohorts_show_random_effects_and_the_fixed_effect(tmp_path: Path) -> None:
    output, result = solved(tmp_path)
    html = write_meta_report(output, "Asthma", None).read_text(encoding="utf-8")
    genes, data = result.genes, embedded(html)
    for name, key in (("Combined Effect", "whole"), ("Fixed Effect", "fixed")):
        assert data[key][0][0] / 1000 == pytest.approx(genes[name][0], abs=6e-4)
    assert data["tau"][0][0] / 1000 == pytest.approx(genes["tau2"][0] ** 0.5, abs=6e-4)
    of_two = genes["Random p"].is_null().to_list()
    assert [value is None for value in data["fixed"][0]] == of_two
    first = build_meta_page(result, csv_name="x.csv")
    ends = (genes["Combined Effect"][0], genes["CI Lower"][0], genes["CI Upper"][0])
    written = " to ".join(number(value, "signed") for value in ends[1:])
    assert f"{number(ends[0], 'signed')}  ({written})" in first.figures[0].svg
    cells = [first.table.cell(first.table.rows[0], c) for c in first.table.columns]
    assert written in cells
    assert {"strict p", "fixed g"} <= {column.label for column in first.table.columns}
    assert "Hedges&#39; g, random effects" in html
    assert "by random effects (variance between cohorts" in first.methods
    cited = first.software.references
    for author in ("Heller", "Hochberg", "Hedges", "Higgins", "Knapp", "Paule"):
        assert any(author in work for work in cited), author
    assert dict(first.software.session)["Cohorts"]


def test_gene_of_two_among_three_cohorts_is_reported_as_fixed_effect(tmp_path: Path) -> None:
    output = OutputFolder(tmp_path)
    for n in (1, 2, 3):
        table = groups(n)
        genes = ("OTHER", *table.genes[1:]) if n == 3 else table.genes
        put_cohort(output, f"GSE{n}", replace(table, genes=genes))
    result = analyze_cohorts(output, Problem("Asthma"))
    row = result.genes["Variable"].to_list().index("GENE0")
    labels = [line.label for line in forest_rows(result, row)]
    assert labels[2:] == ["fixed effect"]
    page = build_meta_page(result, csv_name="x.csv")
    assert "Genes that two cohorts tested have the fixed effect instead" in page.reading
    assert "Genes of two cohorts were combined as the mean" in page.methods


def test_cohorts_that_differ_are_warned_of_on_the_page(tmp_path: Path) -> None:
    output = OutputFolder(tmp_path)
    rng = np.random.default_rng(5)
    for n in (1, 2, 3):
        table = groups(n, 40, genes=200)
        own = np.outer(table.trait_values, rng.normal(size=200))
        put_cohort(output, f"GSE{n}", replace(table, expression=table.expression + own))
    write_meta(output, analyze_cohorts(output, Problem("Asthma")))
    html = write_meta_report(output, "Asthma", None).read_text(encoding="utf-8")
    assert "The cohorts differ more than chance allows" in html
    assert "p, q and replication allow for it" in html


def test_pairs_and_surrogate_variables_are_in_the_table_of_cohorts(tmp_path: Path) -> None:
    _, result = solved(tmp_path, 2)
    facts = replace(result.cohorts[0], paired="donor", surrogates=2)
    page = build_meta_page(replace(result, cohorts=(facts, *result.cohorts[1:])), csv_name="x.csv")
    assert (
        page.adjusted(page.result.cohorts[0])
        == "Age, Gender, pairs by 'donor', 2 surrogate variables"
    )


def test_nothing_significant_is_reported_as_a_result(tmp_path: Path) -> None:
    output = OutputFolder(tmp_path)
    for n in (1, 2):
        put_cohort(output, f"GSE{n}", groups(n, changed=0))
    write_meta(output, analyze_cohorts(output, Problem("Asthma")))
    html = write_meta_report(output, "Asthma", None).read_text(encoding="utf-8")
    assert "<span>0</span> genes that replicate" in html
    assert "none passes q &lt; 0.05 over all cohorts; the lowest q-value is" in html


def test_left_out_cohorts_and_warnings_are_reported(tmp_path: Path) -> None:
    output, _ = solved(tmp_path)
    put_cohort(output, "GSE9", followed_level(9))
    output.linked_csv("Asthma", "GSE1").unlink()
    write_meta(output, analyze_cohorts(output, Problem("Asthma")))
    html = write_meta_report(output, "Asthma", None).read_text(encoding="utf-8")
    assert "<strong>GSE9</strong>: Its trait is a measured level" in html
    assert "<strong>GSE1</strong>: Could not be analysed: GSE1.csv: " in html
    assert str(tmp_path) not in html


def test_symbols_and_cohorts_are_escaped(tmp_path: Path) -> None:
    _, result = solved(tmp_path, 2)
    bad = "</script><b>"
    names = pl.Series("Variable", [bad, *result.genes["Variable"][1:]])
    result = replace(
        result, genes=result.genes.with_columns(names), effects=result.effects.with_columns(names)
    )
    assert "<" not in forest_data(result, bad).data
    assert build_meta_page(result, csv_name="x.csv").figures[0].svg.count("<b>") == 0


def test_page_that_would_be_too_heavy_draws_the_first_genes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output, result = solved(tmp_path)
    monkeypatch.setattr("genotex.reports.cohorts.genes._MOST_NUMBERS", 150)
    html = write_meta_report(output, "Asthma", None).read_text(encoding="utf-8")
    assert embedded(html)["genes"] == result.genes["Variable"].head(10).to_list()
    assert f"The first 10 of {result.genes.height} genes can be drawn here" in html


def test_same_input_same_files(tmp_path: Path) -> None:
    output, _ = solved(tmp_path, 2)
    first = write_meta_report(output, "Asthma", None, tmp_path / "a" / "page.html")
    second = write_meta_report(output, "Asthma", None, tmp_path / "b" / "page.html")
    assert first.read_bytes() == second.read_bytes()
    assert first.with_suffix(".csv").read_bytes() == second.with_suffix(".csv").read_bytes()


def test_cut_of_the_analysis_is_in_the_rule(tmp_path: Path) -> None:
    output, _ = solved(tmp_path, 2)
    write_meta(output, analyze_cohorts(output, Problem("Asthma"), AnalysisOptions(q_cut=0.01)))
    html = write_meta_report(output, "Asthma", None).read_text(encoding="utf-8")
    assert "A gene replicates with combined q &lt; 0.01" in html


def test_problem_whose_cohorts_were_not_combined(tmp_path: Path) -> None:
    with pytest.raises(AnalysisError, match="run analyze with all cohorts first"):
        write_meta_report(OutputFolder(tmp_path), "Asthma", None)


def test_page_that_would_overwrite_its_own_table(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="csv"):
        write_meta_report(OutputFolder(tmp_path), "Asthma", None, tmp_path / "genes.csv")


def test_forest_plot_has_every_cohort_and_the_whole() -> None:
    rows = [
        ForestRow("GSE1 (20)", 0.8, 0.2, 1.4, "+0.80  (+0.20 to +1.40)", 0.3),
        ForestRow("GSE2 (40)", -0.1, -0.5, 0.3, "\N{MINUS SIGN}0.10", 0.7),
        ForestRow("fixed effect", 0.2, -0.1, 0.5, "+0.20"),
    ]
    svg = draw_svg(forest(rows, "Hedges' g", "forest-0", "two & one"))
    for row in rows:
        assert row.label in svg
        assert row.written in svg
    assert 'aria-label="two &amp; one"' in svg


def test_counted_cohort_is_marked_in_list_table_and_methods(tmp_path: Path) -> None:
    output, result = solved(tmp_path)
    plain = write_meta_report(output, "Asthma", None).read_text(encoding="utf-8")
    assert "RNA-seq" not in plain and "values as given" not in plain
    kind = "RNA-seq counts, TMM, voom weights"
    cohorts = tuple(replace(c, counts=kind if c.name == "GSE2" else "") for c in result.cohorts)
    write_meta(output, replace(result, cohorts=cohorts))
    html = write_meta_report(output, "Asthma", None).read_text(encoding="utf-8")
    assert re.search(rf"<strong>GSE2</strong>, [^<]* \({kind}\)<br>", html)
    table = html[html.index('<table class="plain cohorts">') :]
    assert re.findall(rf"<td>({kind}|values as given)</td>", table) == [
        "values as given",
        kind,
        "values as given",
    ]
    assert "The values of GSE2 were RNA-seq counts (TMM, voom weights)." in html
