"""Pages that compare runs show each run's own numbers: comparison, repetitions, leaderboard."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from genotex.bench import Component, Retest, Scores, VarianceComponents, compare_runs, summarise
from genotex.figures import Figure
from genotex.formats import write_json
from genotex.reports import build_leaderboard, write_comparison, write_leaderboard
from tests.bench.evaluation.some_scores import problem_score, some_scores
from tests.html_tables import table_with, tables_of
from tests.shown import agrees

HEADLINES = {
    "precision (%)": "precision", "recall (%)": "recall", "F1 (%)": "f1", "AUROC": "auroc",
    "AUPRC": "auprc", "GSEA ES": "gsea_es", "trait accuracy (%)": "trait_accuracy",
    "trait F1 (%)": "trait_f1", "success (%)": "success",
}  # fmt: skip


def scores_of(shift: float) -> Scores:
    """Return the scores of a run, every figure with values of its own."""
    traits = ("Asthma", "Gout", "Acne", "Lupus")
    items = tuple(
        problem_score(
            trait, precision=10.0 + i + shift, recall=20.0 + 2 * i + shift, f1=30.0 + 3 * i + shift,
            auroc=0.5 + i / 50 + shift / 100, auprc=0.3 + i / 60 + shift / 90,
            gsea_es=0.1 + i / 70 + shift / 80, trait_accuracy=60.0 + i + 2 * shift,
            trait_f1=50.0 + i + 3 * shift, success=100.0 if i < 3 or shift > 1 else 0.0,
        )
        for i, trait in enumerate(traits)
    )  # fmt: skip
    return some_scores(
        prediction=f"folder{shift:g}", analysis=items, selection=(), filtering=(),
        preprocessing={}, missing=(), tasks=("analysis",),
    )  # fmt: skip


NAMED = {"first": scores_of(1.0), "second": scores_of(5.0), "third": scores_of(2.5)}


def mean(scores: Scores, key: str) -> float:
    values = [getattr(item, key) for item in scores.analysis]
    return math.fsum(values) / len(values)


def assert_mean(text: str, value: float, interval: object = None) -> None:
    found, _, ends = text.partition(" (")
    assert agrees(found, value), (text, value)
    if isinstance(interval, tuple):
        assert agrees(ends.rstrip(")"), *interval), (text, interval)


def test_runs_side_by_side_and_their_differences_are_paired(tmp_path: Path) -> None:
    found = compare_runs(NAMED, "second", draws=50)
    page = write_comparison(tmp_path, found).read_text(encoding="utf-8")
    for name, scores in NAMED.items():
        assert f"<dt>{name}</dt><dd>{scores.prediction}</dd>" in page
    problems, *rows = table_with(page, "figure", "first", "second", "third")
    assert list(problems.values()) == ["problems", "4", "4", "4", "-"]
    names = {row["figure"].rpartition(": ")[2]: row for row in rows}
    assert {*HEADLINES} & {*names} == {*HEADLINES}
    for head, key in HEADLINES.items():
        for name, scores in NAMED.items():
            average = summarise(scores, draws=50).sections["analysis"][key]
            assert_mean(names[head][name], mean(scores, key), average.interval)
        every = [mean(scores, key) for scores in NAMED.values()]
        assert_mean(names[head]["mean of runs"], math.fsum(every) / 3)
    titles = re.findall(r"<h3>(.*? less .*?)</h3>", page)
    assert titles == ["first less second", "third less second"]
    assert "Differences to second" in page
    shown = [table for table in tables_of(page) if "difference" in table[0]]
    for name, table in zip(("first", "third"), shown, strict=True):
        for row in table:
            key = HEADLINES[row["figure"]]
            stored = found.differences[name]["analysis"][key]
            assert agrees(row["difference"], mean(NAMED[name], key) - mean(NAMED["second"], key))
            assert stored.interval is not None and agrees(row["95 % interval"], *stored.interval)
            assert agrees(row["p"], stored.p) and row.get("compared", "4") == "4"
            assert row.get("left out", "0") == "0"


def test_repeated_runs_have_their_agreement_by_figure(tmp_path: Path) -> None:
    def part(value: float) -> Component:
        return Component(value, (value / 2, value * 2))

    figures = {
        key: VarianceComponents(
            part(4.0 + i), part(0.09 + i), part(0.5 + i), part(0.4 + i / 90), 7 + i
        )
        for i, key in enumerate(HEADLINES.values())
    }
    retest = Retest(("first", "second", "third"), part(0.321), 13, figures)
    comparison = replace(compare_runs(NAMED, draws=20), retest=retest, differences={})
    page = write_comparison(tmp_path, comparison).read_text(encoding="utf-8")
    assert "Agreement of 3 runs taken as repetitions" in page
    genes, *rows = table_with(page, "agreement of")
    name, agreement, *others = genes.values()
    assert (name, others) == ("genes (Jaccard index)", ["-", "-", "-", "13"])
    assert_mean(agreement, 0.321, (0.1605, 0.642))
    assert len(rows) == len(figures)
    for row in rows:
        stored = figures[HEADLINES[row["agreement of"].removesuffix(" (ICC)")]]
        assert stored.icc.value is not None
        assert_mean(row["agreement"], stored.icc.value, stored.icc.interval)
        assert row["problems"] == str(stored.problems)
        for head in ("problem", "run", "residual"):
            component = getattr(stored, head)
            low, high = component.interval
            roots = math.sqrt(low), math.sqrt(high)
            assert_mean(row[f"SD {head}"], math.sqrt(component.value), roots)


def write_run(folder: Path, costs: tuple[str, ...], **settings: Any) -> Path:
    asked = [{"trait": item.trait, "condition": None} for item in NAMED["first"].analysis]
    write_json(folder / "run" / "run.json", {"problems": asked, "options": {}} | settings)
    lines = [
        f"{item['trait']},,{10 + i},{cost}"
        for i, (item, cost) in enumerate(zip(asked, costs, strict=True))
    ]
    text = "\n".join(["trait,condition,seconds,cost", *lines, ""])
    (folder / "run" / "problems.csv").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Figure]]:
    """Return the page of three runs, and the figures on it."""
    tmp_path = tmp_path_factory.mktemp("board")
    models = {"models": {"model": "openai:x"}}
    folders: Mapping[str, Path] = {
        "first": write_run(tmp_path / "a", ("0.5",) * 4, method="agents", start="raw files",
                           procedure="sound", options={"preset": "full", **models},
                           versions={"genotex": "1.2"}, task_info={"name": "tasks.json"}),
        "second": write_run(tmp_path / "b", ("",) * 4, method="command", start="raw files",
                            options={"command": "mine"}, versions={"genotex": "1.3"}),
        "third": write_run(tmp_path / "c", ("",) * 4, method="lasso", start="tables by genotex",
                           procedure="benchmark", options={"seed": 5}),
    }  # fmt: skip
    drawn: list[Figure] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "genotex.reports.scores.leaderboard.view_figures", lambda all: drawn.extend(all) or ()
        )
        page = write_leaderboard(tmp_path / "site", build_leaderboard(NAMED, folders))
    return page, drawn


@pytest.fixture
def board(site: tuple[Path, list[Figure]]) -> str:
    return site[0].read_text(encoding="utf-8")


def test_the_figure_and_the_file_of_a_leaderboard_have_costs_and_scores_of_each_run(
    site: tuple[Path, list[Figure]],
) -> None:
    page, (figure,) = site
    cost, score = {"first": 0.5, "third": 0.0}, {name: mean(s, "f1") for name, s in NAMED.items()}
    ((panel,),) = figure.rows
    assert (panel.x.label, panel.y.label) == ("US dollars per problem", "F1 (%)")
    (points,) = (series for series in panel.series if series.kind == "points")
    found = {text.partition(":")[0]: i for i, text in enumerate(points.texts)}
    assert {*found} == {*cost}
    for name, i in found.items():
        assert (points.x[i], points.y[i]) == pytest.approx((cost[name], score[name]))
    (front,) = (series for series in panel.series if series.kind == "line")
    assert (front.x[0], front.y[0]) == pytest.approx((cost["third"], score["third"]))
    rows = {row["run"]: row for row in pl.read_csv(page.with_name("leaderboard.csv")).to_dicts()}
    for name, row in rows.items():
        assert row["cost_per_problem"] == cost.get(name) and row["problems"] == 4
        assert row["on_front"] == (name == "third")
        averages = summarise(NAMED[name]).sections["analysis"]
        for key in HEADLINES.values():
            low, high = averages[key].interval or (None, None)
            assert row[key] == pytest.approx(mean(NAMED[name], key))
            assert (row[f"{key}_low"], row[f"{key}_high"]) == pytest.approx((low, high))


def test_the_leaderboard_ranks_runs_with_their_scores_costs_and_setups(board: str) -> None:
    rows = table_with(board, "run", "cost per problem ($)")
    starts = ["second (raw files)", "third (tables by genotex)", "first (raw files)"]
    assert [row["run"] for row in rows] == starts
    costs = {"first": "0.5", "second": "unknown", "third": "0"}
    for row in rows:
        name = row["run"].partition(" ")[0]
        assert row["cost per problem ($)"] == costs[name]
        for head in ("F1 (%)", "AUROC", "AUPRC", "success (%)"):
            key = HEADLINES[head]
            average = summarise(NAMED[name]).sections["analysis"][key]
            assert_mean(row[head], mean(NAMED[name], key), average.interval)
    used = {row["run"]: row for row in table_with(board, "run", "method", "model")}
    heads = ("method", "model", "starts from", "procedure", "task list", "genotex", "problems")
    assert {name: tuple(row[head] for head in heads) for name, row in used.items()} == {
        "first": ("agents", "openai:x", "raw files", "sound", "tasks.json", "1.2", "4"),
        "second": ("command", "-", "raw files", "-", "-", "1.3", "4"),
        "third": ("lasso", "-", "tables by genotex", "benchmark", "-", "-", "4"),
    }
    assert used["third"]["options"] == "seed 5" and used["first"]["options"] == "preset full"
    assert "Not drawn, because what they cost is unknown: second." in board
    assert "(Pareto front): third." in board
    commands = dict(
        re.findall(r'aria-label="Command of (\w+)"><code>(.*?)</code>', board, re.DOTALL)
    )
    assert commands["first"].startswith("pip install genotex==1.2\n")
    assert "--method lasso" in commands["third"] and "--seed 5" in commands["third"]


def test_the_tables_of_the_paper_have_each_figure_under_its_name(board: str) -> None:
    heads = {
        "Prec. (%)": "precision", "Rec. (%)": "recall", "F1 (%)": "f1", "AUROC": "auroc",
        "GSEA ES": "gsea_es", "trait Acc. (%)": "trait_accuracy", "trait F1 (%)": "trait_f1",
        "Succ. (%)": "success",
    }  # fmt: skip
    rows = {row["method"]: row for row in table_with(board, "method", "Prec. (%)")}
    assert {*rows} == {*NAMED}
    for name, row in rows.items():
        for head, key in heads.items():
            assert agrees(row[head], mean(NAMED[name], key)), (name, head, row[head])
        assert agrees(row["Time (s)"], 11.5)
        assert row["Cost ($)"] == ("0.50" if name == "first" else "-")
