"""Tables of scores: averages, kinds of problems, missing predictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from genotex.bench.evaluation.figures import SECTIONS, TABLES, Figure, PlainTable, Section
from genotex.bench.evaluation.options import ScoringRules, rules_of
from genotex.bench.evaluation.scores import FIGURES, Missing, Scores
from genotex.bench.evaluation.summary import Average, Summary

_UNDEFINED = (
    "Undefined values are left out of the average: AUROC, AUPRC and ES of a problem whose "
    "reference names no gene, the trait figures of a problem whose trait is of the other kind or "
    "of unknown kind."
)
_NAMED = 3
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


def _mean(figure: Figure, averages: Mapping[str, Average] | None) -> str:
    return "-" if averages is None else figure.write(averages[figure.key].average)


def _counts(summary: Summary) -> tuple[str, ...]:
    each = [_items(sections) for sections in summary.by_kind.values()]
    return ("problems", f"{sum(each):,}", *(f"{count:,}" for count in each))


def _items(sections: Mapping[Section, Mapping[str, Average]]) -> int:
    """Return the number of problems: of the analysis, else of the selection."""
    figures = sections.get("analysis") or sections["selection"]
    return max(average.scored + average.undefined for average in figures.values())


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
