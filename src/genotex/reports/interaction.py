"""The genes whose change depends on the condition, as the page shows them."""

from __future__ import annotations

import polars as pl

from genotex.reports.findings import Findings, interaction_meaning
from genotex.reports.sections import InteractionRow, InteractionView
from genotex.reports.words import interaction_sentence, number, readable, sentence

__all__ = ["view_interaction"]

_ROWS = 10


def view_interaction(findings: Findings, genes: pl.DataFrame) -> InteractionView | None:
    """Return the short table of the interaction, lowest q-value first; None without a condition.

    Parameters
    ----------
    findings : Findings
        The analysis.
    genes : polars.DataFrame
        Ranked genes.
    """
    if findings.interaction is None or findings.condition is None:
        return None
    known = genes.drop_nulls("interaction_q")
    first = known.sort(["interaction_q", "interaction_p", "symbol"], nulls_last=True).head(_ROWS)
    rows = tuple(
        InteractionRow(
            row["symbol"],
            (
                number(row["estimate"], "signed"),
                number(row["interaction"], "fine"),
                number(row["interaction_p"], "p"),
                number(row["interaction_q"], "p"),
            ),
            row["interaction_q"] < findings.cut,
        )
        for row in first.iter_rows(named=True)
    )
    return InteractionView(
        title=f"Interaction with {readable(findings.condition)}",
        sentence=interaction_sentence(findings),
        meaning=sentence(f"inter. b: {interaction_meaning(findings)}"),
        rows=rows,
    )
