"""The table at the end of a fetch: what became of each file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from genotex.cli import screen

if TYPE_CHECKING:
    from genotex.fetch.folder import Outcome

__all__ = ["outcomes_json", "show_outcomes"]


def show_outcomes(outcomes: Sequence[Outcome]) -> None:
    """Print a row for each file, and how many of each kind there are."""
    rows = [
        {
            "state": each.state,
            "file": each.path,
            "MB": None if each.fetched is None else f"{each.fetched.size / 1e6:,.1f}",
            "why": None if each.error is None else str(each.error),
        }
        for each in outcomes
    ]
    failed = any(row["why"] for row in rows)
    columns = ("state", "file", "MB", *(("why",) if failed else ()))
    screen.table(columns, rows, fold=("file", "why"), right=("MB",))
    counts = Counter(each.state for each in outcomes)
    told = ", ".join(f"{counts[state]:,} {state}" for state in counts)
    screen.say(f"\n{told}")


def outcomes_json(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Return what became of each file, for machines."""
    return [
        {
            "path": each.path,
            "state": each.state,
            "size": None if each.fetched is None else each.fetched.size,
            "sha256": None if each.fetched is None else each.fetched.sha256,
            "error": None if each.error is None else str(each.error),
        }
        for each in outcomes
    ]
