"""Scores as tables and as files: JSON that can be read back, CSV for each task, Markdown."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, get_args

from genotex.bench.evaluation.figures import (
    SECTIONS,
    TABLES,
    PlainTable,
    ScoreFigure,
    Section,
    Table,
    figures_of,
    to_markdown,
)
from genotex.bench.evaluation.options import ScoringRules, rules_of
from genotex.bench.evaluation.scores import (
    FIGURES,
    AnalysisScore,
    FilteringScore,
    Missing,
    PreprocessingScore,
    Scores,
    SelectionScore,
)
from genotex.bench.evaluation.summary import Average, Summary, item_key, to_json
from genotex.errors import FormatError, UsageError
from genotex.formats import inert, read_json_object
from genotex.io import atomic_write
from genotex.problems import Problem
from genotex.records import checked

_UNDEFINED = (
    "Undefined values are left out of the average: AUROC, AUPRC and ES of a problem whose "
    "reference names no gene, the trait figures of a problem whose trait is of the other kind or "
    "of unknown kind."
)
_NAMED = 3
_ROUNDING = 1e-9
"""Items that are named where several were missing for one reason."""
_MOST_REASONS = 12


def average_tables(summary: Summary) -> tuple[PlainTable, ...]:
    """Return a table for each section: every figure with interval and numbers."""
    return tuple(
        _averages(section, figures, summary.rules) for section, figures in summary.sections.items()
    )


def _averages(section: Section, averages: Mapping[str, Average], rules: ScoringRules) -> PlainTable:
    names = SECTIONS[section]
    items = max((a.scored + a.undefined for a in averages.values()), default=0)
    rows = tuple(
        (
            figure.name,
            figure.meaning,
            figure.write(averages[figure.key].average),
            figure.write_interval(averages[figure.key].interval),
            f"{averages[figure.key].scored:,}",
            f"{averages[figure.key].undefined:,}",
        )
        for figure in FIGURES[section]
    )
    head = ("figure", "meaning", "average", "95 % interval", "scored", "undefined")
    undefined = any(average.undefined for average in averages.values())
    return PlainTable(
        f"{names.title}, {items:,} {names.item if items == 1 else names.items}{rules.suffix}",
        head,
        rows,
        words=2,
        note=_UNDEFINED if undefined else "",
        spare=("meaning", "undefined", "scored"),
    )


def kind_table(summary: Summary) -> PlainTable | None:
    """Return selection and analysis for each kind of problem; None if there is only one."""
    if len(summary.by_kind) < 2:
        return None
    rows: list[tuple[str, ...]] = []
    for section, whole in summary.sections.items():
        if not any(section in sections for sections in summary.by_kind.values()):
            continue
        for figure in FIGURES[section]:
            short = SECTIONS[section].short
            each = [sections.get(section) for sections in summary.by_kind.values()]
            label = f"{short}: {figure.name}" if short else figure.name
            rows.append((label, _mean(figure, whole), *(_mean(figure, one) for one in each)))
    head = ("average of", "all", *(kind.value for kind in summary.by_kind))
    return PlainTable(f"By kind of problem{summary.rules.suffix}", head, (_counts(summary), *rows))


def _mean(figure: ScoreFigure, averages: Mapping[str, Average] | None) -> str:
    return "-" if averages is None else figure.write(averages[figure.key].average)


def _counts(summary: Summary) -> tuple[str, ...]:
    each = [_items(sections) for sections in summary.by_kind.values()]
    return ("problems", f"{sum(each):,}", *(f"{count:,}" for count in each))


def _items(sections: Mapping[Section, Mapping[str, Average]]) -> int:
    """Return the number of problems: of the analysis, else of the selection."""
    figures = sections.get("analysis") or sections["selection"]
    return max(average.scored + average.undefined for average in figures.values())


def trap_table(scores: Scores) -> PlainTable | None:
    """Return cohorts and problems with each trap next to those without it; None for no trap."""
    if not scores.traps:
        return None
    percent = next(one for one in FIGURES["analysis"] if one.key == "f1")
    rows = [
        (
            one.trap,
            str(one.cohorts),
            *(percent.write(value) for value in (one.right, one.right_without)),
            str(one.problems),
            *(percent.write(value) for value in (one.f1, one.f1_without)),
        )
        for one in scores.traps
    ]
    head = ("trap", "cohorts", "right (%)", "others (%)", "problems", "F1 (%)", "other problems")
    note = "A cohort is right when it is used, or left out, with the reference's samples and codes."
    return PlainTable("Traps", head, tuple(rows), note=note)


def missing_table(scores: Scores) -> PlainTable | None:
    """Return how many predictions were scored 0, why, and the first of each; None for none."""
    if not scores.missing:
        return None
    groups: dict[tuple[str, str], list[Missing]] = {}
    for item in scores.missing:
        groups.setdefault((item.task, item.why), []).append(item)
    largest = sorted(groups.items(), key=lambda group: -len(group[1]))
    rows = [
        (f"{task} table" if task in TABLES else task, why, _first(items), f"{len(items):,}")
        for (task, why), items in largest[:_MOST_REASONS]
    ]
    rest = sum(len(items) for _, items in largest[_MOST_REASONS:])
    note = f"{rest:,} more for other reasons, each named in scores.json." if rest else ""
    return PlainTable(
        f"Missing or unreadable predictions, scored 0: {len(scores.missing):,}",
        ("task", "why", "which", "number"),
        tuple(rows),
        words=3,
        note=note,
    )


def _first(items: list[Missing]) -> str:
    named = ", ".join(item.item for item in items[:_NAMED])
    return f"{named}, ..." if len(items) > _NAMED else named


def settings_rows(scores: Scores) -> tuple[tuple[str, str], ...]:
    """Return in words what the figures depend on: version of the metrics, options, files."""
    others = {key: value for key, value in scores.settings.items() if key != "rules"}
    return (
        ("rules", rules_of(scores.settings).words),
        *((_SETTINGS.get(key, key), _in_words(key, value)) for key, value in others.items()),
    )


_SETTINGS = {
    "metrics": "metrics",
    "df_field": "filtering compares",
    "regressors": "regressor genes of a pair",
    "gene_universe": "list of all genes",
    "repair_reference": "reference repaired",
    "task_info": "task list",
    "problems": "problems asked for",
    "reference_kind": "kind of reference",
}

_METRICS = {
    "default": "default (lists padded to 20,000 genes unless all genes are listed)",
    "legacy": "legacy (the benchmark repository's older code; never compare with default)",
}


def _in_words(key: str, value: Any) -> str:
    if key == "metrics":
        return _METRICS.get(str(value), str(value))
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def check_folder(folder: Path) -> None:
    """Refuse a file where a folder for results is expected, before anything is computed."""
    if folder.exists() and not folder.is_dir():
        msg = f"{folder} is a file; give a folder for the results"
        raise UsageError(msg)


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write files into a folder, in this order."""
    check_folder(folder)
    for name, text in texts.items():
        with atomic_write(folder / name) as part:
            part.write_text(text, encoding="utf-8")


SCORES_FILE = "scores.json"
"""The complete file; the others are for people and spreadsheets."""

FIGURE_COLUMNS = (
    "section", "figure", "unit", "average", "ci_low", "ci_high", "scored", "undefined",
)  # fmt: skip
"""Columns of `average_rows`."""


def score_texts(scores: Scores, summary: Summary) -> dict[str, str]:
    """Return name and content of every file but the page; a task without items has its header."""
    tables = [
        {"table": table, **asdict(item)}
        for table, items in scores.preprocessing.items()
        for item in items
    ]
    return {
        "averages.csv": to_csv(("kind", *FIGURE_COLUMNS), _by_kind(summary)),
        "filtering.csv": _item_csv(FilteringScore, scores.filtering),
        "selection.csv": _item_csv(SelectionScore, scores.selection),
        "preprocessing.csv": to_csv(("table", *_names(PreprocessingScore)), tables),
        "analysis.csv": _item_csv(AnalysisScore, scores.analysis),
        "missing.csv": _item_csv(Missing, scores.missing),
        "scores.md": _markdown(scores, summary),
        SCORES_FILE: json_text(to_json(scores, summary)),
    }


def json_text(content: object) -> str:
    """Return plain values as the text of a JSON file."""
    return json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def to_csv(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> str:
    """Return rows as CSV, numbers over full precision, empty where there is no value."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {key: inert(cell) if isinstance(cell, str) else cell for key, cell in row.items()}
        for row in rows
    )
    return text.getvalue()


def _item_csv(kind: type[Any], items: Sequence[Any]) -> str:
    return to_csv(_names(kind), map(asdict, items))


def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _by_kind(summary: Summary) -> Iterator[dict[str, Any]]:
    kinds = {"all": summary.sections} | {k.value: s for k, s in summary.by_kind.items()}
    for kind, sections in kinds.items():
        for row in average_rows(sections):
            yield {"kind": kind, **row}


def average_rows(sections: Mapping[Section, Mapping[str, Average]]) -> Iterator[dict[str, Any]]:
    """Yield every figure of some sections under the names of `FIGURE_COLUMNS`."""
    for section, averages in sections.items():
        for figure in FIGURES[section]:
            found = averages[figure.key]
            low, high = found.interval or (None, None)
            cells = (
                section, figure.key, figure.unit, found.average, low, high, found.scored,
                found.undefined,
            )  # fmt: skip
            yield dict(zip(FIGURE_COLUMNS, cells, strict=True))


def _markdown(scores: Scores, summary: Summary) -> str:
    settings = [f"- {name}: {value}" for name, value in settings_rows(scores)]
    head = [
        "# Scores",
        f"`{scores.prediction}` against `{scores.reference}`. Figures without % are fractions or "
        f"counts; intervals: bootstrap over the items, {summary.draws:,} draws, seed "
        f"{summary.seed}.",
        "\n".join(settings),
        "\n".join(f"- Note: {note}" for note in scores.notes),
    ]
    tables = [
        *average_tables(summary),
        kind_table(summary),
        trap_table(scores),
        missing_table(scores),
    ]
    parts = [*filter(None, head), *(to_markdown(table).rstrip() for table in tables if table)]
    return "\n\n".join(parts) + "\n"


_HINT = "give a scores.json of 'genotex evaluate -o', or what 'genotex evaluate --json' printed"

_KINDS: Mapping[str, type[Any]] = {
    "filtering": FilteringScore, "selection": SelectionScore, "analysis": AnalysisScore,
}  # fmt: skip


def read_scores(path: Path) -> Scores:
    """Read the items of an evaluation; its averages are computed from them again."""
    if path.is_dir():
        path = path / SCORES_FILE
    # A number that is not finite is refused with its field.
    content = read_json_object(path, _HINT, finite=False)
    for name, kind in _KINDS.items():
        if name in content:
            content[name] = _completed(content[name], kind)
    tables = content.get("preprocessing")
    if isinstance(tables, dict):
        content["preprocessing"] = {
            table: _completed(tables[table], PreprocessingScore)
            for table in get_args(Table)
            if table in tables
        }
    scores = checked(Scores, content, path=path, hint=_HINT)
    for name in _KINDS:
        _check(name, getattr(scores, name), path, rules_of(scores.settings))
    for table, items in scores.preprocessing.items():
        _check(f"preprocessing.{table}", items, path, rules_of(scores.settings))
    return scores


def _completed(items: Any, kind: type[Any]) -> Any:
    """Return items with null for what they lack: a figure that is undefined may be left out."""
    if not isinstance(items, list):
        return items
    empty = dict.fromkeys(_names(kind))
    return [empty | item if isinstance(item, dict) else item for item in items]


def _check(name: str, items: Sequence[Any], path: Path, rules: ScoringRules) -> None:
    """Refuse duplicates, invalid problems, and figures that cannot be."""
    seen = set()
    for i, item in enumerate(items):
        wanted = _wanted(item) or _within(item, rules)
        if item_key(item) in seen:
            wanted = f"{' '.join(item_key(item))} only once"
        if wanted:
            msg = f"expected {wanted}"
            raise FormatError(msg, path=path, field=f"{name}[{i}]", hint=_HINT)
        seen.add(item_key(item))


def _wanted(item: Any) -> str:
    """Return what an item should have been; empty where it is right."""
    if not isinstance(item, SelectionScore | AnalysisScore):
        return ""
    try:
        problem = Problem(item.trait, item.condition)
    except UsageError as error:
        return f"a problem: {error}"
    if isinstance(item, SelectionScore) or item.kind is problem.kind:
        return ""
    return f"the kind {problem.kind.value} of {problem}"


def _within(item: Any, rules: ScoringRules) -> str:
    """Return the limits of the first figure of an item that is outside; empty where none is."""
    for figure in figures_of(type(item)):
        value = getattr(item, figure.key)
        # The published scorer takes the trait's figures from the answer as they are.
        if value is None or (rules.any_figure and figure.key.startswith("trait_")):
            continue
        low, high = figure.limits
        if not low - _ROUNDING <= value <= high + _ROUNDING:
            limits = (f"least {low:g}" * (low > -math.inf), f"most {high:g}" * (high < math.inf))
            return f"{figure.key} of at {' and at '.join(filter(None, limits))}, found {value:g}"
    return ""
