"""The page of all cases. `python -m tests.runs.team.misbehaving.page` writes it anew."""

from __future__ import annotations

from pathlib import Path

from tests.runs.team.misbehaving.all_cases import CASES, SECTIONS
from tests.runs.team.misbehaving.case import Case, Outcome

PAGE = Path(__file__).parents[4] / "docs" / "misbehaving-models.md"
MEANT = {
    Outcome.RIGHT: "the same files, byte by byte, as from a model that behaves",
    Outcome.FAILED: "no result, and the run says why",
    Outcome.STOPPED: "the run says where, goes on when told to, and pays for no call twice",
    Outcome.DOUBTED: "a result, or none, whose record says what speaks against it",
    Outcome.WRONG: "a wrong result without a mark: only who reads the code can tell",
}
HEAD = """\
# When a model misbehaves

What models do wrong, and might do on purpose, tried on the team as it runs: a service on this machine answers over the wire, in OpenAI's
protocol, as the built-in rules do, except at one moment. Sessions, walls, journal and results are the real ones. Each line is a test
(`tests/runs/team/misbehaving/`), and this page is written from the same cases:

```
python -m pytest tests/runs/team/misbehaving
python -m tests.runs.team.misbehaving.page
```

{number} ways, and how they end:

| end | ways | what it means |
|---|---|---|
{ends}

Whatever happened, the key that the service was asked with stood in no file of the run and in no prompt.

## Where to read what happened

| where | what |
|---|---|
| `genotex agent show RUN NOTEBOOK` | the trace: every plan, attempt, end, output and verdict; the counts (`overruled`, `unreadable_plans`, ...) |
| `run/journal.jsonl` | the record of each notebook: state, `why`, `ending`, counts, `doubts`, walls, digests of its files |
| `run/notebooks/` | the journal of each notebook: every call and cell, word by word |
| `notebooks/` | the code that counts, to be run again |
| `preprocess/<Trait>/evidence/` | which row was read, and the code of every value |

**Doubts** are told by a look at the files and at the raw series, outside the sandbox, after the session has ended: a table or an answer that
the toolkit did not write, genes that are none, and a trait that the built-in rules read otherwise. What contradicts itself is refused:
a record and its table, a table and its Parquet twin, trait codes and their own encoding, genes and their cohort.

**What only a reader can tell.** Code that changes numbers in memory and then saves them through the toolkit leaves files that agree with each
other. The code stands in the notebook; `genotex preprocess` on the same input, and `genotex compare`, show what differs. For TCGA no second
opinion is asked, and its codes are not applied again.
"""
TABLE = "| what the model does | end | what happens | what is recorded |\n|---|---|---|---|"


def page() -> str:
    """Return the page."""
    ends = (
        f"| {end} | {sum(case.outcome is end for case in CASES)} | {MEANT[end]} |"
        for end in Outcome
        if any(case.outcome is end for case in CASES)
    )
    parts = [HEAD.format(number=len(CASES), ends="\n".join(ends))]
    for title, cases in SECTIONS.items():
        parts.append(f"## {title}\n\n{TABLE}\n" + "".join(map(_row, cases)))
    return "\n".join(parts)


def _row(case: Case) -> str:
    source = f" (paper, {case.source})" if case.source else ""
    cells = (case.name + source, str(case.outcome), case.happened, case.recorded)
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
