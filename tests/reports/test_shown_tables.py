"""The tables of report pages and the files next to them show what is stored, under its name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl
import pytest

from genotex.analysis import gene_stories, stored_types
from genotex.bench import Scores, summarise
from genotex.reports import (
    Findings,
    csv_frame,
    ranked,
    render_page,
    write_meta_report,
    write_scores,
    write_survival_report,
)
from tests.bench.evaluation.some_scores import some_scores
from tests.html_tables import table_with, tables_of
from tests.reports import report_steps as steps
from tests.reports.report_cohort import make_encoded, make_findings, make_infos, make_table, vary
from tests.reports.test_meta_report import solved
from tests.reports.test_survival_report import SOURCE, strong
from tests.shown import agrees, in_files

pytestmark = pytest.mark.usefixtures("undrawn")

Headers = Mapping[str, str | tuple[str, str]]
HALF = NormalDist().inv_cdf(0.975)
KINDS = ("binary", "continuous", "selected")
SHOWN: dict[str, str | tuple[str, str]] = {
    "Gene": "Variable", "95 % interval": ("CI Lower", "CI Upper"), "t": "t", "F": "F", "p": "p",
    "q": "q", "replication": "Replication", "grade": "Grade", "mixed p": "Mixed p",
    "mixed q": "Mixed q", "dep. q": "Departure q",
    "mean": "Mean Expression",
    "n": "Samples", "inter. b": "Interaction Coefficient", "inter. q": "Interaction q",
    "panel": "Panel Coefficient", "chosen": "Selection Frequency",
}  # fmt: skip
OF_KIND: dict[str, dict[str, str | tuple[str, str]]] = {
    "binary": {
        "log2 FC": "Coefficient", "Hedges' g": "Standardised Effect",
        "g 95 % interval": ("low", "high"),
    },
    "continuous": {
        "change / SD": "Coefficient", "partial r": "Standardised Effect",
        "r 95 % interval": ("low", "high"),
    },
    "selected": {"coefficient": "Coefficient", "|coefficient|": "Absolute Coefficient"},
}  # fmt: skip
FILES = {
    "gene": "Variable", "mean": "Mean Expression", "n": "Samples",
    "interaction": "Interaction Coefficient",
    "with_sv_change": "With SV Coefficient", "without_sv_change": "Without SV Coefficient",
}  # fmt: skip
FILES_OF_KIND = {
    "binary": {"log2_fold_change": "Coefficient", "hedges_g": "Standardised Effect",
               "hedges_g_standard_error": "Standardised Error", "hedges_g_ci_low": "low",
               "hedges_g_ci_high": "high"},
    "continuous": {"change_per_sd": "Coefficient", "partial_r": "Standardised Effect",
                   "partial_r_standard_error": "Standardised Error", "partial_r_ci_low": "low",
                   "partial_r_ci_high": "high"},
    "selected": {"coefficient": "Coefficient", "selected": "Significant"},
}  # fmt: skip


def findings_of(kind: str) -> Findings:
    """Return findings with a number of its own in every column that a result can have."""
    if kind == "selected":
        return steps.selected({"JUN": 0.5, "GENE7": -0.2, "FOSB": -0.7})
    findings = make_findings(*make_table(genes=90), continuous=kind == "continuous")
    genes, random = findings.result.genes, np.random.default_rng(3)
    missing = [
        name
        for name, type_ in stored_types().items()
        if type_ is pl.Float64 and (name not in genes.columns or name == "Panel Coefficient")
    ]
    genes = genes.with_columns(
        *(pl.Series(name, random.uniform(0.01, 0.99, genes.height)) for name in missing),
        pl.lit("tested").alias("Status"),
        pl.lit("masked").alias("Grade"),
        pl.int_range(pl.len()).alias("Samples"),
    )
    if kind == "continuous":
        genes = genes.with_columns(pl.col("Standardised Effect").tanh())
    hidden = {"hidden": steps.SURROGATES, "mixed": steps.MIXED, "ranked_by": "p"}
    return vary(findings, genes=genes, method=hidden)


def stored_of(findings: Findings, kind: str) -> pl.DataFrame:
    """Return the genes in the order of the page, with the interval of the standardised effect."""
    genes = findings.result.genes
    if kind == "selected":
        return genes.sort(pl.col("Coefficient").abs(), descending=True, nulls_last=True)
    size, half = pl.col("Standardised Effect"), HALF * pl.col("Standardised Error")
    low, high = size - half, size + half
    if kind == "continuous":
        # By Fisher's z, whose error is that of r over 1 - r^2.
        half = half / (1 - size**2)
        low, high = (size.arctanh() - half).tanh(), (size.arctanh() + half).tanh()
    return genes.with_columns(low.alias("low"), high.alias("high")).sort("p")


def assert_shown(
    rows: list[dict[str, str]], stored: list[dict[str, Any]], headers: Headers
) -> None:
    """Check every cell under its header; a row of the page is one of the stored rows, in order."""
    assert len(rows) == len(stored)
    for row, values in zip(rows, stored, strict=True):
        for header, text in row.items():
            column = headers[header]
            ends = (column,) if isinstance(column, str) else column
            wanted = [values[name] for name in ends]
            assert agrees(text, *wanted), (header, text, wanted)


def assert_same(found: pl.Series, stored: pl.Series) -> None:
    if stored.dtype.is_float():
        one, other = (s.cast(pl.Float64).fill_null(np.nan).to_numpy() for s in (found, stored))
        np.testing.assert_allclose(one, other, rtol=1e-6, err_msg=found.name)
    else:
        assert found.to_list() == stored.to_list(), found.name


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_of_a_gene_is_under_its_header(kind: str) -> None:
    findings = findings_of(kind)
    stored, headers = stored_of(findings, kind), {**SHOWN, **OF_KIND[kind]}
    page = render_page(steps.page_of(findings))
    (table,) = re.findall(r'<table[^>]*id="gene-table".*?</table>', page, re.DOTALL)
    (rows,) = tables_of(table)
    if kind == "selected":
        stored = stored.filter("Significant")
    assert_shown(rows, stored.head(len(rows)).to_dicts(), headers)
    # A column that is new needs a place among the headers above.
    every = {"Gene", *OF_KIND[kind]} if kind == "selected" else {*headers} - {"mixed p"}
    assert set(rows[0]) == every
    classes = [set(each.split()) for each in re.findall(r'<tr class="(.*?)"', table)]
    for found, row in zip(classes, stored.to_dicts(), strict=False):
        wanted = {"up" if row["Coefficient"] > 0 else "down"}
        assert found == wanted | ({"sig"} if row["Significant"] else set()), row["Variable"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_column_of_the_file_holds_what_its_name_says(kind: str) -> None:
    findings = findings_of(kind)
    stored = stored_of(findings, kind)
    names = {in_files(name): name for name in stored.columns} | FILES | FILES_OF_KIND[kind]
    found = csv_frame(findings, ranked(findings)).sort("gene")
    stored = stored.sort("Variable")
    for name in found.columns:
        assert_same(found[name], stored[names[name]])
    if kind != "selected":
        kept = {names[name] for name in found.columns}
        assert set(stored_types()) - kept == {"Absolute Coefficient"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_shortlist_has_its_numbers_and_draws_each_gene_on_its_side(kind: str) -> None:
    findings = findings_of(kind)
    (first, *_) = re.findall(r"<table.*?</table>", render_page(steps.page_of(findings)), re.DOTALL)
    (rows,) = tables_of(first)
    stored = {row["Variable"]: row for row in stored_of(findings, kind).to_dicts()}
    drawn = re.findall(r'<svg class="interval".*?</svg>', first, re.DOTALL)
    assert len(rows) == len(drawn) > 0
    for cells, svg in zip(rows, drawn, strict=True):
        name, change, _, *q = cells.values()
        row = stored[name]
        assert agrees(change, row["Coefficient"]) and (not q or agrees(q[0], row["q"]))
        at = {
            key: [float(x) for x in re.findall(r'x[12]="(.*?)"', line)]
            for key, line in re.findall(r'<line class="(\w+).*?(x1=.*?)/>', svg)
        }
        side = "up" if row["Coefficient"] > 0 else "down"
        assert set(re.findall(r"(?:range|point) (\w+)", svg)) == {side}
        assert (at["point"][0] > at["zero"][0]) == (side == "up")
        if kind != "selected":
            assert agrees(unescape(re.findall("<title>(.*?)</title>", svg)[0]),
                          row["CI Lower"], row["CI Upper"])  # fmt: skip
            low, high = at["range"]
            assert low < at["point"][0] < high
            for end, value in ((low, row["CI Lower"]), (high, row["CI Upper"])):
                assert (end > at["zero"][0]) == (value > 0)


@pytest.mark.parametrize("ranked_with", [True, False])
def test_ranks_with_and_without_surrogate_variables_are_apart(ranked_with: bool) -> None:
    findings = steps.with_surrogates(steps.plain(), ranked_with=ranked_with)
    genes = findings.result.genes
    other = "Without SV" if ranked_with else "With SV"
    places = genes.select(
        pl.all(),
        pl.col("p").rank("ordinal").alias("rank"),
        pl.col(f"{other} p").rank("ordinal").alias(f"{other} rank"),
    ).rows_by_key("Variable", named=True, unique=True)
    ours, theirs = ("with", "without") if ranked_with else ("without", "with")
    headers = {
        "Gene": "Variable",
        **{f"log2 FC, {ours}": "Coefficient", f"q, {ours}": "q", f"rank, {ours}": "rank"},
        f"log2 FC, {theirs}": f"{other} Coefficient", f"q, {theirs}": f"{other} q",
        f"rank, {theirs}": f"{other} rank",
    }  # fmt: skip
    rows = table_with(render_page(steps.page_of(findings)), "q, with")
    stored = [{"Variable": row["Gene"], **places[row["Gene"]]} for row in rows]
    assert set(rows[0]) == set(headers)
    assert_shown(rows, stored, headers)


def test_cohorts_and_values_of_the_reading_are_those_of_the_records() -> None:
    table, roles = make_table(genes=120)
    findings = steps.plain()
    page = render_page(steps.page_of(findings))
    cohorts = table_with(page, "Biased")
    fields = {
        "Gene data": "is_gene_available", "Trait": "is_trait_available", "Biased": "is_biased",
        "Age": "has_age", "Gender": "has_gender", "Usable": "is_usable",
    }  # fmt: skip
    infos = make_infos()
    assert {row["Cohort"].removesuffix(" used") for row in cohorts} == set(infos)
    for row in cohorts:
        info = infos[row["Cohort"].removesuffix(" used")]
        for header, name in fields.items():
            value = getattr(info, name)
            assert row[header] == {True: "yes", False: "no", None: "\N{EN DASH}"}[value], header
        assert row["Samples"] == str(info.sample_size or "\N{EN DASH}")
    values = [each for each in tables_of(page) if each and "Raw value" in each[0]]
    encoded = make_encoded(table, roles)
    assert len(values) == len(encoded)
    for feature, rows in zip(encoded.values(), values, strict=True):
        known = {str(each["raw"]).partition(": ")[2]: each for each in feature}
        for row in rows:
            if (wanted := known.get(row["Raw value"])) is not None:
                assert agrees(row["Code"], wanted["code"])
                assert agrees(row["Samples"], wanted["samples"])
                assert row.get("Role", "").strip() in str(wanted["role"] or "")
                assert bool(row.get("Role")) == bool(wanted["role"])


@pytest.mark.parametrize("level", [False, True])
def test_genes_and_cohorts_of_a_combination(tmp_path: Path, level: bool) -> None:
    output, result = solved(tmp_path, level=level)
    path = write_meta_report(output, "Asthma", None)
    stored = pl.read_parquet(output.meta_table("Asthma", None)).with_columns(
        pl.format("{} of {}", "Agreeing", "Cohorts").alias("same sign"),
        pl.Series("story", gene_stories(result)),
    )
    fixed = pl.col("Fixed Effect") if not level else pl.col("Fixed Effect").tanh()
    stored = stored.with_columns(
        pl.when(pl.col("Random p").is_not_null()).then(fixed).alias("fixed")
    )
    ends = ("r CI Lower", "r CI Upper") if level else ("CI Lower", "CI Upper")
    headers: Headers = {
        "Gene": "Variable", "g": "Combined Effect", "r": "Combined r", "95 % interval": ends,
        "p": "p", "q": "q", "strict p": "Random p", "same sign": "same sign",
        "I\N{SUPERSCRIPT TWO} %": "I2", "p of Q": "Q p", "fixed g": "fixed", "fixed r": "fixed",
        "worst p": "Leave-One-Out p", "replication q": "Replication q", "replicates": "Replicates",
        "next cohort": "Replication", "story": "story",
    }  # fmt: skip
    page = path.read_text(encoding="utf-8")
    genes = table_with(page, "replicates")
    narrowed = re.findall(r'value="(\w+)"> ?(\w+)', page.split('of-table"')[1].split("</form>")[0])
    assert narrowed == [
        ("up", "up"), ("down", "down"), ("sig", "significant"), ("rep", "replicating"),
    ]  # fmt: skip
    classes = [set(each.split()) for each in re.findall(r'<tr class="((?:up|down).*?)"', page)]
    for shown, row in zip(classes, stored.to_dicts(), strict=False):
        marks = {"sig": row["Significant"], "rep": row["Replicates"]}
        side = "up" if row["Combined Effect"] > 0 else "down"
        assert shown == {side, *(name for name, marked in marks.items() if marked)}
    assert_shown(genes, stored.head(len(genes)).to_dicts(), headers)
    cohorts = table_with(page, "Compared")
    facts = [vars(cohort) for cohort in result.cohorts]
    parts = {"Cohort": "name", "Samples": "samples", "Genes tested": "tested",
             "Significant alone": "significant"}  # fmt: skip
    for cohort in result.cohorts:
        alone = f"{cohort.significant:,} of {cohort.tested:,} genes significant by themselves"
        (own,) = (li for li in page.split("<li>") if f"<strong>{cohort.name}</strong>, " in li)
        assert cohort.groups.replace("_", " ") in own and alone in own
    kept = [{header: row[header] for header in parts} for row in cohorts]
    assert_shown(kept, facts, parts)
    names = {in_files(name): name for name in stored.columns}
    names |= {
        "gene": "Variable", "effect": "Combined Effect", "standard_error": "Combined Error",
        "cochran_q": "Q", "q": "q", "cochran_q_p": "Q p", "r": "Combined r",
        **{
            f"GSE{name[3:].lower()}".replace(" ", "_"): name
            for name in stored.columns
            if name.startswith("GSE")
        },
    }  # fmt: skip
    found = pl.read_csv(path.with_suffix(".csv"))
    for name in found.columns:
        assert_same(found[name], stored[names[name]])


def test_genes_by_the_time_to_an_event(tmp_path: Path) -> None:
    found = strong()
    path = write_survival_report(tmp_path / "survival.html", found, SOURCE)
    stored = found.genes.with_columns(
        pl.col("ci_low").exp().alias("low"), pl.col("ci_high").exp().alias("high")
    )
    headers: Headers = {
        "Gene": "gene", "HR": "hazard_ratio", "95 % interval": ("low", "high"), "z": "z", "p": "p",
        "q": "q", "mean": "mean",
    }  # fmt: skip
    short, genes = tables_of(path.read_text(encoding="utf-8"))[:2]
    assert_shown(genes, stored.head(len(genes)).to_dicts(), headers)
    assert [row["Gene"] for row in short] == stored["gene"].head(len(short)).to_list()
    for row, wanted in zip(short, stored.to_dicts(), strict=False):
        assert agrees(row["HR"], wanted["hazard_ratio"]) and agrees(row["q"], wanted["q"])


NAMES = {
    "precision (%)": "precision", "recall (%)": "recall", "F1 (%)": "f1", "AUROC": "auroc",
    "AUPRC": "auprc", "GSEA ES": "gsea_es", "trait accuracy (%)": "trait_accuracy",
    "trait F1 (%)": "trait_f1", "genes predicted": "predicted",
    "genes in reference": "reference", "AJ": "aj", "SJ": "sj", "correlation": "correlation",
    "CSC": "csc", "accuracy (%)": "accuracy", "success (%)": "success", "trait": "trait",
    "cohort": "cohort", "table": "table", "kind": "kind", "condition": "condition",
    "ES within list": "gsea_es_within", "trait R2": "trait_r2",
    "interaction F1 (%)": "interaction_f1",
}  # fmt: skip


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Scores]:
    folder, scores = tmp_path_factory.mktemp("scores"), some_scores()
    write_scores(folder, scores, summarise(scores, draws=50))
    return folder, scores


@pytest.mark.parametrize(
    ("file", "only"),
    [("analysis", ("kind",)), ("preprocessing", ("cohort",)), ("filtering", ("accuracy (%)",))],
)
def test_scores_of_each_item_are_those_of_the_run(
    scored: tuple[Path, Scores], file: str, only: tuple[str, ...]
) -> None:
    folder, scores = scored
    page = (folder / "scores.html").read_text(encoding="utf-8")
    rows = table_with(page, "trait", *only)
    items: list[dict[str, Any]] = [
        vars(item) for item in (scores.analysis if file == "analysis" else scores.filtering)
    ]
    if file == "preprocessing":
        items = [
            {"table": name, **vars(item)}
            for name, each in scores.preprocessing.items()
            for item in each
        ]
    written = pl.read_csv(folder / f"{file}.csv").to_dicts()
    chosen = {(item.trait, item.condition): item.accuracy for item in scores.selection}
    assert len(rows) == len(items) == len(written)
    for row, item, line in zip(rows, items, written, strict=True):
        for name, value in line.items():
            wanted = item[name]
            assert value == (pytest.approx(wanted) if isinstance(wanted, float) else wanted), name
        for header, text in row.items():
            if header == "same cohort":
                assert text == ("yes" if chosen[item["trait"], item["condition"]] else "no")
            elif header == "result":
                assert text == ("yes" if item["success"] else "no")
            else:
                wanted = item[NAMES[header]]
                missing = "none" if header == "condition" else "-"
                assert text == missing if wanted is None else agrees(text, wanted), header


def test_best_problems_are_above_the_worst_and_averages_are_those_written(
    scored: tuple[Path, Scores],
) -> None:
    folder, scores = scored
    tables = tables_of((folder / "scores.html").read_text(encoding="utf-8"))
    best, worst = (table for table in tables if next(iter(table[0])) == "problem")
    by_name = {
        f"{item.trait} given {item.condition}" if item.condition else item.trait: vars(item)
        for item in scores.analysis
    }
    for table in (best, worst):
        for row in table:
            for header, text in row.items():
                wanted = (
                    row["problem"]
                    if header == "problem"
                    else by_name[row["problem"]][NAMES[header]]
                )
                assert text == "-" if wanted is None else agrees(text, wanted)
    assert min(float(row["F1 (%)"]) for row in best) >= max(float(row["F1 (%)"]) for row in worst)
    averages = pl.read_csv(folder / "averages.csv").filter(kind="all")
    sections = averages.partition_by("section", maintain_order=True)
    shown = [table for table in tables if "undefined" in table[0]]
    assert len(shown) == len(sections)
    for rows, section in zip(shown, sections, strict=True):
        lines = section.rows_by_key("figure", named=True, unique=True)
        for row in rows:
            line = lines[NAMES.get(row["figure"], row["figure"])]
            average = line["average"]
            assert row["average"] == "-" if average is None else agrees(row["average"], average)
            ends = (line["ci_low"], line["ci_high"])
            assert (
                row["95 % interval"] == "-" if None in ends else agrees(row["95 % interval"], *ends)
            )
            assert agrees(row["scored"], line["scored"])
            assert agrees(row["undefined"], line["undefined"])


def test_significant_genes_lead_by_the_chance_and_the_page_says_so() -> None:
    findings = vary(
        findings_of("binary"), method={"options": {"q_cut": 0.05, "rank_by": "replication"}}
    )
    genes = ranked(findings)
    first = genes.filter("Significant")
    assert first.height > 5 and genes["Significant"].head(first.height).all()
    assert first["Replication"].is_sorted(descending=True)
    assert genes["p"][first.height :].is_sorted()
    page = render_page(steps.page_of(findings))
    assert page.count("y chance of replication, those that are not significant by p-value") == 2
    assert (
        'aria-sort="descending" title="chance that' in page
        and 'aria-sort="ascending" title' not in page
    )
    assert "listed by the chance that an independent cohort shows them" in page
    by_p = render_page(steps.page_of(findings_of("binary")))
    assert "listed by the chance" not in by_p
    assert "By p-value. All genes" in by_p and 'aria-sort="ascending" title="p-value' in by_p
