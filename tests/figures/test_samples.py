"""Samples in figures: which group or level each has, by group and along other columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from genotex import figures as f
from genotex.figures import COLOURS
from tests.figures.both import points
from tests.figures.gallery import LEVELS, MARKS, result

VALUES = np.arange(12.0)
"""One value for each sample: the cases have the six lowest."""


def test_samples_are_marked_by_the_levels_of_a_column() -> None:
    column = ["b", None, "a", "c", "b"]
    marks = f.SampleMarks.by_values(list("PQRST"), column, "stage", first=["c", "z"])
    assert marks.labels == {"control": "c", "case": "a", f.level_key(2): "b"}
    assert marks.keys == (f.level_key(2), "unknown", "case", "control", f.level_key(2))
    assert marks.ordered == ["control", "case", f.level_key(2)] and marks.own_labels
    assert marks.members("case").tolist() == [2] and marks.levels is None
    assert not MARKS.own_labels and MARKS.ordered == ["control", "case"]


def test_samples_are_marked_by_numbers() -> None:
    marks = f.SampleMarks.by_values(list("PQR"), [3.5, None, 1], "age")
    assert marks.levels is not None and marks.levels[[0, 2]].tolist() == [3.5, 1.0]
    assert np.isnan(marks.levels[1]) and (marks.level_name, marks.labels) == ("age", {})


def test_samples_are_side_by_side_by_group_or_by_level() -> None:
    assert MARKS.side_by_side([0, 7, 1, 6]).tolist() == [7, 6, 0, 1], "controls first"
    levels = f.SampleMarks.by_values(list("PQRS"), [3.0, None, 1.0, 2.0], "age")
    assert levels.side_by_side([0, 1, 2, 3]).tolist() == [2, 3, 0, 1], "unknown last"


def test_long_names_of_groups_are_cut_where_there_is_little_room() -> None:
    marks = f.SampleMarks.by_values(list("PQ"), ["abcdef", "abcdefg"], "stage")
    assert [marks.short(key, 6) for key in marks.ordered] == [
        "abcdef",
        "abcde\N{HORIZONTAL ELLIPSIS}",
    ]
    assert marks.short("control", 1) == "ab\N{HORIZONTAL ELLIPSIS}"
    assert MARKS.short("control", 3).lower().startswith("control"), "a word of our own"


def test_a_gene_by_group_has_controls_to_the_left() -> None:
    figure = f.gene_in_samples("G", VALUES, MARKS)
    left, right = figure.panel.series
    assert (left.meaning, right.meaning) == ("control", "case")
    assert set(left.x) == {0.0} and set(right.x) == {1.0}
    assert left.y.tolist() == [*range(6, 12)] and right.texts[0] == "S0: 0.00"
    assert [text.split()[0] for _, text in figure.panel.x.ticks or ()] == ["Healthy", "Case"]
    assert figure.legend == "none"


def test_a_gene_along_the_measured_trait_or_another_number() -> None:
    (dots,) = (figure := f.gene_in_samples("G", VALUES[::-1], LEVELS)).panel.series
    assert figure.panel.x.label == "weight" and figure.legend == "none"
    assert {(m.x, m.y) for m in points(figure)} == {(float(i), 11.0 - i) for i in range(12)}
    assert dots.hollow is None
    age = [None, *range(31, 42)]
    figure = f.gene_in_samples("G", VALUES, MARKS, age, "age", [i != 3 for i in range(12)])
    assert figure.panel.x.label == "age" and figure.legend == "above"
    assert {(m.x, m.y) for m in points(figure) if m.colour == COLOURS["case"]} == {
        (30.0 + i, float(i)) for i in range(1, 6)
    }
    case, control = (figure.panel.of(key) for key in ("case", "control"))
    assert case.hollow is not None and np.flatnonzero(case.hollow).tolist() == [3], "left out"
    assert control.hollow is not None and not control.hollow.any()
    along = f.gene_in_samples("G", VALUES, LEVELS, age, "age").panel.series[0]
    assert along.x[1] == 31.0, "not along the level"


@pytest.mark.parametrize("levels", [["x", "y"], ["y", "x", None]])
def test_a_gene_along_texts_has_the_groups_side_by_side(levels: Sequence[str | None]) -> None:
    along = [levels[i % len(levels)] for i in range(12)]
    figure = f.gene_in_samples("G", VALUES, MARKS, along, "batch")
    names = [text for _, text in figure.panel.x.ticks or ()]
    assert names == sorted(str(level) for level in levels)
    case, control = (figure.panel.of(key) for key in ("case", "control"))
    for series, rows in ((case, range(6)), (control, range(6, 12))):
        assert series.y.tolist() == [*rows]
        assert [names[round(x)] for x in series.x] == [str(along[i]) for i in rows]
    offsets = case.x[0] - round(case.x[0]), control.x[0] - round(control.x[0])
    assert offsets[0] == pytest.approx(-offsets[1]) and offsets[0] < 0
    assert case.reach is not None and case.reach < offsets[1], "they do not overlap"
    assert offsets[1] + case.reach < 0.5, "nor reach into the next level"
    x = figure.panel.x
    assert x.low is not None and x.high is not None
    assert x.low < min(case.x) - case.reach and max(control.x) + case.reach < x.high < len(names)


def test_genes_have_the_colour_of_their_side_unless_marked_or_not_significant() -> None:
    found = result()
    assert found.meanings().tolist() == ["up", "up", "down", "rest", "rest"]
    marked = replace(found, marked=np.array([False, True, False, False, True]))
    assert marked.meanings().tolist() == ["up", "marked", "down", "rest", "marked"]


def test_the_first_genes_measured_of_a_selection_are_selected() -> None:
    places = {gene: i for i, gene in enumerate(("DOWN1", "UP2", "FLAT1"))}
    found = replace(result(), places=places)
    assert found.first_measured(5) == ["UP2", "DOWN1", "FLAT1"]
    assert found.first_measured(2) == ["UP2", "DOWN1"]
    assert replace(found, selects=True).first_measured(5) == ["UP2", "DOWN1"]


def test_samples_of_a_map_are_at_their_places_with_the_level_as_colour() -> None:
    places = np.column_stack([VALUES, 20 - VALUES])
    figure = f.mds(places, 5, MARKS)
    assert {(m.x, m.y) for m in points(figure) if m.colour == COLOURS["case"]} == {
        (float(i), 20.0 - i) for i in range(6)
    }
    (dots,) = f.mds(places, 5, LEVELS).panel.series
    assert dots.levels is not None and dots.levels.tolist() == [*range(12)]
    assert dots.scale is not None and dots.scale.label == "weight"
    assert dots.texts[3] == "S3: 3" and dots.x[3] == 3.0
