"""Problems as marks: precision against recall, and lengths of the two lists of genes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from genotex.reports.figures.canvas import calm_axes, drawing, to_svg
from genotex.reports.figures.style import RUN_COLOURS, RUN_MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ProblemMark", "draw_list_lengths", "draw_precision_recall"]

_GUIDE = "#d5dbe1"
_F1_LINES = (20, 40, 60, 80)


@dataclass(frozen=True)
class ProblemMark:
    """A problem: where it stands, and what it tells when hovered."""

    x: float
    y: float
    title: str


def draw_precision_recall(groups: Mapping[str, Sequence[ProblemMark]], key: str, alt: str) -> str:
    """Return precision (y) against recall (x), in percent, as SVG with lines of the same F1.

    Parameters
    ----------
    groups : mapping of str to sequence of ProblemMark
        Name for people -> problems.
    key : str
        Put before all ids of the SVG.
    alt : str
        Text for people who cannot see it.
    """
    with drawing(5.6, 4.6) as figure:
        axes = figure.add_subplot()
        calm_axes(axes, x="recall (%)", y="precision (%)")
        for f1 in _F1_LINES:
            # F1 = 2PR / (P + R), solved for P.
            recall = [f1 / 2 + 0.5 + (100 - f1 / 2 - 0.5) * i / 100 for i in range(101)]
            precision = [f1 * r / (2 * r - f1) for r in recall]
            axes.plot(recall, precision, color=_GUIDE, linewidth=0.8, zorder=0)
            axes.text(101, f1 * 100 / (200 - f1), f"F1 {f1}", fontsize=7.5, va="center")
        titles = _mark(axes, groups)
        axes.set_xlim(0, 100)
        axes.set_ylim(0, 100)
        figure.legend(loc="outside upper left", ncols=3)
        return to_svg(figure, key, alt, titles)


def draw_list_lengths(groups: Mapping[str, Sequence[ProblemMark]], key: str, alt: str) -> str:
    """Return genes predicted (y) against genes in the reference (x) as SVG, on log axes with 0.

    Parameters
    ----------
    groups : mapping of str to sequence of ProblemMark
        Name for people -> problems.
    key : str
        Put before all ids of the SVG.
    alt : str
        Text for people who cannot see it.
    """
    most = 1.3 * max(max(p.x, p.y, 10.0) for problems in groups.values() for p in problems)
    with drawing(5.6, 4.6) as figure:
        axes = figure.add_subplot()
        calm_axes(axes, x="genes in the reference", y="genes predicted")
        axes.set_xscale("symlog", linthresh=1.0, linscale=0.4)
        axes.set_yscale("symlog", linthresh=1.0, linscale=0.4)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:,.0f}")
        axes.plot([0, most], [0, most], color=_GUIDE, linewidth=0.8, zorder=0)
        titles = _mark(axes, groups)
        axes.set_xlim(-0.2, most)
        axes.set_ylim(-0.2, most)
        axes.minorticks_off()
        figure.legend(loc="outside upper left", ncols=3)
        return to_svg(figure, key, alt, titles)


def _mark(axes: Axes, groups: Mapping[str, Sequence[ProblemMark]]) -> dict[str, list[str]]:
    """Draw the problems of each group; gives the titles of its marks by group id."""
    titles = {}
    for number, (name, problems) in enumerate(groups.items()):
        gid = f"problems{number}"
        axes.plot(
            [p.x for p in problems], [p.y for p in problems], RUN_MARKERS[number],
            color=RUN_COLOURS[number], markersize=4.2, alpha=0.55, markeredgewidth=0,
            clip_on=False, label=name, gid=gid,
        )  # fmt: skip
        titles[gid] = [p.title for p in problems]
    return titles
