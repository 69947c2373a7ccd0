"""Agents that write no code: a model answers with data, and a program does the rest."""

from __future__ import annotations

from dataclasses import dataclass, field

from genotex.agents.prompts import render_prompt
from genotex.agents.questions import Card
from genotex.agents.task import Task
from genotex.clinical import ModelExpert
from genotex.models import Message, Request, RoleModels


def model_expert(models: RoleModels, task: Task) -> ModelExpert:
    """Return the expert that asks the models of a run about the series of a task."""
    facts = Card("expert", "encode", task).facts()
    return ModelExpert(models, sample_texts=task.procedure.reads_sample_texts, facts=facts)


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
                msg = f"{gene!r} is not a gene symbol; give symbols alone, as TP53"
                raise ValueError(msg)


def ask_without_data(models: RoleModels, task: Task) -> list[str]:
    """Ask once which genes are associated with a problem's trait; no data is shown."""
    question = render_prompt("zero_shot/question.md.j2", task=task, most_genes=MOST_GENES)
    card = Card("expert", "zero_shot", task)
    messages = (Message("system", render_prompt("zero_shot/role.md.j2")), Message("user", question))
    request = Request("expert", messages, facts=card.facts())
    answer = models.ask_for(request, KnownGenes).value
    return list(dict.fromkeys(answer.genes))[:MOST_GENES]
