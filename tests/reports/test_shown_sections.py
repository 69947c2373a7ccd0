"""Sections of a report that list no genes: each number under its header, in its unit and digits."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest

from genotex.reports import Findings, csv_frame, ranked, render_page
from tests.html_tables import table_with
from tests.reports import report_steps as steps
from tests.reports.report_cohort import make_table, vary
from tests.shown import agrees

pytestmark = pytest.mark.usefixtures("undrawn")


def page_of(findings: Findings) -> str:
    return render_page(steps.page_of(findings))


def section_of(page: str, key: str) -> str:
    return unescape(page.partition(f'<section id="{key}">')[2].partition("</section>")[0])


def assert_rows(rows: list[dict[str, str]], wanted: list[dict[str, Any]]) -> None:
    """Check every cell of every row; a percentage is that of a share."""
    assert len(rows) == len(wanted) and all(set(row) == set(wanted[0]) for row in rows)
    for row, values in zip(rows, wanted, strict=True):
        assert all(agrees(row[name], value) for name, value in values.items()), (row, values)


def test_associations_of_hidden_factors_have_their_own_size_and_p() -> None:
    page = page_of(steps.with_surrogates(steps.plain()))
    shares = dict(zip(("SV1", "SV2"), steps.SURROGATES["share"], strict=True))
    assert_rows(
        table_with(page, "Goes with"),
        [
            {
                "Variable": found["surrogate"], "Share": shares[found["surrogate"]],
                "Goes with": found["with"], "Kind": found["kind"], "Measure": found["measure"],
                "Size": found["size"], "p": found["p"],
            }
            for found in steps.SURROGATES["associations"]
        ],
    )  # fmt: skip


@pytest.mark.parametrize("ranks", [True, False])
def test_the_mixed_model_and_the_moderated_t_have_their_own_q_and_rank(ranks: bool) -> None:
    findings = steps.with_mixed(steps.plain(), ranks=ranks, passes=3)
    genes = findings.result.genes.with_columns(
        pl.col("p").rank("ordinal").alias("rank, moderated t"),
        pl.col("Mixed p").rank("ordinal").alias("rank, mixed"),
    ).rows_by_key("Variable", named=True, unique=True, include_key=True)
    page = page_of(findings)
    rows = table_with(page, "q, mixed")
    order = ["Gene", "log2 FC", "q, mixed", "rank, mixed", "q, moderated t", "rank, moderated t"]
    assert list(rows[0]) == (order if ranks else [*order[:2], *order[4:], *order[2:4]])
    found = [genes[row["Gene"]] for row in rows]
    assert_rows(
        rows,
        [
            {
                "Gene": gene["Variable"], "log2 FC": gene["Coefficient"],
                "q, mixed": gene["Mixed q"], "q, moderated t": gene["q"],
                **{name: int(gene[name]) for name in ("rank, mixed", "rank, moderated t")},
            }
            for gene in found
        ],
    )  # fmt: skip
    mine, other = ("mixed", "moderated t") if ranks else ("moderated t", "mixed")
    places = [int(row[f"rank, {mine}"]) for row in rows]
    assert places == sorted(places) and places[:8] == list(range(1, 9))
    assert set(range(1, 9)) <= {int(row[f"rank, {other}"]) for row in rows}
    hits = {key: {n for n, g in genes.items() if g[key] < 0.05} for key in ("q", "Mixed q")}
    both, lead = len(hits["q"] & hits["Mixed q"]), section_of(page, "mixed")
    wanted = (
        f"finds 3 genes at q < 0.05; the moderated t would find {len(hits['q'])}, {both} of them"
        if ranks
        else f"it finds 3 genes, {both} of them among the {len(hits['q'])} of the moderated t"
    )
    assert wanted in lead and len(hits["q"]) != 3


def test_pairs_of_levels_and_departures_have_their_own_numbers() -> None:
    pairs = [("1 vs 0", 1234), ("2 vs 0", 17), ("2 vs 1", 0)]
    record = {
        "treatment": "factor", "samples": {"0": 3, "1": 4, "2": 5},
        "pairs": [{"pair": name, "significant": count} for name, count in pairs],
    }  # fmt: skip
    plain = replace(steps.plain(), trait_kind="factor")
    count, random = plain.result.genes.height, np.random.default_rng(6)
    several = [f"{name} {part}" for name, _ in pairs for part in ("Coefficient", "p", "q")]
    genes = plain.result.genes.with_columns(
        *(pl.Series(name, random.uniform(0.01, 0.99, count)) for name in ("F", *several)),
        pl.int_range(count, 0, -1).truediv(1000).alias("Departure p"),
        pl.int_range(count, 0, -1).truediv(500).alias("Departure q"),
        pl.int_range(count).add(3.25).alias("Departure F"),
    ).drop("t")
    findings = vary(plain, genes=genes, method={"levels": record})
    page = page_of(findings)
    assert "<dt>Levels</dt><dd>3, a factor</dd>" in page
    rows = table_with(page, "Pair", "Genes")
    assert_rows(rows, [{"Pair": name, "Genes": count} for name, count in pairs])
    first = genes.sort("Departure p").head(10)
    assert_rows(
        table_with(page, "q of the trend"),
        [
            {
                "Gene": row["Variable"], "F": row["Departure F"], "p": row["Departure p"],
                "q": row["Departure q"], "q of the trend": row["q"],
            }
            for row in first.to_dicts()
        ],
    )  # fmt: skip
    headers = {
        "Gene": "Variable", "largest diff.": "Coefficient", "F": "F", "p": "p", "q": "q",
        "mean": "Mean Expression", "dep. q": "Departure q",
        **{name: f"{name} Coefficient" for name, _ in pairs},
        **{f"q {name}": f"{name} q" for name, _ in pairs},
    }  # fmt: skip
    rows = table_with(page, "F", "q 2 vs 1")
    for row, stored in zip(rows, genes.sort("p").to_dicts(), strict=True):
        assert {*row} >= {*headers} - {"dep. q"}
        for name, column in headers.items():
            assert name not in row or agrees(row[name], stored[column]), (name, row)
    found, known = csv_frame(findings, ranked(findings)).sort("gene"), genes.sort("Variable")
    for name, _ in pairs:
        for column, part in (("difference", "Coefficient"), ("p", "p"), ("q", "q")):
            written = found[f"{column}_{name.replace(' ', '_')}"]
            assert written.to_list() == pytest.approx(known[f"{name} {part}"].to_list())
    assert found["largest_difference"].to_list() == known["Coefficient"].to_list()


PERFORMANCE = {
    "prediction": {"accuracy": 82.5, "precision": 81.25, "recall": 79.75, "f1": 80.5},
    "selection": {"precision": 7.5, "recall": 2.25, "f1": 3.5, "jaccard": 1.75},
}


def test_the_tuning_of_the_lasso_has_its_scores_by_lambda() -> None:
    tuning = [
        {
            "lambda": penalty, "genes": genes,
            "selection": {"precision": known, "recall": 61.0, "f1": 62.0, "jaccard": 63.0},
            "prediction": {"f1": f1, "accuracy": 71.0, "precision": 72.0, "recall": 73.0},
        }
        for penalty, known, f1, genes in (
            (0.1, 1.5, 55.5, 4.2), (0.01, 7.5, 66.6, 1020.0), (0.001, 0.0, 44.4, 900.4),
        )
    ]  # fmt: skip
    findings = vary(
        steps.selected({"JUN": 0.5, "CXCL9": -0.3, "GBP1": 0.2}, tuning=tuning),
        cv_performance=PERFORMANCE,
    )
    page = page_of(findings)
    rows = table_with(page, "Lambda")
    assert_rows(
        rows,
        [
            {
                "Lambda": trial["lambda"], "Genes": trial["genes"],
                "Known among the selected": trial["selection"]["precision"] / 100,
                "Prediction, F1": trial["prediction"]["f1"] / 100,
            }
            for trial in sorted(tuning, key=lambda trial: trial["lambda"])
        ],
    )  # fmt: skip
    assert re.findall(r'<tr class="marked"><th[^>]*>(.*?)</th>', page) == ["0.01"]
    assert "<dt>Lambda</dt><dd>0.01</dd>" in page
    names = {"f1": "F1", "jaccard": "Jaccard index"}
    assert_rows(
        table_with(page, "Score", "Value"),
        [
            {"Score": f"{part.capitalize()}: {names.get(name, name)}", "Value": value / 100}
            for part in ("selection", "prediction")
            for name, value in PERFORMANCE[part].items()
        ],
    )
    shares = steps.BENCHMARK["batch_effect"]["shares"]
    gaps = [None, *(high - low for high, low in pairwise(shares))]
    wanted = zip(shares, gaps, strict=True)
    assert_rows(
        table_with(page, "Eigenvalue"),
        [
            {"Eigenvalue": i, "Over the largest": share, "Gap to the one before": gap}
            for i, (share, gap) in enumerate(wanted, 1)
        ],
    )
    assert "largest gap between neighbouring eigenvalues is 0.600; above 6.06 (200" in page
    assert "2 with a positive coefficient" in unescape(page) and "and 1 with a negative one" in page


def test_counts_of_an_rna_seq_cohort_are_those_of_its_record() -> None:
    reads = {"lowest": 4_246_936, "median": 11_066_992, "highest": 30_987_214}
    record = {
        "weights": "none", "reads": reads, "genes": 6000, "filtered": 2089, "kept": 3911,
        "rule": "at least 10 counts", "normalisation": "TMM",
    }  # fmt: skip
    page = page_of(vary(steps.plain(), method={"counts": record}))
    wanted = [{"library": name, "reads": count} for name, count in reads.items()]
    assert_rows(table_with(page, "library"), wanted)
    lead = section_of(page, "counts")
    assert "2,089 of 6,000 genes left out for few counts; 4.2 to 31.0 million reads" in lead


def test_the_session_and_the_steps_have_their_own_values() -> None:
    versions = {"genotex": "0.9", "python": "3.11.7", "numpy": "2.4.6", "polars": "1.35"}
    page = page_of(vary(steps.plain(), method={"versions": versions}))

    def lines(key: str) -> dict[str, list[str]]:
        rows = re.findall(r"<tr><th scope=\"row\">(.*?)</th>(.*?)</tr>", section_of(page, key))
        return {name: re.findall(r"<td.*?>(.*?)</td>", cells) for name, cells in rows}

    session = {name: cells[0] for name, cells in lines("software").items()}
    wanted = {"genotex": "0.9", "Python": "3.11.7", "NumPy": "2.4.6", "Polars": "1.35"}
    assert {name: session.get(name) for name in wanted} == wanted
    assert session["Cohort prepared with genotex"] == "0.1.0" and session["Procedure"] == "sound"
    log = lines("processing")
    counts = {
        "Rows of the matrix": (22283, "identified by probe"),
        "Rows with a gene": (20995, "from column 'Gene Symbol'"),
        "Genes after mapping": (13192, "probes of a gene brought together"),
        "Official gene symbols": (12988, "synonyms replaced, unknown symbols dropped"),
        "Samples linked": (33, "samples with both a clinical and an expression column"),
        "Samples without the trait": (0, "dropped"),
        "Genes dropped": (112, "missing in more than 20 % of the samples"),
        "Samples dropped": (0, "missing more than 5 % of the remaining genes"),
        "Values filled": (431, "with the mean of their gene, in the CSV only"),
        "Samples compared": (23, "those of the contrast"), "Genes tested": (120, "with a p-value"),
    }  # fmt: skip
    assert {name: tuple(log[name]) for name in counts} == {
        name: (f"{count:,}", remark) for name, (count, remark) in counts.items()
    }
    files = section_of(page, "files")
    assert re.findall(r"GSE55457_series_matrix.txt.gz.*?3.8 MB", files, re.DOTALL)
    assert re.findall(r"GPL96.annot.gz.*?5.1 MB", files, re.DOTALL)


def test_the_answer_counts_genes_by_direction_and_samples_by_group() -> None:
    _, roles = make_table(genes=120)
    left_out = next(sample for sample, role in roles.items() if role == "case")
    plain = steps.plain()
    tested = tuple(sample for sample in plain.tested if sample != left_out)
    genes = plain.result.genes.with_columns(
        pl.when(pl.col("Significant")).then("Coefficient").otherwise(pl.col("Coefficient").abs())
    )
    page = page_of(vary(plain, tested=tested, genes=genes))
    hits = genes.filter("Significant")["Coefficient"]
    up, down = (hits > 0).sum(), (hits < 0).sum()
    answer = section_of(page, "answer")
    assert f'<p class="count"><span>{len(hits)}</span> significant genes</p>' in answer
    share = f"Of 120 tested genes, {100 * len(hits) / 120:.2g} % change between cases and controls"
    assert f"{share} at q < 0.05: {up} higher and {down} lower in cases." in answer and up != down
    marks = re.findall(
        r'<span class="mark (\w+)".*?</span><span><strong>(.*?)</strong>, (.*?)<br>', answer
    )
    assert marks == [
        ("case", "Case", "13 samples (12 compared)"),
        ("control", "Healthy control", "10 samples"),
        ("other", "Other disease", "10 samples (not compared)"),
    ]
    assert "12 cases against 10 healthy controls, adjusted for age and gender." in answer


def test_the_interaction_has_its_own_numbers_and_marks_what_passes() -> None:
    plain = steps.plain()
    count = plain.result.genes.height
    genes = plain.result.genes.with_columns(
        pl.int_range(count).sub(60).truediv(7).alias("Interaction Coefficient"),
        pl.int_range(count, 0, -1).truediv(900).alias("Interaction p"),
        pl.int_range(count, 0, -1).truediv(100).alias("Interaction q"),
    )
    found = {"interaction": {"tested": count, "significant": 4}}
    page = page_of(vary(plain, genes=genes, condition="Age", method=found))
    first = genes.sort("Interaction q").head(10)
    assert_rows(
        table_with(page, "inter. p"),
        [
            {
                "Gene": row["Variable"], "log2 FC": row["Coefficient"],
                "inter. b": row["Interaction Coefficient"], "inter. p": row["Interaction p"],
                "inter. q": row["Interaction q"],
            }
            for row in first.to_dicts()
        ],
    )  # fmt: skip
    lines = section_of(page, "interaction").partition("<tbody>")[2].split("</tr>")[:10]
    assert ["weak" in line for line in lines] == (first["Interaction q"] >= 0.05).to_list()
    assert "for 4 genes (interaction, q < 0.05)" in section_of(page, "interaction")


def test_nearly_all_genes_are_not_a_power_of_ten() -> None:
    plain = steps.plain(300)
    hits = pl.int_range(300) > 0
    for significant, share in ((hits, "over 99 %"), (hits | True, "100 %"), (~hits, "0.33 %")):
        genes = plain.result.genes.with_columns(significant.alias("Significant"))
        headline = steps.page_of(vary(plain, genes=genes)).answer.headline
        assert headline.startswith(f"Of 300 tested genes, {share} change")
