"""What people read of scores: written figures, kinds, reasons."""

from __future__ import annotations

import pytest

from genotex.bench import (
    FIGURES,
    Missing,
    PlainTable,
    ScoreFigure,
    Scores,
    average_tables,
    headline_figures,
    kind_table,
    missing_table,
    settings_rows,
    summarise,
    to_markdown,
)
from tests.bench.evaluation.some_scores import some_scores

PERCENT = ScoreFigure("f1", "F1", "%", "")
FRACTION = ScoreFigure("auroc", "AUROC", "fraction", "")


def cells(table: PlainTable | None) -> dict[str, tuple[str, ...]]:
    assert table is not None
    return {row[0]: row[1:] for row in table.rows}


@pytest.mark.parametrize(
    ("figure", "value", "signed", "written"),
    [
        (PERCENT, 41.386, False, "41.39"),
        (FRACTION, 0.7396, False, "0.740"),
        (PERCENT, None, False, "-"),
        (PERCENT, 1.5, True, "+1.50"),
        (FRACTION, -0.25, True, "-0.250"),
        (FRACTION, -0.00004, True, "0.000"),
        (FRACTION, -0.00005, False, "0.000"),
    ],
)
def test_figures_have_the_digits_of_their_unit(
    figure: ScoreFigure, value: float | None, signed: bool, written: str
) -> None:
    assert figure.write(value, signed=signed) == written


def test_headline_figures_are_figures() -> None:
    for section, figures in FIGURES.items():
        assert {figure.key for figure in headline_figures(section)} <= {f.key for f in figures}


def test_each_section_has_its_table_with_the_number_of_items() -> None:
    titles = [table.title for table in average_tables(summarise(some_scores(), draws=20))]
    assert titles == [
        "Dataset filtering, 2 traits",
        "Dataset selection, 4 problems",
        "Preprocessing: gene tables, 2 tables",
        "Preprocessing: linked tables, 1 table",
        "Statistical analysis, 4 problems",
    ]


def test_undefined_figure_is_a_dash_and_is_explained() -> None:
    scores = some_scores(analysis=some_scores().analysis[3:])
    analysis = average_tables(summarise(scores, draws=20))[-1]
    assert cells(analysis)["AUROC"][1:] == ("-", "-", "0", "1")
    assert "left out of the average" in analysis.note


def test_kinds_stand_side_by_side() -> None:
    table = kind_table(summarise(some_scores(), draws=20))
    assert table is not None
    assert table.head[1:] == ("all", "unconditional", "one-step", "two-step")
    assert cells(table)["problems"] == ("4", "2", "1", "1")
    assert cells(table)["selection: accuracy (%)"] == ("75.00", "100.00", "0.00", "100.00")
    assert cells(table)["GSEA ES"][-1] == "-"


def test_one_kind_needs_no_table() -> None:
    scores = some_scores(analysis=some_scores().analysis[:1], selection=())
    assert kind_table(summarise(scores, draws=20)) is None


def test_missing_predictions_are_grouped_by_reason_and_the_first_named() -> None:
    missing = tuple(Missing("analysis", f"T{i}", "missing") for i in range(5))
    table = missing_table(some_scores(missing=(Missing("gene", "A GSE1", "empty"), *missing)))
    assert table is not None
    assert table.title.endswith("scored 0: 6")
    assert table.head == ("task", "why", "which", "number")
    assert table.rows[0] == ("analysis", "missing", "T0, T1, T2, ...", "5")
    assert table.rows[1] == ("gene table", "empty", "A GSE1", "1")


def test_many_reasons_are_counted_and_not_all_listed() -> None:
    missing = tuple(Missing("analysis", f"T{i}", f"reason {i}") for i in range(20))
    table = missing_table(some_scores(missing=missing))
    assert table is not None and len(table.rows) == 12
    assert table.note.startswith("8 more")


def test_nothing_missing_needs_no_table() -> None:
    assert missing_table(some_scores(missing=())) is None


def test_settings_are_told_in_words() -> None:
    told = dict(settings_rows(Scores("p", "r", settings={"metrics": "legacy", "new": None})))
    assert told["metrics"].startswith("legacy")
    assert told["new"] == "none"


def test_markdown_marks_numbers_and_keeps_bars_inside_their_cell() -> None:
    table = PlainTable("T", ("a", "b", "c"), (("x|y", "two\nlines", "1"),), words=2)
    assert to_markdown(table) == (
        "## T\n\n| a | b | c |\n| --- | --- | ---: |\n| x\\|y | two lines | 1 |\n"
    )


BY_HAND = {
    # Means of (100, 50), (50, 100), (200 / 3, 200 / 3) and (75, 25).
    "Dataset filtering": {
        "precision (%)": "75.00", "recall (%)": "75.00", "F1 (%)": "66.67", "accuracy (%)": "50.00",
    },
    "Dataset selection": {"accuracy (%)": "75.00"},
    "Preprocessing: gene tables": {
        "AJ": "0.750", "SJ": "1.000", "correlation": "0.900", "CSC": "0.700",
    },
    "Statistical analysis": {
        # Means of (50, 50, 0, 50), (25, 25, 0, 25) and (100 / 3, 75, 0, 100 / 3).
        "success (%)": "75.00", "precision (%)": "37.50", "recall (%)": "18.75",
        "F1 (%)": "35.42",
        # Of three, four, and twice three.
        "AUROC": "0.667", "AUPRC": "0.150", "GSEA ES": "0.250", "ES within list": "0.500",
        "trait accuracy (%)": "53.33", "trait F1 (%)": "46.67", "trait R2": "0.300",
        "interaction F1 (%)": "-",
        "genes predicted": "1.5", "genes in reference": "4.0",
    },
}  # fmt: skip


def test_each_average_is_that_of_its_figure() -> None:
    tables = {
        table.title.partition(",")[0]: table
        for table in average_tables(summarise(some_scores(), draws=50))
    }
    for name, wanted in BY_HAND.items():
        table = tables[name]
        assert table.head == (
            "figure", "meaning", "average", "95 % interval", "scored", "undefined"
        )  # fmt: skip
        rows = {row[0]: dict(zip(table.head, row, strict=True)) for row in table.rows}
        assert {label: row["average"] for label, row in rows.items()} == wanted
        for row in rows.values():
            low, _, high = row["95 % interval"].partition(" to ")
            assert row["95 % interval"] == "-" or (
                float(low) <= float(row["average"]) <= float(high)
            )
    rows = {row[0]: row[3:] for row in tables["Statistical analysis"].rows}
    assert rows["trait R2"] == ("-", "1", "3") and rows["AUROC"][1:] == ("3", "1")
    assert [row[0] for row in tables["Statistical analysis"].rows][-2:] == [
        "genes predicted", "genes in reference",
    ]  # fmt: skip


def test_each_kind_has_its_own_averages() -> None:
    found = cells(kind_table(summarise(some_scores(), draws=20)))
    assert found["AUROC"] == ("0.667", "0.625", "0.875", "0.500")
    assert found["F1 (%)"] == ("35.42", "33.33", "75.00", "0.00")
    assert found["trait R2"] == ("0.300", "0.300", "-", "-")


def test_settings_are_named() -> None:
    given = {
        "metrics": "default", "df_field": "is_usable", "gene_universe": None,
        "repair_reference": True, "regressors": "inclusive", "task_info": "t.json",
    }  # fmt: skip
    rows = settings_rows(Scores("p", "r", settings=given))
    assert [name for name, _ in rows] == [
        "rules", "metrics", "filtering compares", "list of all genes", "reference repaired",
        "regressor genes of a pair", "task list",
    ]  # fmt: skip
    told = dict(rows)
    assert (told["reference repaired"], told["list of all genes"]) == ("yes", "none")
    assert (told["filtering compares"], told["task list"]) == ("is_usable", "t.json")
    assert told["metrics"].startswith("default (lists padded to 20,000 genes")
