"""The tables of all cases on their page.

``python -m tests.agents.team.misbehaving.page`` rewrites them; the text above them is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tests.agents.team.misbehaving.all_cases import CASES, SECTIONS
from tests.agents.team.misbehaving.case import Case, Outcome

PAGE = Path(__file__).parents[4] / "docs" / "misbehaving-models.md"
MARK = "<!-- python -m tests.agents.team.misbehaving.page writes what follows -->\n"
MEANT = {
    Outcome.RIGHT: "the same tables and answers, byte by byte, as from a model that behaves",
    Outcome.FAILED: "no result, and the run reports why",
    Outcome.STOPPED: "the run reports where, can be resumed, and pays for no call twice",
    Outcome.FLAGGED: "a result, or none, whose record lists what is suspicious",
    Outcome.WRONG: "a wrong result without a flag, found only by reading the code",
}
COLUMNS = ("what the model does", "end", "what happens")


def page() -> str:
    """Return the page with its tables as the cases are now."""
    head = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    parts = [f"{len(CASES)} cases, and how they end:\n\n{_ends()}"]
    for title, cases in SECTIONS.items():
        parts.append(f"## {title}\n\n{_table(COLUMNS, map(_cells, cases))}")
    return f"{head}{MARK}\n" + "\n".join(parts)


def _ends() -> str:
    counts = {end: sum(case.outcome is end for case in CASES) for end in Outcome}
    return _table(
        ("end", "cases", "meaning"),
        ((end, str(number), MEANT[end]) for end, number in counts.items()),
    )


def _cells(case: Case) -> tuple[str, ...]:
    source = f" (paper, {case.source})" if case.source else ""
    return case.name + source, case.outcome, case.happened


def _table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = tuple(columns)
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
