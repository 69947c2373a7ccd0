"""Runs of agents and of the benchmark: notebooks step by step, outcomes, scores, leaderboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from genotex.agents.team.folder import notebook_name
from genotex.agents.team.trace import Trace, overview
from genotex.app.access.security import REPORT_POLICY
from genotex.app.downloads import send_figure, send_table, send_text
from genotex.app.pages import not_found, render, workbench_of
from genotex.app.runs.leaderboard import Board
from genotex.app.runs.runs import (
    FoundRun,
    find_runs,
    find_scores,
    notebook_of,
    outcomes,
    score_tables,
    shown_steps,
)
from genotex.bench.comparison.tables import difference_tables, how_compared, side_by_side_table
from genotex.bench.evaluation.score_files import read_scores, score_texts
from genotex.bench.evaluation.summary import summarise
from genotex.bench.runs.leaderboard import FIGURES, MAIN, SHOWN, Entry
from genotex.errors import GenotexError
from genotex.figures import ProblemMark, cost_and_score
from genotex.models import dollars
from genotex.reports.scores.page import PAGE_FILE

_MOST_ROWS = 500


def runs(request: Request) -> Response:
    """Show the runs and the scores of the folder."""
    workspace = workbench_of(request).workspace
    return render(
        request,
        "runs.html.j2",
        runs=find_runs(workspace),
        scores=list(find_scores(workspace)),
        figures=FIGURES,
        main=MAIN,
    )


def _run(request: Request) -> FoundRun:
    """Return the run that an address names; the name is looked up among those found."""
    name = request.query_params.get("run", "")
    for run in find_runs(workbench_of(request).workspace):
        if run.name == name:
            return run
    what = f"a run {name!r}"
    raise not_found(what)


def run(request: Request) -> Response:
    """Show a run."""
    return render(request, "run.html.j2", **_values(request))


def state(request: Request) -> Response:
    """Show what becomes of a run, for htmx."""
    return render(request, "run_state.html.j2", **_values(request))


def _values(request: Request) -> dict[str, Any]:
    found = _run(request)
    workspace = workbench_of(request).workspace
    notebooks, problem = [], found.problem
    if found.of_agents:
        try:
            notebooks = [
                {
                    "trait": row.task.trait,
                    "name": notebook_name(row.task),
                    "label": row.task.cohort or str(row.task.problem),
                    "state": row.state,
                    "begun": row.begun,
                    "steps": None if row.record is None else row.record.tally.steps,
                    "seconds": None if row.record is None else row.record.tally.work_seconds,
                    "calls": row.usage.calls,
                    "cost": dollars(row.usage.cost),
                    "why": row.why,
                }
                for row in overview(found.folder)
            ]
        except GenotexError as error:
            problem = str(error)
    rows = outcomes(workspace, found)
    return {
        "run": found,
        "problem": problem,
        "notebooks": notebooks,
        "rows": rows[:_MOST_ROWS],
        "ended": len(rows),
        "answered": sum(not row.get("error") for row in rows),
        "scored": found.name in find_scores(workspace),
    }


def notebook(request: Request) -> Response:
    """Show a notebook step by step."""
    return render(request, "notebook.html.j2", **_notebook_values(request))


def steps(request: Request) -> Response:
    """Show the steps alone, for htmx; nothing where nothing has happened since."""
    values = _notebook_values(request)
    if request.query_params.get("seen") == values["seen"]:
        return Response(status_code=204)
    return render(request, "notebook_steps.html.j2", **values)


def _notebook_values(request: Request) -> dict[str, Any]:
    found = _run(request)
    trait, name = (request.query_params.get(key, "") for key in ("trait", "notebook"))
    what = f"a notebook {name!r} of {trait!r}"
    if not found.of_agents:
        raise not_found(what)
    trace = notebook_of(workbench_of(request).workspace, found, trait, name)
    if trace is None:
        raise not_found(what)
    shown = [] if trace.notebook is None else shown_steps(trace.notebook)
    return {
        "run": found,
        "trace": trace,
        "row": trace.row,
        "steps": shown,
        "roles": _roles(trace),
        "flags": () if trace.row.record is None else trace.row.record.flags,
        "counts": _counts(trace),
        "live": trace.row.record is None and found.state == "running",
        "place": {"run": found.name, "trait": trait, "notebook": name},
        "seen": f"{trace.row.state} {trace.row.usage.calls} "
        f"{sum(len(each.step.attempts) for each in shown)}",
    }


def _roles(trace: Trace) -> list[dict[str, Any]]:
    return [
        {
            "role": role,
            "calls": row.calls,
            "tokens_in": row.input_tokens,
            "tokens_out": row.output_tokens,
            "cost": dollars(row.cost),
            "seconds": row.working,
        }
        for role, row in trace.usage.by_role().items()
    ]


def _counts(trace: Trace) -> str:
    """Return what was counted in a notebook, in words."""
    if trace.notebook is None:
        return ""
    found = trace.notebook.tally.to_json()
    return ", ".join(
        f"{name.replace('_', ' ')} {value}"
        for name, value in found.items()
        if value and not name.endswith(("seconds", "bytes"))
    )


def _scored(request: Request) -> tuple[str, Path]:
    name = request.query_params.get("of", "")
    path = find_scores(workbench_of(request).workspace).get(name)
    if path is None:
        what = f"scores of {name!r}"
        raise not_found(what)
    return name, path


def scores(request: Request) -> Response:
    """Show the averages of an evaluation."""
    name, path = _scored(request)
    page = workbench_of(request).workspace.file(path.with_name(PAGE_FILE)) is not None
    return render(request, "scores.html.j2", name=name, tables=score_tables(path), page=page)


def averages(request: Request) -> Response:
    """Send the averages of an evaluation as CSV."""
    name, path = _scored(request)
    found = read_scores(path)
    text = score_texts(found, summarise(found))["averages.csv"]
    return send_text(text, f"{name.strip('.') or 'scores'}_averages.csv")


def _score_page(request: Request) -> Response:
    """Send the page of an evaluation; it runs without access to the application."""
    workspace = workbench_of(request).workspace
    path = find_scores(workspace).get(request.query_params.get("of", ""))
    page = None if path is None else workspace.file(path.with_name(PAGE_FILE))
    if page is None:
        what = "a page of these scores"
        raise not_found(what)
    policy = {"Content-Security-Policy": REPORT_POLICY}
    return FileResponse(page, media_type="text/html; charset=utf-8", headers=policy)


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
    groups: dict[str, list[ProblemMark]] = {}
    for number, group in enumerate(board.groups, 1):
        name = f"{group.items}" + (f" (group {number})" if len(board.groups) > 1 else "")
        marks = [mark for entry in group.entries if (mark := _mark(entry, by)) is not None]
        groups |= {name: marks} if marks else {}
    unknown = [e.label for e in board.entries if e.per_problem is None]
    note = "Bars are 95 % intervals. Runs that ask no model cost nothing."
    if unknown:
        note += f" Not drawn, since their cost is not fully known: {', '.join(unknown)}."
    if not groups:
        return send_figure(request, None, note)
    labels = "US dollars for each problem", FIGURES[by].name
    return send_figure(request, cost_and_score(groups, (), labels), note)


def _mark(entry: Entry, by: str) -> ProblemMark | None:
    """Return cost and score of a run; None where one of them is not known."""
    cost, score = entry.per_problem, entry.average(by)
    if cost is None or score is None:
        return None
    title = f"{entry.label}: ${cost:.4g} a problem, {score:.3g}"
    return ProblemMark(cost, score, title, entry.figures[by].interval)


def _download(request: Request) -> Response:
    """Send the leaderboard as CSV or Excel."""
    return send_table(_board(request).frame(), "leaderboard", request.url.path, "runs")


def routes() -> list[Route]:
    """Return the routes of these pages."""
    return [
        Route("/runs", runs),
        Route("/run", run),
        Route("/run/state", state),
        Route("/run/notebook", notebook),
        Route("/run/notebook/steps", steps),
        Route("/scores", scores),
        Route("/scores.csv", averages),
        Route("/scores/page", _score_page),
        Route("/runs/leaderboard", leaderboard),
        Route("/runs/points", points),
        Route("/runs.csv", _download),
        Route("/runs.xlsx", _download),
    ]
