"""A comparison as tables, as files and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from genotex.bench.comparison.paired import Difference, Run, RunComparison
from genotex.bench.comparison.retest import retest_tables
from genotex.bench.evaluation.figures import PlainTable, ScoreFigure, Section, to_markdown
from genotex.bench.evaluation.score_files import FIGURE_COLUMNS, average_rows, json_text, to_csv
from genotex.bench.evaluation.scores import FIGURES, headline_figures
from genotex.bench.evaluation.summary import Average, averages_json, nested
from genotex.records import as_json


def side_by_side_table(comparison: RunComparison) -> PlainTable:
    """Return the headline figures of every run with their intervals, the mean last."""
    rows = tuple(
        (
            figure.name,
            *(
                "-" if each is None else figure.write_with_interval(each.average, each.interval)
                for each in _of_each(comparison, section, figure.key)
            ),
        )
        for section, figure in _headline(comparison)
    )
    return PlainTable(
        f"Averages with 95 % intervals{comparison.runs[0].summary.rules.suffix}",
        ("figure", *_columns(comparison)),
        (_scored(comparison), *rows),
    )


def _headline(comparison: RunComparison) -> list[tuple[Section, ScoreFigure]]:
    return [
        (section, figure)
        for section in FIGURES
        if any(section in run.summary.sections for run in comparison.runs)
        for figure in headline_figures(section)
    ]


def _columns(comparison: RunComparison) -> list[str]:
    names = [run.name for run in comparison.runs]
    return [*names, comparison.mean_name] if comparison.mean else names


def _of_each(comparison: RunComparison, section: Section, key: str) -> list[Average | None]:
    found = [run.summary.sections.get(section, {}).get(key) for run in comparison.runs]
    if comparison.mean:
        found.append(comparison.mean.get(section, {}).get(key))
    return found


def _scored(comparison: RunComparison) -> tuple[str, ...]:
    each = [_problems(run) for run in comparison.runs]
    return ("problems", *each, *(["-"] if comparison.mean else []))


def _problems(run: Run) -> str:
    problems = run.scores.analysis or run.scores.selection
    return f"{len(problems):,}" if problems else "-"


def agreement_tables(comparison: RunComparison) -> tuple[PlainTable, ...]:
    """Return how far repeated runs agree; nothing where the runs are of different methods."""
    return () if comparison.retest is None else retest_tables(comparison.retest)


def difference_tables(comparison: RunComparison) -> tuple[PlainTable, ...]:
    """Return for every run but the baseline how its headline figures differ from it."""
    return tuple(_differences(comparison, name) for name in comparison.differences)


def _differences(comparison: RunComparison, name: str) -> PlainTable:
    found = comparison.differences[name]
    rows = tuple(
        _difference_row(figure, found[section][figure.key])
        for section, figure in _headline(comparison)
        if section in found
    )
    head = ("figure", "difference", "95 % interval", "p", "compared", "left out")
    title = f"{name} less {comparison.baseline}"
    return PlainTable(title, head, rows, spare=("left out", "compared"))


def _difference_row(figure: ScoreFigure, found: Difference) -> tuple[str, ...]:
    return (
        figure.name,
        figure.write(found.difference, signed=True),
        figure.write_interval(found.interval, signed=True),
        "-" if found.p is None else f"{found.p:.3f}",
        f"{found.compared:,}",
        f"{found.left_out:,}",
    )


def how_compared(comparison: RunComparison) -> str:
    """Return in words what the tables hold."""
    summary = comparison.runs[0].summary
    text = (
        f"Rules: {summary.rules.words}. Intervals: bootstrap over the items, {summary.draws:,} "
        f"draws, seed {summary.seed}. Figures without % are fractions."
    )
    if comparison.differences:
        text += (
            " Differences are paired: the same items on both sides, drawn together; p is the "
            "two-sided bootstrap p-value, not corrected for the number of figures."
        )
    return text


def comparison_texts(comparison: RunComparison) -> dict[str, str]:
    """Return name and content of every file of a comparison but the page."""
    tables = (
        side_by_side_table(comparison), *agreement_tables(comparison),
        *difference_tables(comparison),
    )  # fmt: skip
    parts = [
        "# Comparison",
        how_compared(comparison),
        "\n".join(f"- Note: {note}" for note in comparison.notes),
        *(to_markdown(table).rstrip() for table in tables),
    ]
    return {
        "comparison.csv": to_csv(("run", *FIGURE_COLUMNS), _average_rows(comparison)),
        "differences.csv": to_csv(_DIFFERENCE_COLUMNS, _difference_rows(comparison)),
        "comparison.md": "\n\n".join(filter(None, parts)) + "\n",
        "comparison.json": json_text(comparison_json(comparison)),
    }


_DIFFERENCE_COLUMNS = (
    "run", "baseline", "section", "figure", "unit", "difference", "ci_low", "ci_high", "p",
    "compared", "left_out",
)  # fmt: skip


def _average_rows(comparison: RunComparison) -> Iterable[dict[str, Any]]:
    each = {run.name: run.summary.sections for run in comparison.runs}
    for name, sections in (*each.items(), (comparison.mean_name, comparison.mean)):
        for row in average_rows(sections):
            yield {"run": name, **row}


def _difference_rows(comparison: RunComparison) -> Iterable[dict[str, Any]]:
    for name, sections in comparison.differences.items():
        for section, differences in sections.items():
            for figure in FIGURES[section]:
                found = differences[figure.key]
                low, high = found.interval or (None, None)
                cells = (
                    name, comparison.baseline, section, figure.key, figure.unit,
                    found.difference, low, high, found.p, found.compared, found.left_out,
                )  # fmt: skip
                yield dict(zip(_DIFFERENCE_COLUMNS, cells, strict=True))


def comparison_json(comparison: RunComparison) -> dict[str, Any]:
    """Return a comparison as plain JSON values, figures in the shape of ``evaluate --json``."""
    summary = comparison.runs[0].summary
    content: dict[str, Any] = {
        "runs": [
            as_json(run, "name", prediction="scores.prediction", reference="scores.reference")
            | averages_json(run.summary.sections)
            for run in comparison.runs
        ],
        "mean": averages_json(comparison.mean),
        "baseline": comparison.baseline,
        "differences": {
            name: nested(sections, as_json) for name, sections in comparison.differences.items()
        },
        "bootstrap": {"draws": summary.draws, "seed": summary.seed},
        "settings": dict(comparison.runs[0].scores.settings),
        "notes": list(comparison.notes),
    }
    if comparison.retest is not None:
        content["retest"] = as_json(comparison.retest, "runs", "genes", "problems", "figures")
    return content
