"""The odd cases of docs/evaluation.md, row by row: our rules, and those of the published scorer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genotex.bench import (
    EvaluationOptions,
    RulesName,
    Scores,
    average_tables,
    compare_runs,
    evaluate,
    settings_rows,
    summarise,
)
from genotex.errors import FormatError, UsageError
from genotex.layout import OutputFolder
from tests.bench.evaluation.output_folders import (
    CONTINUOUS,
    UNAVAILABLE,
    cohort,
    write_answer,
    write_cohorts,
    write_table,
    write_text_table,
)

Write = Callable[[Path], object]


def scored(root: Path, task: Any, rules: RulesName, predicted: Write, wanted: Write) -> Scores:
    predicted(root / "p")
    wanted(root / "r")
    (root / "p").mkdir(exist_ok=True)
    return evaluate(root / "p", root / "r", EvaluationOptions(tasks=(task,), rules=rules))


def cohorts(**records: Any) -> Write:
    return lambda root: write_cohorts(root, "Asthma", records)


def nothing(root: Path) -> None:
    """Write no file."""


def broken_cohorts(root: Path) -> None:
    cohorts()(root)
    OutputFolder(root).cohort_info("Asthma").write_text("{")


BOTH: list[RulesName] = ["genotex", "published"]


@pytest.mark.parametrize(("rules", "figure"), [("genotex", 100), ("published", 0)])
def test_no_cohort_is_available_on_either_side(
    tmp_path: Path, rules: RulesName, figure: float
) -> None:
    sides = cohorts(GSE1=UNAVAILABLE), cohorts(GSE1=UNAVAILABLE)
    (found,) = scored(tmp_path, "selection", rules, *sides).filtering
    assert (found.precision, found.recall, found.f1) == (figure,) * 3
    assert found.accuracy == 100


@pytest.mark.parametrize(("rules", "accuracy", "same"), [("genotex", 0, 0), ("published", 50, 0)])
def test_cohort_file_of_the_prediction_is_missing(
    tmp_path: Path, rules: RulesName, accuracy: float, same: float
) -> None:
    wanted = cohorts(GSE1=cohort(), GSE2=UNAVAILABLE)
    scores = scored(tmp_path, "selection", rules, nothing, wanted)
    assert (scores.filtering[0].f1, scores.filtering[0].accuracy) == (0, accuracy)
    assert scores.selection[0].accuracy == same
    assert scores.missing[0].why.startswith("missing")


@pytest.mark.parametrize(("rules", "same"), [("genotex", 0), ("published", 100)])
def test_cohort_file_is_missing_and_there_is_nothing_to_choose(
    tmp_path: Path, rules: RulesName, same: float
) -> None:
    scores = scored(tmp_path, "selection", rules, nothing, cohorts(GSE2=UNAVAILABLE))
    assert scores.selection[0].accuracy == same


@pytest.mark.parametrize(("rules", "items"), [("genotex", 1), ("published", 0)])
def test_cohort_file_of_the_prediction_cannot_be_read(
    tmp_path: Path, rules: RulesName, items: int
) -> None:
    scores = scored(tmp_path, "selection", rules, broken_cohorts, cohorts(GSE1=cohort()))
    assert len(scores.filtering) == len(scores.selection) == items
    assert all(item.f1 == 0 for item in scores.filtering)
    dropped = [note for note in scores.notes if note.startswith("left out by the rules")]
    assert len(dropped) == 2 * (1 - items)


def test_cohort_file_of_the_reference_cannot_be_read(tmp_path: Path) -> None:
    sides = cohorts(GSE1=cohort()), broken_cohorts
    with pytest.raises(FormatError, match=r"cohort_info\.json"):
        scored(tmp_path, "selection", "genotex", *sides)
    scores = scored(tmp_path, "selection", "published", *sides)
    assert not scores.filtering
    assert not scores.selection


@pytest.mark.parametrize(("rules", "same"), [("genotex", 100), ("published", 0)])
def test_cohort_of_unknown_size_is_the_only_usable_one(
    tmp_path: Path, rules: RulesName, same: float
) -> None:
    sides = cohorts(GSE1=cohort(None)), cohorts(GSE1=cohort(8))
    assert scored(tmp_path, "selection", rules, *sides).selection[0].accuracy == same


@pytest.mark.parametrize("rules", BOTH)
def test_cohort_of_unknown_size_next_to_others(tmp_path: Path, rules: RulesName) -> None:
    sides = cohorts(GSE1=cohort(None), GSE2=cohort(5)), cohorts(GSE2=cohort(8))
    assert scored(tmp_path, "selection", rules, *sides).selection[0].accuracy == 100


def broken_answer(root: Path) -> None:
    write_answer(root, "Asthma", None, ["A"]).write_text('{"significant_genes":')


@pytest.mark.parametrize(("rules", "items"), [("genotex", 1), ("published", 0)])
def test_answer_cannot_be_read(tmp_path: Path, rules: RulesName, items: int) -> None:
    scores = scored(tmp_path, "analysis", rules, broken_answer, answer("A"))
    assert len(scores.analysis) == len(scores.missing) == items
    assert all(item.success == 0 for item in scores.analysis)


def test_answer_of_the_reference_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="significant_genes"):
        scored(tmp_path, "analysis", "genotex", answer("A"), broken_answer)
    scores = scored(tmp_path, "analysis", "published", answer("A"), broken_answer)
    assert not scores.analysis
    assert "reference: cannot be read" in "".join(scores.notes)


@pytest.mark.parametrize("rules", BOTH)
def test_answer_is_missing(tmp_path: Path, rules: RulesName) -> None:
    (found,) = scored(tmp_path, "analysis", rules, nothing, answer("A")).analysis
    assert (found.success, found.f1, found.auroc) == (0, 0, 0)


def answer(*genes: str, prediction: dict[str, float] | None = None) -> Write:
    return lambda root: write_answer(root, "Asthma", None, genes, prediction)


@pytest.mark.parametrize(
    ("rules", "auroc", "es"),
    [
        # A before X: the hit wins against every one of the 19,999 negatives.
        ("genotex", 1.0, 1.0),
        # The last A comes after X, one of the negatives; either A is a whole step up.
        ("published", 1 - 1 / 19_999, 2 - 1 / 19_999),
    ],
)
def test_gene_is_named_twice(tmp_path: Path, rules: RulesName, auroc: float, es: float) -> None:
    (found,) = scored(tmp_path, "analysis", rules, answer("A", "X", "A"), answer("A")).analysis
    assert (found.precision, found.recall) == (50, 100)
    assert found.auroc == pytest.approx(auroc, abs=1e-12)
    assert found.gsea_es == pytest.approx(es, abs=1e-12)
    assert found.predicted == 2


@pytest.mark.parametrize(("rules", "figure"), [("genotex", None), ("published", 0.0)])
def test_continuous_trait(tmp_path: Path, rules: RulesName, figure: float | None) -> None:
    side = answer("A", prediction=CONTINUOUS)
    (found,) = scored(tmp_path, "analysis", rules, side, side).analysis
    assert (found.trait_accuracy, found.trait_f1) == (figure, figure)


def table(rows: list[str], columns: list[str]) -> Write:
    values = np.random.default_rng(3).normal(size=(len(rows), len(columns)))
    return lambda root: write_table(root, "gene", "Asthma", "GSE1", rows, columns, values)


SAMPLES = ["GSM1", "GSM2", "GSM3", "GSM4"]


@pytest.mark.parametrize(("rules", "csc"), [("genotex", 1), ("published", 0)])
def test_rows_of_a_table_are_repeated(tmp_path: Path, rules: RulesName, csc: float) -> None:
    side = table(["A", "B", "A"], SAMPLES)
    scores = scored(tmp_path, "preprocessing", rules, side, side)
    assert scores.preprocessing["gene"][0].csc == pytest.approx(csc)


@pytest.mark.parametrize(("rules", "sj"), [("genotex", 1), ("published", 4 / 5)])
def test_columns_of_a_table_are_repeated(tmp_path: Path, rules: RulesName, sj: float) -> None:
    sides = table(["A", "B"], [*SAMPLES, "GSM1"]), table(["A", "B"], SAMPLES)
    scores = scored(tmp_path, "preprocessing", rules, *sides)
    assert scores.preprocessing["gene"][0].sj == pytest.approx(sj)


@pytest.mark.parametrize(("rules", "sj"), [("genotex", 1), ("published", 0)])
def test_table_has_a_header_alone(tmp_path: Path, rules: RulesName, sj: float) -> None:
    def header(root: Path) -> None:
        write_text_table(root, "gene", "Asthma", "GSE1", f",{','.join(SAMPLES)}\n")

    scores = scored(tmp_path, "preprocessing", rules, header, header)
    (found,) = scores.preprocessing["gene"]
    assert (found.sj, found.csc) == (sj, 0)


@pytest.mark.parametrize(
    ("rules", "words"), [("genotex", "genotex"), ("published", "published scorer")]
)
def test_rules_are_stated(tmp_path: Path, rules: RulesName, words: str) -> None:
    scores = scored(tmp_path, "analysis", rules, answer("A"), answer("A"))
    assert settings_rows(scores)[0] == ("rules", words)
    (table,) = average_tables(summarise(scores))
    assert table.title.endswith("(rules: published scorer)") == (rules == "published")


def test_runs_by_different_rules_are_not_compared(tmp_path: Path) -> None:
    runs = {
        rules: scored(tmp_path / rules, "analysis", rules, answer("A"), answer("A"))
        for rules in BOTH
    }
    with pytest.raises(UsageError, match="the runs differ in rules"):
        compare_runs(runs)
