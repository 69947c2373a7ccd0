"""The leaderboard of the runs in the folder: table, cost against score, paired differences."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from genotex.app.downloads import send_table
from genotex.app.leaderboard import FIGURES, MAIN, SHOWN, Board, Entry
from genotex.app.pages import not_found, render, workbench_of
from genotex.bench.evaluation.comparison_tables import (
    difference_tables,
    how_compared,
    side_by_side_table,
)

__all__ = ["routes"]


def _board(request: Request) -> Board:
    workbench = workbench_of(request)
    return workbench.boards.get(workbench.workspace, request.query_params.get("baseline", ""))


def leaderboard(request: Request) -> Response:
    """Show the runs by their scores, for htmx."""
    board = _board(request)
    return render(
        request,
        "leaderboard.html.j2",
        board=board,
        figures={key: FIGURES[key] for key in SHOWN},
        groups=[
            {
                "group": group,
                "how": how_compared(group.comparison),
                "baseline": group.comparison.baseline,
                "notes": group.comparison.notes,
                "tables": (
                    side_by_side_table(group.comparison),
                    *difference_tables(group.comparison),
                ),
            }
            if group.comparison is not None
            else {"group": group, "tables": ()}
            for group in board.groups
        ],
    )


def points(request: Request) -> Response:
    """Send cost and score of the runs; those whose cost is not fully known are named."""
    by = request.query_params.get("by", MAIN)
    if by not in FIGURES:
        what = f"a plot of {by!r}"
        raise not_found(what)
    board = _board(request)
    groups = []
    for number, group in enumerate(board.groups, 1):
        drawn = [
            e for e in group.entries if e.per_problem is not None and e.average(by) is not None
        ]
        name = f"{group.items}" + (f" (group {number})" if len(board.groups) > 1 else "")
        groups.append({"name": name, **_marks(drawn, by)})
    unknown = [e.label for e in board.entries if e.per_problem is None]
    return JSONResponse({"groups": groups, "label": FIGURES[by].name, "unknown": unknown})


def _marks(entries: list[Entry], by: str) -> dict[str, Any]:
    ends = [entry.figures[by].interval for entry in entries]
    y = [entry.average(by) or 0.0 for entry in entries]
    return {
        "run": [entry.label for entry in entries],
        "x": [entry.per_problem for entry in entries],
        "y": y,
        "up": [0.0 if e is None else e[1] - v for e, v in zip(ends, y, strict=True)],
        "down": [0.0 if e is None else v - e[0] for e, v in zip(ends, y, strict=True)],
    }


def download(request: Request) -> Response:
    """Send the leaderboard as CSV or Excel."""
    return send_table(_board(request).frame(), "leaderboard", request.url.path, "runs")


def routes() -> list[Route]:
    """Return the routes of the leaderboard."""
    return [
        Route("/runs/leaderboard", leaderboard),
        Route("/runs/points", points),
        Route("/runs.csv", download),
        Route("/runs.xlsx", download),
    ]
