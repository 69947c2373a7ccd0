"""The leaderboard of submitted runs as a page that needs no network, with its data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import genotex
from genotex.bench.comparison.paired import RunComparison, compare_runs
from genotex.bench.comparison.paper_table import (
    PaperRow,
    paper_json,
    paper_notes,
    paper_rows,
    paper_tables,
)
from genotex.bench.comparison.run_record import WITHOUT_COHORTS
from genotex.bench.comparison.tables import comparison_json, difference_tables, how_compared
from genotex.bench.evaluation.figures import PlainTable
from genotex.bench.evaluation.folder_items import published, reference_kind_of, reference_words
from genotex.bench.evaluation.options import rules_of
from genotex.bench.evaluation.score_files import json_text, settings_rows, to_csv, write_texts
from genotex.bench.evaluation.scores import Scores
from genotex.bench.runs.leaderboard import (
    FIGURES,
    MAIN,
    SHOWN,
    AboutRun,
    Entry,
    RunGroup,
    RunSetup,
    group_runs,
    pareto_front,
    read_setup,
)
from genotex.figures import ProblemMark, cost_and_score
from genotex.reports.pages import render_template
from genotex.reports.scores.page import PageSection, ScoresPage
from genotex.reports.sections import FigureView, view_figures
from genotex.words import counted, listed, sentence

_PAGE = "index.html"


@dataclass(frozen=True)
class Leaderboard:
    """Submitted runs, scored alike against one reference."""

    group: RunGroup  # the runs, the best first, by their answers
    # of the runs that prepared cohorts themselves: filtering, selection and tables compared; None
    # where there are fewer than two of them
    cohorts: RunComparison | None
    setups: Mapping[str, RunSetup]  # what each of them used
    # the rows of the paper's tables: runs, and the published ones where the reference is theirs
    rows: tuple[PaperRow, ...]
    scores: Mapping[str, Scores]  # of the runs
    notes: tuple[str, ...]  # what a reader should know

    @property
    def front(self) -> list[Entry]:
        """The runs that no other beats in cost and score."""
        return pareto_front(self.group.entries)


def build_leaderboard(
    named: Mapping[str, Scores], folders: Mapping[str, Path], *, seed: int = 0
) -> Leaderboard:
    """Rank runs that were scored together."""
    setups = {name: read_setup(folder) for name, folder in folders.items()}
    named = {name: _without_folders(name, scores) for name, scores in named.items()}

    def about(name: str, scored: int) -> AboutRun:
        setup = setups[name]
        return AboutRun(name, setup.who, setup.problems or scored, setup.used)

    answers = {name: _part(scores, analysis=True) for name, scores in named.items()}
    (group,) = group_runs(answers, about, seed=seed)
    prepared = {
        entry.name: _part(named[entry.name], analysis=False)
        for entry in group.entries
        if setups[entry.name].start not in WITHOUT_COHORTS
    }
    cohorts = compare_runs(prepared, seed=seed) if len(prepared) > 1 else None
    first = next(iter(named.values()))
    paper = reference_kind_of(first.settings) == "published"
    rows = paper_rows(named, folders, paper=paper)
    notes = dict.fromkeys((*paper_notes(named, rows, paper=paper), *first.notes))
    if group.comparison is not None:
        notes |= dict.fromkeys(group.comparison.notes)
    return Leaderboard(group, cohorts, setups, rows, named, tuple(notes))


def _part(scores: Scores, *, analysis: bool) -> Scores:
    """Return the answers alone, or what was done before them alone."""
    tasks = tuple(task for task in scores.tasks if (task == "analysis") is analysis)
    if analysis:
        return replace(scores, filtering=(), selection=(), preprocessing={}, tasks=tasks)
    return replace(scores, analysis=(), tasks=tasks)


def _without_folders(name: str, scores: Scores) -> Scores:
    """Return scores without the folders of this machine, which mean nothing to readers."""
    reference = Path(scores.reference).name
    files = {
        key: Path(str(value)).name
        for key, value in scores.settings.items()
        if key in ("task_info", "gene_universe") and value is not None
    }
    words = {scores.prediction: name, scores.reference: "the reference"}
    words |= {str(scores.settings[key]): file for key, file in files.items()}
    notes = scores.notes
    for folder, word in words.items():
        notes = tuple(note.replace(folder, word) for note in notes)
    return replace(
        scores,
        prediction=name,
        reference=reference,
        settings={**scores.settings, **files},
        notes=notes,
    )


def write_leaderboard(folder: Path, board: Leaderboard) -> Path:
    """Write ``index.html``, ``leaderboard.csv`` and ``leaderboard.json``; gives the page."""
    page = render_template("scores.html.j2", _page(board))
    records = [_record(board, entry) for entry in board.group.entries]
    texts = {
        "leaderboard.csv": to_csv(tuple(records[0]), records),
        "leaderboard.json": json_text(_json(board, records)),
        _PAGE: page,
    }
    write_texts(folder, texts)
    return folder / _PAGE


def _record(board: Leaderboard, entry: Entry) -> dict[str, Any]:
    """Return a row of the CSV file; an unknown cost is empty."""
    setup = board.setups[entry.name]
    row: dict[str, Any] = {
        "run": entry.label, "who": entry.who, "starts_from": setup.start,
        "problems": entry.problems, "cost_per_problem": entry.per_problem,
        "on_front": entry in board.front, "genotex_version": setup.version,
    }  # fmt: skip
    for key in FIGURES:
        found = entry.figures.get(key)
        low, high = (found and found.interval) or (None, None)
        row |= {key: found and found.average, f"{key}_low": low, f"{key}_high": high}
    return row


def _json(board: Leaderboard, records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    first = next(iter(board.scores.values()))
    compared = board.group.comparison
    return {
        "runs": [
            {**record, "options": _plain(setup.options), "command": setup.command}
            for record in records
            for setup in [board.setups[record["run"]]]
        ],
        "tables": paper_json(board.rows, board.notes),
        "comparison": None if compared is None else comparison_json(compared),
        "cohorts": None if board.cohorts is None else comparison_json(board.cohorts),
        "rules": rules_of(first.settings).name,
        "reference": reference_kind_of(first.settings),
        "settings": dict(first.settings),
        "genotex_version": genotex.__version__,
    }


def _page(board: Leaderboard) -> ScoresPage:
    first = next(iter(board.scores.values()))
    facts = (
        ("Runs", f"{len(board.group.entries):,}"),
        ("Scored on", board.group.items),
        ("Reference", reference_words(reference_kind_of(first.settings))),
        ("Rules", rules_of(first.settings).words),
        ("Metrics", str(first.settings.get("metrics", "not recorded"))),
    )
    return ScoresPage(
        title="GenoTEX leaderboard",
        question="Which method finds the genes of the reference, and at what cost?",
        facts=facts,
        sections=tuple(_sections(board)),
        version=genotex.__version__,
    )


def _sections(board: Leaderboard) -> Iterator[PageSection]:
    rules = rules_of(next(iter(board.scores.values())).settings).words
    lead = (
        f"Ranked by {FIGURES[MAIN].label}; in brackets the 95 % interval over problems, and "
        "behind each run where it started. An unknown cost is left open, and is never 0."
    )
    yield PageSection("ranking", "Ranking", "Ranking", lead, tables=(_ranking(board, rules),))
    yield _costs(board)
    compared = board.group.comparison
    if compared is not None:
        of_cohorts = () if board.cohorts is None else difference_tables(board.cohorts)
        of_cohorts = tuple(replace(each, title=f"Cohorts: {each.title}") for each in of_cohorts)
        yield PageSection(
            "differences", "Differences", f"Paired differences to {compared.baseline}",
            "The same problems on both sides. An interval without 0 means that other problems of "
            "the same kind would hardly reverse the difference.",
            tables=(*difference_tables(compared), *of_cohorts),
            remarks=(how_compared(compared),),
        )  # fmt: skip
    yield PageSection(
        "tasks", "Tasks", "Task by task",
        "Each run is scored on what it did itself: tables that it was given are not credited to "
        "it.",
        tables=paper_tables(board.rows),
    )  # fmt: skip
    yield PageSection(
        "used", "Used", "What each run used", tables=(_used(board),),
        commands=tuple((entry.label, _command(board, entry)) for entry in board.group.entries),
        remarks=(
            "INPUT, OUTPUT and FOLDER stand for folders of your own; problems.csv is in run/ of "
            "the submitted folder. Every submitted file was checked against the digests that its "
            "run wrote at its end.",
        ),
    )  # fmt: skip
    yield _how(board)


def _ranking(board: Leaderboard, rules: str) -> PlainTable:
    main, *others = SHOWN
    names = [FIGURES[key].name for key in others]
    head = ("run", FIGURES[main].name, "cost per problem ($)", *names)
    rows = tuple(
        (
            f"{entry.label} ({start})" if start else entry.label,
            entry.cell(main),
            _cost(entry),
            *(entry.cell(key) for key in others),
        )
        for entry in board.group.entries
        for start in [board.setups[entry.name].start]
    )
    return PlainTable(f"Scored on {board.group.items}; rules: {rules}", head, rows)


def _cost(entry: Entry) -> str:
    return "unknown" if entry.per_problem is None else f"{entry.per_problem:.4g}"


def _costs(board: Leaderboard) -> PageSection:
    unknown = [entry.label for entry in board.group.entries if entry.per_problem is None]
    remarks = []
    if unknown:
        remarks.append(f"Not drawn, because what they cost is unknown: {listed(unknown)}.")
    if board.front:
        names = listed([entry.label for entry in board.front])
        remarks.append(f"No other run is both cheaper and better (Pareto front): {names}.")
    return PageSection(
        "cost", "Cost", "Score against cost", figures=_figures(board), remarks=tuple(remarks)
    )


def _figures(board: Leaderboard) -> tuple[FigureView, ...]:
    figure = FIGURES[MAIN]
    marks = {
        "scored here": [
            _mark(entry)
            for entry in board.group.entries
            if entry.per_problem is not None and entry.average(MAIN) is not None
        ]
    }
    reported = [row for row in board.rows if not row.ours and {MAIN, "cost"} <= row.values.keys()]
    marks["reported in the paper"] = [
        ProblemMark(row.values["cost"], row.values[MAIN], f"{row.name}: {row.source}")
        for row in reported
    ]
    drawn = {name: points for name, points in marks.items() if points}
    if not marks["scored here"]:
        return ()
    front = [(entry.per_problem or 0.0, entry.average(MAIN) or 0.0) for entry in board.front]
    alt = f"{figure.label} against cost of {counted(len(marks['scored here']), 'run')}"
    caption = (
        "Each mark is a run; costs are averages over its problems, on a logarithmic axis with 0. "
        "The line joins the runs that no cheaper one surpasses."
    )
    found = cost_and_score(drawn, front, ("US dollars per problem", figure.name), alt)
    return view_figures([replace(found, title=f"{figure.label} and cost", caption=caption)])


def _mark(entry: Entry) -> ProblemMark:
    score = entry.average(MAIN) or 0.0
    text = f"{entry.label}: {FIGURES[MAIN].write(score)}, ${_cost(entry)} a problem"
    return ProblemMark(entry.per_problem or 0.0, score, text)


def _used(board: Leaderboard) -> PlainTable:
    head = ("run", "method", "model", "starts from", "procedure", "task list", "options",
            "genotex", "problems")  # fmt: skip
    rows = []
    for entry in board.group.entries:
        setup = board.setups[entry.name]
        options = ", ".join(f"{name} {value}" for name, value in _plain(setup.options).items())
        cells = (setup.method, setup.model, setup.start, setup.procedure, setup.task_info,
                 options, setup.version)  # fmt: skip
        rows.append((entry.label, *(cell or "-" for cell in cells), f"{entry.problems:,}"))
    return PlainTable("Methods, models, options and versions", head, tuple(rows), words=8)


def _plain(options: Mapping[str, Any]) -> dict[str, str | int | float]:
    """Return options that are plain values, without the folder of the machine they ran on."""
    return {
        name: value
        for name, value in options.items()
        if isinstance(value, str | int | float) and name != "folder"
    }


def _command(board: Leaderboard, entry: Entry) -> str:
    setup = board.setups[entry.name]
    version = f"pip install genotex=={setup.version}\n" if setup.version else ""
    return version + setup.command


def _how(board: Leaderboard) -> PageSection:
    settings = settings_rows(next(iter(board.scores.values())))
    remarks = [f"{name}: {value}" for name, value in settings]
    if all(row.ours for row in board.rows):
        remarks.append(
            f"The rows published in {published().source} are not shown: they were measured "
            "against another reference"
        )
    remarks += board.notes
    return PageSection(
        "how", "How", "How these numbers were made",
        f"Scored by genotex {genotex.__version__} from the files of the submitted folders.",
        remarks=tuple(sentence(text) for text in remarks),
    )  # fmt: skip
