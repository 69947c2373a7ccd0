"""How what is drawn looks: one colour and shape for each meaning, whoever draws it."""

from __future__ import annotations

from dataclasses import dataclass

INK = "#1f2933"
QUIET = "#5b6770"
GREY = "#b4bcc4"
ACCENT = "#1b5e83"
GUIDE = "#d5dbe1"
FRAME = "#9aa5b1"
GRID = "#e6eaee"
ZERO = "#c3cad1"
MISSING = "#c3cad1"
"""Of a cell without a value."""
UP = "#b8501f"
DOWN = "#22689b"
OTHER = "#3d3d3d"

SERIES = (
    "#1b5e83", "#c8742f", "#7d8f2b", "#8d4f8a", "#3f9c93", "#b23a48", "#6b7280", "#b89a1e",
    "#5b6bb0", "#2f7d4f", "#a0522d", "#d17ba6",
)  # fmt: skip
SHAPES = ("o", "s", "^", "D", "v", "P", "X", "<")
"""Of levels of a factor, kinds of problems, and runs side by side."""
MOST_LEVELS = 40
"""Beyond 12 levels colours come again."""

SCALES = {
    "diverging": ("#134b78", "#5f9bc6", "#f6f5f2", "#dc8a5e", "#8f3510"),
    "level": ("#c9d8e3", "#4f88ab", "#12354b"),
}
"""Colours that a scale runs through, lowest first."""


@dataclass(frozen=True)
class Look:
    """Colour, and shape of a point in matplotlib's letters."""

    colour: str
    shape: str = "o"


LOOKS = {
    "up": Look(UP),
    "down": Look(DOWN),
    "rest": Look(GREY),
    "marked": Look("#7b2d8b"),
    "named": Look(QUIET),
    "case": Look(UP),
    "control": Look(DOWN, "s"),
    "other": Look(OTHER, "^"),
    "unknown": Look("#8b95a0", "X"),
    "absent": Look(GREY, "X"),
    "high": Look(UP),
    "low": Look(DOWN),
    "one": Look(ACCENT),
    "female": Look(SERIES[3]),
    "male": Look(ACCENT, "s"),
    "unclear": Look(GREY, "X"),
    "cohort": Look(ACCENT, "s"),
    "range": Look(QUIET),
    "guide": Look(GUIDE),
    "tree": Look(QUIET),
    "both": Look(UP),
    "first": Look(DOWN),
    "second": Look(OTHER),
}
"""Meaning -> look: a gene is up, a sample a case, a point one of a single kind."""


def level_key(place: int) -> str:
    """Return the meaning of the level of a factor, by its place."""
    return f"level-{place % MOST_LEVELS}"


for _i in range(MOST_LEVELS):
    LOOKS[level_key(_i)] = Look(SERIES[_i % len(SERIES)], SHAPES[_i % len(SHAPES)])

COLOURS = {meaning: look.colour for meaning, look in LOOKS.items()}

IN_BROWSERS = {
    "o": "circle", "s": "square", "^": "triangle-up", "D": "diamond", "v": "triangle-down",
    "P": "cross", "X": "x", "<": "triangle-left", "|": "line-ns-open",
}  # fmt: skip
"""Shape of matplotlib -> shape in a browser."""

TEXT = 9.0
"""Points of ordinary text."""
