"""The expression of genes in every sample: the first of a ranking side by side, and any one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from genotex.arrays import Floats
from genotex.figures.kinds import figure
from genotex.figures.model import Axis, Figure, Panel, Series
from genotex.figures.subjects import GeneResult, SampleMarks
from genotex.words import listed

_PROFILES = 6
_ROOM = 26
"""Letters that fit under a panel."""
_MOST_LETTERS = 16


@figure("profiles", "Top genes", GeneResult, place=40)
def profiles(found: GeneResult) -> Figure | None:
    """Declare small multiples of the first genes against group or level."""
    first = found.first_measured(_PROFILES)
    if not first or found.marks is None or not found.marks.names:
        return None
    values, marks = found.values(first), found.marks
    panels = [_panel(name, values[:, i], marks) for i, name in enumerate(first)]
    rows = tuple(tuple(panels[i : i + 3]) for i in range(0, len(panels), 3))
    return Figure(
        key="profiles",
        title="Top genes, sample by sample",
        rows=rows,
        height=4.3 if len(rows) > 1 else 2.6,
        y_label="expression",
        x_label="" if marks.levels is None else marks.level_name,
        alt=f"Expression of {listed(first)} in every sample.",
        caption=(
            "The first genes of the ranking, one point for each sample"
            + (", with the median of each group as a line" if marks.levels is None else "")
            + ". A finding to trust shows in most samples; check one that depends on a few points."
        ),
    )


def _panel(name: str, values: Floats, marks: SampleMarks) -> Panel:
    y = Axis(most_ticks=4)
    if marks.levels is not None:
        dots = Series(kind="points", meaning="one", x=marks.levels, y=values, size=3.4)
        return Panel(title=name, x=Axis(most_ticks=4), y=y, series=(dots,))
    order = marks.ordered
    names = [marks.short(key, _MOST_LETTERS) for key in order]
    long = marks.own_labels and max(map(len, names)) > _ROOM // len(order)
    ticks = tuple((float(i), text) for i, text in enumerate(names))
    x = Axis(low=-0.55, high=len(order) - 0.45, ticks=ticks, turned=long)
    series = tuple(_strip(values, marks, key, place) for place, key in enumerate(order))
    return Panel(title=name, x=x, y=y, series=series)


def _strip(values: Floats, marks: SampleMarks, key: str, place: float) -> Series:
    rows = marks.members(key)
    return Series(
        kind="strip", meaning=key, x=np.full(len(rows), float(place)), y=values[rows], size=3.6,
        texts=tuple(f"{marks.names[i]}: {values[i]:.2f}" for i in rows),
    )  # fmt: skip


def gene_in_samples(
    name: str,
    values: Floats,
    marks: SampleMarks,
    along: Sequence[float | str | None] | None = None,
    along_label: str = "",
    compared: Sequence[bool] = (),
) -> Figure:
    """Declare a gene in every sample: by group, along its level, or along numbers or texts."""
    y = Axis(f"{name}, log2 expression")
    alt = f"Expression of {name} in {len(marks.names)} samples."
    if along is None and marks.levels is not None:
        along, along_label = [*map(float, marks.levels)], marks.level_name
    if along is None:
        order = marks.ordered
        ticks = tuple((float(i), marks.counted(key)) for i, key in enumerate(order))
        long = sum(len(text) for _, text in ticks) > _ROOM
        series = tuple(_strip(values, marks, key, i) for i, key in enumerate(order))
        x = Axis(along_label or marks.level_name, -0.6, len(order) - 0.4, ticks=ticks, turned=long)
    elif any(isinstance(each, str) for each in along):
        x, series = _by_texts(values, marks, [str(each) for each in along], along_label)
    else:
        numeric = np.array([np.nan if each is None else each for each in along], dtype=float)
        x, series = Axis(along_label), _along_numbers(values, marks, numeric, compared)
    labelled = len(series) > 1 and along is not None
    panel = Panel(x=x, y=y, series=series)
    rows, legend = ((panel,),), "above" if labelled else "none"
    return Figure(key="gene", rows=rows, alt=alt, width=4.2, height=3.6, legend=legend)  # type: ignore[arg-type]


def _groups(marks: SampleMarks) -> list[tuple[str, str, np.ndarray]]:
    if marks.levels is not None:
        return [("one", "", np.arange(len(marks.names)))]
    return [(key, label, marks.members(key)) for key, label in marks.labels.items()]


def _along_numbers(
    values: Floats, marks: SampleMarks, along: Floats, compared: Sequence[bool]
) -> tuple[Series, ...]:
    left_out = ~np.asarray(compared, dtype=bool) if len(compared) else None
    return tuple(
        Series(
            kind="points", meaning=key, x=along[rows], y=values[rows], label=label, size=5.0,
            texts=tuple(f"{marks.names[i]}: {values[i]:.2f}" for i in rows),
            hollow=None if left_out is None else left_out[rows],
        )
        for key, label, rows in _groups(marks)
    )  # fmt: skip


def _by_texts(
    values: Floats, marks: SampleMarks, along: Sequence[str], label: str
) -> tuple[Axis, tuple[Series, ...]]:
    """Return the levels of a text from left to right, in each of them the groups side by side."""
    levels, groups = sorted(set(along)), _groups(marks)
    place = np.array([levels.index(text) for text in along], dtype=float)
    room = 0.8 / len(groups)
    series = tuple(
        Series(
            kind="strip", meaning=key, x=place[rows] + (k - (len(groups) - 1) / 2) * room,
            y=values[rows], label=text, size=4.0, reach=0.4 * room,
            texts=tuple(f"{marks.names[i]}: {values[i]:.2f}" for i in rows),
        )
        for k, (key, text, rows) in enumerate(groups)
    )  # fmt: skip
    ticks = tuple((float(i), text) for i, text in enumerate(levels))
    return Axis(label, -0.6, len(levels) - 0.4, ticks=ticks), series
