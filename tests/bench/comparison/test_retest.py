"""Repeated runs: figures of Shrout and Fleiss, agreement by hand."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from genotex.bench import (
    Component,
    EvaluationOptions,
    Scores,
    VarianceComponents,
    compare_runs,
    comparison_json,
    comparison_texts,
    evaluate_all,
    retest_runs,
    retest_tables,
    variance_components,
    with_retest,
)
from genotex.errors import UsageError
from tests.bench.evaluation.output_folders import write_answer
from tests.bench.evaluation.some_scores import some_scores

JUDGES = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)
"""Six targets, four judges: Shrout and Fleiss (1979), table 2."""


def test_ratings_of_shrout_and_fleiss() -> None:
    """Their tables 3 and 4: BMS 11.24, JMS 32.49, EMS 1.02, and ICC(2,1) .29."""
    found = variance_components(JUDGES)
    assert found.icc.value == pytest.approx(0.29, abs=0.005)
    assert found.residual.value == pytest.approx(1.02, abs=0.005)
    assert found.problem.value == pytest.approx((11.24 - 1.02) / 4, abs=0.005)
    assert found.run.value == pytest.approx((32.49 - 1.02) / 6, abs=0.005)
    assert found.problems == 6
    low, high = found.icc.interval or (1, 0)
    assert 0 <= low < 0.29 < high <= 1


def test_runs_that_repeat_each_other_agree_wholly() -> None:
    found = variance_components(np.repeat([[1.0], [2.0], [4.0]], 3, axis=1))
    assert (found.icc.value, found.run.value, found.residual.value) == (1, 0, 0)


def test_nothing_that_varies_has_no_agreement() -> None:
    assert variance_components(np.full((5, 3), 0.1)).icc.value is None
    assert variance_components(np.ones((1, 3))).problem.value is None


def test_variance_components_are_found_again() -> None:
    random = np.random.default_rng(5)
    table = (
        random.normal(size=(400, 1)) * 3
        + random.normal(size=(1, 40)) * 2
        + random.normal(size=(400, 40))
    )
    found = variance_components(table, draws=50)
    assert found.problem.value == pytest.approx(9, rel=0.2)
    assert found.run.value == pytest.approx(4, rel=0.6)
    assert found.residual.value == pytest.approx(1, rel=0.05)


@pytest.fixture
def runs(tmp_path: Path) -> dict[str, Scores]:
    lists = {
        "one": {"A": ["G1", "G2"], "B": ["G1"], "C": ["G5"]},
        "two": {"A": ["G1", "G3"], "B": ["G1"]},
        "reference": {"A": ["G1", "G2", "G3"], "B": ["G1"], "C": ["G5"], "D": ["G6"]},
    }
    for run, answers in lists.items():
        for trait, genes in answers.items():
            write_answer(tmp_path / run, trait, None, genes, {"accuracy": 80.0, "f1": 70.0})
    folders = [tmp_path / "one", tmp_path / "two"]
    scored = evaluate_all(folders, tmp_path / "reference", EvaluationOptions(tasks=("analysis",)))
    return dict(zip(("one", "two"), scored, strict=True))


def test_genes_in_common(runs: dict[str, Scores]) -> None:
    """A: one of three; B: the same; C: answered by one run alone; D: by none."""
    found = retest_runs(runs)
    assert found.genes.value == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert found.problems == 3
    low, high = found.genes.interval or (1, 0)
    assert 0 <= low < high <= 1
    assert found.figures["f1"].problems == 4


def test_agreement_is_part_of_the_comparison(runs: dict[str, Scores]) -> None:
    compared = with_retest(compare_runs(runs))
    (table,) = retest_tables(compared.retest) if compared.retest else ()
    assert table.title == "Agreement of 2 runs taken as repetitions"
    assert table.rows[0][1].startswith("0.444 (")
    assert comparison_json(compared)["retest"]["genes"]["value"] == pytest.approx(4 / 9)
    assert "## Agreement of 2 runs" in comparison_texts(compared)["comparison.md"]
    assert "retest" not in comparison_json(compare_runs(runs))


def test_components_and_agreement_are_in_their_columns(runs: dict[str, Scores]) -> None:
    found = retest_runs(runs, draws=20)
    parts = VarianceComponents(
        *(Component(value, (value, 2.25)) for value in (0.25, 0.01, 0.04, 0.8)), problems=3
    )
    nothing = VarianceComponents(*[Component(None)] * 4, problems=1)
    figures = dict.fromkeys(found.figures, nothing) | {"auroc": parts}
    (table,) = retest_tables(replace(found, figures=figures))
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["AUROC (ICC)"] == (
        "0.800 (0.800 to 2.250)", "0.500 (0.500 to 1.500)", "0.100 (0.100 to 1.500)",
        "0.200 (0.200 to 1.500)", "3",
    )  # fmt: skip
    assert rows["F1 (%) (ICC)"] == ("-", "-", "-", "-", "1")


def test_a_problem_must_be_scored_in_every_run(runs: dict[str, Scores]) -> None:
    first = replace(runs["one"], analysis=runs["one"].analysis[:3])
    assert retest_runs({"one": first, "two": runs["two"]}).figures["f1"].problems == 3
    other = replace(runs["two"], analysis=runs["two"].analysis[3:])
    with pytest.raises(UsageError, match="scored on the same problems"):
        retest_runs({"one": first, "two": other})
    single = retest_runs({"one": replace(first, analysis=first.analysis[:1]), "two": runs["two"]})
    assert single.problems == 1 and single.genes.value == pytest.approx(1 / 3)
    assert single.genes.interval is None and single.figures["f1"].icc.value is None


def test_folders_that_are_gone_leave_scores_alone(runs: dict[str, Scores]) -> None:
    moved = {name: replace(scores, prediction="gone") for name, scores in runs.items()}
    compared = with_retest(compare_runs(moved))
    assert compared.retest is not None
    assert compared.retest.genes.value is None
    assert compared.retest.figures["f1"].icc.value is not None
    assert "gone has no answers" in compared.notes[-1]


def test_one_run_repeats_nothing() -> None:
    with pytest.raises(UsageError, match="two runs or more"):
        retest_runs({"one": some_scores()})
