"""Runs in the layout of the paper's tables 2 to 5, with the published rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from genotex.bench.comparison.run_record import (
    TABLES_OF_GENOTEX,
    WITHOUT_COHORTS,
    RunRecord,
    read_run_record,
)
from genotex.bench.evaluation.figures import TABLES, PlainTable, to_markdown
from genotex.bench.evaluation.folder_items import (
    ReferenceKind,
    published,
    reference_kind_of,
    reference_words,
)
from genotex.bench.evaluation.options import PUBLISHED, rules_of
from genotex.bench.evaluation.scores import Scores
from genotex.bench.evaluation.summary import Average, Summary, summarise
from genotex.records import as_json

_OURS = "scored here"

_ANALYSIS = {
    "precision": "Prec. (%)", "recall": "Rec. (%)", "f1": "F1 (%)", "auroc": "AUROC",
    "gsea_es": "GSEA ES", "trait_accuracy": "trait Acc. (%)", "trait_f1": "trait F1 (%)",
    "success": "Succ. (%)", "tokens": "Tk. in/out (K)", "cost": "Cost ($)", "seconds": "Time (s)",
}  # fmt: skip
_SELECTION = {"df": "DF (%)", "ds": "DS (%)"}
_OF_A_TABLE = {"aj": "AJ (%)", "sj": "SJ (%)", "csc": "CSC (%)"}
_DATA = {"linked": "linked data", "gene": "gene data", "clinical": "trait data"}
_DECIMALS = {"tokens_in": 1, "tokens_out": 1, "tokens_cached": 1}
_KEYS = (
    *(key for key in _ANALYSIS if key != "tokens"),
    "tokens_in",
    "tokens_out",
    "tokens_cached",
    *_SELECTION,
    *(f"{table}_{key}" for table in _DATA for key in _OF_A_TABLE),
)


@dataclass(frozen=True)
class PaperRow:
    """One method in the units of the paper; what is not known is absent."""

    name: str
    source: str
    start: str | None
    values: Mapping[str, float]
    missing: Mapping[str, int] = field(default_factory=dict)
    not_asked: int = 0
    reference: ReferenceKind = "published"
    rules: str = PUBLISHED.words

    @property
    def ours(self) -> bool:
        """Whether it was scored here."""
        return self.source.startswith(_OURS)


def paper_rows(
    runs: Mapping[str, Scores], paths: Mapping[str, Path], *, paper: bool = False
) -> tuple[PaperRow, ...]:
    """Return a row for each run, then the published ones where they are wanted."""
    rows = [_run_row(name, scores, _record(paths[name], scores)) for name, scores in runs.items()]
    if paper:
        rows += [
            PaperRow(row.name, f"published, table {row.table}", row.start, row.values)
            for row in published().rows
        ]
    return tuple(rows)


def _record(path: Path, scores: Scores) -> RunRecord:
    """Return the record of the run, also where its scores are stored elsewhere."""
    for folder in (path, Path(scores.prediction)):
        record = read_run_record(folder)
        if record != RunRecord():
            return record
    return RunRecord()


def _run_row(name: str, scores: Scores, record: RunRecord) -> PaperRow:
    values = dict(_scored(summarise(scores, draws=0)))
    # A method that never predicts a trait has no such score.
    if not any(item.trait_accuracy or item.trait_f1 for item in scores.analysis):
        values = {key: value for key, value in values.items() if not key.startswith("trait_")}
    if record.start in WITHOUT_COHORTS:
        values = {key: value for key, value in values.items() if key in _ANALYSIS}
    for key, value in record.per_problem.items():
        if key.startswith("tokens"):
            values[key] = value / 1000
        elif key in _KEYS:
            values[key] = value
    if "seconds" in values and record.start != TABLES_OF_GENOTEX:
        values["seconds"] += record.per_problem.get("cohort_seconds", 0.0)
    scored = {(item.trait, item.condition) for item in scores.analysis}
    not_asked = len(scored - record.asked) if record.asked else 0
    kind = reference_kind_of(scores.settings)
    source = _OURS if kind in ("other", "unknown") else f"{_OURS}, {reference_words(kind)}"
    rules = rules_of(scores.settings).words
    return PaperRow(name, source, record.start, values, record.missing, not_asked, kind, rules)


def _scored(summary: Summary) -> Iterator[tuple[str, float]]:
    """Yield the averages that are defined, in the units of the paper."""
    found: dict[str, tuple[Average | None, float]] = {
        key: (summary.sections.get("analysis", {}).get(key), 1.0) for key in _ANALYSIS
    }
    found["df"] = (summary.sections.get("filtering", {}).get("f1"), 1.0)
    found["ds"] = (summary.sections.get("selection", {}).get("accuracy"), 1.0)
    for table in TABLES:
        for key in _OF_A_TABLE:
            found[f"{table}_{key}"] = (summary.sections.get(table, {}).get(key), 100.0)
    for key, (average, scale) in found.items():
        if average is not None and average.average is not None:
            yield key, scale * average.average


def paper_tables(rows: Sequence[PaperRow]) -> tuple[PlainTable, ...]:
    """Return the tables with known values; unknown is a dash."""
    tables = (_analysis(rows), _selection(rows), _preprocessing(rows))
    return tuple(
        replace(table, title=f"{table.title}{_caution(rows)}", note=_made(rows))
        for table in tables
        if table.rows
    )


def _caution(rows: Sequence[PaperRow]) -> str:
    """Return what a title adds where published rows are next to runs of another reference."""
    others = dict.fromkeys(row.reference for row in rows if row.ours)
    kinds = [reference_words(kind) for kind in others if kind != "published"]
    if not kinds or all(row.ours for row in rows):
        return ""
    return f"; the published rows are not comparable: {' and '.join(kinds)}"


def _made(rows: Sequence[PaperRow]) -> str:
    """Return by which rules, and against what, the runs were scored."""
    ours = [row for row in rows if row.ours]
    rules = dict.fromkeys(row.rules for row in ours)
    kinds = dict.fromkeys(reference_words(row.reference) for row in ours)
    return f"Rules: {', '.join(rules)}. Scored against: {', '.join(kinds)}." if ours else ""


def _analysis(rows: Sequence[PaperRow]) -> PlainTable:
    cells = tuple(
        (row.name, row.source, row.start or "-", *(_cell(row, key) for key in _ANALYSIS))
        for row in rows
        if _has_any(row, _ANALYSIS)
    )
    head = ("method", "source", "starts from", *_ANALYSIS.values())
    return PlainTable("Genes, trait prediction, runtime (tables 2 and 3)", head, cells, words=3)


def _selection(rows: Sequence[PaperRow]) -> PlainTable:
    cells = tuple(
        (row.name, row.source, *(_cell(row, key) for key in _SELECTION))
        for row in rows
        if _has_any(row, _SELECTION)
    )
    head = ("method", "source", *_SELECTION.values())
    title = "Dataset filtering: F1, and selection: accuracy (table 4)"
    return PlainTable(title, head, cells, words=2)


def _preprocessing(rows: Sequence[PaperRow]) -> PlainTable:
    cells = tuple(
        (data, row.name, row.source, *(_cell(row, f"{table}_{key}") for key in _OF_A_TABLE))
        for table, data in _DATA.items()
        for row in rows
        if _has_any(row, [f"{table}_{key}" for key in _OF_A_TABLE])
    )
    head = ("data", "method", "source", *_OF_A_TABLE.values())
    return PlainTable("Preprocessing (table 5)", head, cells, words=3)


def _has_any(row: PaperRow, keys: Iterable[str]) -> bool:
    return any(_cell(row, key) != "-" for key in keys)


def _cell(row: PaperRow, key: str) -> str:
    if key == "tokens":
        parts = [_cell(row, name) for name in ("tokens_in", "tokens_out")]
        if row.values.get("tokens_cached"):
            parts[0] += f" ({_cell(row, 'tokens_cached')} cached)"
        return "-" if parts == ["-", "-"] else "/".join(parts)
    value = row.values.get(key)
    return "-" if value is None else f"{value:.{_DECIMALS.get(key, 2)}f}"


def paper_notes(
    runs: Mapping[str, Scores], rows: Sequence[PaperRow], *, paper: bool
) -> tuple[str, ...]:
    """Return notes that are needed to compare the rows."""
    notes = []
    if any("seconds" in row.values for row in rows if row.ours):
        notes.append(
            "time, tokens and cost of a run scored here are averages over its problems, each with "
            "its share of the cohorts, which are preprocessed once for all problems"
        )
    for row in rows:
        notes += [
            f"{key.replace('_', ' ')} of {row.name} is unknown: {number} of its problems do not "
            "record it"
            for key, number in row.missing.items()
            if key in _KEYS
        ]
    notes += [
        f"{row.name} was never asked {row.not_asked} of the problems that are scored, which count "
        "as not answered; --problems RUN/run/problems.csv scores those of a run alone"
        for row in rows
        if row.not_asked
    ]
    others = [r.name for r in rows if r.ours and r.start in WITHOUT_COHORTS]
    if others:
        notes.append(f"{', '.join(others)} prepared no cohorts, so they are not in tables 4 and 5")
    legacy = [name for name, scores in runs.items() if scores.settings.get("metrics") == "legacy"]
    if legacy:
        notes.append(
            f"{', '.join(legacy)} scored by the legacy metrics, whose AUROC is far higher; never "
            "compare with the others"
        )
    if paper:
        notes += _about_the_paper(runs)
    return tuple(notes)


def _about_the_paper(runs: Mapping[str, Scores]) -> Iterator[str]:
    known = published()
    yield (
        f"published rows: {known.source}, measured by its authors on {known.problems:,} problems "
        "against the reference of their release"
    )
    for name, scores in runs.items():
        if rules_of(scores.settings) is not PUBLISHED:
            yield (
                f"{name} was scored by the rules of genotex, which differ from the published "
                "scorer's in odd cases; --rules published reproduces those"
            )
        if scores.analysis and len(scores.analysis) != known.problems:
            yield (
                f"{name} was scored on {len(scores.analysis):,} problems, not on "
                f"{known.problems:,}: its figures are not those of the whole benchmark; answers to "
                "problems that the reference does not answer are not scored"
            )


def paper_markdown(rows: Sequence[PaperRow], notes: Sequence[str]) -> str:
    """Return tables and notes as Markdown."""
    parts = [to_markdown(table).rstrip() for table in paper_tables(rows)]
    if notes:
        parts.append("\n".join(f"- {note}" for note in notes))
    return "\n\n".join(parts) + "\n"


def paper_json(rows: Sequence[PaperRow], notes: Sequence[str]) -> dict[str, Any]:
    """Return rows and notes as plain JSON values; null is unknown."""
    return {
        "rows": [
            as_json(row, "name", "source", "start", "reference", "rules")
            | {key: row.values.get(key) for key in _KEYS}
            for row in rows
        ],
        "notes": list(notes),
    }
