"""The question without data: which genes go with a trait, from what a model knows."""

from __future__ import annotations

from dataclasses import dataclass, field

from genotex.agents.card import Card
from genotex.agents.models import Message, Request, RoleModels
from genotex.agents.prompts import render_prompt
from genotex.agents.task import Task

__all__ = ["MOST_GENES", "ask_without_data"]

MOST_GENES = 100


@dataclass(frozen=True)
class KnownGenes:
    """Genes that are significantly associated with a trait."""

    genes: list[str] = field(
        metadata={"description": "official human gene symbols, the most important first"}
    )

    def __post_init__(self) -> None:
        """Refuse what can be no symbol."""
        for gene in self.genes:
            if not gene or not gene.isprintable() or any(sign.isspace() for sign in gene):
                msg = f"{gene!r} is no gene symbol; give symbols alone, as TP53"
                raise ValueError(msg)


def ask_without_data(models: RoleModels, task: Task) -> list[str]:
    """Ask once which genes go with a problem's trait; no data is shown.

    Parameters
    ----------
    models : RoleModels
        The role ``expert`` is asked.
    task : Task
        The problem.

    Returns
    -------
    list of str
        At most `MOST_GENES` symbols, each once, the most important first.

    Raises
    ------
    BadAnswerError
        If the answer is none, also when asked again.
    RefusedError
        If the model refuses.
    """
    question = render_prompt("zero_shot/question.md.j2", task=task, most_genes=MOST_GENES)
    card = Card("expert", "zero_shot", task)
    messages = (
        Message("system", render_prompt("zero_shot/role.md.j2")),
        Message("user", f"{question}\n{card.block()}\n"),
    )
    answer = models.ask_for(Request("expert", messages), KnownGenes).value
    return list(dict.fromkeys(answer.genes))[:MOST_GENES]
