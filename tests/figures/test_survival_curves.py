"""What is drawn of times to an event: curves, limits, marks of censored samples, axes, texts."""

from __future__ import annotations

import numpy as np
import pytest

from genotex.analysis import kaplan_meier
from genotex.figures import (
    CurvePanel,
    Figure,
    GroupCurve,
    Panel,
    Series,
    all_samples,
    survival_curves,
)

# By hand: of five samples one has the event at 1 and one at 2, where another is censored; of the
# two that are left one has it at 3.5, and one is censored at 40.
TIME = np.array([2.0, 1.0, 40.0, 3.5, 2.0])
EVENT = np.array([1.0, 1.0, 0.0, 1.0, 0.0])
STEPS = {0.0: 1.0, 1.0: 4 / 5, 2.0: 3 / 5, 3.5: 3 / 10, 40.0: 3 / 10}
LOW = GroupCurve.of("low", TIME, EVENT)
HIGH = GroupCurve.of("high", TIME[:2] * 10, EVENT[:2])


def panel_of(*groups: GroupCurve, title: str = "GENE", note: str = "p = 0.1") -> CurvePanel:
    return CurvePanel(title, note, groups)


def kinds(panel: Panel, meaning: str) -> dict[str, Series]:
    return {each.kind: each for each in panel.series if each.meaning == meaning}


def drawn(figure: Figure) -> Panel:
    (panel,) = figure.panels
    return panel


@pytest.mark.parametrize("alone", [False, True])
def test_curve_limits_and_censored_samples_of_a_group(alone: bool) -> None:
    group = GroupCurve.of("", TIME, EVENT) if alone else LOW
    figure = all_samples(group, TIME, "days") if alone else survival_curves([panel_of(LOW)], "days")
    series = kinds(drawn(figure), "one" if alone else "low")
    line, band, marks = series["line"], series["band"], series["points"]
    assert dict(zip(line.x, line.y, strict=True)) == pytest.approx(STEPS) and line.step
    assert line.texts == ("0: 100 %", "1: 80 %", "2: 60 %", "3.5: 30 %", "40: 30 %")
    curve = kaplan_meier(TIME, EVENT)
    assert band.low is not None and band.high is not None and band.step
    assert band.x.tolist() == line.x.tolist() and band.low[0] == band.high[0] == 1
    assert band.low[1:].tolist() == curve.lower.tolist() and (band.low < line.y)[1:].all()
    assert band.high[1:].tolist() == curve.upper.tolist() and (band.high > line.y)[1:].all()
    assert marks.x.tolist() == [2, 40] and marks.y.tolist() == pytest.approx([0.6, 0.3])
    assert marks.shape == "|" and 0 < marks.size < 6 and not line.dashed


def test_sample_censored_before_any_event_is_marked_on_the_first_level() -> None:
    early = GroupCurve.of("low", np.array([0.5, 1.0]), np.array([0.0, 1.0]))
    marks = kinds(drawn(survival_curves([panel_of(early)], "days")), "low")["points"]
    assert (marks.x.tolist(), marks.y.tolist()) == ([0.5], [1.0])


def test_each_group_states_its_samples_and_events_once() -> None:
    panel = drawn(survival_curves([panel_of(LOW, HIGH)], "days"))
    labels = {each.meaning: each.label for each in panel.series if each.label}
    assert labels == {"low": "low (5, 3 events)", "high": "high (2, 2 events)"}
    assert [each.kind for each in panel.series if each.label] == ["line", "line"]
    assert panel.legend and (panel.title, panel.note) == ("", "p = 0.1")
    (label,) = {each.label for each in drawn(all_samples(LOW, TIME, "days")).series}
    assert label == ""


@pytest.mark.parametrize("swapped", [False, True])
def test_axes_begin_at_zero_and_hold_every_sample(swapped: bool) -> None:
    groups = (HIGH, LOW) if swapped else (LOW, HIGH)
    for panel in (
        drawn(survival_curves([panel_of(*groups)], "days")),
        drawn(all_samples(LOW, TIME, "days")),
    ):
        assert (panel.x.label, panel.y.label) == ("days", "share without the event")
        assert (panel.x.low, panel.y.low) == (0, 0)
        # The last sample is censored at 40, the curve begins at 1: both are just inside.
        assert panel.x.high is not None and 40 < panel.x.high < 44
        assert panel.y.high is not None and 1 < panel.y.high < 1.1
    events_last = GroupCurve.of("low", np.array([1.0, 50.0]), np.array([0.0, 1.0]))
    end = drawn(survival_curves([panel_of(events_last)], "days")).x.high
    assert end is not None and 50 < end < 55
    none = GroupCurve.of("low", np.zeros(2), np.zeros(2))
    assert drawn(survival_curves([panel_of(none)], "days")).x.high == 1


@pytest.mark.parametrize("last", [0.07, 0.9, 4.9, 8.0, 19.0, 40.0, 365.0, 4100.0])
def test_number_at_risk_is_below_round_times(last: float) -> None:
    time = np.array([0.0, *np.linspace(0.2, 1, 9) * last])
    panel = drawn(all_samples(GroupCurve.of("", time, np.ones(10)), time, "days"))
    places = np.array([at for at, _ in panel.x.ticks or ()])
    assert [float(text) for _, text in panel.x.ticks or ()] == pytest.approx(places)
    step, end = places[1], float(panel.x.high or 0)
    power = 10.0 ** np.floor(np.log10(step * 1.0001))
    assert step == pytest.approx(round(step / power) * power)
    finer = {1: step / 2, 2: step / 2, 5: step / 2.5}[round(step / power)]
    assert places == pytest.approx(np.arange(len(places)) * step)
    assert places[0] == 0 and places[-1] < end <= places[-1] + step * 1.0001
    assert end / step <= 5.0001 < end / finer
    assert panel.below == tuple((at, str(int((time >= at).sum()))) for at in places.tolist())


def test_many_genes_have_three_panels_a_row_and_two_on_a_phone() -> None:
    panels = [panel_of(LOW, title=f"G{i}", note=f"p = 0.{i}") for i in range(1, 5)]
    figure, one_row = survival_curves(panels, "days", "halves"), survival_curves(panels[:3], "days")
    narrow = figure.narrow
    assert narrow is not None
    titles = [[panel.title for panel in row] for row in figure.rows]
    assert titles == [["G1", "G2", "G3"], ["G4"]]
    assert [[p.title for p in row] for row in narrow.rows] == [["G1", "G2"], ["G3", "G4"]]
    assert [panel.note for panel in figure.panels] == ["p = 0.1", "p = 0.2", "p = 0.3", "p = 0.4"]
    two = survival_curves(panels[:2], "days").narrow
    assert two is not None and narrow.height == pytest.approx(2 * two.height)
    assert len(one_row.rows) == 1 and figure.height == pytest.approx(2 * one_row.height)
    assert narrow.width < figure.width / 2 and narrow.height < figure.height
    assert (figure.key, narrow.key) == ("halves", "halves-narrow") and one_row.key == "survival"
    for each in (figure, narrow):
        assert (each.x_label, each.y_label) == ("days", "share without the event")
        assert each.share_x and each.share_y and not any(p.x.label for p in each.panels)
    assert figure.wide
