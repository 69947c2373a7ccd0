"""The question that a model is asked about a series: all that a reader has, cut with care."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from string import Template

from genotex.clinical.description import Cell, SeriesDescription
from genotex.models import Message, cut, fenced
from genotex.outside import packaged

EMPTY = "(empty)"
"""How an empty cell is shown."""
LONGEST_CELL = 160
_TITLE, _SUMMARY, _DESIGN = 400, 4_000, 3_000
_ROWS, _TEXTS = 14_000, 6_000
"""Most characters of all rows of characteristics, and of each other line."""
_MOST_CELLS = (30, 20, 12, 8, 5, 3)
"""Different cells of a row: fewer where the rows would be too long."""
_MOST_TITLES = 40
_COLUMNS, _FIRST_CELLS, _LONGEST_PREVIEW, _IDS = 12, 2, 50, 10
_DATA = "genotex.clinical.data"
_TEXTS_OF = _CONVENTIONS, _QUESTION = "annotator.md", "annotator_question.md"


def series_question(
    series: SeriesDescription, trait: str, *, sample_texts: bool = True
) -> tuple[Message, Message]:
    """Return the messages that ask where trait, age and gender of a series are recorded.

    `sample_texts`: whether titles, source names and descriptions count, or the characteristics
    alone, as in the benchmark.
    """
    lines = dict(_other_lines(series)) if sample_texts else {}
    shown = "\n".join(f"{name}: {line}" for name, line in lines.items())
    texts = f"\nOther lines of the samples:\n\n{fenced(shown)}\n" if lines else ""
    question = Template(_text(_QUESTION)).substitute(
        trait=" ".join(trait.replace("_", " ").split())[:_TITLE],
        background=fenced(_background(series)),
        counts=", with their numbers of samples" if series.cells else "",
        characteristics=fenced(_rows(series) or "(none)"),
        texts=texts,
        first_ids=fenced(", ".join(map(_clipped, series.first_ids[:_IDS])) or "(none)"),
        platform=fenced(_platform(series) or "(none)"),
        places=(
            "Where the characteristics do not record a feature, another line may (`place`)."
            if sample_texts
            else "Only rows of characteristics count (`place` is `characteristics_ch1`)."
        ),
    )
    return Message("system", _text(_CONVENTIONS)), Message("user", question)


def question_digests() -> dict[str, str]:
    """Return the SHA-256 of each text of the question, by its name."""
    return {name: hashlib.sha256(packaged(_DATA, name)).hexdigest() for name in _TEXTS_OF}


@cache
def _text(name: str) -> str:
    return packaged(_DATA, name).decode()


def shown_cell(cell: Cell) -> str:
    """Return a cell as the question shows it."""
    if cell is None or not cell.strip():
        return EMPTY
    return cell if len(cell) <= LONGEST_CELL else f"{cell[: LONGEST_CELL - 1]}…"


def _background(series: SeriesDescription) -> str:
    parts = {
        "title": cut(series.title, _TITLE),
        "summary": cut(series.summary, _SUMMARY),
        "design": cut(series.overall_design, _DESIGN),
        "type": "; ".join(series.series_type),
        "organism": ", ".join(series.organisms),
        "platform": series.platform_title,
        "molecule": ", ".join(series.molecule),
        "library strategy": ", ".join(series.library_strategy),
    }
    # The first three are bounded already.
    return "\n".join(f"{name}: {cut(text, _SUMMARY)}" for name, text in parts.items() if text)


def _rows(series: SeriesDescription) -> str:
    counted = series.cells
    for most in _MOST_CELLS:
        lines = [
            f"{number}: {_line(row, counted[number] if counted else (), most)}"
            for number, row in enumerate(series.characteristics)
        ]
        text = "\n".join(lines)
        if len(text) <= _ROWS:
            return text
    return cut(text, _ROWS)


def _line(cells: Sequence[Cell], of_samples: Sequence[Cell], most: int) -> str:
    """Return the different cells of a row as JSON, the most frequent first where counts differ."""
    if of_samples:
        counts = Counter(shown_cell(cell) for cell in of_samples)
        first = dict(counts.most_common(most))
        rest = len(counts) - len(first)
        text = json.dumps(first, ensure_ascii=False)
    else:
        names = list(dict.fromkeys(shown_cell(cell) for cell in cells))
        rest = len(names) - most
        text = json.dumps(names[:most], ensure_ascii=False)
    return f"{text} and {rest} more" if rest > 0 else text


def _other_lines(series: SeriesDescription) -> Iterator[tuple[str, str]]:
    """Yield titles, source names and descriptions; of many different ones some, evenly spread."""
    lines = [("title", series.titles), ("source_name_ch1", series.source_names)]
    lines += [("description", line) for line in series.descriptions]
    shown: dict[str, list[str]] = {}
    for name, cells in lines:
        counts = Counter(shown_cell(cell) for cell in cells if cell)
        if counts:
            shown.setdefault(name, []).append(_some(counts, len(cells)))
    for name, parts in shown.items():
        yield name, cut("; ".join(parts), _TEXTS)


def _some(counts: Counter[str], samples: int) -> str:
    names = list(counts)
    if len(names) <= _MOST_TITLES:
        return json.dumps(counts, ensure_ascii=False)
    places = (len(names) * number // _MOST_TITLES for number in range(_MOST_TITLES))
    some = json.dumps([names[place] for place in places], ensure_ascii=False)
    return f"{some} are {_MOST_TITLES} of {len(names)} different ones of {samples} samples"


def _platform(series: SeriesDescription) -> str:
    columns = list(series.annotation_columns) or list(series.annotation_preview)
    lines = []
    for name in columns[:_COLUMNS]:
        cells = [c for c in series.annotation_preview.get(name, ()) if c][:_FIRST_CELLS]
        lines.append(f"{_clipped(name)}: {' | '.join(map(_clipped, cells)) or EMPTY}")
    rest = len(columns) - _COLUMNS
    return "\n".join([*lines, *([f"and {rest} more columns"] if rest > 0 else [])])


def _clipped(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST_PREVIEW else f"{flat[: _LONGEST_PREVIEW - 1]}…"
