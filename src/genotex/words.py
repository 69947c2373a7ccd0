"""Numbers and sentences as the pages write them."""

from __future__ import annotations

import math
from collections.abc import Sequence

_FORMS = {
    "signed": "+.2f",
    "fine": "+.3f",
    "plain": ".2f",
    "size": ".3f",
    "count": ".0f",
    "share": ".0%",
}


def readable(name: str) -> str:
    """Return a trait folder name as words."""
    return name.replace("_", " ").strip()


def with_names(text: str, *folders: str | None) -> str:
    """Return a text with readable names of traits; None is skipped."""
    for folder in folders:
        text = text.replace(folder, readable(folder)) if folder else text
    return text


def listed(items: Sequence[str], last: str = "and") -> str:
    """Return "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def sentence(text: str) -> str:
    """Return `text` with a capital at the start and a full stop at the end."""
    text = text.strip()
    if not text:
        return ""
    end = "" if text[-1] in ".!?" else "."
    return f"{text[0].upper()}{text[1:]}{end}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return "1 gene" or "1,234 genes"."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def some_names(names: Sequence[str], most: int = 10) -> str:
    """Return the first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def share_of(part: int, whole: int) -> str:
    """Return a share to two digits, as "12 %"; "over 99 %" of nearly all."""
    if part == whole:
        return "100 %"
    percent = 100 * part / whole
    return "over 99 %" if percent >= 99.5 else f"{percent:.2g} %"


def number(value: float | None, form: str) -> str:
    """Return a value of a gene table; empty when it is missing."""
    if value is None or not math.isfinite(value):
        return ""
    if form == "p":
        return _probability(value)
    text = format(value, _FORMS[form])
    if form == "share":
        return text.replace("%", " %")
    if value != 0 and form in ("signed", "fine", "plain", "size") and float(text) == 0:
        text = format(value, ".1e" if form in ("plain", "size") else "+.1e")
    return text.replace("-", "\N{MINUS SIGN}", 1) if value < 0 else text


def _probability(value: float) -> str:
    if value < 1e-300:
        return "<1e-300"
    if value < 0.001:
        return f"{value:.1e}"
    return f"{value:.3f}" if value >= 0.01 else f"{value:.4f}"


def file_size(size: float | None) -> str:
    """Return bytes as "12.3 MB"."""
    if size is None:
        return ""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def question(trait: str, condition: str | None, kind: str) -> str:
    """Return the problem as a question."""
    verb = (
        f"differ between {readable(trait)} cases and controls"
        if kind == "binary"
        else f"differ among the levels of {readable(trait)}"
        if kind == "factor"
        else f"change with {readable(trait)}"
    )
    if condition is None:
        return f"Which genes {verb}?"
    if condition in ("Age", "Gender"):
        return f"Which genes {verb}, given {condition.lower()}?"
    return f"Which genes {verb}, given {readable(condition)}?"


def direction(estimate: float | None) -> str:
    """Return ``up``, ``down`` or ``none``."""
    return "none" if not estimate else "up" if estimate > 0 else "down"


def interval(low: float | None, high: float | None) -> str:
    """Return an interval as "low to high"; empty when an end is missing."""
    ends = number(low, "signed"), number(high, "signed")
    return " to ".join(ends) if all(ends) else ""


def yes_or_no(value: bool | None) -> str:
    """Return "yes", "no", or nothing for None."""
    return "" if value is None else "yes" if value else "no"
