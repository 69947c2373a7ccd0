"""What each figure means, as matplotlib draws it and as a browser is sent it."""

from __future__ import annotations

import numpy as np
import pytest

from genotex import figures as f
from genotex.figures import COLOURS
from tests.figures.both import lines, points
from tests.figures.gallery import COHORTS, MARKS, TIME, gallery, group, result

UP, DOWN, REST = COLOURS["up"], COLOURS["down"], COLOURS["named"]


def test_up_and_down_case_and_control_look_different() -> None:
    """The report's text says rust for up and for cases, blue for down and for controls."""
    assert COLOURS["up"] == COLOURS["case"] == COLOURS["high"] == "#b8501f"
    assert COLOURS["down"] == COLOURS["control"] == COLOURS["low"] == "#22689b"


def test_what_is_up_is_right_of_zero_in_the_volcano_and_higher_the_smaller_its_p() -> None:
    found = points(gallery()["volcano"])
    assert {(m.x, m.y) for m in found if m.colour == UP} == {(2.0, 6.0), (1.5, 5.0)}
    assert {(m.x, m.y) for m in found if m.colour == DOWN} == {(-1.8, 4.0)}
    assert {m.x for m in found if m.colour == REST} == {0.1, -0.1}
    (line,) = (line for line in gallery()["volcano"].panel.lines if line.role == "threshold")
    assert (line.along, line.at, line.text) == ("y", 4.0, "q = 0.05")


def test_the_caption_of_the_volcano_says_what_is_right_of_zero() -> None:
    assert "Right of zero: higher in cases; left: lower in cases." in gallery()["volcano"].caption


def test_what_is_up_is_above_zero_in_the_ma_plot() -> None:
    found, means = points(gallery()["ma"]), result().mean
    assert {m.y for m in found if m.colour == UP} == {2.0, 1.5}
    assert {m.y for m in found if m.colour == DOWN} == {-1.8}
    assert {m.x for m in found} == {float(f"{mean:.6g}") for mean in means}


def test_the_bars_of_p_values_hold_the_p_values() -> None:
    panel = gallery()["histogram"].panel
    (bars,) = panel.series
    counts = dict(zip(bars.x.round(2), bars.y, strict=True))
    assert counts[0.0] == 3 and counts[0.5] == 1 and counts[0.9] == 1 and bars.y.sum() == 5
    assert panel.lines[0].at == 5 / 20
    heights = [
        np.ptp(patch.get_path().vertices[:, 1])
        for patch in f.to_matplotlib(gallery()["histogram"]).axes[0].patches
    ]
    assert heights == bars.y.tolist()


def test_coefficients_reach_from_zero_to_their_value_the_first_gene_on_top() -> None:
    figure = gallery()["coefficients"]
    assert {(m.x, m.y) for m in points(figure) if m.colour == UP} == {(2.0, 0.0), (1.5, 1.0)}
    assert figure.panel.y.flipped and figure.panel.y.ticks[0] == (0.0, "UP1")  # type: ignore[index]
    drawn, sent = lines(figure, DOWN)
    assert drawn == sent == [(-1.8, 2.0), (0.0, 2.0)]


@pytest.mark.parametrize("key", ["pca", "mds"])
def test_cases_and_controls_have_their_colours_on_a_map_of_samples(key: str) -> None:
    figure = gallery()[key]
    for group_, label in (("case", "Case (6)"), ("control", "Healthy control (6)")):
        series = figure.panel.of(group_)
        assert series.label == label
        assert series.ids == tuple(
            n for n, k in zip(MARKS.names, MARKS.keys, strict=True) if k == group_
        )
        places = {
            (float(f"{x:.6g}"), float(f"{y:.6g}")) for x, y in zip(series.x, series.y, strict=True)
        }
        assert {(m.x, m.y) for m in points(figure) if m.colour == COLOURS[group_]} == places


def test_a_gene_has_cases_on_the_right_with_their_values_and_median() -> None:
    figure, values = gallery()["gene"], result().table[:, 0]  # type: ignore[index]
    ticks = dict(figure.panel.x.ticks or ())
    assert ticks == {0.0: "Healthy control (6)", 1.0: "Case (6)"}
    sent = f.to_json(figure)["rows"][0][0]["series"]
    case = next(series for series in sent if series["meaning"] == "case")
    assert case["colour"] == COLOURS["case"] and set(case["x"]) == {1.0}
    assert case["y"] == pytest.approx(values[:6], rel=1e-5)
    medians = [line.get_ydata()[0] for line in f.to_matplotlib(figure).axes[0].lines[1::2]]  # type: ignore[index]
    assert medians == pytest.approx([np.median(values[6:]), np.median(values[:6])])


def test_the_first_genes_are_drawn_in_their_order() -> None:
    assert [panel.title for panel in gallery()["profiles"].panels] == list(result().names)


def test_rust_is_above_the_mean_of_a_gene_in_the_heatmap() -> None:
    bar, body = gallery()["heatmap"].panels
    genes = [text for _, text in body.y.ticks or ()]
    (cells,) = body.series
    cases = [name in MARKS.names[:6] for name in cells.ids]
    up = cells.y[genes.index("UP1")]
    assert (up[cases] > 0).all() and (up[~np.array(cases)] < 0).all()
    scale = f.to_json(gallery()["heatmap"])["rows"][1][0]["series"][0]["scale"]
    assert scale["colours"][0] == "#134b78" and scale["colours"][-1] == "#8f3510"
    codes = [bar.series[0].meanings[int(code)] for code in bar.series[0].y[0]]
    assert codes == [MARKS.keys[MARKS.names.index(name)] for name in cells.ids]


def test_samples_that_are_alike_are_rust_in_the_map_of_correlations() -> None:
    _, body = gallery()["correlations"].panels
    (cells,) = body.series
    assert cells.y[0, 1] > cells.y[0, 11] and cells.texts == cells.ids == MARKS.names


def test_boxes_span_the_quantiles_of_their_sample() -> None:
    for series in gallery()["boxes"].panel.series:
        rows = [MARKS.names.index(name) for name in series.ids]
        expected = np.quantile(result().table, (0.05, 0.25, 0.5, 0.75, 0.95), axis=1).T[rows]  # type: ignore[arg-type]
        assert {MARKS.keys[row] for row in rows} == {series.meaning}
        np.testing.assert_allclose(series.y, expected)


def test_a_density_has_the_colour_of_its_sample() -> None:
    for series in gallery()["densities"].panel.series:
        assert {MARKS.keys[MARKS.names.index(name)] for name in series.texts} == {series.meaning}


def test_the_densities_of_ringed_samples_stand_out() -> None:
    curves = np.arange(36.0).reshape(12, 3)
    ringed = np.arange(12) == 8
    figure = f.densities(np.arange(3.0), curves, MARKS, np.arange(12), ringed=ringed)
    thick = [line for line in f.to_matplotlib(figure).axes[0].lines if line.get_linewidth() > 1]
    (drawn,) = thick
    assert [y for y in np.asarray(drawn.get_ydata()).tolist() if y == y] == curves[8].tolist()
    (sent,) = [s for s in f.to_json(figure)["rows"][0][0]["series"] if any(s["ringed"])]
    assert sent["texts"][sent["ringed"].index(True)] == MARKS.names[8]


def test_intervals_contain_the_estimate_and_have_the_right_ends() -> None:
    figure = gallery()["forest"]
    assert {(m.x, m.y) for m in points(figure)} == {(0.8, 0.0), (-0.1, 1.0)}
    drawn, sent = lines(figure, COLOURS["range"])
    assert drawn == sent == [(0.2, 0.0), (1.4, 0.0), (-0.5, 1.0), (0.3, 1.0)]
    for meaning, row, at in (("up", COHORTS[2], 2.0), ("down", COHORTS[3], 3.0)):
        diamond = figure.panel.of(meaning)
        assert diamond.kind == "diamonds" and diamond.low is not None and diamond.high is not None
        assert (diamond.low[0], diamond.x[0], diamond.high[0]) == (row.lower, row.effect, row.upper)
        assert diamond.y[0] == at
    patches = f.to_matplotlib(figure).axes[0].patches
    ends = [(p.get_path().vertices[:, 0].min(), p.get_path().vertices[:, 0].max()) for p in patches]  # type: ignore[call-overload]
    assert ends == [(0.1, 0.6), (-0.4, -0.1)]


def test_an_effect_across_traits_is_filled_where_it_is_significant() -> None:
    rows = [
        f.TraitEffect(f.ForestRow("Asthma", 0.5, 0.2, 0.8, "w"), "Asthma", True, False),
        f.TraitEffect(f.ForestRow("BMI", -0.3, -0.8, 0.1, "w"), "BMI", False, True),
    ]
    figure = f.across_traits(rows, "Hedges' g")
    assert {(m.x, m.y, m.colour) for m in points(figure)} == {(0.5, 0.0, UP), (-0.3, 1.0, DOWN)}
    assert lines(figure, UP) == ([(0.2, 0.0), (0.8, 0.0)],) * 2
    marks = [each for each in figure.panel.series if each.kind == "points"]
    assert [bool(each.hollow.all()) for each in marks if each.hollow is not None] == [False, True]
    assert [each.shape for each in marks] == ["o", "D"]


def test_survival_steps_down_at_events_only() -> None:
    figure = f.survival_curves([f.CurvePanel("", "", (group("low", slice(4)),))], "days")
    drawn, sent = lines(figure, DOWN)
    # By hand: events at 1, 2 and 3 of four samples; at 2 one is censored.
    assert drawn == sent
    assert sent[0] == (0.0, 1.0)
    steps = [sent[i + 1][0] for i in range(len(sent) - 1) if sent[i + 1][1] < sent[i][1]]
    assert steps == [1.0, 2.0, 3.0]
    assert dict(sent)[1.0] == 0.75 and dict(sent)[2.0] == 0.5
    assert next(s for s in figure.panel.series if s.kind == "line").step
    assert {m.x for m in points(figure)} == {2.0}


def test_high_expression_is_rust_in_survival_curves_and_the_number_at_risk_is_below() -> None:
    panel = gallery()["survival"].panel
    assert {s.label.split()[0]: COLOURS[s.meaning] for s in panel.series if s.label} == {
        "low": DOWN, "high": UP,
    }  # fmt: skip
    at_risk = dict(gallery()["survival-all"].panel.below)
    assert at_risk == {at: str(int((at <= TIME).sum())) for at in at_risk}


def test_a_running_sum_has_strokes_at_its_genes_in_the_colour_of_their_sign() -> None:
    statistic = np.array([3.0, 2.0, 0.5, -1.0, -2.0])
    total = np.array([0.5, 0.2, -0.1, 0.4, 0.0])
    figure = f.running_sum(total, np.array([0, 3]), list("ABCDE"), statistic)
    found = points(figure)
    assert {(m.x, m.colour) for m in found} == {(1.0, UP), (4.0, DOWN)}
    drawn, sent = lines(figure, COLOURS["one"])
    assert drawn == sent and (1.0, 0.5) in sent
    assert lines(figure, COLOURS["range"])[1] == [(1.0, 0.0), (1.0, 0.5)], "a line to the peak"
    sunk = f.running_sum(np.minimum(total, 0.3) - 0.4, np.array([0, 3]), list("ABCDE"), statistic)
    assert lines(sunk, COLOURS["range"])[1] == [(3.0, 0.0), (3.0, -0.5)], "which may be below 0"


def test_concordance_colours_where_a_gene_is_significant() -> None:
    kinds = ["neither", "first only", "second only", "both"]
    x, y = np.arange(4.0), np.arange(4.0) + 1
    figure = f.concordance(x, y, list("ABCD"), kinds, ("effect, first", "effect, second"))
    meanings = ("rest", "first", "second", "both")
    assert points(figure) == {
        (float(i), i + 1.0, COLOURS[meaning]) for i, meaning in enumerate(meanings)
    }


def test_a_map_of_traits_has_the_tree_of_its_rows() -> None:
    links = np.array([[0, 1, 0.5, 2], [2, 3, 1.0, 3]])
    figure = f.trait_map(["A", "B", "C"], np.eye(3), links)
    (cells,), (tree,) = (panel.series for panel in figure.panels)
    assert cells.texts == ("A", "B", "C") and np.array_equal(cells.y, np.eye(3))
    assert np.nanmax(tree.x) == 1.0 and set(tree.y[np.isfinite(tree.y)]) >= {0.0, 1.0}


def test_averages_lie_on_their_intervals_and_runs_have_their_colours() -> None:
    runs = [
        f.RunMarks("one", (f.AverageMark(0.5, (0.4, 0.6)), f.AverageMark(None, None))),
        f.RunMarks("_two", (f.AverageMark(0.7, (0.6, 0.9)), f.AverageMark(0.2, None))),
    ]
    figure = f.averages(["AUROC", "F1"], runs, "share", "alt")
    first, second = COLOURS[f.level_key(0)], COLOURS[f.level_key(1)]
    found = points(figure)
    assert {m.x for m in found if m.colour == first} == {0.5}
    assert {m.x for m in found if m.colour == second} == {0.7, 0.2}
    drawn, sent = lines(figure, first)
    assert drawn == sent and [x for x, _ in sent] == [0.4, 0.6]
    rows = [s.y.tolist() for s in figure.panel.series if s.kind == "points"]
    assert rows[0][0] == -rows[1][0] < 0, "the first run is above the second, around the label"
    assert rows[1][1] - rows[1][0] == 1.0
    labels = [s.label for s in figure.panel.series if s.kind == "points"]
    assert labels == ["one", "two"], "matplotlib hides names that begin with an underscore"


def test_precision_is_up_recall_to_the_right_and_guides_join_the_same_f1() -> None:
    figure = gallery()["precision-recall"]
    assert {(m.x, m.y) for m in points(figure)} == {(10.0, 80.0)}
    assert (figure.panel.x.label, figure.panel.y.label) == ("recall (%)", "precision (%)")
    for line, f1 in zip(figure.panel.series, (20, 40, 60, 80), strict=False):
        np.testing.assert_allclose(2 * line.x * line.y / (line.x + line.y), f1)


def test_costs_are_to_the_right_scores_up_with_their_intervals() -> None:
    figure = gallery()["cost-and-score"]
    assert {(m.x, m.y) for m in points(figure)} == {(0.2, 50.0), (0.0, 30.0)}
    drawn, sent = lines(figure, COLOURS[f.level_key(0)])
    assert drawn == sent == [(0.2, 40.0), (0.2, 60.0)]
    drawn, sent = lines(figure, COLOURS["guide"])
    assert drawn == sent == [(0.0, 30.0), (0.2, 50.0), (0.2, 50.0)], "the best for its cost"


def test_stacked_bars_stand_on_each_other() -> None:
    values = {"a": np.array([0.1, 0.1]), "b": np.array([0.1])}
    one, two = f.stacked(values, 1.0, "spread", "F1", "problems", "alt").panel.series
    assert one.y.max() == 2 and two.low is not None and two.low.max() == 2 and two.y.max() == 3
    (beside,) = f.side_by_side({"a": values["a"]}, "csc", "CSC", "files", "alt").panel.series
    for bars in (one, two, beside):
        assert len(bars.x) * bars.size == pytest.approx(1.0), "side by side they fill the axis"


def test_samples_far_from_their_group_are_above_the_line_and_named() -> None:
    of = {"sample": ["A", "B", "C"], "group": ["case", "control", "control"],
          "distance": [1.0, 2.0, 5.0]}  # fmt: skip
    figure = f.sample_distances(of, ["C"], 4.0)
    assert {m.y for m in points(figure) if m.colour == COLOURS["case"]} == {1.0}
    assert [(n.text, n.y) for n in figure.panel.names] == [("C", 5.0)]
    assert figure.panel.lines[0].at == 4.0


def test_a_sample_that_is_not_what_is_recorded_is_ringed() -> None:
    record = {"xist": [9.0, 2.0, 9.0], "y": [1.0, 8.0, 1.0], "mismatches": ["C"],
              "recorded": ["female", "male", "male"], "genes": ["XIST", "RPS4Y1"]}  # fmt: skip
    figure = f.sex(["A", "B", "C"], record)
    male = figure.panel.of("male")
    assert male.ringed is not None and male.ringed.tolist() == [False, True]
    assert {m.x for m in points(figure) if m.colour == COLOURS["female"]} == {9.0}


def test_further_bars_of_the_heatmap_follow_the_order_of_its_samples() -> None:
    names, sex = [f"S{i}" for i in range(6)], ["female", "male", None, "male", "female", "male"]
    marks = f.SampleMarks.by_values(names, ["case", "control"] * 3, "group")
    bar = f.SampleMarks.annotating(names, sex, "sex")
    values = np.random.default_rng(1).normal(size=(6, 4))
    _, drawn, body = f.genes_in_samples(list("ABCD"), values, marks, [bar]).panels
    (cells,) = drawn.series
    shown = [cells.meanings[int(v)] if np.isfinite(v) else None for v in cells.y[0]]
    assert shown == [sex[names.index(name)] for name in body.series[0].ids]
    assert drawn.y.ticks == ((0.0, "sex"),)
