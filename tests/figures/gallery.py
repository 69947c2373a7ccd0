"""One figure of each kind, of small data whose meaning is known."""

from __future__ import annotations

from functools import cache

import numpy as np

from genotex import figures as f
from genotex.analysis import kaplan_meier

RNG = np.random.default_rng(7)
SAMPLES = tuple(f"S{i}" for i in range(12))
MARKS = f.SampleMarks(
    SAMPLES, ("case",) * 6 + ("control",) * 6, {"case": "Case", "control": "Healthy control"}
)
LEVELS = f.SampleMarks(SAMPLES, ("unknown",) * 12, {}, np.arange(12.0), "weight")
GENES = ("UP1", "UP2", "DOWN1", "FLAT1", "FLAT2")
TIME = np.array([1.0, 2.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
EVENT = np.array([1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0])


@cache
def result(*, selects: bool = False, measured: bool = False) -> f.GeneResult:
    """Return five genes: two higher in cases, one lower, two that do not change."""
    change = np.array([2.0, 1.5, -1.8, 0.1, -0.1])
    case = np.array([key == "case" for key in MARKS.keys])
    table = 8 + np.outer(case, change) + RNG.normal(0, 0.1, (12, 5))
    p = np.array([1e-6, 1e-5, 1e-4, 0.5, 0.9])
    return f.GeneResult(
        GENES,
        change,
        table.mean(axis=0),
        p,
        p,
        np.array([True, True, True, False, False]),
        f.ChangeWords("log2 fold change", "higher in cases", "lower in cases"),
        0.05,
        selects,
        LEVELS if measured else MARKS,
        table,
        {gene: i for i, gene in enumerate(GENES)},
    )


def group(label: str, rows: slice) -> f.GroupCurve:
    """Return the curve of some samples."""
    time, event = TIME[rows], EVENT[rows]
    censored = np.unique(time[event == 0])
    return f.GroupCurve(label, kaplan_meier(time, event), len(time), int(event.sum()), censored)


COHORTS = [
    f.ForestRow("GSE1 (20)", 0.8, 0.2, 1.4, "0.80", 0.3),
    f.ForestRow("GSE2 (40)", -0.1, -0.5, 0.3, "-0.10", 0.7),
    f.ForestRow("random effects", 0.3, 0.1, 0.6, "0.30"),
    f.ForestRow("fixed effect", -0.2, -0.4, -0.1, "-0.20"),
]


@cache
def gallery() -> dict[str, f.Figure]:
    """Return a figure of each kind by its key."""
    chosen = f.declared(result(selects=True))
    every = [*f.declared(result()), *(each for each in chosen if each.key == "coefficients")]
    table = result().table
    assert table is not None
    correlation = np.corrcoef(table)
    quantiles = np.quantile(table, (0.05, 0.25, 0.5, 0.75, 0.95), axis=1).T
    rows = np.arange(12)
    curves = np.abs(RNG.normal(size=(12, 20)))
    mark = f.ProblemMark(0.2, 50.0, "run: $0.2", (40.0, 60.0))
    problems = {"one": [mark], "two": [f.ProblemMark(0.0, 30.0, "free: $0")]}
    every += [
        f.mds(table[:, :2], 5, MARKS),
        f.correlations(correlation, MARKS, rows),
        f.boxes([("log2 expression", quantiles, False)], MARKS, rows),
        f.densities(np.arange(20.0), curves, MARKS, rows),
        f.gene_in_samples("UP1", table[:, 0], MARKS),
        f.forest(COHORTS, "Hedges' g", "forest"),
        f.survival_curves(
            [f.CurvePanel("GENE", "p", (group("low", slice(4)), group("high", slice(4, 8))))],
            "days",
        ),
        f.all_samples(group("", slice(8)), TIME, "days"),
        f.precision_recall({"kind": [f.ProblemMark(10.0, 80.0, "A: x")]}, "alt"),
        f.list_lengths({"kind": [f.ProblemMark(10.0, 80.0, "A: x")]}, "alt"),
        f.cost_and_score(problems, [(0.0, 30.0), (0.2, 50.0)], ("US dollars", "F1")),
        f.stacked({"a": np.array([0.1, 0.9])}, 1.0, "spread", "F1", "problems", "alt"),
        f.side_by_side({"a": np.array([0.1, 0.9])}, "csc", "CSC", "files", "alt"),
    ]
    return {figure.key: figure for figure in every}
